"""Distances from one cell to all others, by a wave of whole buckets of cells."""

from __future__ import annotations

from math import hypot

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]

# Steps to sixteen neighbours as (rows, columns), with the cells each passes through besides its
# ends. A diagonal step goes through a corner, so one of the two cells beside it must be free.
_STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_KNIGHT = ((1, 2), (2, 1), (1, -2), (2, -1), (-1, 2), (-2, 1), (-1, -2), (-2, -1))

# Columns and rows of obstacles around the map, wide enough for the longest step.
_RING = 2

# A wave has a bucket for every short side along the way; beyond this ratio of the sides there are
# more buckets than cells in each, and cells are taken one by one instead.
_LONGEST_PIXEL = 8.0
_MOST_LONG_CELLS = 1_000_000

# Buckets are this much narrower than the shortest step, so that no step ends in the bucket it
# began in when its length is rounded.
_ROUNDING = 1e-6


def wave_distances(
    allowed: BoolArray, seed: tuple[int, int, float], column_metres: float, row_metres: float
) -> FloatArray:
    """Lengths of the shortest sixteen-neighbour paths to one cell.

    No step is shorter than a bucket is wide, so the distances within a bucket are final when its
    turn comes, and each bucket is a handful of array operations.

    Args:
        allowed: (rows, columns) bool, cells a path may use.
        seed: ``(row, column, metres)`` of the cell to begin at, and its own distance.
        column_metres: Width of a cell.
        row_metres: Height of a cell.

    Returns:
        (rows, columns) float64 metres; inf where no path leads.

    Raises:
        DataError: There are too many free cells for pixels that are far longer than wide.
    """
    padded = np.pad(allowed, _RING)
    steps = [
        (dr * padded.shape[1] + dc, hypot(dr * row_metres, dc * column_metres), bit)
        for bit, (dr, dc) in enumerate(_STRAIGHT + _DIAGONAL + _KNIGHT)
    ]
    distance = np.full(padded.size, np.inf)
    origin = (seed[0] + _RING) * padded.shape[1] + seed[1] + _RING
    if padded.ravel()[origin]:
        distance[origin] = seed[2]
        open_steps = _open_steps(padded).ravel()
        narrow, wide = sorted((column_metres, row_metres))
        if wide > _LONGEST_PIXEL * narrow:
            _check_long_cells(padded, column_metres, row_metres)
            distance = seed[2] + _one_by_one(open_steps, steps, origin)
        else:
            _spread(distance, open_steps, steps, origin, narrow)
    inner = distance.reshape(padded.shape)[_RING:-_RING, _RING:-_RING]
    return np.ascontiguousarray(inner)


def _check_long_cells(padded: BoolArray, column_metres: float, row_metres: float) -> None:
    count = int(np.count_nonzero(padded))
    if count > _MOST_LONG_CELLS:
        raise DataError(
            f"expected at most {_MOST_LONG_CELLS} free cells on a map whose pixels are "
            f"{column_metres:g} x {row_metres:g} m, got {count}",
            where="map corners",
            hint="resample the map to pixels that are about square",
        )


def _one_by_one(
    open_steps: NDArray[np.uint16], steps: list[tuple[int, float, int]], origin: int
) -> FloatArray:
    """Distances of all cells from one of them by Dijkstra's algorithm."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    cells = np.flatnonzero(open_steps).astype(np.int32)
    ways = open_steps[cells]
    offsets = np.array([offset for offset, _, _ in steps], dtype=np.int32)
    costs = np.array([cost for _, cost, _ in steps])
    number = np.zeros(open_steps.size, dtype=np.int32)
    number[cells] = np.arange(len(cells), dtype=np.int32)
    is_open = (ways[:, None] & (np.uint16(1) << np.arange(len(steps), dtype=np.uint16))) != 0
    at, step = np.nonzero(is_open)
    ends = np.append(0, np.cumsum(is_open.sum(axis=1)))
    found = np.full(open_steps.size, np.inf)
    found[origin] = 0.0
    if open_steps[origin]:
        to = number[cells[at] + offsets[step]]
        links = csr_matrix((costs[step], to, ends), shape=(len(cells), len(cells)))
        found[cells] = dijkstra(links, indices=number[origin])
    return found


def _spread(
    distance: FloatArray,
    open_steps: NDArray[np.uint16],
    steps: list[tuple[int, float, int]],
    origin: int,
    width: float,
) -> None:
    begin = float(distance[origin])
    width *= 1.0 - _ROUNDING
    waiting: dict[int, list[NDArray[np.intp]]] = {0: [np.array([origin])]}
    stamp = np.zeros(distance.size, dtype=np.int32)
    longest = max(cost for _, cost, _ in steps)
    last = int(longest / width) + 1
    bucket = 0
    while waiting:
        cells = _once(waiting.pop(bucket, []), stamp)
        level = np.floor((distance[cells] - begin) / width).astype(np.int64)
        cells = cells[level == bucket]
        reached = _relax(distance, open_steps, steps, cells)
        if reached.size:
            ahead = np.floor((distance[reached] - begin) / width).astype(np.int64) - bucket
            for later in range(1, last + 1):
                part = reached[ahead == later]
                if part.size:
                    waiting.setdefault(bucket + later, []).append(part)
        bucket += 1


def _relax(
    distance: FloatArray,
    open_steps: NDArray[np.uint16],
    steps: list[tuple[int, float, int]],
    cells: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Improve the neighbours of final cells; returns those improved, some more than once."""
    ways, here = open_steps[cells], distance[cells]
    improved = []
    for offset, cost, bit in steps:
        to = cells + offset
        better = (ways & np.uint16(1 << bit) != 0) & (here + cost < distance[to])
        to = to[better]
        distance[to] = here[better] + cost
        improved.append(to)
    return np.concatenate(improved)


def _once(parts: list[NDArray[np.intp]], stamp: NDArray[np.int32]) -> NDArray[np.intp]:
    """The cells of all parts, each once: of those that wrote to one place the last one stays."""
    if not parts:
        return np.empty(0, dtype=np.intp)
    cells = np.concatenate(parts)
    numbers = np.arange(len(cells), dtype=np.int32)
    stamp[cells] = numbers
    return np.asarray(cells[stamp[cells] == numbers])


def _open_steps(padded: BoolArray) -> NDArray[np.uint16]:
    """For each cell one bit per step, set where every cell on the way is allowed."""
    bits = np.zeros(padded.shape, dtype=np.uint16)
    for bit, (dr, dc) in enumerate(_STRAIGHT + _DIAGONAL + _KNIGHT):
        if (dr, dc) in _STRAIGHT:
            passable = _moved(padded, dr, dc)
        elif (dr, dc) in _DIAGONAL:
            passable = _moved(padded, dr, dc) & (_moved(padded, dr, 0) | _moved(padded, 0, dc))
        else:
            half_r, half_c = int(dr / 2), int(dc / 2)
            beside = _moved(padded, half_r, half_c) & _moved(padded, dr - half_r, dc - half_c)
            passable = _moved(padded, dr, dc) & beside
        bits |= (passable & padded).astype(np.uint16) << np.uint16(bit)
    return bits


def _moved(cells: BoolArray, rows: int, columns: int) -> BoolArray:
    """The value each cell finds so many rows down and columns to the right."""
    return np.roll(cells, (-rows, -columns), axis=(0, 1))
