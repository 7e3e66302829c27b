"""The values of all metrics over all records as matrices, and what intervals resample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.evaluation.options import EvaluationOptions, unknown_cluster_column
from abotn.evaluation.scoring import Scored
from abotn.records.table import RecordTable
from abotn.statistics.clusters import choose_clusters

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Values:
    """All metrics over all records: what aggregation works on.

    Attributes:
        numerators: (N, M) values, or numerators of ratio metrics; 0 where undefined.
        denominators: (N, M) 1 where defined, or denominators; 0 where undefined.
        defined: (N, M) whether the record has a value.
        tasks: (N,) code of each record's task when tasks have several attempts, else None.
        clusters: (N,) code of each record's cluster, or None.
        resampled: What intervals resample: ``"records"``, ``"tasks"`` or the cluster column.
    """

    numerators: Floats
    denominators: Floats
    defined: NDArray[np.bool_]
    tasks: Rows | None
    clusters: Rows | None
    resampled: str

    def weighted(self, rows: Rows) -> tuple[Floats, Floats]:
        """Return the values of some records, so weighted that each task counts once."""
        top, bottom = self.numerators[rows], self.denominators[rows]
        if self.tasks is None:
            return top, bottom
        _, tasks = np.unique(self.tasks[rows], return_inverse=True)
        defined = self.defined[rows].astype(np.float64)
        counts = np.zeros((tasks.max(initial=0) + 1, defined.shape[1]))
        np.add.at(counts, tasks, defined)
        weights = 1.0 / np.maximum(counts[tasks], 1.0)
        return top * weights, bottom * weights

    def is_one_cluster(self, rows: Rows) -> bool:
        """Whether some records, at least one, all lie in one cluster."""
        if self.clusters is None or not len(rows):
            return False
        inside = self.clusters[rows]
        return bool((inside == inside[0]).all())


def values_of(scored: Sequence[Scored], table: RecordTable, options: EvaluationOptions) -> Values:
    """Return the values of scored metrics.

    Raises:
        EvaluationInputError: the cluster column is not there, or has no value somewhere.
    """
    clusters, resampled = _clusters(table, options)
    attempts = table.column("attempt")
    tasks = _codes(table, ("episode_id", "task_id")) if attempts.any() else None
    if tasks is not None and clusters is None:
        resampled = "tasks"
    return Values(
        np.column_stack([one.column.numerators for one in scored]),
        np.column_stack([one.column.denominators for one in scored]),
        np.column_stack([one.column.defined for one in scored]),
        tasks,
        clusters,
        resampled,
    )


def _clusters(table: RecordTable, options: EvaluationOptions) -> tuple[Rows | None, str]:
    name = options.cluster_by
    if name is None:
        return None, "records"
    if name == "auto":
        tasks = _codes(table, ("episode_id", "task_id"))
        first = np.unique(tasks, return_index=True)[1]
        scenes = _codes(table, ("episode_id",))
        if not choose_clusters(scenes[first]):
            return None, "records"
        return scenes, "episode_id"
    if name not in table:
        raise unknown_cluster_column(name, table.names)
    column = table.column(name)
    if any(value is None or value != value for value in column):
        raise EvaluationInputError(
            f"column {name!r} has no value in some records", where="cluster_by"
        )
    return _codes(table, (name,)), name


def _codes(table: RecordTable, names: Sequence[str]) -> Rows:
    codes = np.zeros(len(table), dtype=np.int64)
    for name in names:
        _, inner = np.unique(table.column(name).astype(str), return_inverse=True)
        _, codes = np.unique(codes * (inner.max(initial=0) + 1) + inner, return_inverse=True)
    return codes
