"""Random starts and goals that a robot can stand on and travel between."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from abotn.collision import (
    GeodesicPath,
    OccupancyGrid,
    clearance_field,
    distance_field,
    shortest_path,
)
from abotn.errors import ConfigError, DataError
from abotn.geometry.map_geometry import MapGeometry

# Drawn distances are approximate; this keeps most exact lengths inside the range asked for.
_SLACK = 0.04
# Greatest diagonal of the blocks of cells that distances are drawn on, metres.
_BLOCK_METRES = 0.45
# Keeps a path off obstacles when its points are rounded for a file.
_LEAST_CLEARANCE = 0.001
# Greater distances are none on any map, and fit no 32-bit number.
_GREATEST = 1e30
_TRIES = 40
_TRIES_TO_POINT = 8
_BAND_METRES = 0.5

Point = tuple[float, float]
Span = tuple[float, float]


class EndpointSampler:
    """Draws pairs of points of one map and the shortest paths between them.

    Args:
        grid: The map.
        clearance: Least distance of a path from obstacles, metres; a millimetre at the least.
        rng: Where all choices come from.

    Raises:
        ConfigError: the clearance is negative or not finite.
        DataError: no free cell has that clearance.
    """

    def __init__(self, grid: OccupancyGrid, clearance: float, rng: np.random.Generator) -> None:
        if not 0 <= clearance < math.inf:
            raise ConfigError(f"the clearance must be a distance in metres, got {clearance}")
        self._grid, self._clearance, self._rng = grid, max(clearance, _LEAST_CLEARANCE), rng
        margin = min(clearance + grid.geometry.metres_per_pixel, _GREATEST)
        open_cells = grid.free & (clearance_field(grid) >= margin)
        self._open = np.flatnonzero(open_cells)
        self._longest = 0.0
        if self._open.size == 0:
            raise DataError(
                f"no free cell of the map is {clearance:g} m away from every obstacle",
                hint="lower the clearance, or let unknown cells count as free",
            )
        self._blocks, self._block_of_open = _blocks(grid, open_cells, self._open, clearance)

    def path(self, span: Span) -> GeodesicPath:
        """Return the shortest path of a random pair, its length in ``span`` metres.

        Raises:
            DataError: none was found.
        """
        for _ in range(_TRIES):
            start = self._centre(int(self._rng.choice(self._open)))
            path = self._path_between(start, span, reverse=False)
            if path is not None:
                return path
        raise self._failure(span, "")

    def path_to(self, goal: Point, span: Span) -> GeodesicPath:
        """Return the shortest path from a random start to a goal, its length in ``span`` metres.

        Where no start is that far away, the farthest ones are used instead.

        Raises:
            DataError: the goal cannot be reached from anywhere.
        """
        for least in (span[0], span[0] / 2, self._grid.geometry.metres_per_pixel):
            for _ in range(_TRIES_TO_POINT):
                path = self._path_between(goal, (least, span[1]), reverse=True)
                if path is not None:
                    return path
        raise self._failure(span, f" to ({goal[0]:.2f}, {goal[1]:.2f})")

    def _path_between(self, fixed: Point, span: Span, *, reverse: bool) -> GeodesicPath | None:
        """The path from a fixed point to one drawn by its distance, or back from it."""
        other = self._draw_at_distance(self._distances_from(fixed), span)
        if other is None:
            return None
        ends = (other, fixed) if reverse else (fixed, other)
        path = shortest_path(self._grid, *ends, clearance=self._clearance)
        return path if path is not None and span[0] <= path.length <= span[1] else None

    def _distances_from(self, point: Point) -> NDArray[np.float64]:
        """Approximate distance of every open cell."""
        if not self._blocks.is_free(point):
            point = self._nearest_open(point)
        return distance_field(self._blocks, point).ravel()[self._block_of_open]

    def _nearest_open(self, point: Point) -> Point:
        rows, columns = np.divmod(self._open, self._grid.shape[1])
        centres = self._grid.geometry.cell_centre(np.stack([columns, rows], axis=-1))
        return self._centre(int(self._open[np.argmin(((centres - point) ** 2).sum(axis=1))]))

    def _draw_at_distance(self, field: NDArray[np.floating], span: Span) -> Point | None:
        """A cell whose distance is near one drawn evenly from the span, or None."""
        finite = np.isfinite(field)
        longest = float(field[finite].max()) if finite.any() else 0.0
        self._longest = max(self._longest, longest)
        least, greatest = span[0] * (1 + _SLACK), min(span[1], longest)
        if not least <= greatest:
            return None
        target = self._rng.uniform(least, greatest)
        usable = finite & (field >= least) & (field <= greatest)
        near = np.flatnonzero(usable & (np.abs(field - target) <= _BAND_METRES))
        if near.size == 0:
            near = np.flatnonzero(usable)
        return self._centre(int(self._open[self._rng.choice(near)])) if near.size else None

    def _centre(self, flat_index: int) -> Point:
        row, column = divmod(flat_index, self._grid.shape[1])
        x, y = self._grid.geometry.cell_centre((column, row))
        return float(x), float(y)

    def _failure(self, span: Span, where: str) -> DataError:
        return DataError(
            f"found no path{where} of {span[0]:g} to {span[1]:g} m that stays {self._clearance:g} m"
            f" away from obstacles; the longest seen is {self._longest:.1f} m",
            hint="lower --min-length or the clearance, or widen the range of lengths",
        )


def _blocks(
    grid: OccupancyGrid, open_cells: NDArray[np.bool_], flat: NDArray[np.intp], clearance: float
) -> tuple[OccupancyGrid, NDArray[np.intp]]:
    """A coarser grid, free where a block holds an open cell, and the block of each open cell.

    Open cells on two sides of an obstacle are more than twice the clearance apart, so that no
    block, whose diagonal is at most the clearance, joins them.
    """
    geometry = grid.geometry
    diagonal = math.sqrt(2) * geometry.metres_per_pixel
    size = max(1, int(min(clearance, _BLOCK_METRES) / diagonal))
    rows, columns = -(-geometry.height // size), -(-geometry.width // size)
    padded = np.zeros((rows * size, columns * size), dtype=np.bool_)
    padded[: geometry.height, : geometry.width] = open_cells
    free = np.asarray(padded.reshape(rows, size, columns, size).any(axis=(1, 3)))
    right, down = np.multiply((geometry.column_step, geometry.row_step), size).tolist()
    coarse = MapGeometry(geometry.origin, tuple(right), tuple(down), columns, rows)
    row, column = np.divmod(flat, geometry.width)
    return OccupancyGrid(free, coarse), (row // size) * columns + column // size
