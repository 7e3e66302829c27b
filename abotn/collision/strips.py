"""Exact traversal of a grid by segments that lie on the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abotn.collision.batches import count_along, dense_blocks
from abotn.geometry.map_geometry import EDGE_TOLERANCE

if TYPE_CHECKING:
    from abotn.collision.grid import OccupancyGrid

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.signedinteger[Any]]

_Ends = tuple[FloatArray, FloatArray]

_LARGEST_INT32 = 2**31 - 1

# Slopes this near to one are looked at just inside the edges of their strips, by so much of a cell.
_NEARLY_DIAGONAL = 1e-6
_INWARDS = 2.0 * EDGE_TOLERANCE


def blocked_extent(grid: OccupancyGrid, first: FloatArray, last: FloatArray) -> FloatArray:
    """Length of each segment inside obstacle cells, measured along its longer axis.

    A segment is cut into strips, one for each step of its longer axis. In a strip it touches at
    most two cells: the one it enters the strip in and the one it leaves it in. Where both are
    obstacles or both free, that is all; only the others need the place where it changes cells.

    Args:
        grid: The map.
        first: (N, 2) map coordinates on the closed map, see `on_edges`.
        last: (N, 2) map coordinates, not equal to `first`.

    Returns:
        (N,) float64 pixels along the longer axis.
    """
    blocked = np.zeros(len(first))
    stride = grid.walled.shape[1]
    # Coordinates one by one: columns of a pair lie apart in memory, which costs twice the time.
    (x0, y0), (x1, y1) = np.ascontiguousarray(first.T), np.ascontiguousarray(last.T)
    steep = np.abs(y1 - y0) > np.abs(x1 - x0)
    flat, tall = np.flatnonzero(~steep), np.flatnonzero(steep)
    wide = _Strips.of((x0[flat], x1[flat]), (y0[flat], y1[flat]), 1, stride)
    high = _Strips.of((y0[tall], y1[tall]), (x0[tall], x1[tall]), stride, 1)
    blocked[flat], blocked[tall] = _blocked(grid, wide), _blocked(grid, high)
    return blocked


def on_edges(places: FloatArray) -> FloatArray:
    """Map coordinates, those within rounding errors of a cell edge moved onto it."""
    whole = np.rint(places)
    return np.where(np.abs(places - whole) <= EDGE_TOLERANCE, whole, places)


@dataclass(frozen=True)
class _Strips:
    """Segments that are all longer on one axis, on which they grow.

    On that axis they reach from ``base + begin`` to ``base + end``, where `base` is whole and
    ``0 <= begin < 1``; on the other one they lie at ``offset + slope * (position - base)``.
    `along` and `across` are the strides of the two axes in the flat walled map.
    """

    base: FloatArray
    begin: FloatArray
    end: FloatArray
    offset: FloatArray
    slope: FloatArray
    along: int
    across: int

    @classmethod
    def of(cls, along: _Ends, across: _Ends, stride_along: int, stride_across: int) -> _Strips:
        """From both ends on the longer axis and on the other one."""
        (start, end), (first, last) = along, across
        back = start > end
        low, high = np.where(back, end, start), np.where(back, start, end)
        base = np.floor(low)
        slope = (last - first) / (end - start)
        offset = np.where(back, last, first) - slope * (low - base)
        return cls(base, low - base, high - base, offset, slope, stride_along, stride_across)

    def some(self, rows: NDArray[Any]) -> _Strips:
        """Some of the segments, by index or mask."""
        return _Strips(
            self.base[rows],
            self.begin[rows],
            self.end[rows],
            self.offset[rows],
            self.slope[rows],
            self.along,
            self.across,
        )

    @property
    def counts(self) -> FloatArray:
        """Number of strips of each segment."""
        return np.ceil(self.end)

    @property
    def special(self) -> BoolArray:
        """Segments whose cells at the edges between strips do not tell all that they touch.

        Those along an edge between cells lie between two cells in every strip; those at half a
        right angle may, by an ulp, seem to leave a strip two cells from where they entered it.
        """
        return np.asarray(self.on_edge | (np.abs(self.slope) > 1.0 - _NEARLY_DIAGONAL))

    @property
    def on_edge(self) -> BoolArray:
        """Segments that run along an edge between cells."""
        return np.asarray((self.slope == 0.0) & (self.offset == np.floor(self.offset)))


def _blocked(grid: OccupancyGrid, strips: _Strips) -> FloatArray:
    blocked = np.zeros(len(strips.base))
    counts, special = strips.counts, strips.special
    for rows, k in dense_blocks(counts.astype(np.int64)):
        part, upto = strips.some(rows), counts[rows]
        sides = _obstacle_sides(grid, part, k, special[rows])
        if k[-1] >= upto[0]:
            sides *= (k[:, None] < upto).view(np.uint8)
        blocked[rows] += _whole_strips(part, k, sides == 3)
        mixed = np.flatnonzero(sides - np.uint8(1) < 2)
        at = mixed // len(rows)
        which = mixed - at * len(rows)
        extent = _part_of_strips(grid, part, which, k[at])
        blocked[rows] += np.bincount(which, weights=extent, minlength=len(rows))
    return blocked


def _obstacle_sides(
    grid: OccupancyGrid, strips: _Strips, k: FloatArray, special: BoolArray
) -> NDArray[np.uint8]:
    """For each strip (K, S): 1 if the cell it is entered in is an obstacle, plus 2 for its last.

    Beyond the ends of a segment the line goes on, so one of the two may be a cell that it does not
    touch; the other one then is a cell that it does.
    """
    codes = grid.strip_codes[0 if strips.along == 1 else 1]
    edges = np.append(k, k[-1] + 1.0)
    found = codes.take(_edge_cells(strips, edges, strips.offset, codes.size), mode="clip")
    sides = found[:-1] & 1
    sides |= found[1:] & 2
    if special.any():
        apart = strips.some(special)
        inwards = np.where(apart.slope == 0.0, -0.5, np.sign(apart.slope) * _INWARDS)
        seen = sides[:, special]
        for sign, edge, bit in ((1.0, slice(None, -1), 1), (-1.0, slice(1, None), 2)):
            index = _edge_cells(apart, edges, apart.offset + sign * inwards, codes.size)
            seen &= ~np.uint8(bit)
            seen |= codes.take(index, mode="clip")[edge] & bit
        sides[:, special] = seen
    return np.asarray(sides)


def _edge_cells(strips: _Strips, edges: FloatArray, offset: FloatArray, size: int) -> IndexArray:
    """Flat index (K, S), in the walled map, of the cell just before each edge between strips."""
    kind = np.int32 if 2 * size < _LARGEST_INT32 else np.int64
    across = strips.slope * edges[:, None]
    across += offset + 1.0
    index: IndexArray = across.astype(kind)
    index *= strips.across
    index += (strips.base * strips.along).astype(kind)
    index += (edges * strips.along).astype(kind)[:, None]
    return index


def _whole_strips(strips: _Strips, k: FloatArray, inside: BoolArray) -> FloatArray:
    """Length of the strips (K, S) that lie wholly inside obstacles, the ends cut off."""
    extent: FloatArray = count_along(inside).astype(np.float64)
    if k[0] == 0.0:
        extent -= inside[0] * strips.begin
    whole_end = np.ceil(strips.end)
    last = whole_end - 1.0 - k[0]
    here = np.flatnonzero((last >= 0.0) & (last < len(k)))
    ends_inside = inside[last[here].astype(np.intp), here]
    extent[here] -= ends_inside * (whole_end[here] - strips.end[here])
    return extent


def _part_of_strips(
    grid: OccupancyGrid, strips: _Strips, row: NDArray[np.intp], k: FloatArray
) -> FloatArray:
    """Length inside obstacles of segment `row` in its strip `k`, where its two cells differ."""
    offset, slope = strips.offset[row], strips.slope[row]
    begin, end = np.maximum(k, strips.begin[row]), np.minimum(k + 1.0, strips.end[row])
    at_begin, at_end = on_edges(offset + slope * begin), on_edges(offset + slope * end)
    least, most = np.minimum(at_begin, at_end), np.maximum(at_begin, at_end)
    lower, upper = np.floor(least), np.ceil(most) - 1.0
    walled = grid.walled.ravel()
    along = (strips.base[row] + k + 1.0).astype(np.intp) * strips.along
    in_lower = walled[along + (lower + 1.0).astype(np.intp) * strips.across]
    in_upper = walled[along + (upper + 1.0).astype(np.intp) * strips.across]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(upper > lower, (upper - least) / (most - least), 1.0)
    inside = share * in_lower + (1.0 - share) * in_upper
    # Here the segment runs along an edge of cells: inside only where both sides are obstacles.
    inside = np.where(upper < lower, in_lower & in_upper, inside)
    return np.asarray(inside * (end - begin))
