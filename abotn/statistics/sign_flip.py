"""Permutation tests for pairs: if both sides are alike, swapping a pair changes nothing.

Swapping the two sides of unit i turns the sign of its difference. With sums A and B of the two
sides, T = A + B stays and D = A - B becomes sum s_i d_i, s_i = -1 or +1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from abotn.statistics.checks import check_resamples, check_seed, columns_of
from abotn.statistics.counts import block_generator, random_bytes
from abotn.statistics.fixed_point import Floats, to_fixed_point

EXACT_UP_TO = 16

_FLIPS_PER_BLOCK = 256
_PURPOSE = 1
_TIE = 1e-12

Statistic = Callable[[Floats], Floats]


class FlipTest(NamedTuple):
    """A two-sided p value, whether all sign patterns were counted, and how many were."""

    p_value: float
    exact: bool
    n_flips: int


def sign_flip_tests(
    differences: ArrayLike, *, n_flips: int = 10_000, seed: int = 0
) -> list[FlipTest]:
    """Test for each column that its differences are symmetric about zero.

    The statistic is |sum s_i d_i|. With up to 16 differences that are not zero all patterns are
    counted; otherwise n_flips random ones, and p = (1 + hits) / (1 + n_flips). A column's result
    does not depend on the other columns.

    Args:
        differences: (u, m) or (u,) sum of the paired differences in each unit (pair or cluster);
            0 where undefined.
        n_flips: Random sign patterns, at least 100.
        seed: Whole number >= 0.

    Returns:
        One result per column.

    Example:
        >>> sign_flip_tests([1.0, 1.0, 1.0, 1.0])[0].p_value
        0.125

    Source: Fisher 1935, "The Design of Experiments", section 21; the added 1 from Phipson and
    Smyth 2010.
    """
    columns = columns_of(differences, "differences")
    check_resamples(n_flips)
    check_seed(seed)
    return [_flip_test(column, _first, _size(column), n_flips, seed) for column in columns.T]


def swap_test(
    tops: tuple[Floats, Floats], bottoms: tuple[Floats, Floats], *, n_flips: int, seed: int
) -> FlipTest:
    """Test that two ratios of sums are alike, swapping both sums of a unit together.

    Args:
        tops: Numerators (u,) of both sides.
        bottoms: Denominators (u,) of both sides.
        n_flips: Random sign patterns, at least 100.
        seed: Whole number >= 0.
    """
    parts = np.column_stack((tops[0] - tops[1], bottoms[0] - bottoms[1]))
    total_top = float((tops[0] + tops[1]).sum())
    total_bottom = float((bottoms[0] + bottoms[1]).sum())

    def difference(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            first = (total_top + sums[:, 0]) / (total_bottom + sums[:, 1])
            second = (total_top - sums[:, 0]) / (total_bottom - sums[:, 1])
        # A pattern that leaves one side without a denominator cannot speak against alikeness.
        return np.nan_to_num(first - second, nan=np.inf, posinf=np.inf, neginf=np.inf)

    scale = abs(total_top) / total_bottom if total_bottom else 1.0
    return _flip_test(parts, difference, scale, check_resamples(n_flips), check_seed(seed))


def _first(sums: Floats) -> Floats:
    return sums[:, 0]


def _size(column: Floats) -> float:
    return float(np.abs(column).sum())


def _flip_test(
    parts: Floats, statistic: Statistic, scale: float, n_flips: int, seed: int
) -> FlipTest:
    parts = parts.reshape(len(parts), -1)
    moving = parts[(parts != 0).any(axis=1)]
    fixed = to_fixed_point(moving, max(1, len(moving)))

    def size(signs: Floats) -> Floats:
        sums = np.ldexp(signs @ fixed.integers, fixed.exponents)
        return np.abs(statistic(np.asarray(sums)))

    limit = float(size(np.ones((1, len(moving))))[0]) - _TIE * scale
    exact = len(moving) <= EXACT_UP_TO
    patterns = _all_signs(len(moving)) if exact else _random_signs(len(moving), n_flips, seed)
    hits = total = 0
    for signs in patterns:
        hits += int(np.count_nonzero(size(signs) >= limit))
        total += len(signs)
    return FlipTest(hits / total if exact else (1 + hits) / (1 + total), exact, total)


def _all_signs(units: int) -> Iterator[Floats]:
    """All patterns with the first sign +1; their mirror images have the same statistic."""
    free = max(units - 1, 0)
    for first in range(0, 1 << free, 4096):
        numbers = np.arange(first, min(first + 4096, 1 << free))[:, np.newaxis]
        bits = (numbers >> np.arange(free)) & 1
        signs = np.ones((len(bits), units))
        signs[:, units - free :] -= 2.0 * bits
        yield signs


def _random_signs(units: int, n_flips: int, seed: int) -> Iterator[Floats]:
    for block, first in enumerate(range(0, n_flips, _FLIPS_PER_BLOCK)):
        generator = block_generator(seed, block, _PURPOSE)
        row_bytes = -(-units // 8)
        drawn = random_bytes(generator, _FLIPS_PER_BLOCK * row_bytes)
        bits = np.unpackbits(drawn.reshape(_FLIPS_PER_BLOCK, row_bytes), axis=1, count=units)
        yield np.asarray(1.0 - 2.0 * bits[: n_flips - first], dtype=np.float64)
