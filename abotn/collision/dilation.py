"""Free space grown by a physical distance, which shrinks the obstacles."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from abotn.collision.grid import OccupancyGrid
from abotn.errors import ConfigError

# The kernel's radius up to which the image library dilates faster than rows are compared.
_SMALL_RADIUS = 40

# Up to here the kernel itself is asked for its shape; a larger one would take up the memory.
_DRAWN_RADIUS = 2048


def dilate_free(grid: OccupancyGrid, metres: float) -> OccupancyGrid:
    """A grid whose free space reaches further by `metres`, as published.

    ``pixels = max(1, round(metres / metres_per_pixel))`` with an elliptical kernel of
    ``2 * pixels + 1``.

    Args:
        grid: The map; it stays as it is.
        metres: Distance; 0 or less gives back the same grid.

    Returns:
        A new grid, or `grid` itself when there is nothing to do.

    Raises:
        ConfigError: The distance is not finite.
    """
    if not math.isfinite(metres):
        raise ConfigError(f"expected a finite distance in metres, got {metres}", where="metres")
    if metres <= 0.0:
        return grid
    return dilate_free_pixels(grid, pixels_of(metres, grid.geometry.metres_per_pixel))


def pixels_of(metres: float, metres_per_pixel: float) -> int:
    """``max(1, round(metres / metres_per_pixel))``, for any finite positive distance."""
    # Beyond this every map is covered; the quotient itself may be more than a float can hold.
    return max(1, round(min(metres / metres_per_pixel, 2.0**62)))


def dilate_free_pixels(grid: OccupancyGrid, pixels: int) -> OccupancyGrid:
    """`dilate_free` in pixels.

    Args:
        grid: The map; it stays as it is.
        pixels: Radius of the elliptical kernel; 0 or less gives back the same grid.

    Returns:
        A new grid, or `grid` itself when there is nothing to do.
    """
    if pixels <= 0:
        return grid
    if pixels > _SMALL_RADIUS:
        return OccupancyGrid(_widened(grid.free, int(pixels)), grid.geometry)
    import cv2

    kernel = _kernel(int(pixels))
    return OccupancyGrid(cv2.dilate(grid.free.astype(np.uint8), kernel) != 0, grid.geometry)


def _widened(free: NDArray[np.bool_], radius: int) -> NDArray[np.bool_]:
    """Dilation row by row: a kernel's row reaches a cell when the nearest free cell is near."""
    rows = free.shape[0]
    if radius > math.hypot(*free.shape):
        return np.full(free.shape, free.any())
    away = _columns_to_free(free)
    widened = np.array(free)
    for offset, reach in enumerate(_half_widths(radius)[:rows].tolist()):
        widened[: rows - offset] |= away[offset:] <= reach
        widened[offset:] |= away[: rows - offset] <= reach
        if widened.all():
            break
    return widened


def _columns_to_free(free: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Columns from each cell to the nearest free cell of its row, more than any where none is."""
    columns = np.arange(free.shape[1], dtype=np.int32)
    none = np.int32(1 << 30)
    before = np.maximum.accumulate(np.where(free, columns, -none), axis=1)
    after = np.minimum.accumulate(np.where(free, columns, none)[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.minimum(columns - before, after - columns), dtype=np.int32)


def _half_widths(radius: int) -> NDArray[np.int64]:
    """Columns that the elliptical kernel reaches to either side, from its middle row outwards."""
    if radius <= _DRAWN_RADIUS:
        return np.asarray(_kernel(radius)[radius:].sum(axis=1, dtype=np.int64) // 2)
    rows = np.arange(radius + 1, dtype=np.float64)
    return np.rint(np.sqrt((radius - rows) * (radius + rows))).astype(np.int64)


def _kernel(radius: int) -> NDArray[np.uint8]:
    import cv2

    size = 2 * radius + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), dtype=np.uint8)
