"""Scenario level: one score per scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from abotn.errors import EvaluationInputError
from abotn.streaming.base import ScoreEvaluator
from abotn.streaming.batch import as_array, nan_error
from abotn.streaming.dataset import parse_scenario
from abotn.streaming.kept import KeptScores

if TYPE_CHECKING:
    import pandas as pd


class ScenarioEvaluator(ScoreEvaluator):
    """Figures over one score per scenario; the path says which are positive.

    ``/test/anomaly/`` is positive, ``/test/normal/`` negative. How a scenario's score comes about
    is up to the caller: the maximum over timesteps (``max_per_scenario`` of the timestep level),
    or a model that scores whole scenarios.

    Args:
        nan_policy: ``"raise"``, or ``"omit"`` to leave NaN scores out and count them.
        by_type_negatives: As for ``SensorEvaluator``.

    Example:
        >>> evaluator = ScenarioEvaluator()
        >>> evaluator.update(0.9, "/data/test/anomaly/Town01/spawn-props/scenario-0")
        >>> evaluator.update(0.2, "/data/test/normal/Town01/scenario-0")
        >>> evaluator.compute()["auroc"]
        1.0
    """

    level: ClassVar[str] = "scenario"
    unit: ClassVar[str] = "scenario"

    def __init__(
        self, *, nan_policy: str = "raise", by_type_negatives: str = "carlanomaly"
    ) -> None:
        self._kept = KeptScores(once=True)
        super().__init__(self._kept, nan_policy=nan_policy, by_type_negatives=by_type_negatives)

    def update(self, score: Any, scenario_id: str) -> None:
        """Take one scenario's score.

        Args:
            score: One number or one-element tensor-like; higher is more anomalous.
            scenario_id: Path of the scenario's folder.

        Raises:
            EvaluationInputError: the score is no single number or is NaN, the path is of neither
                kind, or the scenario is scored twice.
        """
        value = as_array(score, "score")
        if value.size != 1:
            raise EvaluationInputError(
                f"expected one score, got shape {value.shape}", where="score"
            )
        scenario = parse_scenario(scenario_id)
        if np.isnan(value).any():
            if self.nan_policy == "raise":
                raise nan_error(1, scenario.scenario_id, None)
            self._counters["n_nan"] += 1
            return
        self._kept.add([scenario], value.reshape(1), scenario.is_anomalous, -1)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the scores in the order they came.

        Returns:
            Columns ``scenario_id``, ``score``, ``label``, ``anomaly_type`` (None for normal
            scenarios) and ``town``.
        """
        import pandas as pd

        rows, arrived = self._kept.columns(), self._kept.arrived()
        places = [arrived[code] for code in rows.scenario]
        table: pd.DataFrame = pd.DataFrame(
            {
                "scenario_id": [place.scenario_id for place in places],
                "score": rows.score,
                "label": rows.label,
                "anomaly_type": pd.Series([p.anomaly_type for p in places], dtype=object),
                "town": [place.town for place in places],
            }
        )
        return table
