"""Permutation tests for pairs: if both sides are alike, swapping a pair changes nothing.

Swapping the two sides of unit i turns the sign of its difference. With sums A and B of the two
sides, T = A + B stays and D = A - B becomes sum s_i d_i, s_i = -1 or +1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.statistics.bootstrap import Cell, weighted_sums
from abotn.statistics.checks import check_resamples, check_seed, columns_of
from abotn.statistics.counts import Counts, block_generator, random_bytes
from abotn.statistics.fixed_point import Floats, to_fixed_point

EXACT_UP_TO = 16

_FLIPS_PER_BLOCK = 64
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
    scale = np.abs(columns).sum(axis=0)
    many = np.count_nonzero(columns, axis=0) > EXACT_UP_TO
    tests: list[FlipTest | None] = [None] * columns.shape[1]
    for j in np.flatnonzero(~many).tolist():
        moving = columns[columns[:, j] != 0, j : j + 1]
        tests[j] = _exact(moving, np.abs, scale[j : j + 1])[0]
    drawn = iter(_random(columns[:, many], np.abs, scale[many], n_flips, seed))
    return [test or next(drawn) for test in tests]


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
        found = np.nan_to_num(first - second, nan=np.inf, posinf=np.inf, neginf=np.inf)
        return np.abs(found)[:, np.newaxis]

    scale = np.array([abs(total_top) / total_bottom if total_bottom else 1.0])
    check_resamples(n_flips)
    check_seed(seed)
    moving = parts[(parts != 0).any(axis=1)]
    if len(moving) <= EXACT_UP_TO:
        return _exact(moving, difference, scale)[0]
    return _random(parts, difference, scale, n_flips, seed)[0]


def _exact(parts: Floats, statistic: Statistic, scale: Floats) -> list[FlipTest]:
    hits, total = _count_hits(_all_patterns(len(parts)), parts, statistic, scale)
    return [FlipTest(hit / total, exact=True, n_flips=total) for hit in hits.tolist()]


def _random(
    parts: Floats, statistic: Statistic, scale: Floats, n_flips: int, seed: int
) -> list[FlipTest]:
    if not len(scale):
        return []
    patterns = _random_patterns(len(parts), n_flips, seed)
    hits, total = _count_hits(patterns, parts, statistic, scale)
    return [FlipTest((1 + hit) / (1 + total), exact=False, n_flips=total) for hit in hits.tolist()]


def _count_hits(
    patterns: Iterator[Counts], parts: Floats, statistic: Statistic, scale: Floats
) -> tuple[NDArray[np.int64], int]:
    """How many patterns reach the statistic of the data, per column, and how many there were."""
    fixed = to_fixed_point(parts, max(1, len(parts)))
    whole = fixed.integers.sum(axis=0, keepdims=True)

    def size(sums: Floats) -> Floats:
        return statistic(np.asarray(np.ldexp(sums, fixed.exponents)))

    limit = size(whole)[0] - _TIE * scale
    hits, total = np.zeros(len(scale), dtype=np.int64), 0
    for flipped in patterns:
        sums = whole - 2.0 * weighted_sums(flipped, Cell(None, fixed.integers))
        hits += np.count_nonzero(size(sums) >= limit, axis=0)
        total += len(flipped)
    return hits, total


def _all_patterns(units: int) -> Iterator[Counts]:
    """All sets of flipped units without the first; the others mirror them, with equal statistic."""
    free = max(units - 1, 0)
    for first in range(0, 1 << free, 4096):
        numbers = np.arange(first, min(first + 4096, 1 << free))[:, np.newaxis]
        flipped = np.zeros((len(numbers), units), dtype=np.uint8)
        flipped[:, units - free :] = (numbers >> np.arange(free)) & 1
        yield flipped


def _random_patterns(units: int, n_flips: int, seed: int) -> Iterator[Counts]:
    for block, first in enumerate(range(0, n_flips, _FLIPS_PER_BLOCK)):
        generator = block_generator(seed, block, _PURPOSE)
        row_bytes = -(-units // 8)
        drawn = random_bytes(generator, _FLIPS_PER_BLOCK * row_bytes)
        bits = np.unpackbits(drawn.reshape(_FLIPS_PER_BLOCK, row_bytes), axis=1, count=units)
        yield bits[: n_flips - first]
