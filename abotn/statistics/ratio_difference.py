"""The interval of a difference of two ratios of sums over the same units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from abotn.statistics.bootstrap import resample_sums
from abotn.statistics.choice import FEW_UNITS
from abotn.statistics.fixed_point import Floats, exact_sums
from abotn.statistics.interval import Interval, NoInterval, join_notes
from abotn.statistics.limits import (
    Limits,
    bca_limits,
    percentile_limits,
    widened_tail,
    widening_note,
)
from abotn.statistics.samples import degrees_of_freedom


@dataclass(frozen=True, eq=False)
class RatioDifference:
    """R_a - R_b with R_a = sum a_i / sum c_i and R_b = sum b_i / sum d_i.

    `columns` is (u, 4) with the columns a, c, b, d, one row per unit.
    """

    columns: Floats

    @cached_property
    def sums(self) -> Floats:
        """The four sums."""
        return exact_sums(self.columns)

    @property
    def values(self) -> tuple[float, float]:
        """R_a and R_b, NaN where the denominator is 0."""
        a, c, b, d = (float(value) for value in self.sums)
        return a / c if c else math.nan, b / d if d else math.nan

    @property
    def influence(self) -> Floats:
        """e_i = (a_i - R_a c_i) / sum c - (b_i - R_b d_i) / sum d."""
        first, second = self.values
        a, c, b, d = self.columns.T
        return np.asarray((a - first * c) / self.sums[1] - (b - second * d) / self.sums[3])

    @property
    def jackknife(self) -> Floats:
        """The difference without each unit."""
        with np.errstate(divide="ignore", invalid="ignore"):
            a, c, b, d = (self.sums - self.columns).T
            return np.asarray(a / c - b / d)

    def draws(self, n_resamples: int, seed: int, threads: int | None) -> Floats:
        """Resampled differences, increasing; resamples without a denominator are left out."""
        sums = resample_sums(self.columns, n_resamples=n_resamples, seed=seed, threads=threads)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
        return np.sort(drawn[np.isfinite(drawn)])


def difference_interval(
    difference: RatioDifference,
    *,
    n_resamples: int,
    level: float,
    seed: int,
    threads: int | None = None,
) -> Interval | NoInterval:
    """Widened BCa over units, Student's t for few of them, as `auto` does for one ratio.

    Args:
        difference: The units' sums.
        n_resamples: B, at least 100.
        level: Nominal coverage.
        seed: Whole number >= 0.
        threads: How many to use; None chooses.
    """
    columns = difference.columns[(difference.columns != 0).any(axis=1)]
    used = RatioDifference(columns)
    if not len(columns) or not (used.sums[1] > 0 and used.sums[3] > 0):
        return NoInterval("no defined value")
    value, influence = used.values[0] - used.values[1], used.influence
    tail = (1.0 - level) / 2.0

    def answer(limits: Limits, method: str, note: str | None, drawn: int = 0) -> Interval:
        flat = len(columns) < 2 or not influence.any()
        note = join_notes("the units show no spread" if flat else None, note)
        return Interval(*limits, level, method, drawn, seed, len(columns), flat, note)

    if len(columns) < 2 or not influence.any():
        return answer((value, value), "percentile", None)
    if len(columns) < FEW_UNITS:
        return answer(_t_limits(value, influence, tail), "t", "too few units to resample")
    degrees = degrees_of_freedom(influence)
    tail = widened_tail(tail, len(columns), degrees)
    draws = used.draws(n_resamples, seed, threads)
    note = widening_note(degrees)
    limits = bca_limits(draws, tail, value, used.jackknife)
    if limits is None:
        note = join_notes(note, "bca is undefined for these data")
        return answer(percentile_limits(draws, tail), "percentile", note, n_resamples)
    return answer(limits, "bca", note, n_resamples)


def _t_limits(value: float, influence: Floats, tail: float) -> Limits:
    from scipy.special import stdtrit

    u = len(influence)
    error = math.sqrt(u / (u - 1.0) * float(np.sum(influence**2)))
    half = float(stdtrit(u - 1.0, 1.0 - tail)) * error
    return value - half, value + half
