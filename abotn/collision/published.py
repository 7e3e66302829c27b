"""Line collisions as the published evaluator samples them.

Kept bit for bit where numbers must stay comparable; it misses obstacles thinner than two pixels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abotn.collision.batches import count_along, dense_blocks
from abotn.collision.coarse import surely_free
from abotn.collision.footprint import square_hits

if TYPE_CHECKING:
    from abotn.collision.grid import OccupancyGrid

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

PIXELS_PER_SAMPLE = 2.0
METRES_PER_SAMPLE = 0.05
SAME_PIXEL_HALF_SIZE = 2

# Segments with more samples than this are looked at only where they pass the map.
_LONG = 1 << 14

# Samples of each segment that are looked at before the rest of it.
_EARLY = 8

# Sample numbers beyond this are no longer exact in float64.
_MOST_SAMPLES = 2.0**53


def published_collisions(
    grid: OccupancyGrid, starts: FloatArray, ends: FloatArray
) -> tuple[BoolArray, FloatArray]:
    """`published_hits` and `published_lengths` of the same segments.

    Args:
        grid: The map.
        starts: (N, 2) finite world points, metres.
        ends: (N, 2) finite world points, metres.

    Returns:
        ``(hit, length)``: (N,) bool and (N,) float64 metres.
    """
    first, last = grid.geometry.to_map(starts), grid.geometry.to_map(ends)
    hit, length = np.zeros(len(first), dtype=np.bool_), np.zeros(len(first))
    near = np.flatnonzero(~surely_free(grid, first, last))
    hit[near] = published_hits(grid, starts[near], ends[near])
    length[near] = published_lengths(grid, starts[near], ends[near])
    return hit, length


def published_hits(
    grid: OccupancyGrid,
    starts: FloatArray,
    ends: FloatArray,
    pixels_per_sample: float = PIXELS_PER_SAMPLE,
) -> BoolArray:
    """Whether a sample of each segment lies on an obstacle or outside the map.

    Both ends are truncated to pixels; ``n = max(2, int(d_px / pixels_per_sample))`` samples of
    ``linspace`` between these pixels are truncated again. When both ends share a pixel, the square
    of half-size 2 pixels around it is looked at instead.

    Args:
        grid: The map.
        starts: (N, 2) finite world points, metres.
        ends: (N, 2) finite world points, metres.
        pixels_per_sample: Sampling interval, pixels.

    Returns:
        (N,) bool.
    """
    first = grid.geometry.published_pixel(starts)
    last = grid.geometry.published_pixel(ends)
    hit = grid.is_obstacle(first[:, 0], first[:, 1]) | grid.is_obstacle(last[:, 0], last[:, 1])
    same = (first[:, 0] == last[:, 0]) & (first[:, 1] == last[:, 1])
    alone = np.flatnonzero(same & ~hit)
    hit[alone] = square_hits(grid, first[alone], SAME_PIXEL_HALF_SIZE)
    apart = np.flatnonzero(~hit & ~same)
    start, delta = first[apart].astype(np.float64), (last - first)[apart].astype(np.float64)
    distance = np.hypot(delta[:, 0], delta[:, 1])
    intervals = np.maximum(2, (distance / pixels_per_sample).astype(np.int64)) - 1
    early = _obstacle_samples(grid, start, delta, intervals, end=_EARLY, in_world=False) > 0
    # Most segments that hit do so early, and then the rest of them does not matter.
    rest = np.flatnonzero(~early & (intervals > _EARLY))
    start, delta, intervals = start[rest], delta[rest], intervals[rest]
    late = _obstacle_samples(grid, start, delta, intervals, begin=_EARLY, in_world=False) > 0
    early[rest] = late
    hit[apart] = early
    return hit


def published_lengths(grid: OccupancyGrid, starts: FloatArray, ends: FloatArray) -> FloatArray:
    """Metres of each segment inside obstacles or outside the map, by samples 0.05 m apart.

    ``n = max(2, int(d / 0.05))`` samples lie evenly on the world line, ends included. A run of
    obstacle samples counts from its first sample to the first free one after it, or to the end:
    every obstacle sample but the last stands for one interval ``d / (n - 1)``.

    Args:
        grid: The map.
        starts: (N, 2) finite world points, metres.
        ends: (N, 2) finite world points, metres.

    Returns:
        (N,) float64 metres.
    """
    delta = ends - starts
    length = np.hypot(delta[:, 0], delta[:, 1])
    samples = np.minimum(length / METRES_PER_SAMPLE, _MOST_SAMPLES).astype(np.int64)
    intervals = np.maximum(2, samples) - 1
    inside = _obstacle_samples(grid, starts, delta, intervals, in_world=True)
    return np.asarray(inside * (length / intervals))


def _obstacle_samples(
    grid: OccupancyGrid,
    first: FloatArray,
    delta: FloatArray,
    intervals: NDArray[np.int64],
    *,
    in_world: bool,
    begin: int = 0,
    end: int | None = None,
) -> NDArray[np.int64]:
    """How many of the samples ``begin .. end - 1`` of ``linspace(first, first + delta,
    intervals + 1)``, the last left out, lie on an obstacle or outside the map.

    In a segment of very many samples those before `begin` may be among them.
    """
    found = np.zeros(len(first), dtype=np.int64)
    stop = intervals if end is None else np.minimum(intervals, end)
    step, stops = delta / intervals[:, None], stop.astype(np.float64)
    long = stop - begin > _LONG
    for row in np.flatnonzero(long):
        found[row] = _long_segment(grid, first[row], step[row], int(intervals[row]))
    for rows, k in dense_blocks(np.where(long, 0, np.maximum(stop - begin, 0))):
        k += begin
        at, upto = k[:, None], stops[rows]
        # The same operations in the same order as numpy.linspace, hence the same samples.
        x = step[rows, 0] * at
        x += first[rows, 0]
        y = step[rows, 1] * at
        y += first[rows, 1]
        if in_world:
            x, y = grid.geometry.columns_and_rows(x, y)
        obstacle = _obstacle_at(grid, x, y)
        if k[-1] >= upto[0]:
            obstacle &= at < upto
        found[rows] += count_along(obstacle)
    return found


def _long_segment(grid: OccupancyGrid, first: FloatArray, step: FloatArray, intervals: int) -> int:
    """`_obstacle_samples` of one segment in the world: every sample off the map counts unseen."""
    begin, end = _samples_near_map(grid, first, step, intervals)
    found = intervals - (end - begin)
    for low in range(begin, end, _LONG):
        k = np.arange(low, min(low + _LONG, end), dtype=np.float64)
        x, y = grid.geometry.columns_and_rows(step[0] * k + first[0], step[1] * k + first[1])
        found += int(np.count_nonzero(_obstacle_at(grid, x[:, None], y[:, None])))
    return found


def _samples_near_map(
    grid: OccupancyGrid, first: FloatArray, step: FloatArray, intervals: int
) -> tuple[int, int]:
    """Range of samples that holds all on the map."""
    places = grid.geometry.to_map(np.stack([first, first + step * intervals]))
    begin, end = 0.0, 1.0
    for start, stop, size in zip(places[0], places[1], grid.shape[::-1], strict=True):
        if start != stop:
            bounds = sorted(
                ((-2.0 - start) / (stop - start), (size + 2.0 - start) / (stop - start))
            )
            begin, end = max(begin, bounds[0]), min(end, bounds[1])
        elif not -2.0 <= start <= size + 2.0:
            return 0, 0
    if begin >= end:
        return 0, 0
    return max(int(begin * intervals) - 1, 0), min(int(end * intervals) + 2, intervals)


def _obstacle_at(grid: OccupancyGrid, columns: FloatArray, rows: FloatArray) -> BoolArray:
    """Whether truncated map coordinates (K, S) are obstacles; overwrites its arguments."""
    height, width = grid.shape
    stride = grid.walled.shape[1]
    # The samples of a line are extreme at its ends, so the first and last ones tell of all.
    if not _within(columns, width) or not _within(rows, height):
        np.clip(rows, -1, height, out=rows)
        np.clip(columns, -1, width, out=columns)
    index = rows.astype(np.intp)
    index *= stride
    index += columns.astype(np.intp)
    index += stride + 1
    return grid.walled.ravel().take(index, mode="clip").view(np.bool_)


def _within(samples: FloatArray, size: int) -> bool:
    ends = samples[:: max(1, len(samples) - 1)]
    return bool(ends.min() > -1.0 and ends.max() < size)
