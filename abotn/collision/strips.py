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
    steep = np.abs(last[:, 1] - first[:, 1]) > np.abs(last[:, 0] - first[:, 0])
    flat, tall = np.flatnonzero(~steep), np.flatnonzero(steep)
    blocked[flat] = _blocked(grid, _Strips.of(first[flat], last[flat], 1, stride))
    blocked[tall] = _blocked(grid, _Strips.of(first[tall, ::-1], last[tall, ::-1], stride, 1))
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
    def of(cls, first: FloatArray, last: FloatArray, along: int, across: int) -> _Strips:
        """From ends (N, 2) whose first coordinate is the one on the longer axis."""
        back = first[:, 0] > last[:, 0]
        low, high = np.where(back, last[:, 0], first[:, 0]), np.where(back, first[:, 0], last[:, 0])
        base = np.floor(low)
        slope = (last[:, 1] - first[:, 1]) / (last[:, 0] - first[:, 0])
        offset = np.where(back, last[:, 1], first[:, 1]) - slope * (low - base)
        return cls(base, low - base, high - base, offset, slope, along, across)

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
        sides = _obstacle_sides(grid, strips, rows, k, special[rows])
        if k[-1] >= counts[rows[0]]:
            sides *= k[:, None] < counts[rows]
        blocked[rows] += _whole_strips(strips, rows, k, sides == 3)
        mixed = np.flatnonzero(sides - np.uint8(1) < 2)
        at = mixed // len(rows)
        which = mixed - at * len(rows)
        part = _part_of_strips(grid, strips, rows[which], k[at])
        blocked[rows] += np.bincount(which, weights=part, minlength=len(rows))
    return blocked


def _obstacle_sides(
    grid: OccupancyGrid,
    strips: _Strips,
    rows: NDArray[np.intp],
    k: FloatArray,
    special: BoolArray,
) -> NDArray[np.uint8]:
    """For each strip (K, S): 1 if the cell it is entered in is an obstacle, plus 2 for its last.

    Beyond the ends of a segment the line goes on, so one of the two may be a cell that it does not
    touch; the other one then is a cell that it does.
    """
    codes = grid.strip_codes[0 if strips.along == 1 else 1]
    edges = np.append(k, k[-1] + 1.0)
    found = codes.take(
        _edge_cells(strips, rows, edges, strips.offset[rows], codes.size), mode="clip"
    )
    sides = found[:-1] & 1
    sides |= found[1:] & 2
    if special.any():
        apart = rows[special]
        inwards = np.where(
            strips.slope[apart] == 0.0, -0.5, np.sign(strips.slope[apart]) * _INWARDS
        )
        seen = sides[:, special]
        for sign, part, bit in ((1.0, slice(None, -1), 1), (-1.0, slice(1, None), 2)):
            offset = strips.offset[apart] + sign * inwards
            index = _edge_cells(strips, apart, edges, offset, codes.size)
            seen &= ~np.uint8(bit)
            seen |= codes.take(index, mode="clip")[part] & bit
        sides[:, special] = seen
    return np.asarray(sides)


def _edge_cells(
    strips: _Strips, rows: NDArray[np.intp], edges: FloatArray, offset: FloatArray, size: int
) -> IndexArray:
    """Flat index (K, S), in the walled map, of the cell just before each edge between strips."""
    kind = np.int32 if 2 * size < _LARGEST_INT32 else np.int64
    across = strips.slope[rows] * edges[:, None]
    across += offset + 1.0
    index: IndexArray = across.astype(kind)
    index *= strips.across
    index += (strips.base[rows] * strips.along).astype(kind)
    index += (edges * strips.along).astype(kind)[:, None]
    return index


def _whole_strips(
    strips: _Strips, rows: NDArray[np.intp], k: FloatArray, inside: BoolArray
) -> FloatArray:
    """Length of the strips (K, S) that lie wholly inside obstacles, the ends cut off."""
    extent: FloatArray = count_along(inside).astype(np.float64)
    if k[0] == 0.0:
        extent -= inside[0] * strips.begin[rows]
    end = strips.end[rows]
    last = np.ceil(end) - 1.0 - k[0]
    here = np.flatnonzero((last >= 0.0) & (last < len(k)))
    ends_inside = inside[last[here].astype(np.intp), here]
    extent[here] -= ends_inside * (np.ceil(end[here]) - end[here])
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
