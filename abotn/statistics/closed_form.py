"""Intervals that need no resampling: score intervals for proportions, and Student's t."""

from __future__ import annotations

import math
from functools import lru_cache

from abotn.statistics.limits import Limits
from abotn.statistics.samples import RatioSample, degrees_of_freedom


@lru_cache(maxsize=4096)
def wilson_limits(successes: int, trials: int, level: float) -> Limits:
    """Wilson's score interval for independent 0/1 values.

    Example:
        >>> low, high = wilson_limits(9, 10, 0.95)
        >>> round(low, 4), round(high, 4)
        (0.5958, 0.9821)

    Source: Wilson 1927; computed by `scipy.stats.binomtest(...).proportion_ci`.
    """
    from scipy.stats import binomtest

    ends = binomtest(successes, trials).proportion_ci(level, method="wilson")
    return float(ends.low), float(ends.high)


def score_limits(proportion: float, trials: float, quantile: float) -> Limits:
    """Wilson's formula for a number of trials that need not be whole.

    (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)
    """
    z2 = quantile * quantile / trials
    centre = (proportion + z2 / 2.0) / (1.0 + z2)
    half = math.sqrt(proportion * (1.0 - proportion) * z2 + z2 * z2 / 4.0) / (1.0 + z2)
    return max(0.0, centre - half), min(1.0, centre + half)


def clustered_wilson_limits(sample: RatioSample, level: float) -> tuple[Limits, float]:
    """Wilson's interval at the effective number of trials, with a t quantile.

    The design effect is the clusters' variance over the binomial one, deff = s^2 n / (p(1-p));
    n / deff trials carry the same information, and the quantile has the degrees of freedom that
    the clusters' variance is worth. One cluster counts as one trial.

    Args:
        sample: Successes and trials per cluster, as whole numbers.
        level: Nominal coverage.

    Returns:
        The ends, and the effective number of trials.

    Source: Korn and Graubard 1998; Dean and Pagano 2015, for the effective size.
    """
    from scipy.special import ndtri, stdtrit

    upper_tail = 0.5 + level / 2.0
    proportion, trials = min(max(sample.value, 0.0), 1.0), sample.record_count
    if len(sample) < 2:
        return score_limits(proportion, 1.0, float(ndtri(upper_tail))), 1.0
    error = math.ldexp(sample.standard_error, sample.exponent)
    has_spread = error > 0.0 and not sample.is_constant
    effective = proportion * (1.0 - proportion) / error**2 if has_spread else trials
    degrees = degrees_of_freedom(sample.residuals) if has_spread else len(sample) - 1.0
    return score_limits(proportion, effective, float(stdtrit(degrees, upper_tail))), effective


def t_limits(sample: RatioSample, level: float) -> Limits:
    """R -+ t(u - 1) s, with the linearised standard error of a ratio of sums.

    For a mean over records this is Student's interval; for clusters it is the cluster-robust one
    with u - 1 degrees of freedom.
    """
    from scipy.special import stdtrit

    error = math.ldexp(sample.standard_error, sample.exponent)
    half = float(stdtrit(len(sample) - 1.0, 0.5 + level / 2.0)) * error
    return sample.value - half, sample.value + half
