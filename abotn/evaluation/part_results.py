"""The results of all metrics over some of the records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.evaluation.options import EvaluationOptions
from abotn.evaluation.scoring import Scored, error_rows
from abotn.evaluation.values import Floats, Rows
from abotn.records.table import RecordTable
from abotn.results.types import ConfidenceInterval, MetricResult
from abotn.statistics.fixed_point import exact_sums
from abotn.statistics.interval import NoInterval
from abotn.units import counted

SHOWN_SAMPLE_ERRORS = 100

# Values looked at together: few enough for the processor's cache, and to need little memory.
_VALUES_AT_ONCE = 1 << 16


class PartResults:
    """Makes the results of any part of one table of records.

    Args:
        scored: M metrics over the N records.
        table: The records.
        options: Thresholds, and whether values are kept.
    """

    def __init__(
        self, scored: Sequence[Scored], table: RecordTable, options: EvaluationOptions
    ) -> None:
        self.scored = scored
        self.table = table
        self.options = options
        self._values = np.array([one.column.values for one in scored])
        self._defined = np.array([one.column.defined for one in scored])
        self._failed = np.array([one.failed for one in scored])
        self._left_out = error_rows(table) & ~self._failed

    def results(
        self,
        rows: Rows,
        top: Floats,
        bottom: Floats,
        intervals: Sequence[ConfidenceInterval | NoInterval],
    ) -> tuple[MetricResult, ...]:
        """Return one result per metric over some records.

        Args:
            rows: (n,) the records.
            top: (n, M) their weighted values or numerators.
            bottom: (n, M) their weights or denominators.
            intervals: One per metric.
        """
        made: list[MetricResult] = []
        step = max(1, _VALUES_AT_ONCE // max(len(rows), 1))
        for first in range(0, len(self.scored), step):
            some = slice(first, first + step)
            values = self._values[some].take(rows, axis=1)
            numbers = self._numbers(some, rows, top[:, some], bottom[:, some], values)
            parts = (self.scored[some], values, numbers, intervals[some])
            for one, single, number, interval in zip(*parts, strict=True):
                made.append(self._result(one, rows, single, number, interval))
        return tuple(made)

    def _numbers(
        self, some: slice, rows: Rows, top: Floats, bottom: Floats, values: Floats
    ) -> list[_Numbers]:
        ratios = _ratios(top, bottom)
        defined, failed, left_out = (
            np.count_nonzero(flags[some].take(rows, axis=1), axis=1).tolist()
            for flags in (self._defined, self._failed, self._left_out)
        )
        return list(map(_Numbers, ratios, defined, failed, left_out, *_spreads(values)))

    def _result(
        self,
        one: Scored,
        rows: Rows,
        single: Floats,
        numbers: _Numbers,
        interval: ConfidenceInterval | NoInterval,
    ) -> MetricResult:
        spec, value = one.spec, numbers.value
        threshold = self.options.thresholds.get(spec.name, spec.threshold)
        known = math.isfinite(value) and threshold is not None
        return MetricResult(
            name=spec.name,
            value=value,
            unit=spec.unit.value,
            direction=spec.direction.value,
            passed=spec.direction.meets(value, threshold) if known else None,  # type: ignore[arg-type]
            threshold=threshold,
            ci=_around(value, interval),
            ci_reason=interval.reason if isinstance(interval, NoInterval) else None,
            reason=None if math.isfinite(value) else _reason(one, rows, numbers),
            sample_count=len(rows),
            finite_count=numbers.defined,
            error_count=numbers.failed,
            undefined_count=len(rows) - numbers.defined,
            minimum=numbers.minimum,
            maximum=numbers.maximum,
            std=numbers.std,
            parameters=one.parameters,
            source=_source(spec),
            category=spec.category,
            metadata=self._metadata(one, rows, single, numbers),
        )

    def _metadata(
        self, one: Scored, rows: Rows, single: Floats, numbers: _Numbers
    ) -> dict[str, Any]:
        metadata: dict[str, Any] = {}
        if one.error is not None:
            metadata["error"] = one.error
        if numbers.left_out:
            metadata["errors_left_out"] = numbers.left_out
        if one.column.reduction is not None:
            metadata["reduction"] = one.column.reduction
        if one.column.original is not None:
            metadata["original"] = one.column.original
        raised = _raised(one, rows)
        if raised:
            metadata["sample_error_count"] = len(raised)
            metadata["sample_errors"] = _shown(one.column.errors, raised, self.table)
            if not numbers.defined:
                metadata["error"] = _first_error(one.column.errors, raised, self.table)
        if self.options.keep_values:
            metadata.update(_kept(one, rows, single))
        return metadata


class _Numbers(NamedTuple):
    """What one metric comes to over some records."""

    value: float
    defined: int
    failed: int
    left_out: int
    minimum: float | None
    maximum: float | None
    std: float | None


def _ratios(top: Floats, bottom: Floats) -> list[float]:
    """(M,) sums of the numerators over those of the denominators; NaN where these are 0."""
    sums = exact_sums(np.column_stack([top, bottom]))
    numerators, denominators = sums[: top.shape[1]], sums[top.shape[1] :]
    undefined = np.full(len(numerators), np.nan)
    ratios = np.divide(numerators, denominators, out=undefined, where=denominators != 0)
    return list(ratios.tolist())


def _spreads(values: Floats) -> tuple[list[float | None], list[float | None], list[float | None]]:
    """Least and greatest value and standard deviation of the finite values of each of M rows."""
    finite = np.isfinite(values)
    counts = np.count_nonzero(finite, axis=1)
    least = np.where(finite, values, np.inf).min(axis=1, initial=np.inf)
    greatest = np.where(finite, values, -np.inf).max(axis=1, initial=-np.inf)
    std = np.full(len(values), np.nan)
    whole = (counts == values.shape[1]) & (counts > 1)
    if whole.any():
        std[whole] = values[whole].std(axis=1, ddof=1)
    for m in np.flatnonzero(~whole & (counts > 1)):
        std[m] = values[m][finite[m]].std(ddof=1)
    return _known(least, counts > 0), _known(greatest, counts > 0), _known(std, counts > 1)


def _known(numbers: Floats, known: NDArray[np.bool_]) -> list[float | None]:
    pairs = zip(numbers.tolist(), known.tolist(), strict=True)
    return [number if is_known else None for number, is_known in pairs]


def _around(value: float, interval: ConfidenceInterval | NoInterval) -> ConfidenceInterval | None:
    if isinstance(interval, NoInterval):
        return None
    if interval.lower == interval.upper:
        # Resampled sums are rounded to n * 2**-54; an interval of one point is the value itself.
        return replace(interval, lower=value, upper=value)
    return interval


def _raised(one: Scored, rows: Rows) -> list[int]:
    """The records, among some, on which a metric raised."""
    errors = one.column.errors
    return [row for row in rows.tolist() if row in errors] if errors else []


def _reason(one: Scored, rows: Rows, numbers: _Numbers) -> str:
    if one.error is not None:
        return one.error
    raised = _raised(one, rows)
    if raised and not numbers.defined:
        return one.column.errors[raised[0]]
    if not len(rows):
        return "no records"
    if not numbers.defined:
        return "undefined for every record"
    return "the denominators add up to 0"


def _source(spec: Any) -> dict[str, Any]:
    source = {"distribution": spec.distribution, "version": spec.version}
    return {**source, "overrides": spec.overrides} if spec.overrides else source


def _first_error(errors: Mapping[int, str], raised: list[int], table: RecordTable) -> str:
    """Return why a metric has no value at all because it raised."""
    first = errors[raised[0]]
    if len(table) == 1:
        return first
    count = counted(len(raised), "records")
    return f"raised on {count}, the first is {table.label(raised[0])}: {first}"


def _kept(one: Scored, rows: Rows, single: Floats) -> dict[str, Any]:
    """Return each record's value, None where undefined; for a ratio of sums both parts too."""
    kept = {"raw_values": _with_gaps(single)}
    if one.spec.ratio:
        defined = one.column.defined[rows]
        kept["raw_numerators"] = _with_gaps(one.column.numerators[rows], defined)
        kept["raw_denominators"] = _with_gaps(one.column.denominators[rows], defined)
    return kept


def _with_gaps(values: Floats, defined: NDArray[np.bool_] | None = None) -> list[float | None]:
    if defined is not None:
        values = np.where(defined, values, np.nan)
    return [None if value != value else value for value in values.tolist()]


def _shown(errors: Mapping[int, str], rows: list[int], table: RecordTable) -> dict[str, str]:
    return {table.label(row): errors[row] for row in rows[:SHOWN_SAMPLE_ERRORS]}
