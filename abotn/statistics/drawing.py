"""Resampled values of many statistics, from one stream of resamples."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.statistics.bootstrap import Cell, ResamplePlan, run_resamples
from abotn.statistics.counts import BLOCK
from abotn.statistics.fixed_point import Floats, to_fixed_point
from abotn.statistics.samples import RatioSample, UnitTable

_PASS_BYTES = 1 << 28

# With no more units than this, groups are columns over all units, zero outside the group.
_FEW_UNITS = 512

# Small groups are summed together until they hold so many units.
_BUNDLE_UNITS = 256

Formula = Callable[[Floats], Floats]


class Task(NamedTuple):
    """One statistic to resample; `pivots` asks for studentized values as well."""

    table: UnitTable
    column: int
    sample: RatioSample
    pivots: bool


class Draws(NamedTuple):
    """Increasing resampled values, increasing pivots where asked for, and how many were left out.

    A resample whose denominators sum to 0, because it holds no unit of the group, has no value and
    is left out of both.
    """

    values: Floats
    pivots: Floats | None
    left_out: int


def draw_statistics(
    tasks: Sequence[Task], plan: ResamplePlan, *, threads: int | None = None
) -> Iterator[Draws]:
    """Resample every task, in order.

    Memory holds one pass of tasks at a time; a further pass draws the same resamples again.
    """
    first = 0
    while first < len(tasks):
        last = _end_of_pass(tasks, first, plan)
        yield from _one_pass(tasks[first:last], plan, threads)
        first = last


class _CellWork:
    """The distinct columns over the same units, and the statistics made of their sums."""

    def __init__(self, rows: NDArray[np.intp] | None, plan: ResamplePlan) -> None:
        self.rows = rows
        self.plan = plan
        self.columns: list[Floats] = []
        self.numbers: dict[bytes, int] = {}
        self.tops: list[int] = []
        self.bottoms: list[int] = []
        self.places: list[int] = []
        self.pivots: list[tuple[int, Formula]] = []
        self.flat = self.varying = np.zeros(0, dtype=np.intp)
        self.flat_sums = np.zeros(0)

    def add(self, task: Task, place: int) -> None:
        rows = task.table.rows
        top = self.number(task.table.numerators.integers[:, task.column], rows)
        bottom = self.number(task.table.denominators.integers[:, task.column], rows)
        self.tops.append(top)
        self.bottoms.append(bottom)
        self.places.append(place)
        if task.pivots:
            self.pivots.append((place + 1, _pivot_formula(task, self, (top, bottom))))

    def number(self, column: Floats, rows: NDArray[np.intp] | None) -> int:
        if rows is not None and rows is not self.rows:
            places = rows if self.rows is None else np.searchsorted(self.rows, rows)
            full = np.zeros(self.plan.n_units if self.rows is None else len(self.rows))
            full[places] = column
            column = full
        key = hashlib.sha256(column.tobytes()).digest()
        if key not in self.numbers:
            self.numbers[key] = len(self.columns)
            self.columns.append(column)
        return self.numbers[key]

    def cell(self) -> Cell:
        """The columns to sum; one that is the same for all units has a known sum."""
        flat = np.array([self.rows is None and bool((c == c[0]).all()) for c in self.columns])
        self.flat, self.varying = np.flatnonzero(flat), np.flatnonzero(~flat)
        self.flat_sums = np.array([self.columns[n][0] * self.plan.n_units for n in self.flat])
        varying = [self.columns[number] for number in self.varying]
        nothing = np.empty((len(self.columns[0]), 0))
        return Cell(self.rows, np.column_stack(varying) if varying else nothing)

    def write(self, drawn: Floats, sums: Floats) -> None:
        """Write the values of one block to `drawn` (places, BLOCK)."""
        columns = self._columns_of(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = columns.take(self.tops, axis=0)
            values /= columns.take(self.bottoms, axis=0)
            drawn[_as_slice(self.places), : len(sums)] = values
            for place, formula in self.pivots:
                drawn[place, : len(sums)] = formula(columns)

    def _columns_of(self, sums: Floats) -> Floats:
        """Sums (columns, k) of all columns from those (k, varying) of the cell."""
        if not len(self.flat):
            return np.ascontiguousarray(sums.T)
        columns = np.empty((len(self.columns), len(sums)))
        columns[self.varying] = sums.T
        columns[self.flat] = self.flat_sums[:, np.newaxis]
        return columns


def _end_of_pass(tasks: Sequence[Task], first: int, plan: ResamplePlan) -> int:
    """Number of the first task that the memory of one pass does not hold any more."""
    left = _PASS_BYTES
    for number in range(first, len(tasks)):
        task = tasks[number]
        left -= 8 * plan.n_resamples * (2 if task.pivots else 1)
        left -= 16 * len(task.table.numerators.integers)
        if left < 0:
            return max(number, first + 1)
    return len(tasks)


def _one_pass(tasks: Sequence[Task], plan: ResamplePlan, threads: int | None) -> Iterator[Draws]:
    bundles = _bundles(tasks, plan.n_units)
    works: dict[int, _CellWork] = {}
    place = 0
    for task in tasks:
        rows = bundles[id(task.table)]
        works.setdefault(id(rows), _CellWork(rows, plan)).add(task, place)
        place += 2 if task.pivots else 1
    # Block by block, so that a block is written to one place in memory.
    drawn = np.empty((-(-plan.n_resamples // BLOCK), place, BLOCK))
    cells = list(works.values())

    def keep(first: int, sums: list[Floats]) -> None:
        for work, part in zip(cells, sums, strict=True):
            work.write(drawn[first // BLOCK], part)

    run_resamples(plan, [work.cell() for work in cells], keep, threads=threads)
    yield from _sorted_draws(tasks, drawn, plan.n_resamples)


def _bundles(tasks: Sequence[Task], n_units: int) -> dict[int, NDArray[np.intp] | None]:
    """The units whose columns are summed at once with those of each table; None for all units."""
    tables = list({id(task.table): task.table for task in tasks}.values())
    bundles: dict[int, NDArray[np.intp] | None] = {}
    some: list[UnitTable] = []
    for table in tables:
        if table.rows is None or n_units <= _FEW_UNITS:
            bundles[id(table)] = None
        elif len(table.rows) > _BUNDLE_UNITS // 2:
            bundles[id(table)] = table.rows
        else:
            some.append(table)
            if sum(len(one.numerators.integers) for one in some) > _BUNDLE_UNITS // 2:
                bundles.update(_bundle(some))
                some = []
    return {**bundles, **_bundle(some)}


def _bundle(tables: Sequence[UnitTable]) -> dict[int, NDArray[np.intp] | None]:
    rows = [table.rows for table in tables if table.rows is not None]
    union = np.unique(np.concatenate(rows)) if rows else None
    return {id(table): union for table in tables}


def _as_slice(places: list[int]) -> list[int] | slice:
    consecutive = places == list(range(places[0], places[0] + len(places)))
    return slice(places[0], places[-1] + 1) if consecutive else places


def _sorted_draws(tasks: Sequence[Task], drawn: Floats, n_resamples: int) -> Iterator[Draws]:
    place = 0
    for task in tasks:
        values, pivots = np.sort(drawn[:, place].reshape(-1)[:n_resamples]), None
        if not np.isfinite(values[[0, -1]]).all():
            values = values[np.isfinite(values)]
        if task.pivots:
            pivots = np.sort(drawn[:, place + 1].reshape(-1)[:n_resamples])
            pivots = pivots[: len(pivots) - int(np.isnan(pivots).sum())]
        yield Draws(values, pivots, n_resamples - len(values))
        place += 2 if task.pivots else 1


def _pivot_formula(task: Task, work: _CellWork, numbers: tuple[int, int]) -> Formula:
    """t* = (R* - R) / s*, s*^2 = (sum e^2 - 2 d sum e b + d^2 sum b^2) / (sum b)^2, d = R* - R."""
    a = task.table.numerators.integers[:, task.column]
    b = task.table.denominators.integers[:, task.column]
    estimate = task.sample.estimate
    top, bottom = numbers
    e = a - estimate * b
    squares = to_fixed_point(np.column_stack((e * e, e * b, b * b)), work.plan.n_units)
    numbers_of_squares = [work.number(column, task.table.rows) for column in squares.integers.T]

    def pivots(sums: Floats) -> Floats:
        shift = sums[top] / sums[bottom] - estimate
        ee, eb, bb = np.ldexp(sums[numbers_of_squares].T, squares.exponents).T
        scale = np.maximum(ee - 2.0 * shift * eb + shift * shift * bb, 0.0)
        # Rounding leaves a trace of spread where a resample holds one value only.
        scale = np.where(scale <= 1e-14 * (ee + shift * shift * bb), 0.0, scale)
        return np.where(shift == 0.0, 0.0, shift * sums[bottom] / np.sqrt(scale))

    return pivots
