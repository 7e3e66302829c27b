"""The affine map between world metres and map pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import DataError, repr_of

Vector = tuple[float, float]

# Two edges whose sine is below this are one line as far as float corners can tell.
_COLLINEAR_SINE = 1e-9

# Farther from the origin, a double cannot tell two places less than a tenth of a millimetre apart.
FARTHEST = 1e12

# Pixels along one side that fit the 32-bit numbers of image files and of cells.
MOST_PIXELS = 2**31 - 1

# Shortest side of a pixel, metres, and as a share of what a double resolves at the corners.
_SHORTEST_SIDE = 1e-9
_RESOLVED = 1e3

# A point this close below a cell edge, in pixels, is on it: decimal coordinates such as
# 7.75 - 7.2 miss their edge by a few units in the last place.
EDGE_TOLERANCE = 1e-8


@dataclass(frozen=True)
class MapGeometry:
    """Where each pixel of a map lies in the world.

    A point at map coordinates ``(column, row)`` lies at
    ``origin + column * column_step + row * row_step``; pixel ``(c, r)`` covers
    ``c <= column < c + 1`` and ``r <= row < r + 1``. The axes may be flipped, rotated or sheared.

    Args:
        origin: World ``(x, y)`` of the outer corner of the top-left pixel, metres.
        column_step: World vector of one pixel to the right, metres.
        row_step: World vector of one pixel down, metres.
        width: Number of columns.
        height: Number of rows.

    Raises:
        DataError: A number is not finite or beyond 1e12 m, a size is below one or beyond 32 bits,
            the two steps are collinear, or a pixel is too small for numbers to tell it from the
            next one.

    Example:
        >>> geometry = MapGeometry((0.0, 2.0), (0.1, 0.0), (0.0, -0.1), 30, 20)
        >>> geometry.cell_of([0.25, 1.75]).tolist()
        [2, 2]
    """

    origin: Vector
    column_step: Vector
    row_step: Vector
    width: int
    height: int

    def __post_init__(self) -> None:
        for name in ("origin", "column_step", "row_step"):
            object.__setattr__(self, name, _pair(getattr(self, name), name))
        for name in ("width", "height"):
            object.__setattr__(self, name, _size(getattr(self, name), name))
        cross = _cross(self.column_step, self.row_step)
        sides = self.column_metres * self.row_metres
        if sides == 0.0 or abs(cross) <= _COLLINEAR_SINE * sides:
            raise DataError(
                "expected two map edges that span an area, got collinear ones: one pixel to the "
                f"right is {self.column_step}, one pixel down is {self.row_step}",
                where="map corners",
                hint="top left, top right and bottom left must not lie on one line",
            )
        self._check_pixels()

    @classmethod
    def from_corners(
        cls,
        top_left: ArrayLike,
        top_right: ArrayLike,
        bottom_left: ArrayLike,
        width: int,
        height: int,
    ) -> MapGeometry:
        """The geometry of an image from the world positions of three of its outer corners.

        Args:
            top_left: (2,) world metres.
            top_right: (2,) world metres.
            bottom_left: (2,) world metres.
            width: Columns of the image.
            height: Rows of the image.

        Raises:
            DataError: As for the class.

        Example:
            >>> MapGeometry.from_corners((0, 1), (2, 1), (0, 0), 20, 10).metres_per_pixel
            0.1
        """
        start = _pair(top_left, "top_left")
        right, below = _pair(top_right, "top_right"), _pair(bottom_left, "bottom_left")
        columns, rows = _size(width, "width"), _size(height, "height")
        column_step = ((right[0] - start[0]) / columns, (right[1] - start[1]) / columns)
        row_step = ((below[0] - start[0]) / rows, (below[1] - start[1]) / rows)
        return cls(start, column_step, row_step, columns, rows)

    @property
    def top_left(self) -> Vector:
        """World position of the outer top-left corner, metres."""
        return self.origin

    @property
    def top_right(self) -> Vector:
        """World position of the outer top-right corner, metres."""
        return self._corner(self.width, 0)

    @property
    def bottom_left(self) -> Vector:
        """World position of the outer bottom-left corner, metres."""
        return self._corner(0, self.height)

    @property
    def bottom_right(self) -> Vector:
        """World position of the outer bottom-right corner, metres."""
        return self._corner(self.width, self.height)

    @property
    def shape(self) -> tuple[int, int]:
        """``(height, width)``, the shape of an array on this map."""
        return self.height, self.width

    @property
    def column_metres(self) -> float:
        """Length of one pixel to the right, metres."""
        return math.hypot(*self.column_step)

    @property
    def row_metres(self) -> float:
        """Length of one pixel down, metres."""
        return math.hypot(*self.row_step)

    @property
    def metres_per_pixel(self) -> float:
        """Mean of the two pixel sides, metres: the published average resolution."""
        return (self.column_metres + self.row_metres) / 2.0

    def to_map(self, xy: ArrayLike) -> NDArray[np.float64]:
        """Map coordinates of world points.

        Args:
            xy: (..., 2) world ``(x, y)``, metres.

        Returns:
            (..., 2) float ``(column, row)``; the top-left corner of the map is ``(0, 0)``.

        Raises:
            DataError: The last axis does not hold two numbers.
        """
        points = _points(xy, "xy")
        out = np.empty(points.shape, dtype=np.float64)
        out[..., 0], out[..., 1] = self.columns_and_rows(points[..., 0], points[..., 1])
        return out

    def columns_and_rows(
        self, x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """`to_map` for coordinates held in two arrays of one shape; returns two new arrays."""
        dx, dy = x - self.origin[0], y - self.origin[1]
        (cx, cy), (rx, ry) = self.column_step, self.row_step
        if cy != 0.0 or rx != 0.0:
            area = _cross(self.column_step, self.row_step)
            return (dx * ry - dy * rx) / area, (dy * cx - dx * cy) / area
        # Fraction of the edge times its pixels, as published: 0.3 m of 1 m in 20 pixels is 6.
        dx /= cx * self.width
        dx *= self.width
        dy /= ry * self.height
        dy *= self.height
        return dx, dy

    def to_world(self, uv: ArrayLike) -> NDArray[np.float64]:
        """World points of map coordinates, the inverse of `to_map`.

        Args:
            uv: (..., 2) ``(column, row)``.

        Returns:
            (..., 2) world ``(x, y)``, metres.

        Raises:
            DataError: The last axis does not hold two numbers.
        """
        places = _points(uv, "uv")
        column, row = places[..., :1], places[..., 1:]
        return np.asarray(self.origin) + column * self.column_step + row * self.row_step

    def cell_of(self, xy: ArrayLike) -> NDArray[np.int64]:
        """The pixel each world point lies in: ``floor`` of its map coordinates.

        A point within 1e-8 pixels below an edge counts as on it, so that a decimal coordinate
        written for an edge lies in the cell that begins there.

        Args:
            xy: (..., 2) finite world points, metres.

        Returns:
            (..., 2) int64 ``(column, row)``; outside the map the numbers go on.

        Raises:
            DataError: A coordinate is not finite.
        """
        return _whole(np.floor(self.to_map(xy) + EDGE_TOLERANCE))

    def published_pixel(self, xy: ArrayLike) -> NDArray[np.int64]:
        """The pixel the published evaluator computes: map coordinates truncated toward zero.

        Points up to one pixel outside the top or left edge come out as column or row 0.

        Args:
            xy: (..., 2) finite world points, metres.

        Returns:
            (..., 2) int64 ``(column, row)``.

        Raises:
            DataError: A coordinate is not finite.
        """
        return _whole(np.trunc(self.to_map(xy)))

    def cell_centre(self, cells: ArrayLike) -> NDArray[np.float64]:
        """World positions of the centres of pixels.

        Args:
            cells: (..., 2) ``(column, row)``.

        Returns:
            (..., 2) world ``(x, y)``, metres.
        """
        return self.to_world(_points(cells, "cells") + 0.5)

    def _check_pixels(self) -> None:
        side = min(self.column_metres, self.row_metres)
        corners = (self.top_left, self.top_right, self.bottom_left, self.bottom_right)
        farthest = max(abs(value) for corner in corners for value in corner)
        if side < max(_SHORTEST_SIDE, _RESOLVED * math.ulp(farthest)):
            raise DataError(
                f"expected pixels that can be told apart, got pixels of {side:.3g} m at "
                f"coordinates of up to {farthest:.3g} m",
                where="map corners",
                hint="give the corners in metres, and nearer to the origin",
            )

    def _corner(self, column: int, row: int) -> Vector:
        x, y = self.to_world((column, row))
        return float(x), float(y)


def _points(values: ArrayLike, name: str) -> NDArray[np.float64]:
    points = np.asarray(values, dtype=np.float64)
    if points.ndim == 0 or points.shape[-1] != 2:
        raise DataError(
            f"expected points of shape (..., 2), got shape {points.shape}",
            where=name,
            hint="give x and y, or column and row, on the last axis",
        )
    return points


def _whole(values: NDArray[np.float64]) -> NDArray[np.int64]:
    # Beyond 2**62 the cast to int64 would wrap and could land inside the map.
    if not np.isfinite(values).all():
        raise DataError("expected finite points, got NaN or infinity", where="xy")
    return np.clip(values, -(2.0**62), 2.0**62).astype(np.int64)


def _pair(values: ArrayLike, name: str) -> Vector:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.shape != (2,) or not (np.abs(array) <= FARTHEST).all():
        raise DataError(
            f"expected two finite numbers of at most {FARTHEST:g}, got {repr_of(values, 80)}",
            where=name,
            hint="give world x and y in metres",
        )
    return float(array[0]), float(array[1])


def _size(value: int, name: str) -> int:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not 1 <= value <= MOST_PIXELS:
        raise DataError(
            f"expected a whole number of pixels, at least 1 and at most {MOST_PIXELS}, "
            f"got {repr_of(value, 80)}",
            where=name,
        )
    return int(value)


def _cross(a: Vector, b: Vector) -> float:
    return a[0] * b[1] - a[1] * b[0]
