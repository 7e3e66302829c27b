"""Free space grown by a physical distance, which shrinks the obstacles."""

from __future__ import annotations

import math

import numpy as np

from abotn.collision.grid import OccupancyGrid
from abotn.errors import ConfigError


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
    return dilate_free_pixels(grid, max(1, round(metres / grid.geometry.metres_per_pixel)))


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
    import cv2

    size = 2 * int(pixels) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    return OccupancyGrid(cv2.dilate(grid.free.astype(np.uint8), kernel) != 0, grid.geometry)
