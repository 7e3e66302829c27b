"""Counts of positives and negatives per level of a score."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray


class Tally(NamedTuple):
    """Counts or weights per level, levels rising along the last axis.

    Args:
        positives: Shape (..., levels).
        negatives: Shape (..., levels).
    """

    positives: NDArray[Any]
    negatives: NDArray[Any]

    @property
    def n_positive(self) -> int:
        """How many positives there are in all."""
        return int(self.positives.sum())

    @property
    def n_negative(self) -> int:
        """How many negatives there are in all."""
        return int(self.negatives.sum())
