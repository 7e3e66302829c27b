"""Ends of bootstrap intervals from sorted resampled values.

Every function takes `draws`, the resampled values in increasing order, and returns (lower, upper),
or None where the method is undefined for these draws.
"""

from __future__ import annotations

import math

import numpy as np

from abotn.statistics.fixed_point import Floats

Limits = tuple[float, float]
_MANY_DEGREES = 1000.0


def percentile_limits(draws: Floats, tail: float) -> Limits:
    """Quantiles of the resampled values at `tail` and 1 - `tail`.

    Example:
        >>> import numpy as np
        >>> percentile_limits(np.arange(101.0), 0.05)
        (5.0, 95.0)
    """
    return quantile(draws, tail), quantile(draws, 1.0 - tail)


def basic_limits(draws: Floats, tail: float, estimate: float) -> Limits:
    """The percentile interval reflected in the estimate: 2 R - q(1 - tail), 2 R - q(tail)."""
    low, high = percentile_limits(draws, tail)
    return 2.0 * estimate - high, 2.0 * estimate - low


def bca_limits(draws: Floats, tail: float, estimate: float, jackknife: Floats) -> Limits | None:
    """Bias-corrected and accelerated interval.

    z0 = Phi^-1((#{R* < R} + #{R* = R} / 2) / B); each end is the quantile at
    Phi(z0 + (z0 + z) / (1 - a (z0 + z))) with z = Phi^-1(tail) and Phi^-1(1 - tail).

    Args:
        draws: (B,) resampled values, increasing.
        tail: Nominal probability outside each end.
        estimate: R.
        jackknife: (u,) R without each unit.

    Returns:
        The ends, or None where z0 or a is undefined.

    Source: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", equations 14.9 to 14.15.
    """
    from scipy.special import ndtr, ndtri

    below, up_to = (
        np.searchsorted(draws, estimate, "left"),
        np.searchsorted(draws, estimate, "right"),
    )
    bias = float(ndtri((below + up_to) / (2.0 * len(draws))))
    curve = acceleration(jackknife)
    if not (math.isfinite(bias) and math.isfinite(curve)):
        return None
    ends = []
    for z in (float(ndtri(tail)), -float(ndtri(tail))):
        shifted = bias + z
        stretch = 1.0 - curve * shifted
        # Beyond the pole of the correction the quantile runs off to that side.
        at = float(ndtr(bias + shifted / stretch)) if stretch > 0 else float(shifted > 0)
        ends.append(quantile(draws, at))
    return ends[0], ends[1]


def studentized_limits(
    pivots: Floats, tail: float, estimate: float, standard_error: float
) -> Limits | None:
    """R - q_t(1 - tail) s and R - q_t(tail) s, with pivots t* = (R* - R) / s*, increasing.

    Returns:
        The ends, or None where so many resamples have no spread that an end is not finite.
    """
    low, high = percentile_limits(pivots, tail)
    ends = estimate - high * standard_error, estimate - low * standard_error
    return ends if math.isfinite(ends[0]) and math.isfinite(ends[1]) else None


def acceleration(jackknife: Floats) -> float:
    """a = sum d^3 / (6 (sum d^2)^1.5) with d = mean(jackknife) - jackknife; NaN where undefined."""
    if not np.isfinite(jackknife).all():
        return math.nan
    deviations = jackknife.mean() - jackknife
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = np.max(np.abs(deviations))
        scaled = deviations / largest
        squares = scaled * scaled
        return float(np.sum(squares * scaled) / (6.0 * np.sum(squares) ** 1.5))


def widening_note(degrees: float) -> str | None:
    """Return the words on levels widened for few degrees of freedom; None where it hardly shows.

    Example:
        >>> widening_note(3.14), widening_note(2999.0)
        ('levels widened for 3.1 degrees of freedom', None)
    """
    if degrees >= _MANY_DEGREES:
        return None
    text = f"{degrees:.1f}".removesuffix(".0") if degrees < 10 else f"{degrees:.0f}"
    return f"levels widened for {text} degrees of freedom"


def widened_tail(tail: float, n_units: int, degrees: float) -> float:
    """The nominal tail that gives a bootstrap interval the width of a t interval.

    The bootstrap spread lacks the factor u/(u-1) and its normal quantile is too short for few
    units: tail' = Phi(-sqrt(u/(u-1)) t(1 - tail; degrees)).

    Source: Hesterberg 2015, "What Teachers Should Know About the Bootstrap", section 4.
    """
    from scipy.special import ndtr, stdtrit

    quantile_t = float(stdtrit(degrees, 1.0 - tail))
    return float(ndtr(-math.sqrt(n_units / (n_units - 1.0)) * quantile_t))


def quantile(increasing: Floats, probability: float) -> float:
    """Linear interpolation between order statistics (Hyndman and Fan's type 7)."""
    position = min(max(probability, 0.0), 1.0) * (len(increasing) - 1)
    lower = min(int(position), len(increasing) - 1)
    upper = min(lower + 1, len(increasing) - 1)
    low, high = float(increasing[lower]), float(increasing[upper])
    if low == high or position == lower:
        return low
    return low + (high - low) * (position - lower)
