"""A batch of metric values as columns: one numerator and denominator per record and metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.results.types import EvaluationResult, MetricResult
from abotn.units import counted

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BatchColumn:
    """One metric over the n records of a batch.

    Attributes:
        name: The metric.
        unit: Its unit.
        direction: ``"higher"`` or ``"lower"`` is better.
        tops: (n,) values, or numerators; 0 where undefined.
        bottoms: (n,) 1, or denominators; 0 where undefined.
        errors: Records on which the metric raised.
        above: Records whose value is infinite; they are 0 in the others, as undefined ones.
        below: Records whose value is minus infinity.
    """

    name: str
    unit: str
    direction: str
    tops: Floats
    bottoms: Floats
    errors: int = 0
    above: int = 0
    below: int = 0

    @property
    def values(self) -> Floats:
        """(n,) value per record, NaN where undefined."""
        safe = np.where(self.bottoms == 0, 1.0, self.bottoms)
        return np.where(self.bottoms == 0, np.nan, self.tops / safe)


def columns_of_result(result: EvaluationResult) -> list[BatchColumn]:
    """Return an evaluation as columns: one row for a single sample, else its kept values.

    Raises:
        EvaluationInputError: it is of several records and holds only their means.
    """
    return [_column_of_metric(metric) for metric in result.metrics]


def columns_of_values(
    batch: Mapping[str, Any], described: Callable[[str], tuple[str, str]]
) -> list[BatchColumn]:
    """Return arrays by metric as columns.

    Args:
        batch: (n,) values by metric, NaN where undefined; a pair (numerators, denominators) for a
            ratio of sums.
        described: From a metric's name to its unit and direction.

    Raises:
        EvaluationInputError: not numbers, or not of that form.
    """
    return [_column_of_values(name, values, *described(name)) for name, values in batch.items()]


def batch_size(columns: Sequence[BatchColumn]) -> int:
    """Return how many records a batch has.

    Raises:
        EvaluationInputError: metrics differ in it, or there is no metric.
    """
    sizes = {column.name: len(column.tops) for column in columns}
    if not sizes:
        raise EvaluationInputError("holds no metric that is tracked", where="batch")
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise EvaluationInputError(f"different numbers of records: {shown}", where="batch")
    return next(iter(sizes.values()))


def batch_keys(
    batch: object, keys: Sequence[object] | None, count: int, resampled: str
) -> list[str]:
    """Return the keys of a batch's records: those given, or those an evaluation brings.

    Args:
        batch: The batch.
        keys: (n,) keys, or None.
        count: Records of the batch.
        resampled: ``"episode_id"`` makes the scene of each record its key.

    Raises:
        EvaluationInputError: there are none, or their number is not the batch's.
    """
    if keys is None and isinstance(batch, EvaluationResult):
        keys = batch.provenance.get("record_keys")
        if keys is not None and resampled == "episode_id":
            keys = [str(key).rpartition("/")[0] for key in keys]
    if keys is None:
        raise EvaluationInputError(
            "are needed for intervals, one per record",
            where="keys",
            hint="use the task's id, or its scene's",
        )
    if len(keys) != count:
        raise EvaluationInputError(
            f"{counted(len(keys), 'keys')} for {counted(count, 'records')}", where="keys"
        )
    return [str(key) for key in keys]


def _column_of_metric(metric: MetricResult) -> BatchColumn:
    kept = metric.metadata
    if "raw_numerators" in kept:
        tops, bottoms = (_numbers(kept[f"raw_{part}"]) for part in ("numerators", "denominators"))
    elif "raw_values" in kept:
        tops, bottoms = _numbers(kept["raw_values"]), None
    elif metric.sample_count == 1:
        tops, bottoms = np.array([metric.value]), None
    else:
        raise EvaluationInputError(
            f"holds a mean over {metric.sample_count} records, not their values",
            where=metric.name,
            hint="evaluate with keep_values=True",
        )
    errors = int(kept.get("sample_error_count", metric.is_error * len(tops)))
    return _column(metric.name, metric.unit, metric.direction, tops, bottoms, errors)


def _column_of_values(name: str, values: Any, unit: str, direction: str) -> BatchColumn:
    if isinstance(values, tuple):
        if len(values) != 2:
            raise EvaluationInputError(
                f"expected (numerators, denominators), got {len(values)} arrays", where=name
            )
        return _column(name, unit, direction, _checked(values[0], name), _checked(values[1], name))
    return _column(name, unit, direction, _checked(values, name), None)


def _column(
    name: str, unit: str, direction: str, tops: Floats, bottoms: Floats | None, errors: int = 0
) -> BatchColumn:
    above = below = 0
    if bottoms is None:
        bottoms = np.ones_like(tops)
        above, below = (int(np.count_nonzero(tops == end)) for end in (np.inf, -np.inf))
    if bottoms.shape != tops.shape:
        raise EvaluationInputError(
            f"{len(tops)} numerators and {len(bottoms)} denominators", where=name
        )
    if (bottoms < 0).any():
        raise EvaluationInputError("a denominator is negative", where=name)
    defined = np.isfinite(tops) & np.isfinite(bottoms)
    tops, bottoms = np.where(defined, tops, 0.0), np.where(defined, bottoms, 0.0)
    return BatchColumn(name, unit, direction, tops, bottoms, errors, above, below)


def _numbers(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _checked(values: Any, name: str) -> Floats:
    if isinstance(values, np.ma.MaskedArray):
        raise EvaluationInputError(
            "expected plain numbers, got a masked array", where=name, hint="fill it with NaN"
        )
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise EvaluationInputError("expected an array of numbers", where=name) from None
    if array.ndim != 1:
        raise EvaluationInputError(f"expected shape (n,), got {array.shape}", where=name)
    return array
