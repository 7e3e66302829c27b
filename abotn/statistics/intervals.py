"""Confidence intervals for ratios of sums: means, cluster means, ratio metrics, group means.

The statistic of a group and a column is R = sum a_i / sum b_i over its records; for a mean, b_i is
1 where the value is defined and 0 (with a_i = 0) where it is not. All intervals of one call use
the same resamples, and none depends on which other columns or groups were given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from abotn.statistics.bootstrap import ResamplePlan
from abotn.statistics.checks import (
    check_level,
    check_resamples,
    check_seed,
    codes_of,
    group_rows,
    ratio_columns,
)
from abotn.statistics.choice import Bounds, Column, Request, Statistic
from abotn.statistics.drawing import Task, draw_statistics
from abotn.statistics.fixed_point import Floats, Ints, exact_sums
from abotn.statistics.interval import METHODS, Interval, NoInterval
from abotn.statistics.samples import UnitTable, sample_of, shared_table, unit_tables

_T = TypeVar("_T")
_Measured = tuple[int, UnitTable, Sequence[Column]]

_PARTS_AT_ONCE = 1024


def ratio_intervals(
    numerators: ArrayLike,
    denominators: ArrayLike,
    *,
    units: ArrayLike | None = None,
    groups: Sequence[ArrayLike] | None = None,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    method: str | Sequence[str] = "auto",
    binary: Sequence[bool | None] | None = None,
    bounds: Sequence[Bounds | None] | None = None,
    threads: int | None = None,
) -> list[list[Interval | NoInterval]]:
    """Intervals of every column, over all records and over every group.

    Args:
        numerators: (n, m) or (n,), one row per record, one column per statistic; 0 where undefined.
        denominators: (n, m) or (n,), >= 0; 1 where a value is defined, 0 where not, or the
            denominator of a ratio-of-sums metric.
        units: (n,) label of what is resampled (the task, the scene); None resamples records, in
            the order given. With labels the bits do not depend on the order of the records, so a
            caller without clusters sorts its records by key first.
        groups: Row numbers or masks of each group.
        n_resamples: B, at least 100.
        level: Nominal coverage, between 0 and 1.
        seed: Whole number >= 0.
        method: One of `METHODS`, or one for each column.
        binary: (m,) False where values are not yes or no by nature: a length or a count that
            happens to hold 0 and 1 only. Otherwise the values decide.
        bounds: (m,) (low, high) that a metric cannot leave, either may be None; the t, basic and
            studentized intervals are cut there.
        threads: How many to use; None chooses. The bits do not depend on it.

    Returns:
        A list for all records first, then one for each group; in each, one `Interval` per column,
        or a `NoInterval` with its reason.

    Raises:
        ValueError: An argument is out of range, not finite, or of the wrong shape.

    Example:
        >>> found = ratio_intervals([1.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0])[0][0]
        >>> found.method, round(found.lower, 3), round(found.upper, 3)
        ('wilson', 0.301, 0.954)
    """
    top, bottom = ratio_columns(numerators, denominators)
    columns = _column_options(top, bottom, method, binary, bounds)
    request = Request(check_level(level), check_resamples(n_resamples), check_seed(seed))
    codes = codes_of(units, len(top), "units")
    n_units, tables = unit_tables(top, bottom, codes, group_rows(groups, len(top)))
    parts = [(n_units, table, columns) for table in tables]
    return _intervals_of(parts, request, threads)


class Part(NamedTuple):
    """Some records with numerators and denominators of their own, each (n, m).

    `units` are labels of what is resampled, or None for records. With `n_units`, they are codes
    below it, and a resample draws from all those units; without, from the part's own.
    """

    numerators: Floats
    denominators: Floats
    units: Ints | None = None
    n_units: int | None = None


def part_intervals(
    parts: Iterable[Part],
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    method: str | Sequence[str] = "auto",
    binary: Sequence[bool | None] | None = None,
    bounds: Sequence[Bounds | None] | None = None,
    threads: int | None = None,
) -> list[list[Interval | NoInterval]]:
    """Intervals of every column of every part; parts of one number of units share resamples.

    Each part gets the interval that it gets alone, to the bit; see `ratio_intervals` for the
    options and what is raised.

    Args:
        parts: Records of each part.

    Returns:
        For each part, one `Interval` or `NoInterval` per column.

    Example:
        >>> import numpy as np
        >>> values = np.array([[1.0], [2.0], [4.0]])
        >>> part_intervals([Part(values, np.ones((3, 1)))], method="t")[0][0].n_units
        3
    """
    request = Request(check_level(level), check_resamples(n_resamples), check_seed(seed))
    measured = (_measured(part, method, binary, bounds) for part in parts)
    return _intervals_of(measured, request, threads)


def ratio_values(
    numerators: ArrayLike, denominators: ArrayLike, *, groups: Sequence[ArrayLike] | None = None
) -> Floats:
    """R = sum a_i / sum b_i of every column, over all records and over every group.

    The sums are exact to one rounding and do not depend on the order of the records.

    Args:
        numerators: (n, m) or (n,), 0 where undefined.
        denominators: (n, m) or (n,), 0 where undefined.
        groups: Row numbers or masks of each group.

    Returns:
        (1 + groups, m); NaN where the denominators sum to 0.

    Example:
        >>> ratio_values([1.0, 0.0, 3.0], [1.0, 0.0, 1.0], groups=[[1]]).tolist()
        [[2.0], [nan]]
    """
    top, bottom = ratio_columns(numerators, denominators)
    values = []
    for rows in group_rows(groups, len(top)):
        a, b = (top, bottom) if rows is None else (top[rows], bottom[rows])
        sum_a, sum_b = exact_sums(a), exact_sums(b)
        values.append(np.divide(sum_a, sum_b, out=np.full(len(sum_b), np.nan), where=sum_b > 0))
    return np.array(values)


class _Pending(NamedTuple):
    """A statistic that waits for its resamples, at (part, column)."""

    place: tuple[int, int]
    statistic: Statistic
    table: UnitTable

    def task(self) -> Task:
        pivots = self.statistic.column.method == "studentized"
        return Task(self.table, self.place[1], self.statistic.sample, pivots)


def _measured(
    part: Part,
    method: str | Sequence[str],
    binary: Sequence[bool | None] | None,
    bounds: Sequence[Bounds | None] | None,
) -> _Measured:
    top, bottom = ratio_columns(part.numerators, part.denominators)
    columns = _column_options(top, bottom, method, binary, bounds)
    if part.n_units is not None and part.units is not None:
        return part.n_units, shared_table(top, bottom, part.units, part.n_units), columns
    n_units, (table,) = unit_tables(top, bottom, codes_of(part.units, len(top), "units"), [None])
    return n_units, table, columns


def _intervals_of(
    parts: Iterable[_Measured], request: Request, threads: int | None
) -> list[list[Interval | NoInterval]]:
    found: list[list[Interval | NoInterval]] = []
    waiting = iter(parts)
    while some := list(islice(waiting, _PARTS_AT_ONCE)):
        found += _intervals_of_some(some, request, threads)
    return found


def _intervals_of_some(
    parts: Sequence[_Measured], request: Request, threads: int | None
) -> list[list[Interval | NoInterval]]:
    found: dict[tuple[int, int], Interval | NoInterval] = {}
    pending: dict[int, list[_Pending]] = {}
    for i, (n_units, table, columns) in enumerate(parts):
        for j, column in enumerate(columns):
            statistic = Statistic(sample_of(table, j), column, request)
            settled = statistic.without_resampling()
            if settled is None:
                pending.setdefault(n_units, []).append(_Pending((i, j), statistic, table))
            else:
                found[i, j] = settled
    for n_units, items in pending.items():
        plan = ResamplePlan(n_units, request.n_resamples, request.seed)
        draws = draw_statistics([item.task() for item in items], plan, threads=threads)
        for item, drawn in zip(items, draws, strict=True):
            found[item.place] = item.statistic.from_draws(drawn)
    return [[found[i, j] for j in range(len(part[2]))] for i, part in enumerate(parts)]


def _column_options(
    top: Floats,
    bottom: Floats,
    method: str | Sequence[str],
    binary: Sequence[bool | None] | None,
    bounds: Sequence[Bounds | None] | None,
) -> list[Column]:
    m = top.shape[1]
    methods = _one_per_column([method] * m if isinstance(method, str) else method, m, "method")
    hints = _one_per_column([None] * m if binary is None else binary, m, "binary")
    limits = _one_per_column([None] * m if bounds is None else bounds, m, "bounds")
    for name in methods:
        if name not in METHODS:
            raise ValueError(f"method: expected one of {', '.join(METHODS)}, got {name!r}")
    zero_one = _holds_zero_one(top, bottom)
    return [
        Column(name, bool(seen) and hint is not False, limit or (None, None))
        for name, hint, seen, limit in zip(methods, hints, zero_one, limits, strict=True)
    ]


def _one_per_column(values: Sequence[_T], m: int, name: str) -> Sequence[_T]:
    if len(values) != m:
        raise ValueError(f"{name}: expected one for each of {m} columns, got {len(values)}")
    return values


def _holds_zero_one(top: Floats, bottom: Floats) -> list[bool]:
    zero_one = ((top == 0) | (top == 1)) & ((bottom == 0) | (bottom == 1)) & (top <= bottom)
    return [bool(column) for column in zero_one.all(axis=0)]
