"""The asinh bins of float32 scores without computing asinh.

The upper 21 bits of a float32 (sign, exponent, 12 bits of the fraction) name a cell of numbers so
narrow that at most one bin edge lies in it. A table gives the bin of a cell's smallest number and
one comparison with the next edge settles the rest, so the bins are exactly those of the rule in
float64, on every machine.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Float32s = NDArray[np.float32]

_DROPPED_BITS = 11
_CELLS = 1 << (32 - _DROPPED_BITS)
_CHUNK = 1 << 16
_making = threading.Lock()


class BinLookup:
    """The tables of one asinh binning.

    Args:
        cells: Bin of the smallest number of each cell, shape (2**21,), uint16.
        next_edges: Smallest number of the bin after each bin, shape (n_bins,); NaN for the last.
        low: Smallest number that is not clamped.
        high: Largest number that is not clamped.
    """

    def __init__(
        self, cells: NDArray[np.uint16], next_edges: Float32s, low: np.float32, high: np.float32
    ) -> None:
        self._cells = cells
        self._next_edges = next_edges
        self._low = low
        self._high = high

    def fill(self, scores: Float32s, found: NDArray[np.uint16]) -> None:
        """Write the bin of each score, shape (N,), into ``found``."""
        size = min(_CHUNK, scores.size)
        keys = np.empty(size, np.uint32)
        edges = np.empty(size, np.float32)
        beyond = np.empty(size, np.bool_)
        for start in range(0, scores.size, _CHUNK):
            part = scores[start : start + _CHUNK]
            bins, n = found[start : start + _CHUNK], part.size
            np.right_shift(part.view(np.uint32), _DROPPED_BITS, out=keys[:n])
            # Every index is in range; "clip" only spares numpy a buffered copy.
            np.take(self._cells, keys[:n], out=bins, mode="clip")
            np.take(self._next_edges, bins, out=edges[:n], mode="clip")
            np.greater_equal(part, edges[:n], out=beyond[:n])
            np.add(bins, beyond[:n].view(np.uint8), out=bins)

    def count_clamped(self, scores: Float32s) -> int:
        """Return how many scores lie beyond the range."""
        if scores.size == 0 or (scores.min() >= self._low and scores.max() <= self._high):
            return 0
        return int(np.count_nonzero((scores < self._low) | (scores > self._high)))


def asinh_lookup(n_bins: int, low: float, high: float) -> BinLookup | None:
    """Return the tables, or None where some cell holds more than one edge."""
    # One thread makes them, the others wait for it: making them takes a good part of a second.
    with _making:
        return _make_lookup(n_bins, low, high)


@lru_cache(maxsize=8)
def _make_lookup(n_bins: int, low: float, high: float) -> BinLookup | None:
    scale = n_bins / (high - low)

    def rule(scores: Float32s) -> NDArray[np.int64]:
        places = (np.arcsinh(scores.astype(np.float64)) - low) * scale
        return np.clip(places, 0, n_bins - 1).astype(np.int64)

    smallest, largest = _cell_ends()
    cells = rule(smallest)
    if (rule(largest) - cells).max() > 1:
        return None
    wanted = np.arange(1, n_bins)
    edges = _first_where(lambda scores: rule(scores) >= wanted, wanted.size)
    # NaN, since nothing lies beyond the last bin: no score, not even infinity, is >= NaN.
    next_edges = np.append(edges, np.float32(np.nan))
    return BinLookup(cells.astype(np.uint16), next_edges, *_unclamped(low, high))


def _cell_ends() -> tuple[Float32s, Float32s]:
    bits = np.arange(_CELLS, dtype=np.uint32) << np.uint32(_DROPPED_BITS)
    nearest = bits.view(np.float32)
    farthest = (bits | np.uint32((1 << _DROPPED_BITS) - 1)).view(np.float32)
    # Infinity shares its cell with NaNs; all other NaN cells are never looked up.
    nearest = np.where(np.isnan(nearest), np.float32(0), nearest)
    farthest = np.where(np.isnan(farthest), nearest, farthest)
    negative = np.signbit(nearest)
    return np.where(negative, farthest, nearest), np.where(negative, nearest, farthest)


def _first_where(holds: Callable[[Float32s], NDArray[np.bool_]], count: int) -> Float32s:
    """Return the smallest float32 for which each of ``count`` rising conditions holds.

    Bisects over the float32 numbers in their order, counted from zero.
    """
    infinity = int(np.float32(np.inf).view(np.uint32))
    fails, works = np.full(count, -infinity), np.full(count, infinity)
    while (works - fails).max() > 1:
        middle = (works + fails) // 2
        held = holds(_number_at(middle))
        works, fails = np.where(held, middle, works), np.where(held, fails, middle)
    return _number_at(works)


def _number_at(places: NDArray[np.int64]) -> Float32s:
    magnitudes = np.abs(places).astype(np.uint32).view(np.float32)
    return np.where(places < 0, -magnitudes, magnitudes)


def _unclamped(low: float, high: float) -> tuple[np.float32, np.float32]:
    def exact(scores: Float32s) -> NDArray[np.float64]:
        return np.arcsinh(scores.astype(np.float64))

    first = _first_where(lambda scores: exact(scores) >= low, 1)[0]
    beyond = _first_where(lambda scores: exact(scores) > high, 1)[0]
    return first, np.nextafter(beyond, np.float32(-np.inf))
