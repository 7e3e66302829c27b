"""Which tasks a run solves, by a metric that is 0 or 1 per attempt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.evaluation.evaluator import Evaluator
from abotn.evaluation.options import EvaluationOptions
from abotn.evaluation.scoring import Scored
from abotn.evaluation.selection import select
from abotn.evaluation.task_values import FloatArray, TaskValues
from abotn.metrics.registry import MetricRegistry

SOLVED_BY = "success"


def canonical_metric(registry: MetricRegistry, name: str) -> str:
    """Return a metric's own name for one of its aliases.

    Raises:
        UnknownMetricError: nobody registered it.
    """
    return name if name == SOLVED_BY else registry.get(name).name


@dataclass(frozen=True)
class SolvedTasks:
    """Tells which tasks of scored runs are solved.

    Attributes:
        evaluator: Scores the metric where a run was not scored with it.
        metric: The metric's own name.
        options: Options the runs were scored with.
    """

    evaluator: Evaluator
    metric: str
    options: EvaluationOptions

    def of(self, name: str, values: TaskValues) -> FloatArray:
        """Return (T,) 1 for a solved task, 0 for another, NaN where the metric is undefined.

        A task is solved when the metric is 1 in more than half of its attempts.

        Args:
            name: Name of the run, for errors.
            values: The run's T tasks.

        Raises:
            EvaluationInputError: the metric cannot be measured, or is not 0 or 1.
        """
        if self.metric == SOLVED_BY:
            return values.solved().astype(np.float64)
        one = self._scored(name, values)
        if one.error is not None:
            raise self._unmeasured(name, one.error)
        self._check(name, one)
        means = values.sums(one)[:, 0]
        return np.where(np.isnan(means), np.nan, means > 0.5)

    def _scored(self, name: str, values: TaskValues) -> Scored:
        known = {one.spec.name: one for one in values.found.scored}
        if self.metric in known:
            return known[self.metric]
        selection = select(self.evaluator.registry, [self.metric], None)
        given = self.options.metric_kwargs
        own = {metric: one for metric, one in given.items() if metric == self.metric}
        options = replace(self.options, metric_kwargs=own)
        source = values.found.source
        try:
            return self.evaluator.score_records(source, selection, options).scored[0]
        except EvaluationInputError as error:
            raise self._unmeasured(name, error.message) from None

    def _unmeasured(self, name: str, reason: str) -> EvaluationInputError:
        return EvaluationInputError(
            f"{self.metric} cannot be measured for {name}: {reason}", where="solved_by"
        )

    def _check(self, name: str, one: Scored) -> None:
        column = one.column
        found = np.asarray(column.numerators)[np.asarray(column.defined, dtype=bool)]
        if one.spec.ratio or not np.isin(found, (0.0, 1.0)).all():
            raise EvaluationInputError(
                f"{self.metric} is not 0 or 1 in every attempt of {name}",
                where="solved_by",
                hint="name a metric such as success or success_new",
            )


def who_solves(tasks: NDArray[Any], left: FloatArray, right: FloatArray) -> dict[str, Any]:
    """Return the fields of a pair's comparison that say who solves what.

    Args:
        tasks: (T,) names of the tasks that both runs have.
        left: (T,) 1 where the first run solves the task, 0 where not, NaN where not known.
        right: (T,) the same of the second run.
    """
    return {
        "solved_only_by_a": _named(tasks, (left == 1) & (right == 0)),
        "solved_only_by_b": _named(tasks, (right == 1) & (left == 0)),
        "solved_by_both": int(((left == 1) & (right == 1)).sum()),
        "solved_by_neither": int(((left == 0) & (right == 0)).sum()),
        "solved_unknown": _named(tasks, np.isnan(left) | np.isnan(right)),
    }


def _named(tasks: NDArray[Any], chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(tasks[chosen].tolist())
