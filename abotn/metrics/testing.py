"""The contract every metric keeps, this package's and a plugin's, as one function to call."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError, PluginError
from abotn.metrics.compute import MetricColumn, compute_column
from abotn.metrics.example_inputs import example_columns, object_column
from abotn.metrics.spec import MetricSpec
from abotn.records.table import RecordTable, as_column
from abotn.units import Direction, Unit

Column = NDArray[Any]

COUNTS = (0, 1, 5)
TOLERANCE = 1e-9


def check_metric(
    spec: MetricSpec, *, inputs: Mapping[str, Sequence[Any]] | None = None, seed: int = 0
) -> None:
    """Check that a metric keeps the contract.

    Checked: the declaration is whole and agrees with itself; there is a docstring; no, one and
    five records give as many values; the inputs are left as they were; two calls give the same
    bits; the values lie within the declared bounds; a record has the same value alone and among
    others; a missing input makes its record undefined, touches no other and raises nothing.

    Args:
        spec: The metric.
        inputs: Five values for each column it takes, for a metric whose columns need special
            ones; the rest comes from :func:`abotn.metrics.example_inputs.example_columns`.
        seed: Seed of the example values.

    Raises:
        PluginError: the first promise that is broken; names the metric.

    Example:
        >>> from abotn import metric
        >>> @metric(unit="m", better="lower", bounds=(0, float("inf")))
        ... def detour(travel_length, shortest_path_length):
        ...     '''Metres travelled beyond the shortest path.'''
        ...     return np.maximum(travel_length - shortest_path_length, 0)
        >>> check_metric(detour)
    """
    if not isinstance(spec, MetricSpec):
        raise PluginError(
            f"expected a metric, got {type(spec).__name__}", hint="decorate it with @metric"
        )
    for variant in (spec, *spec.variants):
        _check_one(variant, inputs or {}, seed)


def _check_one(spec: MetricSpec, inputs: Mapping[str, Sequence[Any]], seed: int) -> None:
    spec = dataclasses.replace(spec, variants=())
    _check_declaration(spec)
    columns = _example(spec, inputs, seed)
    for count in COUNTS:
        rows = {name: column[:count] for name, column in columns.items()}
        _check_untouched(spec, rows)
        _check_values(spec, _compute(spec, rows), count)
    values = _compute(spec, columns).values
    if not np.isfinite(values).any():
        _broken(spec, "has no value for any example record", "give check_metric inputs=")
    _check_repeats(spec, columns)
    _check_rows_alone(spec, columns, values)
    _check_missing(spec, columns, values)


def _check_declaration(spec: MetricSpec) -> None:
    if not isinstance(spec.unit, Unit) or not isinstance(spec.direction, Direction):
        _broken(spec, "declares no unit or no direction", "give unit= and better=")
    if not spec.description or not inspect.getdoc(spec.function):
        _broken(spec, "has no docstring", "say in its first line what the value is")
    if not spec.category:
        _broken(spec, "has no category", "give category=")


def _example(spec: MetricSpec, given: Mapping[str, Sequence[Any]], seed: int) -> dict[str, Column]:
    count = COUNTS[-1]
    unknown = set(given) - set(spec.inputs)
    short = [name for name, values in given.items() if len(values) != count]
    if unknown or short:
        names = ", ".join(sorted(unknown) or short)
        hint = f"give {count} values for each column it takes"
        _broken(spec, f"was given inputs it cannot be checked with: {names}", hint)
    columns = example_columns(spec.inputs, count, seed=seed, shapes=spec.shapes)
    for name, values in given.items():
        columns[name] = as_column(name, list(values))
    misfit = spec.misfit({name: column[0] for name, column in columns.items()})
    if misfit is not None:
        _broken(spec, f"declares shapes that its example does not have: {misfit}")
    return columns


def _compute(spec: MetricSpec, columns: Mapping[str, Column]) -> MetricColumn:
    count = len(next(iter(columns.values())))
    task_type = (spec.task_types or ("point_goal",))[0]
    keys = {
        "attempt": np.arange(count, dtype=np.float64),
        "task_type": as_column("task_type", [task_type] * count),
        "task_id": as_column("task_id", ["task"] * count),
    }
    try:
        column = compute_column(spec, RecordTable({**keys, **columns}))
    except EvaluationInputError as error:
        _broken(spec, error.message, error.hint)
    except Exception as error:
        _broken(spec, f"raised {type(error).__name__} for {count} records: {error}")
    for row, message in column.errors.items():
        _broken(spec, f"raised for example record {row}: {message}")
    return column


def _check_values(spec: MetricSpec, column: MetricColumn, count: int) -> None:
    values = column.values
    if values.shape != (count,):
        _broken(spec, f"returned shape {values.shape} for {count} records")


def _check_untouched(spec: MetricSpec, columns: Mapping[str, Column]) -> None:
    given = [_copied(columns[name]) for name in spec.inputs]
    rows = list(zip(*given, strict=True)) if spec.per_record else [tuple(given)]
    for row in rows:
        before = _copied(row)
        try:
            with np.errstate(all="ignore"):
                spec.function(*row)
        except Exception as error:
            _broken(spec, f"raised {type(error).__name__}: {error}")
        for name, one, other in zip(spec.inputs, before, row, strict=True):
            if not _same(one, other):
                _broken(spec, f"changed its input {name!r}", "work on a copy")


def _check_repeats(spec: MetricSpec, columns: Mapping[str, Column]) -> None:
    first, second = _compute(spec, columns).values, _compute(spec, columns).values
    if first.tobytes() != second.tobytes():
        _broken(spec, "gave two values for the same inputs", "take a seed as a parameter")


def _check_rows_alone(
    spec: MetricSpec, columns: Mapping[str, Column], together: NDArray[np.float64]
) -> None:
    for row in range(len(together)):
        alone = _compute(spec, {n: c[row : row + 1] for n, c in columns.items()}).values
        if not np.allclose(alone, together[row], rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            both = f"{alone[0]:g} alone and {together[row]:g} among others"
            hint = "the value of a record may depend on that record only"
            _broken(spec, f"gave record {row} the value {both}", hint)


def _check_missing(
    spec: MetricSpec, columns: Mapping[str, Column], values: NDArray[np.float64]
) -> None:
    for name, column in columns.items():
        lacking = column.copy()
        lacking[0] = None if column.dtype == object else np.nan
        changed = _compute(spec, {**columns, name: lacking}).values
        if not np.isnan(changed[0]):
            _broken(spec, f"gave a value to a record without {name!r}", "return NaN there")
        if not np.allclose(changed[1:], values[1:], rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            _broken(spec, f"changed other records when one had no {name!r}")


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return object_column([_copied(v) for v in value]) if value.dtype == object else value.copy()
    if isinstance(value, list | tuple):
        return [_copied(one) for one in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **{k: _copied(v) for k, v in vars(value).items()})
    return value


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and one.dtype != object:
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, np.ndarray | list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if hasattr(one, "__dict__"):
        return _same(list(vars(one).values()), list(vars(other).values()))
    return bool(one is other or one == other or one != one)


def _broken(spec: MetricSpec, promise: str, hint: str | None = None) -> NoReturn:
    raise PluginError(f"metric {spec.name!r} {promise}", where=spec.distribution or None, hint=hint)
