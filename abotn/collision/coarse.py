"""A coarse map that tells, for most segments, at one look that nothing is near."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from abotn.collision.grid import OccupancyGrid

# Pixels along one side of a coarse block.
BLOCK = 8

# Pixels by which the samples or the same-pixel square of a segment may stray from its line.
_MARGIN = 3.0

# Making the coarse map costs as much as testing a few thousand segments.
_WORTH_MAKING = 5_000


def coarse_freedom(walled: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Radius in pixels around every block within which no pixel is an obstacle or outside.

    Args:
        walled: (rows + 2, columns + 2) uint8, see `OccupancyGrid.walled`.

    Returns:
        float32 with a ring of one block; block ``(r, c)`` of the map stands at
        ``[r + 1, c + 1]``. A pixel at Chebyshev distance no more than the radius from any point
        of the block is free.
    """
    import cv2

    rows, columns = walled.shape[0] - 2, walled.shape[1] - 2
    tall, wide = -(-rows // BLOCK), -(-columns // BLOCK)
    padded = np.ones((tall * BLOCK, wide * BLOCK), dtype=np.uint8)
    padded[:rows, :columns] = walled[1:-1, 1:-1]
    by_row = padded.reshape(tall, BLOCK, wide * BLOCK).max(axis=1)
    blocks = np.ones((tall + 2, wide + 2), dtype=np.uint8)
    blocks[1:-1, 1:-1] = by_row.reshape(tall, wide, BLOCK).max(axis=2)
    rings = cv2.distanceTransform(1 - blocks, cv2.DIST_C, 3)
    return np.asarray((rings - 1.0) * BLOCK, dtype=np.float32)


def surely_free(
    grid: OccupancyGrid, first: NDArray[np.float64], last: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Segments that no rule can find near an obstacle; the others need a closer look.

    Args:
        grid: The map.
        first: (N, 2) map coordinates ``(column, row)``.
        last: (N, 2) map coordinates.

    Returns:
        (N,) bool. All False for a small batch on a grid whose coarse map has not been made, and
        where every block has an obstacle near.
    """
    if len(first) < _WORTH_MAKING and "freedom" not in vars(grid):
        return np.zeros(len(first), dtype=np.bool_)
    if grid.most_freedom < _MARGIN:
        return np.zeros(len(first), dtype=np.bool_)
    tall, wide = grid.freedom.shape
    column = _block(first[:, 0] + last[:, 0], wide)
    row = _block(first[:, 1] + last[:, 1], tall)
    half = np.maximum(np.abs(last[:, 0] - first[:, 0]), np.abs(last[:, 1] - first[:, 1])) * 0.5
    return np.asarray(half + _MARGIN <= grid.freedom[row, column])


def _block(twice_middle: NDArray[np.float64], size: int) -> NDArray[np.intp]:
    block = np.floor(twice_middle * (0.5 / BLOCK)) + 1.0
    return np.clip(block, 0, size - 1).astype(np.intp)
