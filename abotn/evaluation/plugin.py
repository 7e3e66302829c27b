"""The groupings this package brings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from abotn.evaluation import difficulty
from abotn.evaluation.grouping import Grouping, as_grouping
from abotn.plugins.hookspecs import hookimpl


@hookimpl
def abotn_groupings() -> list[Grouping]:
    """Difficulty, scene, POI and status."""
    return [
        _difficulty(difficulty.difficulty_outdoor, difficulty.OUTDOOR_ORDER),
        _difficulty(difficulty.difficulty_indoor, difficulty.INDOOR_ORDER),
        as_grouping(difficulty.scene),
        as_grouping(difficulty.poi),
        as_grouping(difficulty.status, order=("stop", "max_steps", "collision", "error")),
    ]


def _difficulty(function: Callable[..., Any], order: tuple[str, ...]) -> Grouping:
    return replace(as_grouping(function, order=order), rest=order[-1])
