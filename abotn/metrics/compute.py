"""Running one metric over a table of records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.foreign_code import foreign_code
from abotn.metrics.bounds import interval, outside
from abotn.metrics.reduce import Reduced, reduce_value
from abotn.metrics.returned import pair_of, real_numbers
from abotn.metrics.spec import MetricSpec
from abotn.records.table import RecordTable

FloatArray = NDArray[np.float64]

# Squares of such values, and sums of squares, are still finite.
LARGEST = 1e150


@dataclass(frozen=True)
class MetricColumn:
    """A metric's values over N records.

    Attributes:
        numerators: (N,) values; for a ratio metric its numerators. 0 where undefined.
        denominators: (N,) 1 where defined (for a ratio metric its denominators), 0 elsewhere.
        defined: (N,) whether the record has a value.
        errors: What a per-record metric raised, by row.
        reduction: How array values were made numbers, see :func:`reduce_value`; None if none were.
        original: The array behind the value, when there is only one record.
        infinite: (N,) plus or minus infinity where a metric of samples returned it, else 0; None
            where it never did. Such records are not among the defined ones.
    """

    numerators: FloatArray
    denominators: FloatArray
    defined: NDArray[np.bool_]
    errors: Mapping[int, str]
    reduction: str | None = None
    original: Any = None
    infinite: FloatArray | None = None

    @property
    def values(self) -> FloatArray:
        """(N,) value per record, NaN where undefined or where a denominator is 0."""
        safe = np.where(self.denominators == 0, 1.0, self.denominators)
        usable = self.defined & (self.denominators != 0)
        with np.errstate(over="ignore"):
            return np.where(usable, self.numerators / safe, np.nan)


def missing_inputs(spec: MetricSpec, table: RecordTable) -> list[str]:
    """Return the columns that ``spec`` needs and ``table`` lacks."""
    return [name for name in spec.resolve(table).inputs if name not in table]


def compute_column(
    spec: MetricSpec,
    table: RecordTable,
    parameters: Mapping[str, Any] | None = None,
    *,
    skip: NDArray[np.bool_] | None = None,
) -> MetricColumn:
    """Return a metric's values over the records of a table.

    Args:
        spec: The metric.
        table: N records.
        parameters: Values for the metric's parameters; its defaults otherwise.
        skip: (N,) records to leave undefined without calling the metric.

    Raises:
        EvaluationInputError: a column is missing, or the metric returned another shape, what is
            no number (see :func:`abotn.metrics.returned.real_numbers`), a value outside its own
            bounds, or one that is too large to be added up.
        Exception: whatever a vectorised metric raises.
    """
    missing = missing_inputs(spec, table)
    if missing:
        raise EvaluationInputError(f"needs {', '.join(missing)}", where=spec.name)
    spec = spec.resolve(table)
    inputs = [table.lent(name) for name in spec.inputs]
    usable = _usable(inputs, len(table)) & _right_task(spec, table)
    if skip is not None:
        usable &= ~skip
    with foreign_code():
        column = _computed(spec, inputs, usable, parameters or {})
    values = column.values
    _require_size(spec, column, values, table)
    _require_bounds(spec, column, values, table)
    return column


def _computed(
    spec: MetricSpec,
    inputs: list[NDArray[Any]],
    usable: NDArray[np.bool_],
    parameters: Mapping[str, Any],
) -> MetricColumn:
    call = _bound(spec, parameters)
    if spec.per_record:
        return _stacked(spec, inputs, usable, parameters) or _loop(spec, call, inputs, usable)
    with np.errstate(all="ignore"):
        returned = call(*inputs)
    return _column(spec, returned, usable, {})


def _usable(inputs: list[NDArray[Any]], count: int) -> NDArray[np.bool_]:
    usable = np.ones(count, dtype=bool)
    for column in inputs:
        if column.dtype == object:
            usable &= np.fromiter((v is not None for v in column), dtype=bool, count=count)
        else:
            usable &= np.isfinite(column)
    return usable


def _right_task(spec: MetricSpec, table: RecordTable) -> NDArray[np.bool_]:
    if not spec.task_types or "task_type" not in table:
        return np.full(len(table), not spec.task_types)
    types = table.column("task_type")
    right: NDArray[np.bool_] = np.logical_or.reduce([types == one for one in spec.task_types])
    return right


def _bound(spec: MetricSpec, parameters: Mapping[str, Any]) -> Callable[..., Any]:
    unknown = set(parameters) - set(spec.parameters)
    if unknown:
        raise EvaluationInputError(
            f"no parameter {', '.join(sorted(unknown))}",
            where=spec.name,
            hint=f"it has {', '.join(spec.parameters) or 'none'}",
        )
    return lambda *inputs: spec.function(*inputs, **parameters)


def _loop(
    spec: MetricSpec,
    call: Callable[..., Any],
    inputs: list[NDArray[Any]],
    usable: NDArray[np.bool_],
) -> MetricColumn:
    results = np.full((len(usable), 2 if spec.ratio else 1), np.nan)
    errors: dict[int, str] = {}
    last = Reduced(float("nan"), None, None)
    for row in np.flatnonzero(usable):
        try:
            with np.errstate(all="ignore"):
                returned = call(*(column[row] for column in inputs))
            last = last if spec.ratio else reduce_value(returned)
            results[row] = _ratio_of_one(returned) if spec.ratio else last.value
        except (Exception, SystemExit) as error:
            errors[int(row)] = f"{type(error).__name__}: {error}"
    parts = (results[:, 0], results[:, 1]) if spec.ratio else results[:, 0]
    column = _column(spec, parts, usable, errors)
    original = last.original if len(usable) == 1 else None
    return replace(column, reduction=last.rule, original=original)


def _stacked(
    spec: MetricSpec,
    inputs: list[NDArray[Any]],
    usable: NDArray[np.bool_],
    parameters: Mapping[str, Any],
) -> MetricColumn | None:
    """Run the metric's batch form, where it has one and the samples can be stacked."""
    rows = np.flatnonzero(usable)
    if spec.batch is None or len(rows) < 2:
        return None
    results = np.full(len(usable), np.nan)
    try:
        for alike in _rows_by_shape(inputs, rows):
            stacks = [_stack(column[alike]) for column in inputs]
            if any(stack is None for stack in stacks):
                return None
            with np.errstate(all="ignore"):
                returned = spec.batch(*stacks, **parameters)
            results[alike] = _checked(spec, returned, len(alike))
    except Exception:
        # The loop says which sample is at fault.
        return None
    return _column(spec, results, usable, {})


def _rows_by_shape(inputs: list[NDArray[Any]], rows: NDArray[Any]) -> list[NDArray[Any]]:
    """Return the rows in groups whose inputs have the same shapes."""
    shapes = [[getattr(value, "shape", ()) for value in column[rows]] for column in inputs]
    groups: dict[tuple[Any, ...], list[int]] = {}
    for row, key in zip(rows.tolist(), zip(*shapes, strict=True), strict=True):
        groups.setdefault(key, []).append(row)
    return [np.array(group) for group in groups.values()]


def _stack(samples: NDArray[Any]) -> FloatArray | None:
    shape = samples[0].shape if isinstance(samples[0], np.ndarray) else ()
    if not shape:
        return None
    stack = np.concatenate(list(samples)).reshape(len(samples), *shape)
    finite = np.isfinite(stack).all()
    return stack.astype(np.float64, copy=False) if finite else None


def _column(
    spec: MetricSpec, returned: Any, usable: NDArray[np.bool_], errors: Mapping[int, str]
) -> MetricColumn:
    if spec.ratio:
        pair = _numbers(spec, pair_of, returned)
        numerators, denominators = (_checked(spec, part, len(usable)) for part in pair)
    else:
        numerators = _checked(spec, returned, len(usable))
        denominators = np.ones(len(usable))
    defined = usable & np.isfinite(numerators) & np.isfinite(denominators) & (denominators >= 0)
    return MetricColumn(
        np.where(defined, numerators, 0.0),
        np.where(defined, denominators, 0.0),
        defined,
        errors,
        infinite=_infinite(spec, numerators, usable),
    )


def _require_size(
    spec: MetricSpec, column: MetricColumn, values: FloatArray, table: RecordTable
) -> None:
    for part in (column.numerators, column.denominators, values):
        wrong = np.flatnonzero(np.abs(part) > LARGEST)
        if len(wrong):
            raise EvaluationInputError(
                f"returned {part[wrong[0]]:.10g} for {table.label(int(wrong[0]))}, too large to "
                f"be added up (at most {LARGEST:g})",
                where=spec.name,
            )


def _require_bounds(
    spec: MetricSpec, column: MetricColumn, values: FloatArray, table: RecordTable
) -> None:
    if column.infinite is not None:
        values = np.where(column.infinite != 0, column.infinite, values)
    wrong = np.flatnonzero(outside(values, spec.bounds))
    if len(wrong):
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise EvaluationInputError(
            f"returned {values[wrong[0]]:.10g} for {table.label(int(wrong[0]))}{more}, outside its "
            f"bounds {interval(spec.bounds)}",
            where=spec.name,
        )


def _infinite(spec: MetricSpec, values: FloatArray, usable: NDArray[np.bool_]) -> FloatArray | None:
    """Return where a metric of samples is infinite; one of records divided by 0 there."""
    found = usable & np.isinf(values)
    if not spec.sample or spec.ratio or not found.any():
        return None
    return np.where(found, values, 0.0)


def _ratio_of_one(returned: Any) -> list[float]:
    """Return the numerator and denominator of one record."""
    parts = [real_numbers(part) for part in pair_of(returned)]
    if any(part.shape for part in parts):
        shapes = " and ".join(str(part.shape) for part in parts)
        raise TypeError(f"returned a pair of shapes {shapes}, expected two numbers")
    return [float(part) for part in parts]


def _numbers(spec: MetricSpec, read: Callable[[Any], Any], returned: Any) -> Any:
    try:
        return read(returned)
    except (TypeError, ValueError) as error:
        raise EvaluationInputError(str(error), where=spec.name) from None


def _checked(spec: MetricSpec, returned: Any, count: int) -> FloatArray:
    values: FloatArray = _numbers(spec, real_numbers, returned)
    if values.shape != (count,):
        raise EvaluationInputError(
            f"returned shape {values.shape}, expected ({count},), one value per record",
            where=spec.name,
            hint="declare it with per_record=True if it handles one record at a time",
        )
    return values
