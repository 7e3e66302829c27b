"""The groupings this package brings."""

from __future__ import annotations

from abotn.evaluation import difficulty
from abotn.evaluation.grouping import Grouping, as_grouping
from abotn.plugins.hookspecs import hookimpl


@hookimpl
def abotn_groupings() -> list[Grouping]:
    """Difficulty, scene, POI and status."""
    return [
        as_grouping(difficulty.difficulty_outdoor, order=difficulty.OUTDOOR_ORDER),
        as_grouping(difficulty.difficulty_indoor, order=difficulty.INDOOR_ORDER),
        as_grouping(difficulty.scene),
        as_grouping(difficulty.poi),
        as_grouping(difficulty.status, order=("stop", "max_steps", "collision", "error")),
    ]
