"""Where rays enter the first obstacle of an occupancy map, exactly and for many rays at once."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

# A slope so small that its inverse and every product with it stay finite.
_NO_SLOPE = 1e-150
_LONGEST_REACH = 32767.0

# Rows of the state of N rays under way, one column per ray; pairs are (column, row).
_DIRECTION, _INVERSE, _AHEAD, _SIGN, _CELL = (slice(2 * k, 2 * k + 2) for k in range(5))
_TRAVELLED, _RAY, _QUARTER = 10, 11, 12

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class RayHits:
    """The first obstacle on each of N rays.

    Args:
        distance: (N,) float64, in lengths of the ray's direction; inf where nothing is hit.
        column: (N,) int64, column of the obstacle cell entered; -1 or the map's width beside it.
        row: (N,) int64, row of that cell; -1 or the map's height beside the map.
        before_column: (N,) int64, column of the free cell that the ray came from.
        before_row: (N,) int64, row of that cell.
    """

    distance: NDArray[np.float64]
    column: NDArray[np.int64]
    row: NDArray[np.int64]
    before_column: NDArray[np.int64]
    before_row: NDArray[np.int64]


class RayGrid:
    """An occupancy map made ready for ray casting.

    Every free cell knows, for each of the four quarters a ray may head for, the largest square of
    free cells that has the cell in its corner and lies ahead. A ray may leave that square in one
    step, and the cell it enters then is found as in a cell-by-cell traversal. Outside the map is
    an obstacle.

    Args:
        free: (rows, columns) bool, True where a robot may be.
    """

    def __init__(self, free: NDArray[np.bool_]) -> None:
        padded = np.zeros((free.shape[0] + 2, free.shape[1] + 2), dtype=np.uint8)
        padded[1:-1, 1:-1] = free
        self._size = np.array([[padded.shape[1]], [padded.shape[0]]], dtype=np.float64)
        self._squares = _squares(padded).ravel()

    def cast(self, origin: FloatArray, directions: FloatArray) -> RayHits:
        """Follow rays from one point to the first obstacle cell that each enters.

        A ray that starts in an obstacle or outside the map first leaves it, and counts from the
        first free cell on; one that never enters a free cell hits nothing.

        Args:
            origin: (2,) map coordinates ``(column, row)`` of the common start.
            directions: (N, 2) map coordinates per unit of distance.

        Returns:
            The hits, in the order of the rays.
        """
        start = (origin + 1.0).reshape(2, 1)
        with np.errstate(over="ignore"):
            rays = _entering(start, directions, self._size)
            if rays.shape[1] and self._reach_of(rays)[0] < 0.0:
                rays = self._follow(start, rays, kind=-1.0)
            return _hits(start, self._follow(start, rays, kind=1.0), len(directions))

    def _follow(self, start: FloatArray, rays: FloatArray, *, kind: float) -> FloatArray:
        """Rays in cells of one kind (1 free, -1 obstacle), each taken to its first other cell."""
        stopped = [rays[:, :0]]
        while rays.shape[1]:
            reach = self._reach_of(rays) * kind
            going = reach > 0.0
            if not going.all():
                stopped.append(rays.compress(~going, axis=1))
                rays, reach = rays.compress(going, axis=1), reach.compress(going)
            _step(start, rays, reach - 1.0)
            if kind < 0.0:
                cell = rays[_CELL]
                rays = rays.compress(((cell >= 0.0) & (cell < self._size)).all(axis=0), axis=1)
        return np.concatenate(stopped, axis=1)

    def _reach_of(self, rays: FloatArray) -> FloatArray:
        """Side of the square ahead of each ray, in cells; negative where it is all obstacle."""
        column, row = rays[_CELL]
        flat = row * self._size[0, 0]
        flat += column
        flat += rays[_QUARTER] * self._size.prod()
        return np.asarray(self._squares.take(flat.astype(np.int64)), dtype=np.float64)


def _entering(start: FloatArray, directions: FloatArray, size: FloatArray) -> FloatArray:
    """The state of the rays that meet the map at all, where they first do."""
    direction = np.where(directions.T == 0.0, _NO_SLOPE, directions.T)
    inverse = 1.0 / direction
    ahead = (direction > 0.0).astype(np.float64)
    first, last = -start * inverse, (size - start) * inverse
    entry = np.maximum(np.minimum(first, last).max(axis=0), 0.0)
    cell = np.clip(np.floor(start + entry * direction), 0.0, size - 1.0)
    ray = np.arange(directions.shape[0], dtype=np.float64)
    quarter = 2.0 * ahead[0] + ahead[1]
    parts = [direction, inverse, ahead, 2.0 * ahead - 1.0, cell, np.stack([entry, ray, quarter])]
    meets = np.maximum(first, last).min(axis=0) > entry
    return np.concatenate(parts).compress(meets, axis=1)


def _step(start: FloatArray, rays: FloatArray, reach: FloatArray) -> None:
    """Take each ray to the cell behind the square that reaches ``reach`` cells ahead, in place."""
    cell = rays[_CELL]
    farthest = rays[_SIGN] * reach
    farthest += cell
    edge = farthest + rays[_AHEAD]
    crossing = edge - start
    crossing *= rays[_INVERSE]
    travelled = np.minimum(crossing[0], crossing[1], out=rays[_TRAVELLED])
    along = rays[_DIRECTION] * travelled
    along += start
    np.floor(along, out=along)
    np.maximum(along, np.minimum(cell, farthest), out=along)
    np.minimum(along, np.maximum(cell, farthest), out=along)
    edge += rays[_AHEAD]
    edge -= 1.0
    cell[:] = np.where(crossing <= travelled, edge, along)


def _hits(start: FloatArray, stopped: FloatArray, count: int) -> RayHits:
    ray = stopped[_RAY].astype(np.int64)
    distance = np.full(count, np.inf)
    distance[ray] = stopped[_TRAVELLED]
    cells = np.full((4, count), -1, dtype=np.int64)
    near_edge = stopped[_CELL] + 1.0 - stopped[_AHEAD]
    crossed = (near_edge - start) * stopped[_INVERSE] >= stopped[_TRAVELLED]
    cells[:2, ray] = stopped[_CELL] - 1.0
    cells[2:, ray] = stopped[_CELL] - 1.0 - crossed * stopped[_SIGN]
    return RayHits(distance, cells[0], cells[1], cells[2], cells[3])


def _squares(padded: NDArray[np.uint8]) -> NDArray[np.int16]:
    """(4, rows, columns) side of the square ahead of each cell, for the quarters of a ray.

    The quarter is ``2 * (column grows) + (row grows)``. In an obstacle it is minus the distance
    to the nearest free cell, diagonals counted as one.
    """
    to_free = cv2.distanceTransform(1 - padded, cv2.DIST_C, 3)
    solid = -np.minimum(to_free, _LONGEST_REACH).astype(np.int16)
    squares = np.empty((4, *padded.shape), dtype=np.int16)
    for quarter in range(4):
        flip = (slice(None, None, 1 - 2 * (quarter % 2)), slice(None, None, 1 - 2 * (quarter // 2)))
        _fill_squares_behind(padded[flip] > 0, squares[quarter][flip])
        np.copyto(squares[quarter], solid, where=padded == 0)
    return squares


def _fill_squares_behind(free: NDArray[np.bool_], side: NDArray[np.int16]) -> None:
    """Write the side of the largest free square that ends in each cell, from its top left.

    ``side[r, c] = 1 + min(side[r-1, c-1], side[r-1, c], side[r, c-1])`` in free cells; along a
    row that is a running minimum, because each column adds one.
    """
    columns = np.arange(free.shape[1], dtype=np.int32)
    above = np.zeros(free.shape[1] + 1, dtype=np.int32)
    for row in range(free.shape[0]):
        most = np.where(free[row], np.minimum(above[1:], above[:-1]) + 1, 0)
        above[1:] = np.minimum.accumulate(most - columns) + columns
        side[row] = np.minimum(above[1:], int(_LONGEST_REACH))
