"""Distance to the nearest obstacle."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.collision.inputs import points_of
from abotn.errors import DataError

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

    from abotn.collision.grid import OccupancyGrid

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

# Corner positions in meta files are rounded; this much of a right angle's cosine is forgiven.
_SQUARE_COSINE = 1e-3

# Greater distances are none on any map, and fit no 32-bit number.
_GREATEST = 1e30


def clearance(grid: OccupancyGrid, points: ArrayLike) -> FloatArray:
    """Distance from each point to the nearest point of any obstacle cell.

    An obstacle cell is its whole square, edges included, and everything outside the map is an
    obstacle. The nearest point of a square is a foot straight along a row or a column, or a
    corner; both are looked up exactly.

    Args:
        grid: The map; its axes must be perpendicular.
        points: (N, 2) world points, metres.

    Returns:
        (N,) float64 metres; 0 inside an obstacle and outside the map.

    Raises:
        DataError: A point is not finite, or the map's axes are not perpendicular.

    Example:
        >>> from abotn.collision import OccupancyGrid
        >>> from abotn.geometry import MapGeometry
        >>> free = np.array([[True, True, True, False]])
        >>> grid = OccupancyGrid(free, MapGeometry((0, 0), (1, 0), (0, 9), 4, 1))
        >>> clearance(grid, [[2.5, 4.0], [3.5, 4.0]]).tolist()
        [0.5, 0.0]
    """
    places = grid.geometry.to_map(points_of(points, "points"))
    cells = grid.geometry.cell_of(points_of(points, "points"))
    sides = pixel_sides(grid)
    distance = np.zeros(len(places))
    near = np.flatnonzero(~grid.is_obstacle(cells[:, 0], cells[:, 1]))
    if near.size:
        obstacles = _obstacles(grid)
        distance[near] = np.minimum(
            obstacles.straight(places[near], cells[near], sides),
            obstacles.to_corner(places[near] * sides),
        )
    return distance


def clearance_field(grid: OccupancyGrid) -> NDArray[np.float32]:
    """`clearance` of the centre of every cell.

    Args:
        grid: The map; its axes must be perpendicular.

    Returns:
        (rows, columns) float32 metres; 0 at obstacles.

    Raises:
        DataError: The map's axes are not perpendicular.
    """
    free = ~(grid.walled.view(np.bool_))
    # On a lattice of half cells the nearest point of a square, seen from a centre, is a node.
    nodes = np.zeros((2 * free.shape[0] - 3, 2 * free.shape[1] - 3), dtype=np.uint8)
    nodes[1::2, 1::2] = free[1:-1, 1:-1]
    nodes[::2, 1::2] = free[:-1, 1:-1] & free[1:, 1:-1]
    nodes[1::2, ::2] = free[1:-1, :-1] & free[1:-1, 1:]
    nodes[::2, ::2] = free[:-1, :-1] & free[:-1, 1:] & free[1:, :-1] & free[1:, 1:]
    return np.ascontiguousarray(_distance_to_zero(nodes, pixel_sides(grid) / 2.0)[1::2, 1::2])


def cells_with_clearance(grid: OccupancyGrid, metres: float) -> BoolArray:
    """Free cells of which every point keeps at least a distance from all obstacles.

    Args:
        grid: The map; its axes must be perpendicular.
        metres: Distance; with 0 or less these are the free cells.

    Returns:
        (rows, columns) bool.
    """
    if metres <= 0.0:
        return grid.free
    free = ~(grid.walled.view(np.bool_))
    # Two cells are as far apart as the nearest two of their corners.
    corners = free[:-1, :-1] & free[:-1, 1:] & free[1:, :-1] & free[1:, 1:]
    gap = _distance_to_zero(corners.astype(np.uint8), pixel_sides(grid))
    wide = gap >= min(metres * (1.0 - 1e-6), _GREATEST)
    return np.asarray(wide[:-1, :-1] & wide[:-1, 1:] & wide[1:, :-1] & wide[1:, 1:])


def pixel_sides(grid: OccupancyGrid) -> FloatArray:
    """Sides ``(column, row)`` of a pixel in metres, of a map whose axes are perpendicular.

    Raises:
        DataError: They are not.
    """
    geometry = grid.geometry
    sides = np.array([geometry.column_metres, geometry.row_metres])
    dot = float(np.dot(geometry.column_step, geometry.row_step))
    if abs(dot) > _SQUARE_COSINE * sides[0] * sides[1]:
        raise DataError(
            "expected a map with perpendicular axes to measure distances to obstacles, got steps "
            f"{geometry.column_step} and {geometry.row_step}",
            where="map corners",
            hint="line_collisions works on any axes",
        )
    return sides


def convex_corners(free: BoolArray) -> BoolArray:
    """Lattice nodes at which exactly one of the four cells around is not free.

    Args:
        free: (rows, columns) bool; outside nothing is free.

    Returns:
        (rows + 1, columns + 1) bool.
    """
    return np.asarray(_blocked_around(free) == 1)


class _Obstacles:
    """Sorted obstacle cells for look-ups along rows and columns, and a tree of convex corners.

    Where two obstacles touch at a corner, one of them lies in the row or column of any free point
    that sees it, and is nearer.
    """

    def __init__(self, grid: OccupancyGrid) -> None:
        from scipy.spatial import cKDTree

        self.by_row = np.flatnonzero(grid.walled)
        self.by_column = np.flatnonzero(np.ascontiguousarray(grid.walled.T))
        self.shape = grid.walled.shape
        rows, columns = np.nonzero(convex_corners(grid.free))
        nodes = np.stack([columns, rows], axis=-1) * pixel_sides(grid)
        self.corners: cKDTree | None = cKDTree(nodes) if len(nodes) else None

    def straight(
        self, places: FloatArray, cells: NDArray[np.int64], sides: FloatArray
    ) -> FloatArray:
        """Metres to the nearest obstacle cell in the same row or column."""
        column, row = cells[:, 0] + 1, cells[:, 1] + 1
        along_row = _gap(self.by_row, row * self.shape[1], column, places[:, 0] + 1.0)
        along_column = _gap(self.by_column, column * self.shape[0], row, places[:, 1] + 1.0)
        nearer: FloatArray = np.minimum(along_row * sides[0], along_column * sides[1])
        return nearer

    def to_corner(self, metric: FloatArray) -> FloatArray:
        """Metres to the nearest corner."""
        if self.corners is None:
            return np.full(len(metric), np.inf)
        return np.asarray(self.corners.query(metric)[0], dtype=np.float64)


_cache: WeakKeyDictionary[OccupancyGrid, _Obstacles] = WeakKeyDictionary()


def _obstacles(grid: OccupancyGrid) -> _Obstacles:
    found = _cache.get(grid)
    if found is None:
        found = _cache[grid] = _Obstacles(grid)
    return found


def _gap(
    obstacles: NDArray[np.int64],
    line: NDArray[np.int64],
    cell: NDArray[np.int64],
    position: FloatArray,
) -> FloatArray:
    """Pixels from a position in free cell `line + cell` to the obstacles before and after it."""
    after = np.searchsorted(obstacles, line + cell)
    before_end = obstacles[after - 1] - line + 1
    after_begin = obstacles[after] - line
    return np.asarray(np.maximum(np.minimum(position - before_end, after_begin - position), 0.0))


def _blocked_around(free: BoolArray) -> NDArray[np.uint8]:
    blocked = np.pad(~free, 1, constant_values=True).view(np.uint8)
    around = blocked[:-1, :-1] + blocked[:-1, 1:]
    around += blocked[1:, :-1]
    around += blocked[1:, 1:]
    return np.asarray(around)


def _distance_to_zero(nodes: NDArray[np.uint8], spacing: FloatArray) -> NDArray[np.float32]:
    """Metres from each node to the nearest zero; spacing is (column, row)."""
    if abs(spacing[0] - spacing[1]) <= 1e-6 * spacing.max():
        import cv2

        pixels = cv2.distanceTransform(nodes, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
        return np.asarray(pixels * np.float32(spacing.mean()), dtype=np.float32)
    from scipy.ndimage import distance_transform_edt

    distance = distance_transform_edt(nodes, sampling=(spacing[1], spacing[0]))
    return np.asarray(distance, dtype=np.float32)
