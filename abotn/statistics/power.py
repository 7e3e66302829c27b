"""How many tasks or scenes would show a difference, from a run's own spread.

A mean over k scenes of m tasks each has variance sigma^2 (1 + (m - 1) rho) / (k m), with the
intraclass correlation rho; without scenes m = 1. The power of the two-sided t test follows from
the noncentral t distribution. A sign-flip test over u units has no p value below 2^-(u - 1) and
none between its multiples, so the level is the largest multiple below the one asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from abotn.statistics.checks import check_level, codes_of
from abotn.statistics.fixed_point import Floats, Ints

MOST_UNITS = 10_000_000


@dataclass(frozen=True)
class Spread:
    """How a value varies between tasks and between scenes.

    Attributes:
        variance: Of one task's value, between and within scenes together.
        icc: Intraclass correlation rho, 0 to 1: the share of the variance that scenes have.
        n_tasks: Tasks it was estimated from.
        n_scenes: Scenes it was estimated from, or None where tasks are independent.
        tasks_per_scene: Mean number of tasks in a scene (1 without scenes).
    """

    variance: float
    icc: float
    n_tasks: int
    n_scenes: int | None
    tasks_per_scene: float

    @property
    def design_effect(self) -> float:
        """1 + (m - 1) rho: how much clustering inflates the variance of a mean."""
        return 1.0 + (self.tasks_per_scene - 1.0) * self.icc

    def as_difference(self, correlation: float = 0.0) -> Spread:
        """The spread of a paired difference of two runs like this one: 2 sigma^2 (1 - r).

        Args:
            correlation: r between the runs' values on one task; 0 where nothing is known.
        """
        if not -1.0 <= correlation < 1.0:
            raise ValueError(f"correlation: expected -1 up to below 1, got {correlation}")
        return replace(self, variance=2.0 * self.variance * (1.0 - correlation))


@dataclass(frozen=True)
class Requirement:
    """How large a run would have to be.

    Attributes:
        tasks: Tasks needed, or None where no number was found; `note` then says why.
        scenes: Scenes needed, or None where tasks are independent.
        power: The power reached with that many.
        delta: The difference to be shown.
        alpha: Two-sided level of the test.
        note: Why there is no number, or that the least p value of the test decides it; or None.
    """

    tasks: int | None
    scenes: int | None
    power: float
    delta: float
    alpha: float
    note: str | None = None


def measure_spread(values: ArrayLike, clusters: ArrayLike | None = None) -> Spread:
    """Variance and intraclass correlation of values (or of paired differences).

    By one-way analysis of variance: rho = (MSB - MSW) / (MSB + (m0 - 1) MSW), at least 0.

    Args:
        values: (n,) one per task; NaN where undefined.
        clusters: (n,) label of each task's scene, or None.

    Returns:
        The spread over the defined values.

    Raises:
        ValueError: Fewer than two defined values, an infinite one, or shapes that differ.

    Example:
        >>> measure_spread([0.0, 1.0, 0.0, 1.0]).icc
        0.0

    Source: Donner and Koval 1980, "The estimation of intraclass correlation in the analysis of
    family data".
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or np.isinf(array).any():
        raise ValueError("values: expected a 1-D array of finite numbers or NaN")
    codes = codes_of(clusters, len(array), "clusters")
    defined = ~np.isnan(array)
    array, codes = array[defined], None if codes is None else codes[defined]
    if len(array) < 2:
        raise ValueError(f"values: expected at least two defined values, got {len(array)}")
    if codes is None:
        return Spread(float(array.var(ddof=1)), 0.0, len(array), None, 1.0)
    return _clustered_spread(array, np.unique(codes, return_inverse=True)[1])


def least_units(alpha: float) -> int:
    """Fewest units whose sign-flip or exact McNemar test can have p < alpha: 2^-(u - 1) < alpha.

    Example:
        >>> least_units(0.05)
        6
    """
    units = 2
    while 2.0 ** (1 - units) >= alpha:
        units += 1
    return units


def power_at(spread: Spread, *, delta: float, units: int, alpha: float = 0.05) -> float:
    """Chance that a two-sided test at level alpha shows a true difference of delta.

    That of a t test at the level that a sign-flip test over so many units has; 0 where it can
    have no p value below alpha.

    Args:
        spread: Of the paired differences.
        delta: The true difference.
        units: Scenes where the spread has scenes, else tasks; at least 2.
        alpha: Level of the test.

    Example:
        >>> round(power_at(Spread(1.0, 0.0, 50, None, 1.0), delta=0.5, units=34), 2)
        0.81
    """
    from scipy.stats import nct, t

    if units < 2:
        raise ValueError(f"units: expected at least 2, got {units}")
    shown, level = abs(_check_delta(delta)), _level_of(units, alpha)
    if level == 0.0:
        return 0.0
    degrees = units - 1.0
    error = math.sqrt(spread.variance * spread.design_effect / (units * spread.tasks_per_scene))
    if error == 0.0:
        return 1.0
    shift, limit = shown / error, float(t.ppf(1.0 - level / 2.0, degrees))
    if shift > limit + 30.0:
        return 1.0
    return float(nct.sf(limit, degrees, shift) + nct.cdf(-limit, degrees, shift))


def required_units(
    spread: Spread, *, delta: float, power: float = 0.8, alpha: float = 0.05
) -> Requirement:
    """Tasks and scenes that show a difference of delta with the wanted power.

    Args:
        spread: Of the paired differences (`measure_spread`, or `as_difference` of one run's).
        delta: The difference to be shown, not 0.
        power: Wanted chance of showing it.
        alpha: Two-sided level of the test.

    Returns:
        The least number, with scenes as large as those of the spread.

    Raises:
        ValueError: delta is 0 or not finite, or power or alpha outside (0, 1).

    Example:
        >>> required_units(Spread(1.0, 0.0, 50, None, 1.0), delta=0.5).tasks
        34
    """
    _check_delta(delta)
    check_level(power, "power")
    check_level(alpha, "alpha")
    if spread.variance == 0.0:
        return Requirement(
            None, None, 1.0, delta, alpha, "all values are equal: no spread to plan by"
        )

    def reached(units: int) -> float:
        return power_at(spread, delta=delta, units=units, alpha=alpha)

    units = least_reaching(reached, power)
    if units is None:
        return Requirement(None, None, reached(MOST_UNITS), delta, alpha, "delta is too small")
    tasks = math.ceil(units * spread.tasks_per_scene)
    scenes = None if spread.n_scenes is None else units
    kind = "tasks" if scenes is None else "scenes"
    note = f"fewer than {units} {kind} allow no p value below {alpha:g}"
    least = units == least_units(alpha)
    return Requirement(tasks, scenes, reached(units), delta, alpha, note if least else None)


def least_reaching(reached: Callable[[int], float], power: float) -> int | None:
    """Least number of units, from 2, whose power reaches the wanted one; None beyond MOST_UNITS.

    Args:
        reached: Power by number of units, growing with it.
        power: The wanted one.
    """
    units = 2
    while reached(units) < power:
        units *= 2
        if units > MOST_UNITS:
            return None
    low, high = units // 2, units
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    return high


def _level_of(units: int, alpha: float) -> float:
    """The largest p value below alpha of a sign-flip test over so many units; 0 for none."""
    if units > 50:
        return alpha
    step = 2.0 ** (1 - units)
    return (math.ceil(alpha / step) - 1) * step


def _clustered_spread(array: Floats, codes: Ints) -> Spread:
    sizes = np.bincount(codes)
    scenes, n = len(sizes), len(array)
    means = np.bincount(codes, array) / sizes
    if scenes < 2:
        raise ValueError("clusters: expected at least two scenes to tell them apart, got 1")
    within = float(np.sum((array - means[codes]) ** 2))
    between = float(np.sum(sizes * (means - array.mean()) ** 2)) / (scenes - 1)
    mean_within = within / (n - scenes) if n > scenes else 0.0
    size = (n - float(np.sum(sizes**2)) / n) / (scenes - 1)
    shared = max((between - mean_within) / size, 0.0) if n > scenes else 0.0
    variance = shared + mean_within if n > scenes else between
    icc = shared / variance if variance > 0 else 0.0
    return Spread(variance, icc, n, scenes, n / scenes)


def _check_delta(delta: float) -> float:
    if not math.isfinite(delta) or delta == 0.0:
        raise ValueError(f"delta: expected a finite number other than 0, got {delta}")
    return float(delta)
