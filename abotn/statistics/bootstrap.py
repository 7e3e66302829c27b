"""Resampled sums, drawn once for every column and every group.

The counts of a resample times the matrix of values give the resampled sums of all columns at once.
Values are whole numbers (see `fixed_point`), so the sums are exact and the same bits come out
whatever the chunk size, the number of threads or the other columns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.statistics.checks import check_resamples, check_seed, columns_of
from abotn.statistics.counts import BLOCK, Counts, block_counts
from abotn.statistics.fixed_point import Floats, to_fixed_point

_CHUNK_UNITS = 8192
_PRODUCT_UNITS = 128
_PRODUCT_SIZE = BLOCK * _PRODUCT_UNITS * 32
_STACK = 8
_THREADED_FROM = 4_000_000
_THREADED_UNITS = 16_384
_MAX_THREADS = 4


class ResamplePlan(NamedTuple):
    """Which resamples: their number, the units they are drawn from, and the seed."""

    n_units: int
    n_resamples: int
    seed: int


class Cell(NamedTuple):
    """Whole-number columns of some units.

    `rows` are unit numbers, increasing, or None for all units; `integers` has one row for each.
    """

    rows: NDArray[np.intp] | None
    integers: Floats


Consumer = Callable[[int, list[Floats]], None]


def resample_sums(
    columns: ArrayLike, *, n_resamples: int, seed: int = 0, threads: int | None = None
) -> Floats:
    """Sums of each column over each resample of the rows.

    Args:
        columns: (n, m) or (n,) finite, one row per unit.
        n_resamples: B, at least 100.
        seed: Whole number >= 0.
        threads: How many to use; None chooses. The bits do not depend on it.

    Returns:
        (B, m) sums; row b uses the same resample for every column, and the first rows are the same
        whatever B is.

    Raises:
        ValueError: An argument is out of range or not finite.

    Example:
        >>> resample_sums([1.0, 1.0, 1.0], n_resamples=100)[0].tolist()
        [3.0]
    """
    array = columns_of(columns, "columns")
    plan = ResamplePlan(len(array), check_resamples(n_resamples), check_seed(seed))
    sums = np.zeros((plan.n_resamples, array.shape[1]))
    if not array.size:
        return sums
    fixed = to_fixed_point(array, len(array))

    def keep(first: int, parts: list[Floats]) -> None:
        sums[first : first + len(parts[0])] = parts[0]

    run_resamples(plan, [Cell(None, fixed.integers)], keep, threads=threads)
    return np.asarray(np.ldexp(sums, fixed.exponents))


def run_resamples(
    plan: ResamplePlan, cells: Sequence[Cell], consume: Consumer, *, threads: int | None = None
) -> None:
    """Hand every resample's sums of every cell to `consume`, one block at a time.

    Args:
        plan: Which resamples.
        cells: The columns to sum; a cell costs only as much as it has rows.
        consume: Called with the first resample's number and a list of (k, columns) sums, one per
            cell; it may be called from several threads, for different resamples.
        threads: How many to use; None chooses.
    """
    blocks = range(-(-plan.n_resamples // BLOCK))
    workers = _thread_count(plan, threads)

    def one_block(block: int) -> None:
        first = block * BLOCK
        counts = block_counts(plan.n_units, plan.seed, block)[: plan.n_resamples - first]
        consume(first, [weighted_sums(counts, cell) for cell in cells])

    if workers == 1:
        for block in blocks:
            one_block(block)
    else:
        with ThreadPoolExecutor(workers) as pool:
            for _ in pool.map(one_block, blocks):
                pass


def weighted_sums(counts: Counts, cell: Cell, *, chunk_units: int = _CHUNK_UNITS) -> Floats:
    """counts @ integers over the cell's rows, `chunk_units` units at a time."""
    sums = np.zeros((len(counts), cell.integers.shape[1]))
    for first in range(0, len(cell.integers), chunk_units):
        part = slice(first, min(first + chunk_units, len(cell.integers)))
        sums += _product(_columns(counts, cell.rows, part), cell.integers[part])
    return sums


def _product(counts: Counts, integers: Floats) -> Floats:
    # Products this small stay on the calling thread: the matrix library's own threads would only
    # compete with the ones that run the blocks.
    rows, units = counts.shape
    whole = units // _PRODUCT_UNITS * _PRODUCT_UNITS
    values = integers[:whole].reshape(-1, _PRODUCT_UNITS, integers.shape[1])
    stacked = counts[:, :whole].reshape(rows, -1, _PRODUCT_UNITS).transpose(1, 0, 2)
    sums = np.zeros((rows, integers.shape[1]))
    _add_product(
        counts[:, whole:].astype(np.float64)[np.newaxis], integers[np.newaxis, whole:], sums
    )
    weights = np.empty((min(len(stacked), _STACK), rows, _PRODUCT_UNITS))
    for first in range(0, len(stacked), _STACK):
        part = stacked[first : first + _STACK]
        weights[: len(part)] = part
        _add_product(weights[: len(part)], values[first : first + _STACK], sums)
    return sums


def _add_product(weights: Floats, values: Floats, sums: Floats) -> None:
    """Add weights (s, rows, units) times values (s, units, columns), summed over s, to `sums`."""
    _, rows, units = weights.shape
    width = _PRODUCT_SIZE // max(1, rows * units)
    for first in range(0, sums.shape[1], width):
        columns = slice(first, first + width)
        sums[:, columns] += (weights @ values[:, :, columns]).sum(axis=0)


def _columns(counts: Counts, rows: NDArray[np.intp] | None, part: slice) -> Counts:
    if rows is None:
        return counts[:, part]
    first, last = int(rows[part.start]), int(rows[part.stop - 1])
    if last - first == part.stop - 1 - part.start:
        return counts[:, first : last + 1]
    return counts.take(rows[part], axis=1)


def _thread_count(plan: ResamplePlan, threads: int | None) -> int:
    if threads is not None and threads < 1:
        raise ValueError(f"threads: expected at least 1, got {threads}")
    if plan.n_units * plan.n_resamples < _THREADED_FROM:
        return 1
    # With fewer units a block is so short that the threads mostly wait for each other.
    automatic = min(_MAX_THREADS, os.cpu_count() or 1) if plan.n_units >= _THREADED_UNITS else 1
    return threads or automatic
