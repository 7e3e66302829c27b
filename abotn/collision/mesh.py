"""Free space as rectangles joined by the horizontal edges they share."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.collision.clearance import convex_corners

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


class Portal(NamedTuple):
    """An edge that leads to another rectangle; a path may bend at an end that is a corner."""

    left: float
    right: float
    bends_left: bool
    bends_right: bool
    to: int


class Box(NamedTuple):
    """A rectangle of free space, metres from the map's top-left corner, rows growing down."""

    left: float
    right: float
    top: float
    bottom: float
    above: tuple[Portal, ...]
    below: tuple[Portal, ...]


@dataclass(frozen=True)
class Mesh:
    """All free space of a grid, cut into rectangles.

    Rows of one run of free cells become one rectangle as long as the run stays the same. Two
    rectangles are joined where a run lies on another one; cells that touch only at a corner are
    not joined.
    """

    boxes: list[Box]
    column_metres: float
    row_metres: float
    _box_of: list[tuple[IntArray, IntArray]]
    _part_of: IntArray

    def parts(self, boxes: list[int]) -> set[int]:
        """The connected parts of free space that some rectangles belong to."""
        return {int(self._part_of[box]) for box in boxes}

    def boxes_at(self, x: float, y: float) -> list[int]:
        """Rectangles that hold a point, edges included.

        Args:
            x: Metres from the left edge of the map.
            y: Metres from the top edge.
        """
        row = y / self.row_metres
        found: list[int] = []
        for line in {int(np.floor(row - _TOUCH)), int(np.floor(row + _TOUCH))}:
            if 0 <= line < len(self._box_of):
                found += self._in_row(line, x)
        return list(dict.fromkeys(found))

    def _in_row(self, line: int, x: float) -> list[int]:
        starts, boxes = self._box_of[line]
        tolerance = _TOUCH * self.column_metres
        at = int(np.searchsorted(starts, (x + tolerance) / self.column_metres, side="right")) - 1
        near = [int(boxes[i]) for i in (at - 1, at) if i >= 0]
        return [
            box
            for box in near
            if self.boxes[box].left - tolerance <= x <= self.boxes[box].right + tolerance
        ]


# Cells by which a point may miss the edge it lies on.
_TOUCH = 1e-8


def mesh_of(free: BoolArray, column_metres: float, row_metres: float) -> Mesh:
    """Cut free space into rectangles.

    Args:
        free: (rows, columns) bool.
        column_metres: Width of a cell.
        row_metres: Height of a cell.

    Returns:
        The mesh; without rectangles where nothing is free.
    """
    row, left, right = _runs(free)
    box = _boxes_of_runs(row, left, right)
    upper, lower = _overlaps(row, left, right)
    apart = box[upper] != box[lower]
    upper, lower = upper[apart], lower[apart]
    portals = np.stack(
        [
            np.maximum(left[upper], left[lower]),
            np.minimum(right[upper], right[lower]),
            row[lower],
            box[upper],
            box[lower],
        ]
    )
    boxes = _joined(free, row, left, right, box, portals, column_metres, row_metres)
    edges = np.searchsorted(row, np.arange(free.shape[0] + 1))
    by_row = [(left[a:b], box[a:b]) for a, b in pairwise(edges)]
    return Mesh(boxes, column_metres, row_metres, by_row, _parts(len(boxes), portals[3:]))


def _runs(free: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """Row, first column and column after the last of every run of free cells, row by row."""
    padded = np.zeros((free.shape[0], free.shape[1] + 2), dtype=np.int8)
    padded[:, 1:-1] = free
    change = np.diff(padded, axis=1)
    row, left = np.nonzero(change == 1)
    right = np.nonzero(change == -1)[1]
    return row.astype(np.int64), left.astype(np.int64), right.astype(np.int64)


def _boxes_of_runs(row: IntArray, left: IntArray, right: IntArray) -> IntArray:
    order = np.lexsort((row, right, left))
    begins = np.ones(len(row), dtype=np.int64)
    same = (np.diff(left[order]) == 0) & (np.diff(right[order]) == 0) & (np.diff(row[order]) == 1)
    begins[1:] = ~same
    box = np.empty(len(row), dtype=np.int64)
    box[order] = np.cumsum(begins) - 1
    return box


def _overlaps(row: IntArray, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs of runs that lie on one another, the upper and the lower one."""
    span = int(right.max(initial=0)) + 2
    first = np.searchsorted(row * span + right, (row + 1) * span + left, side="right")
    after = np.searchsorted(row * span + left, (row + 1) * span + right, side="left")
    count = np.maximum(after - first, 0)
    upper = np.repeat(np.arange(len(row)), count)
    within = np.arange(len(upper)) - np.repeat(np.cumsum(count) - count, count)
    return upper, np.repeat(first, count) + within


def _parts(count: int, joined: IntArray) -> IntArray:
    """The number of the connected part of each rectangle; `joined` is (2, portals)."""
    if count == 0:
        return np.empty(0, dtype=np.int64)
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    links = coo_matrix((np.ones(joined.shape[1], dtype=np.bool_), joined), shape=(count, count))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)


def _joined(
    free: BoolArray,
    row: IntArray,
    left: IntArray,
    right: IntArray,
    box: IntArray,
    portals: IntArray,
    column_metres: float,
    row_metres: float,
) -> list[Box]:
    count = int(box.max(initial=-1)) + 1
    top, bottom = np.full(count, free.shape[0]), np.zeros(count, dtype=np.int64)
    np.minimum.at(top, box, row)
    np.maximum.at(bottom, box, row + 1)
    sides = np.zeros((2, count), dtype=np.int64)
    sides[0, box], sides[1, box] = left, right
    corner = convex_corners(free)
    above = _portals_by_box(portals, portals[4], portals[3], corner, count, column_metres)
    below = _portals_by_box(portals, portals[3], portals[4], corner, count, column_metres)
    xs, ys = (sides * column_metres).tolist(), (np.stack([top, bottom]) * row_metres).tolist()
    return [Box(*parts) for parts in zip(*xs, *ys, above, below, strict=True)]


def _portals_by_box(
    portals: IntArray,
    owner: IntArray,
    other: IntArray,
    corner: BoolArray,
    count: int,
    column_metres: float,
) -> list[tuple[Portal, ...]]:
    order = np.lexsort((portals[0], owner))
    left, right, line = portals[:3, order]
    columns = zip(
        (left * column_metres).tolist(),
        (right * column_metres).tolist(),
        corner[line, left].tolist(),
        corner[line, right].tolist(),
        other[order].tolist(),
        strict=True,
    )
    made = [Portal(*values) for values in columns]
    cuts = np.searchsorted(owner[order], np.arange(count + 1)).tolist()
    return [tuple(made[a:b]) for a, b in pairwise(cuts)]
