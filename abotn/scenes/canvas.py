"""Drawing obstacles in metres on a map under construction."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from abotn.geometry.map_geometry import MapGeometry

Mask = NDArray[np.bool_]


class Canvas:
    """A rectangular map, y up, whose shapes are masks (rows, columns).

    Shapes cover the cells whose centre lies inside them; one that is thinner than a cell covers
    at least the cells it is centred on.

    Args:
        x: World x of the left edge, metres.
        y: World y of the lower edge, metres.
        width: Extent along x, metres.
        height: Extent along y, metres.
        resolution: Side of a cell, metres.
    """

    def __init__(self, x: float, y: float, width: float, height: float, resolution: float) -> None:
        columns, rows = round(width / resolution), round(height / resolution)
        self.x, self.y, self.resolution = x, y, resolution
        self.width, self.height = columns * resolution, rows * resolution
        top = y + self.height
        self.geometry = MapGeometry.from_corners(
            (x, top), (x + self.width, top), (x, y), columns, rows
        )
        self.blocked: Mask = np.zeros((rows, columns), dtype=np.bool_)
        self.kept_clear: Mask = np.zeros((rows, columns), dtype=np.bool_)

    def fill_rectangle(
        self,
        mask: Mask,
        centre: tuple[float, float],
        size: tuple[float, float],
        angle: float = 0.0,
        *,
        value: bool = True,
    ) -> None:
        """Set a rectangle of ``size`` metres turned by ``angle`` radians about its centre."""
        half = (self._at_least_a_cell(size[0] / 2), self._at_least_a_cell(size[1] / 2))
        window, dx, dy = self._window(centre, math.hypot(*half))
        cosine, sine = math.cos(angle), math.sin(angle)
        along, across = cosine * dx + sine * dy, cosine * dy - sine * dx
        inside = (np.abs(along) <= half[0]) & (np.abs(across) <= half[1])
        mask[window][inside] = value

    def fill_disc(self, mask: Mask, centre: tuple[float, float], radius: float) -> None:
        """Set a disc of ``radius`` metres."""
        reach = self._at_least_a_cell(radius)
        window, dx, dy = self._window(centre, reach)
        mask[window] |= dx * dx + dy * dy <= reach * reach

    def place_rectangle(
        self,
        centre: tuple[float, float],
        size: tuple[float, float],
        angle: float = 0.0,
        *,
        gap: float,
    ) -> bool:
        """Block a rectangle if nothing within about ``gap`` metres of it is blocked.

        Returns:
            Whether there was room for it and it is off what is kept clear; if not, nothing
            changed.
        """
        around = (size[0] + 2 * gap, size[1] + 2 * gap)
        if not self._inside(centre, math.hypot(size[0] / 2, size[1] / 2)):
            return False
        if self.touches(self.blocked, centre, around, angle):
            return False
        if self.touches(self.kept_clear, centre, size, angle):
            return False
        self.fill_rectangle(self.blocked, centre, size, angle)
        return True

    def place_disc(self, centre: tuple[float, float], radius: float, *, gap: float) -> bool:
        """Block a disc under the conditions of :meth:`place_rectangle` for its square."""
        side, around = 2 * radius, 2 * (radius + gap)
        if not self._inside(centre, radius) or self.touches(self.blocked, centre, (around, around)):
            return False
        if self.touches(self.kept_clear, centre, (side, side)):
            return False
        self.fill_disc(self.blocked, centre, radius)
        return True

    def touches(
        self,
        mask: Mask,
        centre: tuple[float, float],
        size: tuple[float, float],
        angle: float = 0.0,
    ) -> bool:
        """Whether a rectangle covers the centre of a cell that is set."""
        window, dx, dy = self._window(centre, math.hypot(*size) / 2)
        cosine, sine = math.cos(angle), math.sin(angle)
        along, across = cosine * dx + sine * dy, cosine * dy - sine * dx
        inside = (np.abs(along) <= size[0] / 2) & (np.abs(across) <= size[1] / 2)
        return bool((mask[window] & inside).any())

    def _inside(self, centre: tuple[float, float], reach: float) -> bool:
        column = self.x + reach <= centre[0] <= self.x + self.width - reach
        return column and self.y + reach <= centre[1] <= self.y + self.height - reach

    def _at_least_a_cell(self, half: float) -> float:
        return max(half, 0.5 * self.resolution)

    def _window(
        self, centre: tuple[float, float], reach: float
    ) -> tuple[tuple[slice, slice], NDArray[np.float64], NDArray[np.float64]]:
        rows, columns = self.blocked.shape
        column = (centre[0] - self.x) / self.resolution
        row = (self.y + self.height - centre[1]) / self.resolution
        cells = reach / self.resolution + 1
        left, right = max(0, math.floor(column - cells)), min(columns, math.ceil(column + cells))
        top, bottom = max(0, math.floor(row - cells)), min(rows, math.ceil(row + cells))
        left, top = min(left, columns), min(top, rows)
        dx = (np.arange(left, max(right, left)) + 0.5 - column) * self.resolution
        dy = -(np.arange(top, max(bottom, top)) + 0.5 - row) * self.resolution
        return (slice(top, max(bottom, top)), slice(left, max(right, left))), dx[None], dy[:, None]
