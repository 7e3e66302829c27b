"""Resampled values of many statistics, from one stream of resamples."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from abotn.statistics.bootstrap import Cell, ResamplePlan, run_resamples
from abotn.statistics.fixed_point import Floats, to_fixed_point
from abotn.statistics.samples import RatioSample, UnitTable

_PASS_BYTES = 1 << 27

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
    size = max(1, _PASS_BYTES // (16 * plan.n_resamples))
    for first in range(0, len(tasks), size):
        yield from _one_pass(tasks[first : first + size], plan, threads)


class _CellWork:
    """The distinct columns of one unit table, and the statistics made of their sums."""

    def __init__(self, table: UnitTable) -> None:
        self.table = table
        self.columns: list[Floats] = []
        self.numbers: dict[bytes, int] = {}
        self.tops: list[int] = []
        self.bottoms: list[int] = []
        self.places: list[int] = []
        self.pivots: list[tuple[int, Formula]] = []

    def add(self, task: Task, place: int, plan: ResamplePlan) -> None:
        self.tops.append(self.number(task.table.numerators.integers[:, task.column]))
        self.bottoms.append(self.number(task.table.denominators.integers[:, task.column]))
        self.places.append(place)
        if task.pivots:
            self.pivots.append((place + 1, _pivot_formula(task, self, plan)))

    def number(self, column: Floats) -> int:
        key = hashlib.sha256(column.tobytes()).digest()
        if key not in self.numbers:
            self.numbers[key] = len(self.columns)
            self.columns.append(column)
        return self.numbers[key]

    def cell(self) -> Cell:
        return Cell(self.table.rows, np.column_stack(self.columns))

    def write(self, rows: Floats, first: int, sums: Floats) -> None:
        last = first + len(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            rows[self.places, first:last] = (sums[:, self.tops] / sums[:, self.bottoms]).T
            for place, formula in self.pivots:
                rows[place, first:last] = formula(sums)


def _one_pass(tasks: Sequence[Task], plan: ResamplePlan, threads: int | None) -> Iterator[Draws]:
    works: dict[int, _CellWork] = {}
    place = 0
    for task in tasks:
        works.setdefault(id(task.table), _CellWork(task.table)).add(task, place, plan)
        place += 2 if task.pivots else 1
    rows = np.empty((place, plan.n_resamples))
    cells = list(works.values())

    def keep(first: int, sums: list[Floats]) -> None:
        for work, part in zip(cells, sums, strict=True):
            work.write(rows, first, part)

    run_resamples(plan, [work.cell() for work in cells], keep, threads=threads)
    yield from _sorted_draws(tasks, rows)


def _sorted_draws(tasks: Sequence[Task], rows: Floats) -> Iterator[Draws]:
    place = 0
    for task in tasks:
        values = np.sort(rows[place][np.isfinite(rows[place])])
        pivots = None
        if task.pivots:
            pivots = np.sort(rows[place + 1][~np.isnan(rows[place + 1])])
        yield Draws(values, pivots, rows.shape[1] - len(values))
        place += 2 if task.pivots else 1


def _pivot_formula(task: Task, work: _CellWork, plan: ResamplePlan) -> Formula:
    """t* = (R* - R) / s*, s*^2 = (sum e^2 - 2 d sum e b + d^2 sum b^2) / (sum b)^2, d = R* - R."""
    a = task.table.numerators.integers[:, task.column]
    b = task.table.denominators.integers[:, task.column]
    estimate = task.sample.estimate
    top, bottom = work.number(a), work.number(b)
    e = a - estimate * b
    squares = to_fixed_point(np.column_stack((e * e, e * b, b * b)), plan.n_units)
    numbers = [work.number(column) for column in squares.integers.T]

    def pivots(sums: Floats) -> Floats:
        shift = sums[:, top] / sums[:, bottom] - estimate
        ee, eb, bb = np.ldexp(sums[:, numbers], squares.exponents).T
        scale = np.maximum(ee - 2.0 * shift * eb + shift * shift * bb, 0.0)
        # Rounding leaves a trace of spread where a resample holds one value only.
        scale = np.where(scale <= 1e-14 * (ee + shift * shift * bb), 0.0, scale)
        return np.where(shift == 0.0, 0.0, shift * sums[:, bottom] / np.sqrt(scale))

    return pivots
