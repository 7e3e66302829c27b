"""Line collisions of many segments against one routine call per segment, side by side.

The straightforward routines follow the same rules with a handful of numpy calls each; every
measurement first checks that both give the same answers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.collision import OccupancyGrid, line_collisions
from abotn.geometry import MapGeometry

FloatArray = NDArray[np.float64]

SIZE = 4000
SEGMENTS = 100_000
BASELINE_SEGMENTS = 4_000
TURNS = 5
TARGET = 50.0


def measure(seed: int = 0) -> list[dict[str, Any]]:
    """Seconds for 100,000 segments, ours and one call per segment, on three kinds of map.

    Args:
        seed: Seed of the maps and segments.

    Returns:
        One row per map, step length and sampling: `name`, `ours_s`, `theirs_s`, `ratio`, `target`.
        `theirs_s` is measured on 4,000 of the segments and scaled. Both are processor time, the
        medians of five turns.
    """
    rng = np.random.default_rng(seed)
    maps = {"noise 10 %": _noise(rng), "blocks 30 %": _blocks(rng), "blocks and noise": _mixed(rng)}
    steps = {"steps 0.2..3 m": (0.2, 3.0, 0.0), "1 % up to 100 m": (0.2, 3.0, 0.01)}
    rows = []
    for map_name, free in maps.items():
        for metres in (0.05, 0.1):
            edge = SIZE * metres
            geometry = MapGeometry.from_corners((0, edge), (edge, edge), (0, 0), SIZE, SIZE)
            grid = OccupancyGrid(free, geometry)
            for step_name, (low, high, long) in steps.items():
                starts, ends = _segments(rng, edge, low, high, long)
                for sampling in ("exact", "published"):
                    name = f"{sampling}, {map_name}, {metres} m/px, {step_name}"
                    rows.append(_row(name, grid, starts, ends, sampling))
    return rows


def published_baseline(
    grid: OccupancyGrid, start: FloatArray, end: FloatArray
) -> tuple[bool, float]:
    """One segment by the published rule, on an axis-aligned map."""
    first, last = _pixel(grid, start), _pixel(grid, end)
    if first == last:
        hit = _near_obstacle(grid, *first)
    else:
        count = max(2, int(math.hypot(last[0] - first[0], last[1] - first[1]) / 2.0))
        u = np.linspace(first[0], last[0], count).astype(int)
        v = np.linspace(first[1], last[1], count).astype(int)
        hit = bool(_blocked(grid, u, v).any())
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    count = max(2, int(length / 0.05))
    x, y = np.linspace(start[0], end[0], count), np.linspace(start[1], end[1], count)
    u, v = _pixel(grid, (x, y))
    inside = _blocked(grid, u, v)[:-1]
    return hit, np.count_nonzero(inside) * length / (count - 1)


def exact_baseline(grid: OccupancyGrid, start: FloatArray, end: FloatArray) -> tuple[bool, float]:
    """One segment by the exact rule: sort its crossings, look up the cell of each piece."""
    (x0, y0), (x1, y1) = _place(grid, start), _place(grid, end)
    columns = np.arange(math.ceil(min(x0, x1)), math.floor(max(x0, x1)) + 1)
    rows = np.arange(math.ceil(min(y0, y1)), math.floor(max(y0, y1)) + 1)
    t = np.concatenate([[0.0, 1.0], (columns - x0) / (x1 - x0), (rows - y0) / (y1 - y0)])
    t.sort()
    middle = (t[:-1] + t[1:]) * 0.5
    u = np.floor(x0 + middle * (x1 - x0)).astype(int)
    v = np.floor(y0 + middle * (y1 - y0)).astype(int)
    share = float((t[1:] - t[:-1])[_blocked(grid, u, v)].sum())
    length = share * math.hypot(end[0] - start[0], end[1] - start[1])
    return length > 1e-9, length


def main() -> None:
    """Print the measurements."""
    for row in measure():
        print(
            f"{row['name']:58s} {row['ours_s'] * 1e3:8.1f} ms {row['theirs_s'] * 1e3:9.0f} ms "
            f"{row['ratio']:6.1f}x (target {row['target']:.0f}x)"
        )


def _row(
    name: str, grid: OccupancyGrid, starts: FloatArray, ends: FloatArray, sampling: str
) -> dict[str, Any]:
    hit, length = line_collisions(grid, starts, ends, sampling)
    routine = published_baseline if sampling == "published" else exact_baseline
    ours, theirs, others = [], [], list[tuple[bool, float]]()
    for turn in np.array_split(np.arange(BASELINE_SEGMENTS), TURNS):
        ours.append(_seconds(lambda: line_collisions(grid, starts, ends, sampling)))
        begin = time.process_time()
        others += [routine(grid, starts[i], ends[i]) for i in turn]
        theirs.append((time.process_time() - begin) * len(starts) / len(turn))
    _check(name, hit[:BASELINE_SEGMENTS], length[:BASELINE_SEGMENTS], others)
    ours_s, theirs_s = float(np.median(ours)), float(np.median(theirs))
    return {
        "name": name,
        "ours_s": ours_s,
        "theirs_s": theirs_s,
        "ratio": theirs_s / ours_s,
        "target": TARGET,
    }


def _check(
    name: str, hit: NDArray[np.bool_], length: FloatArray, others: list[tuple[bool, float]]
) -> None:
    other_hit = np.array([other[0] for other in others])
    other_length = np.array([other[1] for other in others])
    if not (hit == other_hit).all() or np.abs(length - other_length).max() > 1e-7:
        raise AssertionError(f"{name}: the two routines disagree")


def _seconds(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


def _place(grid: OccupancyGrid, xy: Any) -> tuple[Any, Any]:
    geometry = grid.geometry
    across, down = geometry.column_step[0] * SIZE, geometry.row_step[1] * SIZE
    x, y = (xy[0] - geometry.origin[0]) / across, (xy[1] - geometry.origin[1]) / down
    return x * SIZE, y * SIZE


def _pixel(grid: OccupancyGrid, xy: Any) -> tuple[Any, Any]:
    x, y = _place(grid, xy)
    return (x.astype(int), y.astype(int)) if isinstance(x, np.ndarray) else (int(x), int(y))


def _near_obstacle(grid: OccupancyGrid, u: int, v: int) -> bool:
    patch = grid.free[max(v - 2, 0) : max(v + 3, 0), max(u - 2, 0) : max(u + 3, 0)]
    outside = not (0 <= u < SIZE and 0 <= v < SIZE)
    return bool(outside or not patch.all())


def _blocked(
    grid: OccupancyGrid, column: NDArray[np.int64], row: NDArray[np.int64]
) -> NDArray[np.bool_]:
    height, width = grid.shape
    outside = (column < 0) | (column >= width) | (row < 0) | (row >= height)
    return outside | ~grid.free[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]


def _segments(
    rng: np.random.Generator, edge: float, low: float, high: float, long: float
) -> tuple[FloatArray, FloatArray]:
    starts = rng.uniform(0.0, edge, (SEGMENTS, 2))
    length = rng.uniform(low, high, SEGMENTS)
    length = np.where(rng.random(SEGMENTS) < long, rng.uniform(low, 100.0, SEGMENTS), length)
    angle = rng.uniform(-np.pi, np.pi, SEGMENTS)
    return starts, starts + length[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def _noise(rng: np.random.Generator) -> NDArray[np.bool_]:
    return rng.random((SIZE, SIZE)) > 0.1


def _blocks(rng: np.random.Generator) -> NDArray[np.bool_]:
    free = np.ones((SIZE, SIZE), dtype=np.bool_)
    for row, column, height, width in rng.integers(10, 200, (400, 4)) * [20, 20, 1, 1]:
        free[row : row + height, column : column + width] = False
    return free


def _mixed(rng: np.random.Generator) -> NDArray[np.bool_]:
    noise = _noise(rng)
    noise[:, SIZE // 4 :] = True
    return noise & _blocks(rng)


if __name__ == "__main__":
    main()
