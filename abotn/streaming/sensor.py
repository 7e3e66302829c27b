"""Sensor level: one score per reading of one sensor."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from abotn.streaming.dataset import check_sensor, sensor_label_path
from abotn.streaming.reading import TimestepScoreEvaluator


class SensorEvaluator(TimestepScoreEvaluator):
    """Figures over one score per reading: this sensor at one timestep.

    A reading is positive only where the anomaly is visible in this sensor. Labels are row
    ``timestep_id`` of the ``anomaly`` column of ``{scenario_id}/anomaly-{sensor}/sensor.feather``,
    read once per scenario.

    Args:
        sensor: ``"front"``, ``"left"``, ``"right"``, ``"rear"`` or ``"lidar"``.
        nan_policy: ``"raise"``, or ``"omit"`` to leave NaN scores out and count them.
        by_type_negatives: What the positives of an anomaly type are compared with:
            ``"carlanomaly"`` (here ``"normal"``: all normal scenarios), ``"devkit"`` (here
            ``"own_and_normal"``: the type's own scenarios and all normal ones), ``"own"``,
            ``"normal"``, ``"own_and_normal"`` or ``"all"``.

    Raises:
        UnknownNameError: the sensor is not known.
    """

    level: ClassVar[str] = "sensor"

    def __init__(
        self, sensor: str, *, nan_policy: str = "raise", by_type_negatives: str = "carlanomaly"
    ) -> None:
        self.sensor = check_sensor(sensor)
        super().__init__(nan_policy=nan_policy, by_type_negatives=by_type_negatives)

    def config(self) -> dict[str, Any]:
        """Return what two evaluators must share to be merged."""
        return {"sensor": self.sensor, **super().config()}

    def _label_path(self, scenario_id: str) -> Path:
        return sensor_label_path(scenario_id, self.sensor)
