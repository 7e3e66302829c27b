"""The pairs of a comparison: both sides of each task, and where both are defined."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.statistics.clusters import aggregate_units
from abotn.statistics.fixed_point import Floats, Ints


@dataclass(frozen=True, eq=False)
class Pairs:
    """Both sides with undefined pairs set to 0, and where a pair is defined."""

    a: Floats
    b: Floats
    bottom_a: Floats
    bottom_b: Floats
    defined: NDArray[np.bool_]
    clusters: Ints | None

    @classmethod
    def of(
        cls,
        a: ArrayLike,
        b: ArrayLike,
        denominators: tuple[ArrayLike, ArrayLike] | None,
        clusters: Ints | None,
    ) -> Pairs:
        """Check both sides (n, m) and their denominators; a pair needs all of its numbers."""
        names = ("a", "b", "denominators", "denominators")
        bottoms = (np.ones_like(a, dtype=np.float64),) * 2 if denominators is None else denominators
        sides = [_table(v, name) for v, name in zip((a, b, *bottoms), names, strict=True)]
        for side, name in zip(sides, names, strict=True):
            if side.shape != sides[0].shape:
                raise ValueError(f"{name}: expected shape {sides[0].shape}, got {side.shape}")
        if any((side < 0).any() for side in sides[2:]):
            raise ValueError("denominators: expected numbers >= 0, got a negative one")
        defined = np.asarray(~np.isnan(np.stack(sides)).any(axis=0))
        first, second, bottom_a, bottom_b = (np.where(defined, side, 0.0) for side in sides)
        return cls(first, second, bottom_a, bottom_b, defined, clusters)

    def counts(self, column: int) -> tuple[int, int, int | None]:
        """Defined pairs, undefined pairs, and clusters with a defined pair (None without them)."""
        defined = self.defined[:, column]
        n = int(np.count_nonzero(defined))
        held = None if self.clusters is None else len(np.unique(self.clusters[defined]))
        return n, len(defined) - n, held

    def unit_columns(self, *columns: Floats) -> Floats:
        """Columns summed into clusters, or as they are without clusters."""
        table = np.column_stack(columns)
        if self.clusters is None:
            return table
        return aggregate_units(table, np.zeros_like(table), self.clusters).numerators


def _table(values: ArrayLike, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(f"{name}: expected a row per pair and a column per metric")
    if np.isinf(array).any():
        raise ValueError(f"{name}: expected finite numbers or NaN, got an infinite one")
    return array
