"""A scored run, task by task: what comparing and planning work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.evaluation.evaluator import ScoredRecords
from abotn.evaluation.options import EvaluationOptions, unknown_cluster_column
from abotn.evaluation.scoring import Scored
from abotn.statistics.clusters import choose_clusters

FloatArray = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class TaskValues:
    """The T tasks of a scored run.

    Attributes:
        found: The run's records and their values.
        tasks: (T,) ``scene/task``, sorted.
        rows: (N,) task of each record.
    """

    found: ScoredRecords
    tasks: NDArray[Any]
    rows: Rows

    @classmethod
    def of(cls, found: ScoredRecords) -> TaskValues:
        """Return the tasks of scored records."""
        table = found.table
        pairs = zip(table.column("episode_id"), table.column("task_id"), strict=True)
        keys = np.array([f"{scene}/{task}" for scene, task in pairs])
        tasks, rows = np.unique(keys, return_inverse=True)
        return cls(found, tasks, rows)

    def sums(self, one: Scored) -> FloatArray:
        """Return (T, 2): mean numerator and denominator over a task's defined attempts.

        Both are NaN where no attempt is defined.
        """
        column, count = one.column, len(self.tasks)
        defined = np.bincount(self.rows, column.defined, count)
        safe = np.maximum(defined, 1.0)
        top = np.bincount(self.rows, column.numerators, count) / safe
        bottom = np.bincount(self.rows, column.denominators, count) / safe
        sums: FloatArray = np.column_stack([top, bottom])
        return np.where(defined[:, None] > 0, sums, np.nan)

    def solved(self) -> NDArray[np.bool_]:
        """Return (T,) whether most attempts of a task succeeded."""
        table, count = self.found.table, len(self.tasks)
        if "success" not in table:
            return np.zeros(count, dtype=bool)
        successes = np.nan_to_num(table.column("success").astype(np.float64))
        means = np.bincount(self.rows, successes, count) / np.bincount(self.rows, minlength=count)
        return np.asarray(means > 0.5)

    def column(self, name: str) -> NDArray[Any]:
        """Return (T,) a column's value in each task's first record."""
        first = np.unique(self.rows, return_index=True)[1]
        values: NDArray[Any] = self.found.table.column(name)[first]
        return values


def shared_tasks(a: TaskValues, b: TaskValues) -> tuple[NDArray[Any], Rows, Rows]:
    """Return the tasks that two runs share, and where they stand in each."""
    both, in_a, in_b = np.intersect1d(a.tasks, b.tasks, assume_unique=True, return_indices=True)
    return both, in_a, in_b


def cluster_labels(
    side: TaskValues, at: Rows, options: EvaluationOptions
) -> tuple[NDArray[Any] | None, str]:
    """Return the cluster of each of some tasks, and its column; None and ``"tasks"`` for none.

    Args:
        side: The run whose columns are used.
        at: The tasks, as positions in ``side.tasks``.
        options: ``cluster_by`` is followed; ``"auto"`` takes scenes where ``choose_clusters`` says
            so.

    Raises:
        EvaluationInputError: there is no such column, or it has no value for some tasks.
    """
    name = options.cluster_by
    if name is None:
        return None, "tasks"
    column = "episode_id" if name == "auto" else name
    if column not in side.found.table:
        raise unknown_cluster_column(column, side.found.table.names)
    values = side.column(column)[at]
    if any(value is None or value != value for value in values):
        raise EvaluationInputError(
            f"column {column!r} has no value in some records", where="cluster_by"
        )
    labels = values.astype(str)
    if name == "auto" and not choose_clusters(labels):
        return None, "tasks"
    return labels, column
