"""Counts, sums, moments and extremes of values that arrive in pieces, in any order.

Sums are kept as whole numbers, exactly, so that updating and merging in any order and any
grouping gives the same bits. The memory does not grow with the number of values.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from abotn.statistics.fixed_point import Floats, Ints

_MANTISSA = 53
_HALF = 27
_CHUNK = 1 << 20


class ExactSum:
    """An exact sum of float64 numbers: `units` * 2**_LOWEST, a whole number of any length.

    Example:
        >>> total = ExactSum()
        >>> total.add([1e100, 1.0, -1e100])
        >>> total.value()
        Fraction(1, 1)
    """

    # Squares of the smallest subnormal number still are a whole multiple of this power.
    _LOWEST = -2 * (1074 + _MANTISSA)

    def __init__(self) -> None:
        self._units = 0

    def add(self, values: ArrayLike) -> None:
        """Add finite numbers of any shape."""
        for mantissas, exponents in _pieces(values):
            self._add_scaled(mantissas, exponents)

    def add_squares(self, values: ArrayLike) -> None:
        """Add the exact squares of finite numbers of any shape.

        With a mantissa h 2**27 + l, |l| <= 2**26, the square is h^2 2**54 + h l 2**28 + l^2, each
        product below 2**53 and so exact.
        """
        for mantissas, exponents in _pieces(values):
            high = np.rint(mantissas * 2.0**-_HALF)
            low = mantissas - high * 2.0**_HALF
            self._add_scaled(high * high, 2 * exponents + 2 * _HALF)
            self._add_scaled(high * low, 2 * exponents + _HALF + 1)
            self._add_scaled(low * low, 2 * exponents)

    def merge(self, other: ExactSum) -> None:
        """Add what another sum holds; the other is not changed."""
        self._units += other._units

    def value(self) -> Fraction:
        """The sum, exactly."""
        return Fraction(self._units, 1 << -self._LOWEST)

    def _add_scaled(self, wholes: Floats, exponents: Ints) -> None:
        # Halves of whole numbers up to 2**53 stay exact in float64 over a chunk of 2**20.
        high, low = np.divmod(wholes, 2.0**_HALF)
        lowest = int(exponents.min())
        shifts = exponents - lowest
        highs, lows = np.bincount(shifts, high), np.bincount(shifts, low)
        for shift in np.flatnonzero((highs != 0) | (lows != 0)).tolist():
            whole = (int(highs[shift]) << _HALF) + int(lows[shift])
            self._units += whole << (shift + lowest - self._LOWEST)


class Moments:
    """Count, sum, mean, spread and extremes of a stream of numbers, NaN and infinity counted apart.

    Example:
        >>> first, second = Moments(), Moments()
        >>> first.update([1.0, 2.0])
        >>> second.update([3.0, float("nan")])
        >>> first.merge(second)
        >>> first.count, first.undefined, first.mean, first.std
        (3, 1, 2.0, 1.0)
    """

    def __init__(self) -> None:
        self.count = 0
        self.undefined = 0
        self._low = math.inf
        self._high = -math.inf
        self._sum = ExactSum()
        self._squares = ExactSum()

    def update(self, values: ArrayLike) -> None:
        """Take in numbers of any shape; those that are not finite only count as undefined."""
        array = np.asarray(values, dtype=np.float64).reshape(-1)
        finite = array[np.isfinite(array)]
        self.undefined += len(array) - len(finite)
        if not len(finite):
            return
        self.count += len(finite)
        self._low = min(self._low, float(finite.min()))
        self._high = max(self._high, float(finite.max()))
        self._sum.add(finite)
        self._squares.add_squares(finite)

    def merge(self, other: Moments) -> None:
        """Take in everything another accumulator has seen; the other is not changed."""
        self.count += other.count
        self.undefined += other.undefined
        self._low = min(self._low, other._low)
        self._high = max(self._high, other._high)
        self._sum.merge(other._sum)
        self._squares.merge(other._squares)

    @property
    def sum(self) -> float:
        """Sum of the finite numbers, correctly rounded."""
        return _rounded(self._sum.value())

    @property
    def sum_of_squares(self) -> float:
        """Sum of the squares of the finite numbers, correctly rounded."""
        return _rounded(self._squares.value())

    @property
    def mean(self) -> float:
        """Mean of the finite numbers, correctly rounded; NaN where there are none."""
        return _rounded(self._sum.value() / self.count) if self.count else math.nan

    @property
    def variance(self) -> float:
        """(sum x^2 - (sum x)^2 / n) / (n - 1), correctly rounded; NaN below two numbers."""
        if self.count < 2:
            return math.nan
        total = self._sum.value()
        spread = self._squares.value() - total * total / self.count
        return _rounded(spread / (self.count - 1))

    @property
    def std(self) -> float:
        """Square root of the variance."""
        return math.sqrt(self.variance)

    @property
    def min(self) -> float:
        """Least finite number; NaN where there are none."""
        return self._low if self.count else math.nan

    @property
    def max(self) -> float:
        """Greatest finite number; NaN where there are none."""
        return self._high if self.count else math.nan


def _pieces(values: ArrayLike) -> list[tuple[Floats, Ints]]:
    """Whole mantissas below 2**53 with their exponents, some numbers at a time."""
    array = np.asarray(values, dtype=np.float64).reshape(-1)
    if not np.isfinite(array).all():
        raise ValueError("values: expected finite numbers")
    pieces = []
    for first in range(0, len(array), _CHUNK):
        fractions, exponents = np.frexp(array[first : first + _CHUNK])
        wholes = np.asarray(np.ldexp(fractions, _MANTISSA))
        pieces.append((wholes, exponents.astype(np.int64) - _MANTISSA))
    return pieces


def _rounded(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
