"""How one statistic gets its interval: which method applies, and what it falls back to."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from abotn.statistics.closed_form import clustered_wilson_limits, t_limits, wilson_limits
from abotn.statistics.drawing import Draws
from abotn.statistics.interval import Interval, NoInterval, join_notes
from abotn.statistics.limits import (
    Limits,
    basic_limits,
    bca_limits,
    percentile_limits,
    studentized_limits,
    widened_tail,
    widening_note,
)
from abotn.statistics.samples import RatioSample, degrees_of_freedom

Bounds = tuple[float | None, float | None]

FEW_UNITS = 8


@dataclass(frozen=True)
class Request:
    """What was asked for, the same for every statistic of a call."""

    level: float
    n_resamples: int
    seed: int

    @property
    def tail(self) -> float:
        """Nominal probability outside each end."""
        return (1.0 - self.level) / 2.0


@dataclass(frozen=True)
class Column:
    """The method of one column, whether its values are 0 or 1, and what they cannot leave."""

    method: str
    binary: bool = False
    bounds: Bounds = (None, None)


@dataclass(frozen=True)
class Statistic:
    """One column over one group of records."""

    sample: RatioSample
    column: Column
    request: Request

    def without_resampling(self) -> Interval | NoInterval | None:
        """The answer where no resampling is needed, else None."""
        sample, method = self.sample, self.column.method
        if not len(sample) or sample.weight == 0:
            return NoInterval("no defined value")
        if method == "wilson" and not self.column.binary:
            return NoInterval("the Wilson interval needs values that are 0 or 1")
        if self._takes_wilson():
            return self._wilson()
        if sample.is_constant:
            shown = "percentile" if method == "auto" else method
            return self._interval((sample.value, sample.value), shown)
        if method == "t":
            return self._interval(t_limits(sample, self.request.level), "t")
        if method == "auto" and len(sample) < FEW_UNITS:
            note = f"{len(sample)} units are too few to resample"
            return self._interval(t_limits(sample, self.request.level), "t", note)
        return None

    def from_draws(self, draws: Draws) -> Interval:
        """The interval from resampled values, falling back to percentiles and saying so."""
        method, tail, note = self.column.method, self.request.tail, None
        if method == "auto":
            degrees = degrees_of_freedom(self.sample.residuals)
            tail = widened_tail(tail, len(self.sample), degrees)
            method, note = "bca", widening_note(degrees)
        limits = self._limits(method, tail, draws)
        if limits is None:
            note = join_notes(note, f"{method} is undefined for these data")
            method, limits = "percentile", percentile_limits(draws.values, tail)
        low, high = (math.ldexp(end, self.sample.exponent) for end in limits)
        found = self._interval((low, high), method, join_notes(note, self._left_out(draws)))
        return replace(found, n_resamples=self.request.n_resamples)

    def _limits(self, method: str, tail: float, draws: Draws) -> Limits | None:
        sample = self.sample
        if method == "percentile":
            return percentile_limits(draws.values, tail)
        if method == "basic":
            return basic_limits(draws.values, tail, sample.estimate)
        if method == "studentized" and draws.pivots is not None:
            # The pivots leave out u/(u-1) in their standard errors, so this one does too.
            error = sample.standard_error * math.sqrt(1.0 - 1.0 / len(sample))
            return studentized_limits(draws.pivots, tail, sample.estimate, error)
        return bca_limits(draws.values, tail, sample.estimate, sample.jackknife)

    def _takes_wilson(self) -> bool:
        method = self.column.method
        if not self.column.binary:
            return False
        undefined = method in ("bca", "studentized") and self.sample.is_constant
        return method in ("auto", "wilson") or undefined

    def _wilson(self) -> Interval:
        sample, level = self.sample, self.request.level
        trials = round(sample.record_count)
        if not sample.is_clustered:
            limits = wilson_limits(round(sample.value * trials), trials, level)
            return self._interval(limits, "wilson")
        limits, effective = clustered_wilson_limits(sample, level)
        note = (
            f"{trials} values in {len(sample)} clusters tell as much as "
            f"{_rounded(effective)} independent values"
        )
        if effective > trials:
            note += ", because the clusters differ less than chance alone would make them"
        return self._interval(limits, "wilson", note)

    def _interval(self, limits: Limits, method: str, note: str | None = None) -> Interval:
        low, high, cut = _cut(limits, self.column.bounds)
        why = self._degeneracy()
        return Interval(
            lower=low,
            upper=high,
            level=self.request.level,
            method=method,
            n_resamples=0,
            seed=self.request.seed,
            n_units=len(self.sample),
            degenerate=why is not None,
            note=join_notes(why, note, cut, self._imbalance() if why is None else None),
        )

    def _degeneracy(self) -> str | None:
        if len(self.sample) == 1:
            return "one unit shows no spread"
        if self.sample.is_constant:
            return "all units have the same value"
        return "two units hardly show any spread" if len(self.sample) == 2 else None

    def _imbalance(self) -> str | None:
        """Say where one cluster outweighs all others, so that its chance decides the value."""
        sample = self.sample
        share = float(sample.denominators.max()) / sample.weight
        if share <= 0.5 or not sample.is_clustered:
            return None
        return f"one unit holds {100 * share:.0f} % of the weight, so the interval is too short"

    def _left_out(self, draws: Draws) -> str | None:
        if not draws.left_out:
            return None
        return (
            f"{draws.left_out} of {self.request.n_resamples} resamples held no such unit "
            "and were left out"
        )


def _rounded(count: float) -> str:
    """Return a number of values, whole from ten on."""
    return f"{count:.0f}" if count >= 10 else f"{count:.1f}"


def _cut(limits: Limits, bounds: Bounds) -> tuple[float, float, str | None]:
    low, high = limits
    notes = []
    if bounds[0] is not None and low < bounds[0]:
        low = float(bounds[0])
        notes.append(f"cut at the least possible value {low:g}")
    if bounds[1] is not None and high > bounds[1]:
        high = float(bounds[1])
        notes.append(f"cut at the greatest possible value {high:g}")
    return low, high, join_notes(*notes)
