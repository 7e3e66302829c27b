"""One statistic over its units: a ratio of sums, its spread and its jackknife."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from abotn.statistics.clusters import run_starts
from abotn.statistics.fixed_point import FixedPoint, Floats, Ints, sums_of_runs, to_fixed_point

_EQUAL_WITHIN = 1e-12


@dataclass(frozen=True)
class UnitTable:
    """The records of one group summed into units, as whole numbers.

    `rows` are the unit numbers (None: every unit), and the columns have one row for each.
    """

    rows: NDArray[np.intp] | None
    numerators: FixedPoint
    denominators: FixedPoint


@dataclass(frozen=True, eq=False)
class RatioSample:
    """Numerators and denominators of the u units that carry one statistic.

    Both are whole numbers in float64, so that their sums are exact; the statistic in the unit of
    the values is estimate * 2**exponent, and a denominator is denominators * 2**weight_exponent.
    """

    numerators: Floats
    denominators: Floats
    exponent: int = 0
    weight_exponent: int = 0

    def __len__(self) -> int:
        return len(self.numerators)

    @cached_property
    def weight(self) -> float:
        """Sum of the denominators."""
        return float(self.denominators.sum())

    @cached_property
    def estimate(self) -> float:
        """R = sum a / sum b."""
        return float(self.numerators.sum()) / self.weight

    @property
    def value(self) -> float:
        """R in the unit of the values."""
        return float(np.ldexp(self.estimate, self.exponent))

    @property
    def record_count(self) -> float:
        """Sum of the denominators as they were given: for a mean, its number of records."""
        return float(np.ldexp(self.weight, self.weight_exponent))

    @cached_property
    def residuals(self) -> Floats:
        """e_i = a_i - R b_i; they sum to 0."""
        return self.numerators - self.estimate * self.denominators

    @cached_property
    def standard_error(self) -> float:
        """Linearised, robust to units of any inner correlation: sqrt(u/(u-1) sum e_i^2) / sum b."""
        u = len(self)
        return float(np.sqrt(u / (u - 1) * np.sum(self.residuals**2))) / self.weight

    @cached_property
    def jackknife(self) -> Floats:
        """R without unit i, for each i: (sum a - a_i) / (sum b - b_i)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            top = self.numerators.sum() - self.numerators
            return np.asarray(top / (self.weight - self.denominators))

    @property
    def is_constant(self) -> bool:
        """Whether every unit's own ratio is the same, up to rounding."""
        if (self.denominators == 0).any():
            return False
        own = self.numerators / self.denominators
        low, high = float(own.min()), float(own.max())
        return high - low <= _EQUAL_WITHIN * max(abs(low), abs(high))

    @property
    def is_clustered(self) -> bool:
        """Whether a unit holds more than one record."""
        return bool(np.ldexp(self.denominators.max(), self.weight_exponent) > 1)


def degrees_of_freedom(residuals: Floats) -> float:
    """Degrees of freedom that the estimated variance is worth, by its own sampling variance.

    With u units and excess kurtosis k >= 0 of the residuals, Var(s^2) = sigma^4 (2/(u-1) + k/u);
    a scaled chi-square of the same variance has df = 2 / (2/(u-1) + k/u) degrees of freedom.

    Source: Satterthwaite 1946, matched to the variance of a sample variance.
    """
    u = len(residuals)
    squares = residuals * residuals
    second, fourth = float(np.mean(squares)), float(np.mean(squares * squares))
    excess = max(fourth / second**2 - 3.0, 0.0) if second > 0 else 0.0
    return max(2.0 / (2.0 / (u - 1) + excess / u), min(2.0, u - 1.0))


def unit_tables(
    top: Floats, bottom: Floats, units: Ints | None, groups: Sequence[NDArray[np.intp] | None]
) -> tuple[int, list[UnitTable]]:
    """The number of units, and one table for each group of records (None: all records)."""
    n_units = len(top) if units is None else int(units.max(initial=-1)) + 1
    return n_units, [_unit_table(top, bottom, units, rows, n_units) for rows in groups]


def shared_table(top: Floats, bottom: Floats, units: Ints, n_units: int) -> UnitTable:
    """The table of some records whose units are some of `n_units`, numbered from 0."""
    order = np.argsort(units, kind="stable")
    starts = run_starts(units[order])
    a, b = sums_of_runs(top[order], starts), sums_of_runs(bottom[order], starts)
    rows = units[order][starts].astype(np.intp)
    return UnitTable(rows, to_fixed_point(a, n_units), to_fixed_point(b, n_units))


def sample_of(table: UnitTable, column: int) -> RatioSample:
    """The units of a table that carry one column: numerator or denominator not zero."""
    top = table.numerators.integers[:, column]
    bottom = table.denominators.integers[:, column]
    active = (top != 0) | (bottom != 0)
    weight = int(table.denominators.exponents[column])
    exponent = int(table.numerators.exponents[column]) - weight
    return RatioSample(top[active], bottom[active], exponent, weight)


def _unit_table(
    top: Floats,
    bottom: Floats,
    units: Ints | None,
    rows: NDArray[np.intp] | None,
    n_units: int,
) -> UnitTable:
    if rows is not None:
        top, bottom = top[rows], bottom[rows]
    if units is not None:
        table = shared_table(top, bottom, units if rows is None else units[rows], n_units)
        return table if rows is not None else replace(table, rows=None)
    return UnitTable(rows, to_fixed_point(top, n_units), to_fixed_point(bottom, n_units))
