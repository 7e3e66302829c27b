"""Two runs over the same tasks: the paired difference, its interval, and a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from abotn.statistics.checks import check_level, check_resamples, check_seed, codes_of
from abotn.statistics.fixed_point import Floats
from abotn.statistics.interval import Interval, NoInterval
from abotn.statistics.intervals import ratio_intervals, ratio_values
from abotn.statistics.pairs import Pairs
from abotn.statistics.ratio_difference import RatioDifference, difference_interval
from abotn.statistics.sign_flip import FlipTest, sign_flip_tests, swap_test


@dataclass(frozen=True)
class PairedResult:
    """One metric of two runs, over the pairs where both are defined.

    Attributes:
        value_a: Value of the first run; NaN where no pair is defined.
        value_b: Value of the second run.
        difference: value_a - value_b.
        interval: Of the difference, resampling pairs or clusters of pairs.
        p_value: Two-sided, for no difference; NaN where no pair is defined.
        test: `mcnemar_exact`, `sign_flip_exact`, `sign_flip_monte_carlo`, or `none`.
        n_pairs: Pairs with both values defined.
        n_undefined: Pairs left out because a value is undefined.
        n_clusters: Clusters that hold a defined pair, or None without clusters.
        n_flips: Sign patterns counted by a permutation test, else 0.
    """

    value_a: float
    value_b: float
    difference: float
    interval: Interval | NoInterval
    p_value: float
    test: str
    n_pairs: int
    n_undefined: int
    n_clusters: int | None
    n_flips: int


def compare_pairs(
    a: ArrayLike,
    b: ArrayLike,
    *,
    denominators: tuple[ArrayLike, ArrayLike] | None = None,
    clusters: ArrayLike | None = None,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    threads: int | None = None,
) -> PairedResult:
    """Compare one metric of two runs on the same tasks.

    The test is exact McNemar where all values are 0 or 1 and pairs are independent; else signs
    are flipped over pairs or clusters.

    Args:
        a: (n,) values of the first run, one per pair; NaN where undefined.
        b: (n,) values of the second run, in the same order.
        denominators: For a ratio-of-sums metric, the denominators (n,) of both runs; `a` and `b`
            are then numerators.
        clusters: (n,) label of each pair's cluster (its scene); None takes pairs as independent.
        n_resamples: Resamples, and sign patterns where not all are counted; at least 100.
        level: Nominal coverage of the interval.
        seed: Whole number >= 0.
        threads: How many to use; None chooses.

    Returns:
        The comparison.

    Raises:
        ValueError: Shapes differ, a value is infinite, or an option is out of range.

    Example:
        >>> found = compare_pairs([1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0])
        >>> found.difference, found.test, found.p_value
        (0.5, 'mcnemar_exact', 0.5)
    """
    first = _column(a, "a")
    second = _column(b, "b")
    bottoms = (
        None if denominators is None else tuple(_column(d, "denominators") for d in denominators)
    )
    found = compare_columns(
        first,
        second,
        denominators=(bottoms[0], bottoms[1]) if bottoms else None,
        clusters=clusters,
        n_resamples=n_resamples,
        level=level,
        seed=seed,
        threads=threads,
    )
    return found[0]


def compare_columns(
    a: ArrayLike,
    b: ArrayLike,
    *,
    denominators: tuple[ArrayLike, ArrayLike] | None = None,
    clusters: ArrayLike | None = None,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    threads: int | None = None,
) -> list[PairedResult]:
    """Compare many metrics at once, each as `compare_pairs` does and with the same bits.

    Args:
        a: (n, m) values of the first run, a row per pair and a column per metric.
        b: (n, m) values of the second run.
        denominators: Denominators (n, m) of both runs where the metrics are ratios of sums.
        clusters: (n,) label of each pair's cluster, or None.
        n_resamples: See `compare_pairs`.
        level: Nominal coverage.
        seed: Whole number >= 0.
        threads: How many to use; None chooses.

    Returns:
        One comparison per column.
    """
    pairs = Pairs.of(a, b, denominators, codes_of(clusters, len(np.asarray(a)), "clusters"))
    options = _Options(check_resamples(n_resamples), check_level(level), check_seed(seed), threads)
    if denominators is not None:
        return [_compare_ratio(pairs, j, options) for j in range(pairs.a.shape[1])]
    weights = pairs.defined.astype(np.float64)
    intervals = ratio_intervals(
        pairs.a - pairs.b,
        weights,
        units=pairs.clusters,
        n_resamples=options.n_resamples,
        level=options.level,
        seed=options.seed,
        binary=[False] * weights.shape[1],
        threads=options.threads,
    )[0]
    values_a, values_b = ratio_values(pairs.a, weights)[0], ratio_values(pairs.b, weights)[0]
    differences = ratio_values(pairs.a - pairs.b, weights)[0]
    results = []
    for j, (interval, tested) in enumerate(zip(intervals, _tests(pairs, options), strict=True)):
        test, p, flips = tested
        values = float(values_a[j]), float(values_b[j]), float(differences[j])
        results.append(PairedResult(*values, interval, p, test, *pairs.counts(j), flips))
    return results


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """p values corrected for their number by Holm's step-down method.

    With p sorted increasingly, adjusted p_(i) = max over j <= i of min(1, (m - j + 1) p_(j)).

    Args:
        p_values: (m,) between 0 and 1; NaN for a test that was not made, which is left out.

    Returns:
        (m,) corrected values in the given order.

    Example:
        >>> holm([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]

    Source: Holm 1979.
    """
    given = np.asarray(p_values, dtype=np.float64)
    if ((given < 0) | (given > 1)).any():
        raise ValueError("p_values: expected numbers between 0 and 1")
    made = np.flatnonzero(~np.isnan(given))
    order = made[np.argsort(given[made], kind="stable")]
    steps = given[order] * np.arange(len(order), 0, -1)
    corrected = np.full(given.shape, np.nan)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


@dataclass(frozen=True)
class _Options:
    n_resamples: int
    level: float
    seed: int
    threads: int | None


def _tests(pairs: Pairs, options: _Options) -> list[tuple[str, float, int]]:
    """Name, p value and number of sign patterns for each column."""
    sums = pairs.unit_columns(pairs.a - pairs.b)
    zero_one = (np.isin(pairs.a, (0.0, 1.0)) & np.isin(pairs.b, (0.0, 1.0))).all(axis=0)
    exact = zero_one & (pairs.clusters is None)
    flips = np.flatnonzero(~exact)
    found = sign_flip_tests(sums[:, flips], n_flips=options.n_resamples, seed=options.seed)
    tests = {int(j): _named(test) for j, test in zip(flips, found, strict=True)}
    for j in range(sums.shape[1]):
        if not pairs.defined[:, j].any():
            tests[j] = ("none", float("nan"), 0)
        elif j not in tests:
            a, b = pairs.a[:, j], pairs.b[:, j]
            tests[j] = ("mcnemar_exact", _mcnemar(int((a > b).sum()), int((b > a).sum())), 0)
    return [tests[j] for j in range(sums.shape[1])]


def _mcnemar(only_a: int, only_b: int) -> float:
    from scipy.stats import binomtest

    if only_a + only_b == 0:
        return 1.0
    return float(binomtest(only_a, only_a + only_b, 0.5).pvalue)


def _compare_ratio(pairs: Pairs, j: int, options: _Options) -> PairedResult:
    order = (pairs.a, pairs.bottom_a, pairs.b, pairs.bottom_b)
    units = RatioDifference(pairs.unit_columns(*(side[:, j] for side in order)))
    first, second = units.values
    interval = difference_interval(
        units,
        n_resamples=options.n_resamples,
        level=options.level,
        seed=options.seed,
        threads=options.threads,
    )
    test, p, flips = "none", float("nan"), 0
    if not np.isnan(first - second):
        a, c, b, d = units.columns.T
        swapped = swap_test((a, b), (c, d), n_flips=options.n_resamples, seed=options.seed)
        test, p, flips = _named(swapped)
    values = first, second, first - second
    return PairedResult(*values, interval, p, test, *pairs.counts(j), flips)


def _named(test: FlipTest) -> tuple[str, float, int]:
    name = "sign_flip_exact" if test.exact else "sign_flip_monte_carlo"
    return name, test.p_value, test.n_flips


def _column(values: ArrayLike, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected a 1-D array, got {array.ndim} dimensions")
    return array[:, np.newaxis]
