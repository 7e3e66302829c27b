"""Cut ragged work, so many samples for each segment, into dense blocks that fit a cache."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Block = tuple[NDArray[np.intp], NDArray[np.float64]]

# Elements in one block: with a handful of float64 arrays alive this stays in a 1 MB cache.
_BLOCK = 1 << 16

# Counts that share a block where few segments have equal ones.
_SLACK = 1.15

_LARGEST_UINT16 = 2**16 - 1


def dense_blocks(counts: NDArray[np.int64]) -> Iterator[Block]:
    """Blocks that together cover samples ``0 .. counts[i] - 1`` of every segment ``i``.

    Segments of similar counts share a block, so that its arrays need little padding and memory is
    bounded however long a segment is.

    Args:
        counts: (N,) samples of each segment; segments without samples are left out.

    Yields:
        ``(rows, k)``: indices (S,) of segments and sample numbers (K,) float64. The block stands
        for all pairs; those with ``k >= counts[row]`` are padding. Arrays of shape (K, S) are
        much faster than (S, K), as a segment has few samples and a block many segments.

    Example:
        >>> [(rows.tolist(), k.tolist()) for rows, k in dense_blocks(np.array([2, 0, 2]))]
        [([0, 2], [0.0, 1.0])]
    """
    # NumPy sorts 16-bit numbers by counting, many times as fast.
    kind = np.uint16 if counts.max(initial=0) <= _LARGEST_UINT16 else np.int64
    order = np.argsort(counts.astype(kind), kind="stable")
    ascending = counts[order]
    start = int(np.searchsorted(ascending, 1))
    while start < len(order):
        narrowest = int(ascending[start])
        tall = max(1, _BLOCK // narrowest)
        alike = int(np.searchsorted(ascending, narrowest, side="right"))
        if alike - start < tall // 4:
            alike = int(np.searchsorted(ascending, narrowest * _SLACK + 1, side="right"))
        stop = min(start + tall, alike)
        width = int(ascending[stop - 1])
        for first in range(0, width, _BLOCK):
            yield order[start:stop], np.arange(first, min(first + _BLOCK, width), dtype=np.float64)
        start = stop


def count_along(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many of the samples of each segment are set.

    Args:
        flags: (K, S) bool.

    Returns:
        (S,) int64.
    """
    kind = np.uint8 if len(flags) < 256 else np.int64
    return np.asarray(flags.view(np.uint8).sum(axis=0, dtype=kind), dtype=np.int64)
