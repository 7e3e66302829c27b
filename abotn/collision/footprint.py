"""Footprints around single positions: squares and discs of pixels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.collision.inputs import points_of
from abotn.errors import ConfigError, DataError, UnknownNameError

if TYPE_CHECKING:
    from abotn.collision.grid import OccupancyGrid
    from abotn.geometry.map_geometry import MapGeometry

BoolArray = NDArray[np.bool_]

# Pixels beyond which a radius reaches over any map; the sum of two squares is still a whole number.
_FARTHEST = 2.0**30

POLARITIES = ("dark", "light")

# Pixels looked at together, which bounds the memory of a large batch.
_BLOCK = 1 << 18

# Half the side of a footprint up to which all its pixels are listed; of a larger one only the
# part on the map is looked at, point by point.
_LISTED = 64


def obstacle_mask(grey: ArrayLike, polarity: str = "dark", threshold: int = 127) -> BoolArray:
    """Obstacle pixels of a grey image by the POI-goal rule.

    Args:
        grey: (rows, columns) grey values, 0..255.
        polarity: ``"dark"``: obstacle where ``grey <= threshold``; ``"light"``: where
            ``grey >= threshold``.
        threshold: Grey value.

    Returns:
        (rows, columns) bool.

    Raises:
        UnknownNameError: The polarity is neither of the two.
        DataError: The image does not have two dimensions.

    Example:
        >>> obstacle_mask([[0, 127, 128]]).tolist()
        [[True, True, False]]
    """
    image = np.asarray(grey)
    if image.ndim != 2:
        raise DataError(f"expected a grey image (rows, columns), got {image.shape}", where="grey")
    if polarity not in POLARITIES:
        raise UnknownNameError("obstacle polarity", polarity, POLARITIES)
    return np.asarray(image <= threshold if polarity == "dark" else image >= threshold)


def disc_collisions(
    obstacles: BoolArray,
    geometry: MapGeometry,
    points: ArrayLike,
    radius_m: float,
    *,
    outside_free: bool = True,
) -> BoolArray:
    """Whether a disc of pixels around each point holds an obstacle.

    The disc holds the pixels at most ``ceil(radius_m / metres_per_pixel)`` pixels, centre to
    centre, from the pixel the point lies in.

    Args:
        obstacles: (rows, columns) bool, see `obstacle_mask`.
        geometry: The map's affine, of the same size.
        points: (N, 2) world points, metres.
        radius_m: Radius of the robot, metres, at least 0.
        outside_free: Whether pixels outside the map are free.

    Returns:
        (N,) bool.

    Raises:
        ConfigError: The radius is negative or not finite.
        DataError: The sizes differ or a point is not finite.
    """
    if not 0.0 <= radius_m < math.inf:
        raise ConfigError(
            f"expected a radius of at least 0 metres, got {radius_m}", where="radius_m"
        )
    if obstacles.shape != geometry.shape:
        raise DataError(
            f"expected obstacles of shape {geometry.shape}, got {obstacles.shape}",
            where="obstacles",
        )
    cells = geometry.cell_of(points_of(points, "points"))
    # A quotient such as 0.15 / 0.05 may come out just above its whole number.
    pixels = math.ceil(min(radius_m / geometry.metres_per_pixel - 1e-9, _FARTHEST))
    if pixels > _LISTED:
        return _any_near(obstacles, cells, pixels, disc=True, outside=not outside_free)
    square = _square_offsets(pixels)
    offsets = square[(square**2).sum(axis=1) <= pixels * pixels]
    return _any_in_footprint(obstacles, cells, offsets, outside=not outside_free)


def square_collisions(grid: OccupancyGrid, points: ArrayLike, half_size_pixels: int) -> BoolArray:
    """Whether a square of pixels around each point holds an obstacle, as published.

    The point's pixel is found by truncation; outside the map is a collision; the square is cut off
    at the edges of the map.

    Args:
        grid: The map.
        points: (N, 2) world points, metres.
        half_size_pixels: The square is ``2 * half_size_pixels + 1`` pixels wide.

    Returns:
        (N,) bool.

    Raises:
        ConfigError: The half size is negative.
        DataError: A point is not finite.
    """
    if half_size_pixels < 0:
        raise ConfigError(
            f"expected a half size of at least 0 pixels, got {half_size_pixels}",
            where="half_size_pixels",
        )
    pixels = grid.geometry.published_pixel(points_of(points, "points"))
    return square_hits(grid, pixels, half_size_pixels)


def square_hits(grid: OccupancyGrid, pixels: NDArray[np.int64], half_size_pixels: int) -> BoolArray:
    """`square_collisions` for pixels (N, 2) ``(column, row)`` that are already known."""
    if half_size_pixels > _LISTED:
        around = _any_near(~grid.free, pixels, half_size_pixels, disc=False, outside=False)
    else:
        offsets = _square_offsets(half_size_pixels)
        around = _any_in_footprint(~grid.free, pixels, offsets, outside=False)
    return around | grid.is_obstacle(pixels[:, 0], pixels[:, 1])


def _any_in_footprint(
    obstacles: BoolArray, cells: NDArray[np.int64], offsets: NDArray[np.int64], *, outside: bool
) -> BoolArray:
    height, width = obstacles.shape
    hit = np.empty(len(cells), dtype=np.bool_)
    together = max(1, _BLOCK // len(offsets))
    for start in range(0, len(cells), together):
        pixels = cells[start : start + together, None, :] + offsets
        column, row = pixels[..., 0], pixels[..., 1]
        within = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        found = obstacles[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]
        hit[start : start + together] = np.where(within, found, outside).any(axis=1)
    return hit


def _any_near(
    obstacles: BoolArray, cells: NDArray[np.int64], pixels: int, *, disc: bool, outside: bool
) -> BoolArray:
    """`_any_in_footprint` for a square or disc whose size is known, however large it is."""
    height, width = obstacles.shape
    hit = np.empty(len(cells), dtype=np.bool_)
    for index, (column, row) in enumerate(cells.tolist()):
        top, left = max(row - pixels, 0), max(column - pixels, 0)
        bottom, right = max(row + pixels + 1, 0), max(column + pixels + 1, 0)
        leaves = min(row, column) < pixels or row + pixels >= height or column + pixels >= width
        rows, columns = np.nonzero(obstacles[top:bottom, left:right])
        if disc:
            near = (rows + (top - row)) ** 2 + (columns + (left - column)) ** 2 <= pixels**2
        else:
            near = np.ones(len(rows), dtype=np.bool_)
        hit[index] = bool(near.any()) or (outside and leaves)
    return hit


def _square_offsets(half_size: int) -> NDArray[np.int64]:
    across = np.arange(-half_size, half_size + 1, dtype=np.int64)
    return np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)
