"""How often each unit is drawn in a resample: exact multinomial counts, one byte each.

A resample of n units is n independent uniform draws. Counts that are independent Poisson variables
are, given their total T, the counts of T such draws; n - T further draws complete them. The rate
is a little below 1 so that T rarely exceeds n (such a row is drawn anew, one by one), and a
Poisson count costs one random byte. The counts have exactly the distribution of n draws.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.statistics.fixed_point import Floats

BLOCK = 64

Counts = NDArray[np.uint8]

_ONE_BY_ONE_BELOW = 64
_SLACK = 2.5
_PIECE = 1 << 18
_ROW_PIECE = 2048


def block_counts(n_units: int, seed: int, block: int, purpose: int = 0) -> Counts:
    """Counts (BLOCK, n_units) of one block of resamples; every row sums to n_units.

    The block length belongs to the definition of the numbers: resample b is row b % BLOCK of block
    b // BLOCK, whose generator comes from (seed, purpose, block) alone.

    Args:
        n_units: n, at least 1.
        seed: Whole number >= 0.
        block: Number of the block.
        purpose: Keeps different uses of one seed apart.

    Returns:
        uint8 counts.

    Example:
        >>> block_counts(100, seed=0, block=0).sum(axis=1).tolist() == [100] * 64
        True
    """
    generator = block_generator(seed, block, purpose)
    if n_units < _ONE_BY_ONE_BELOW:
        return _one_by_one(n_units, BLOCK, generator)
    counts = _poisson(n_units, generator)
    missing = n_units - _row_sums(counts)
    for row in np.flatnonzero(missing < 0):
        counts[row] = _one_by_one(n_units, 1, generator)[0]
    missing = np.maximum(missing, 0)
    added = generator.integers(0, n_units, size=int(missing.sum()))
    added += np.repeat(np.arange(BLOCK) * n_units, missing)
    np.add.at(counts.reshape(-1), added, np.uint8(1))
    return counts


def block_generator(seed: int, block: int, purpose: int = 0) -> np.random.Generator:
    """The generator of one block, made from (seed, purpose, block) alone."""
    sequence = np.random.SeedSequence(seed, spawn_key=(purpose, block))
    return np.random.Generator(np.random.PCG64(sequence))


def random_bytes(generator: np.random.Generator, count: int) -> Counts:
    """Uniform bytes, the same on every platform."""
    words = generator.integers(0, 2**64 - 1, size=-(-count // 8), dtype=np.uint64, endpoint=True)
    return words.astype("<u8", copy=False).view(np.uint8)[:count]


def _one_by_one(n_units: int, rows: int, generator: np.random.Generator) -> Counts:
    drawn = generator.integers(0, n_units, size=(rows, n_units))
    drawn += np.arange(rows)[:, np.newaxis] * n_units
    counts = np.bincount(drawn.reshape(-1), minlength=rows * n_units)
    return counts.reshape(rows, n_units).astype(np.uint8)


def _poisson(n_units: int, generator: np.random.Generator) -> Counts:
    table = _poisson_bytes(1.0 - _SLACK / math.sqrt(n_units))
    counts = np.empty(BLOCK * n_units, dtype=np.uint8)
    rest = []
    # Pieces that stay in the processor's cache; the bytes are the same as of one draw.
    for first in range(0, len(counts), _PIECE):
        piece = counts[first : first + _PIECE]
        rest.append(_from_bytes(random_bytes(generator, len(piece)), table, piece) + first)
    # The last bytes stand for what 256 equal parts cannot express; they draw the remainder exactly.
    places = np.concatenate(rest)
    uniform = generator.random(len(places))
    counts[places] = np.searchsorted(table.remainder, uniform, side="right")
    return counts.reshape(BLOCK, n_units)


def _from_bytes(drawn: Counts, table: _PoissonBytes, counts: Counts) -> NDArray[np.intp]:
    """Write the count of each byte to `counts`; return where the remainder has to tell it."""
    above = np.empty_like(counts)
    np.greater_equal(drawn, table.thresholds[0], out=counts.view(np.bool_))
    for threshold in table.thresholds[1:]:
        np.greater_equal(drawn, threshold, out=above.view(np.bool_))
        counts += above
    np.greater_equal(drawn, table.remainder_from, out=above.view(np.bool_))
    return _nonzero_bytes(above)


def _nonzero_bytes(flags: Counts) -> NDArray[np.intp]:
    """`flatnonzero` of flags that are rarely set, words of eight first."""
    whole = len(flags) // 8 * 8
    words = flags[:whole].view(np.uint64)
    filled = np.flatnonzero(words != 0)
    inner = np.flatnonzero(words.take(filled).view(np.bool_))
    places = filled.take(inner >> 3)
    places <<= 3
    places += inner & 7
    if whole == len(flags):
        return places
    return np.concatenate((places, whole + np.flatnonzero(flags[whole:])))


def _row_sums(counts: Counts) -> NDArray[np.int64]:
    """Sums of Poisson counts, which are below 32, so that _ROW_PIECE of them fit 16 bits."""
    sums = np.zeros(len(counts), dtype=np.int64)
    for first in range(0, counts.shape[1], _ROW_PIECE):
        sums += counts[:, first : first + _ROW_PIECE].sum(axis=1, dtype=np.uint16)
    return sums


class _PoissonBytes(NamedTuple):
    """Byte u >= thresholds[k] means a count above k; from `remainder_from` on, the remainder."""

    thresholds: tuple[int, ...]
    remainder_from: int
    remainder: Floats


@lru_cache(maxsize=32)
def _poisson_bytes(rate: float) -> _PoissonBytes:
    chances = [math.exp(-rate)]
    while chances[-1] > 2.0**-64:
        chances.append(chances[-1] * rate / len(chances))
    whole = [math.floor(256.0 * chance) for chance in chances]
    edges = np.cumsum(whole)
    rest = np.cumsum([256.0 * chance - part for chance, part in zip(chances, whole, strict=True)])
    last = int(edges[-1])
    thresholds = tuple(int(edge) for edge in edges if edge < last)
    return _PoissonBytes(thresholds, last, rest[:-1] / rest[-1])
