"""Results of metrics of samples that are infinite somewhere, as a time to collision can be.

Sums and intervals take finite values only, so infinite ones are put in after aggregation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.evaluation.grouping import Grouping
from abotn.evaluation.scoring import Scored
from abotn.records.table import RecordTable
from abotn.results.types import GroupResult, MetricResult
from abotn.units import Direction, counted

Rows = NDArray[np.int64]


def with_infinite(
    metrics: Sequence[MetricResult], scored: Sequence[Scored], rows: Rows
) -> tuple[MetricResult, ...]:
    """Return results over some records with the infinite values among them counted in.

    A mean with an infinite value is infinite, and undefined where values of both signs are; the
    mean of the others is ``finite_mean`` in the metadata, the number of infinite ones
    ``infinite_count``.

    Args:
        metrics: One result per metric, over the finite values.
        scored: The metrics' values over all records.
        rows: The records.
    """
    return tuple(
        metric if one.column.infinite is None else _with_infinite(metric, one.column.infinite[rows])
        for metric, one in zip(metrics, scored, strict=True)
    )


def groups_with_infinite(
    groups: Mapping[str, tuple[GroupResult, ...]],
    scored: Sequence[Scored],
    table: RecordTable,
    groupings: Sequence[Grouping],
) -> dict[str, tuple[GroupResult, ...]]:
    """Return results per grouping with the infinite values counted in."""
    rows = {one.name: one.split(table) for one in groupings}
    return {
        name: tuple(
            replace(one, metrics=with_infinite(one.metrics, scored, rows[name][one.label]))
            for one in parts
        )
        for name, parts in groups.items()
    }


def _with_infinite(metric: MetricResult, infinite: NDArray[np.float64]) -> MetricResult:
    count = int(np.count_nonzero(infinite))
    if not count:
        return metric
    above, below = bool((infinite > 0).any()), bool((infinite < 0).any())
    value = math.nan if above and below else math.inf if above else -math.inf
    judged = metric.threshold is not None and not math.isnan(value)
    verb = "is" if count == 1 else "are"
    why = f"{count} of {counted(metric.sample_count, 'values')} {verb} infinite"
    return replace(
        metric,
        value=value,
        passed=Direction(metric.direction).meets(value, metric.threshold) if judged else None,  # type: ignore[arg-type]
        ci=None,
        ci_reason=metric.ci_reason if metric.ci is None and metric.finite_count else why,
        reason=f"{why}, of both signs" if above and below else why,
        undefined_count=metric.undefined_count - count,
        minimum=None if below else metric.minimum,
        maximum=None if above else metric.maximum,
        std=None,
        metadata=_metadata(metric, infinite, count),
    )


def _metadata(metric: MetricResult, infinite: NDArray[np.float64], count: int) -> dict[str, Any]:
    metadata = {key: value for key, value in metric.metadata.items() if key != "error"}
    metadata["infinite_count"] = count
    if metric.finite_count:
        metadata["finite_mean"] = metric.value
    if "raw_values" in metadata:
        pairs = zip(metadata["raw_values"], infinite.tolist(), strict=True)
        metadata["raw_values"] = [signed if signed else value for value, signed in pairs]
    return metadata
