"""A path over an occupancy map, and following it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abotn.collision import (
    OccupancyGrid,
    clearance_field,
    distance_field,
    line_collisions,
    shortest_path,
)
from abotn.geometry.paths import cumulative_length

FloatArray = NDArray[np.float64]

_SHARES = np.linspace(0.1, 1.0, 10)
_TOUCHING = 1e-6


class Route:
    """A path and how far along it somebody is.

    Args:
        points: (K, 2) world metres.
        room: Where one may cut across bends of the path; None to stay on it.
    """

    def __init__(self, points: FloatArray, room: OccupancyGrid | None) -> None:
        self._points = points
        self._along = cumulative_length(points)
        self._room = room
        self._done = 0.0

    @property
    def end(self) -> FloatArray:
        """(2,) last point, world metres."""
        return np.asarray(self._points[-1])

    def is_lost(self, here: FloatArray, farthest: float) -> bool:
        """Whether a position (2,) lies farther from the path than ``farthest`` metres."""
        return bool(np.hypot(*(self._at(self._project(here, farthest)) - here)) > farthest)

    def next_point(self, here: FloatArray, look_ahead: float) -> FloatArray:
        """Return the farthest point (2,) of the path within reach.

        Args:
            here: (2,) world metres.
            look_ahead: Metres along the path from the place nearest to ``here``.
        """
        self._done = self._project(here, 2.0 * look_ahead)
        ahead = np.minimum(self._done + look_ahead * _SHARES, self._along[-1])
        bend = self._along[self._along > self._done + _TOUCHING]
        next_bend = float(bend[0]) if bend.size else float(self._along[-1])
        clear = ahead <= next_bend
        if self._room is not None and not clear[-1]:
            clear |= self._seen(here, self._at(ahead))
        if not clear.any():
            return np.asarray(self._at(next_bend))
        return np.asarray(self._at(ahead[np.flatnonzero(clear)[-1]]))

    def _project(self, here: FloatArray, window: float) -> float:
        """Place along the path nearest to a position, from where it was up to a window ahead."""
        starts, spans = self._points[:-1], np.diff(self._points, axis=0)
        lengths = np.diff(self._along)
        offsets = ((here - starts) * spans).sum(axis=1) / np.where(lengths > 0, lengths, 1.0)
        first, last = self._done, min(self._done + window, float(self._along[-1]))
        along = np.clip(self._along[:-1] + np.clip(offsets, 0.0, lengths), first, last)
        distances = np.hypot(*(self._at(along) - here).T)
        return float(along[np.argmin(distances)])

    def _at(self, along: FloatArray | float) -> FloatArray:
        axes = [np.interp(along, self._along, self._points[:, axis]) for axis in (0, 1)]
        return np.stack(axes, axis=-1)

    def _seen(self, here: FloatArray, targets: FloatArray) -> NDArray[np.bool_]:
        assert self._room is not None
        hit, _ = line_collisions(self._room, np.broadcast_to(here, targets.shape), targets)
        return ~hit


class RoutePlanner:
    """Finds paths on one map.

    Args:
        grid: The map.
        clearance: Distance to keep from obstacles, metres.
    """

    def __init__(self, grid: OccupancyGrid, clearance: float) -> None:
        self._grid = grid
        self._margins = (clearance, clearance / 2.0, 0.0)
        self._rooms: dict[float, OccupancyGrid] = {}

    def route(self, start: FloatArray, goal: FloatArray) -> Route:
        """Return the shortest path that keeps the distance, or half of it, or none.

        Where there is no path at all it ends at the reachable place nearest to the goal; where
        the start lies in an obstacle it leaves it the shortest way.

        Args:
            start: (2,) world metres.
            goal: (2,) world metres.
        """
        for margin in self._margins:
            path = shortest_path(self._grid, start, goal, clearance=margin)
            if path is not None:
                return Route(np.asarray(path.points), self._room(margin / 2.0))
        return Route(_nearest_path(self._grid, start, goal), None)

    def _room(self, margin: float) -> OccupancyGrid:
        if margin <= 0.0:
            return self._grid
        if margin not in self._rooms:
            wide = clearance_field(self._grid) >= margin
            self._rooms[margin] = OccupancyGrid(wide, self._grid.geometry)
        return self._rooms[margin]


def _nearest_path(grid: OccupancyGrid, start: FloatArray, goal: FloatArray) -> FloatArray:
    begin = _nearest_cell(grid, grid.free, start)
    if begin is None:
        return np.array([start, goal])
    end = _nearest_cell(grid, np.isfinite(distance_field(grid, begin)), goal)
    path = None if end is None else shortest_path(grid, begin, end)
    return np.array([start, begin]) if path is None else np.vstack([start, path.points])


def _nearest_cell(
    grid: OccupancyGrid, mask: NDArray[np.bool_], point: FloatArray
) -> FloatArray | None:
    """The point itself when its cell is in the mask, else the nearest cell's centre in it."""
    column, row = grid.geometry.cell_of(point)
    rows, columns = np.nonzero(mask)
    if rows.size == 0:
        return None
    if 0 <= row < mask.shape[0] and 0 <= column < mask.shape[1] and mask[row, column]:
        return point
    centres = grid.geometry.cell_centre(np.stack([columns, rows], axis=-1))
    return np.asarray(centres[np.argmin(np.hypot(*(centres - point).T))])
