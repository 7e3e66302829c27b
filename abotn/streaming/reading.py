"""Sensor and timestep level: what one score per timestep needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError
from abotn.streaming.base import ScoreEvaluator
from abotn.streaming.batch import as_scenarios, as_scores, as_timesteps, nan_error
from abotn.streaming.dataset import Scenario
from abotn.streaming.kept import KeptScores
from abotn.streaming.labels import read_anomaly_column

if TYPE_CHECKING:
    import pandas as pd


class TimestepScoreEvaluator(ScoreEvaluator, ABC):
    """Base of ``SensorEvaluator`` and ``TimestepEvaluator``: exact, with all scores kept."""

    unit: ClassVar[str] = "timestep"

    def __init__(self, *, nan_policy: str, by_type_negatives: str) -> None:
        self._kept = KeptScores(once=True)
        self._labels: dict[str, NDArray[np.bool_]] = {}
        super().__init__(self._kept, nan_policy=nan_policy, by_type_negatives=by_type_negatives)

    def update(self, scores: Any, scenario_ids: Sequence[str], timestep_ids: Sequence[int]) -> None:
        """Take one batch of scores.

        Args:
            scores: Array, tensor-like or sequence of numbers, shape (B,); higher is more
                anomalous.
            scenario_ids: B paths of scenario folders.
            timestep_ids: B timestep numbers.

        Raises:
            EvaluationInputError: the batch has another form, a path is of neither kind, a score
                is NaN, or a timestep is scored twice.
            DataError: a label file is missing or damaged, or ends before a timestep. In either
                case nothing of the batch was taken.
        """
        values = as_scores(scores, "scores")
        scenarios = as_scenarios(scenario_ids, len(values))
        timesteps = as_timesteps(timestep_ids, len(values))
        bad = np.isnan(values)
        if bad.any() and self.nan_policy == "raise":
            first = int(np.argmax(bad))
            named = scenarios[first].scenario_id, timesteps[first]
            raise nan_error(1, *named, elsewhere=int(bad.sum()) - 1)
        rows = [i for i in range(len(values)) if not bad[i]]
        labels = [self._label(scenarios[i], timesteps[i]) for i in rows]
        kept = [scenarios[i] for i in rows]
        self._kept.add(kept, values[~bad], labels, [timesteps[i] for i in rows])
        self._counters["n_nan"] += int(bad.sum())

    def reset(self) -> None:
        """Forget all scores and labels and keep the configuration."""
        super().reset()
        self._labels.clear()

    def to_dataframe(self) -> pd.DataFrame:
        """Return the scores in the order they came.

        Returns:
            Columns ``scenario_id``, ``timestep_id``, ``score``, ``label``, ``anomaly_type`` (None
            for normal scenarios) and ``town``.
        """
        import pandas as pd

        rows, places = self._kept.columns(), self._kept.arrived()
        table: pd.DataFrame = pd.DataFrame(
            {
                "scenario_id": _spread([place.scenario_id for place in places], rows.scenario),
                "timestep_id": rows.timestep.astype(np.int64),
                "score": rows.score,
                "label": rows.label,
                "anomaly_type": pd.Series(
                    _spread([place.anomaly_type for place in places], rows.scenario), dtype=object
                ),
                "town": _spread([place.town for place in places], rows.scenario),
            }
        )
        return table

    def max_per_scenario(self) -> dict[str, float]:
        """Return the highest score of each scenario, in the order the scenarios came."""
        rows, places = self._kept.columns(), self._kept.arrived()
        highest = np.full(len(places), -np.inf)
        np.maximum.at(highest, rows.scenario, rows.score)
        return {
            place.scenario_id: float(score) for place, score in zip(places, highest, strict=True)
        }

    @abstractmethod
    def _label_path(self, scenario_id: str) -> Path: ...

    def _label(self, scenario: Scenario, timestep: int) -> bool:
        labels = self._labels.get(scenario.scenario_id)
        if labels is None:
            labels = self._labels[scenario.scenario_id] = self._read_labels(scenario)
        if timestep >= labels.size:
            raise DataError(
                f"timestep {timestep} lies beyond its {labels.size} labels",
                where=self._label_path(scenario.scenario_id),
            )
        return bool(labels[timestep])

    def _read_labels(self, scenario: Scenario) -> NDArray[np.bool_]:
        path = self._label_path(scenario.scenario_id)
        labels = read_anomaly_column(path)
        if labels is None:
            raise DataError("the label file does not exist", where=path)
        return labels


def _spread(values: list[Any], codes: NDArray[np.int32]) -> NDArray[Any]:
    return np.array(values, dtype=object)[codes]
