"""Timestep level: one score for all sensors together."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from abotn.streaming.dataset import timestep_label_path
from abotn.streaming.reading import TimestepScoreEvaluator


class TimestepEvaluator(TimestepScoreEvaluator):
    """Figures over one score per timestep, all sensors taken as one observation.

    A timestep's label belongs to no sensor: it may be set where several sensors see the anomaly,
    where they disagree, or where none can localise it, as with weather. Labels are row
    ``timestep_id`` of the ``anomaly`` column of ``{scenario_id}/anomaly-observation.feather``,
    read once per scenario. This is where fused scores of several sensors belong; a scenario with
    30 timesteps contributes 30 scores.

    Args:
        nan_policy: ``"raise"``, or ``"omit"`` to leave NaN scores out and count them.
        by_type_negatives: As for ``SensorEvaluator``.
    """

    level: ClassVar[str] = "timestep"

    def __init__(
        self, *, nan_policy: str = "raise", by_type_negatives: str = "carlanomaly"
    ) -> None:
        super().__init__(nan_policy=nan_policy, by_type_negatives=by_type_negatives)

    def _label_path(self, scenario_id: str) -> Path:
        return timestep_label_path(scenario_id)
