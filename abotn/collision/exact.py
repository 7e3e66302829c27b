"""Line collisions by exact grid traversal: no obstacle is too thin to be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abotn.collision.coarse import surely_free
from abotn.collision.strips import blocked_extent, on_edges
from abotn.geometry.map_geometry import EDGE_TOLERANCE

if TYPE_CHECKING:
    from abotn.collision.grid import OccupancyGrid

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def exact_collisions(
    grid: OccupancyGrid, starts: FloatArray, ends: FloatArray
) -> tuple[BoolArray, FloatArray]:
    """Which segments cross the interior of an obstacle cell or leave the map, and for how long.

    The length is that of the part inside obstacle cells and outside the map. Limits of the rule:

    * passing through a corner of a cell, or along one of its edges, is not crossing it;
    * a segment along the common edge of two cells is inside an obstacle where both are obstacles,
      since a wall two cells thick is solid; outside the map counts as an obstacle there;
    * a segment of no length hits when the cell its point lies in is an obstacle;
    * distances below 1e-8 of a cell are rounding errors: they neither hit nor count.

    Args:
        grid: The map.
        starts: (N, 2) finite world points, metres.
        ends: (N, 2) finite world points, metres.

    Returns:
        ``(hit, length)``: (N,) bool and (N,) float64 metres.
    """
    delta = ends - starts
    metres = np.hypot(delta[:, 0], delta[:, 1])
    first = on_edges(grid.geometry.to_map(starts))
    last = on_edges(grid.geometry.to_map(ends))
    pixels = _extent(first, last)
    hit = np.zeros(len(first), dtype=np.bool_)
    share = np.zeros(len(first))
    dots = pixels <= 2.0 * EDGE_TOLERANCE
    hit[dots], share[dots] = _dots(grid, starts[dots])
    settled = dots | surely_free(grid, first, last)
    if not settled.any():
        hit, share = _lines(grid, first, last)
        return hit, share * metres
    lines = np.flatnonzero(~settled)
    hit[lines], share[lines] = _lines(grid, first[lines], last[lines])
    return hit, share * metres


def _extent(first: FloatArray, last: FloatArray) -> FloatArray:
    """Length along the longer axis, pixels."""
    return np.asarray(
        np.maximum(np.abs(last[:, 0] - first[:, 0]), np.abs(last[:, 1] - first[:, 1]))
    )


def _dots(grid: OccupancyGrid, points: FloatArray) -> tuple[BoolArray, FloatArray]:
    hit = ~grid.is_free(points)
    return hit, hit.astype(np.float64)


def _lines(
    grid: OccupancyGrid, first: FloatArray, last: FloatArray
) -> tuple[BoolArray, FloatArray]:
    """Hit, and the share of each segment's length that is inside obstacles or outside the map."""
    extent = _extent(first, last)
    inside = _on_map(grid, first) & _on_map(grid, last)
    if inside.all():
        blocked = blocked_extent(grid, first, last)
        return blocked > 0.0, np.minimum(blocked / extent, 1.0)
    hit, share = np.zeros(len(first), dtype=np.bool_), np.zeros(len(first))
    start, end = first.copy(), last.copy()
    out = np.flatnonzero(~inside)
    start[out], end[out], off_map = _part_on_map(grid, first[out], last[out])
    hit[out] = off_map * extent[out] > EDGE_TOLERANCE
    share[out] = np.where(hit[out], off_map, 0.0)
    on = np.flatnonzero(_extent(start, end) > EDGE_TOLERANCE)
    blocked = blocked_extent(grid, start[on], end[on])
    hit[on] |= blocked > 0.0
    share[on] += blocked / extent[on]
    return hit, np.minimum(share, 1.0)


def _on_map(grid: OccupancyGrid, places: FloatArray) -> BoolArray:
    height, width = grid.shape
    column, row = places[:, 0], places[:, 1]
    return np.asarray((column >= 0.0) & (column <= width) & (row >= 0.0) & (row <= height))


def _part_on_map(
    grid: OccupancyGrid, first: FloatArray, last: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ends of the part of each segment on the closed map, and the share that is not on it."""
    size = np.array(grid.shape[::-1], dtype=np.float64)
    delta = last - first
    with np.errstate(divide="ignore", invalid="ignore"):
        to_low, to_high = -first / delta, (size - first) / delta
    still = delta == 0.0
    within = (first >= 0.0) & (first <= size)
    enter = np.where(still, np.where(within, 0.0, np.inf), np.minimum(to_low, to_high))
    leave = np.where(still, np.where(within, 1.0, -np.inf), np.maximum(to_low, to_high))
    begin = np.maximum(np.maximum(enter[:, 0], enter[:, 1]), 0.0)
    finish = np.minimum(np.minimum(leave[:, 0], leave[:, 1]), 1.0)
    nowhere = begin >= finish
    begin[nowhere], finish[nowhere] = 0.0, 0.0
    start = np.clip(on_edges(first + begin[:, None] * delta), 0.0, size)
    end = np.clip(on_edges(first + finish[:, None] * delta), 0.0, size)
    start[nowhere], end[nowhere] = 0.0, 0.0
    return start, end, 1.0 - (finish - begin)
