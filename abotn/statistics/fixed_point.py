"""Sums whose bits do not depend on the order of what is added.

Each column is written as whole numbers times a power of two, chosen from that column alone, so
that every sum met later stays below 2**53. Such sums are exact in float64: no order of addition,
chunk size, thread count or matrix library can change a bit of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_EXACT_BITS = 53


class FixedPoint(NamedTuple):
    """Columns as whole numbers: value = integers * 2**exponents."""

    integers: Floats
    exponents: Ints


def to_fixed_point(columns: Floats, capacity: int) -> FixedPoint:
    """Round columns to whole multiples of a power of two that keep weighted sums exact.

    The power 2**x of a column with largest magnitude below 2**e is x = e + ceil(log2(capacity))
    - 53, so that capacity * max|integer| <= 2**53. The relative rounding is capacity * 2**-54.

    Args:
        columns: (n, m) or (n,) float64, finite; one column per statistic.
        capacity: The largest total weight of a later sum, for a resample its number of units.

    Returns:
        Whole numbers as float64 of the same shape, and one exponent per column.
    """
    largest = np.max(np.abs(columns), axis=0, initial=0.0)
    _, exponents = np.frexp(largest)
    shift = exponents + max(int(capacity) - 1, 0).bit_length() - _EXACT_BITS
    shift = np.asarray(np.where(largest > 0, shift, 0), dtype=np.int64)
    return FixedPoint(np.asarray(np.rint(np.ldexp(columns, -shift))), shift)


def exact_sums(columns: Floats) -> Floats:
    """Column sums, correctly rounded to about one part in 2**52 and independent of row order.

    Args:
        columns: (n, m) float64, finite.

    Returns:
        (m,) sums.

    Example:
        >>> import numpy as np
        >>> exact_sums(np.full((10, 1), 0.1)).tolist()
        [1.0]
    """
    starts = np.zeros(min(1, len(columns)), dtype=np.intp)
    return np.asarray(sums_of_runs(columns, starts).sum(axis=0))


def sums_of_runs(columns: Floats, starts: NDArray[np.intp]) -> Floats:
    """Sums over runs of consecutive rows, independent of the order within each run.

    The columns are split into a coarse and a fine part, each summed exactly.

    Args:
        columns: (n, m) float64, finite.
        starts: (r,) first row of each run, increasing, the first one 0.

    Returns:
        (r, m) sums.
    """
    if not len(starts):
        return np.zeros((0, columns.shape[1]))
    coarse = to_fixed_point(columns, len(columns))
    rest = columns - np.ldexp(coarse.integers, coarse.exponents)
    fine = to_fixed_point(rest, len(columns))
    return _run_sums(coarse, starts) + _run_sums(fine, starts)


def _run_sums(part: FixedPoint, starts: NDArray[np.intp]) -> Floats:
    return np.asarray(np.ldexp(np.add.reduceat(part.integers, starts, axis=0), part.exponents))
