"""The embedded renderer's three 640x720 views on one core, and what share is filling pixels."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from abotn.geometry.map_geometry import MapGeometry
from abotn.rendering.embedded import EmbeddedRenderer
from abotn.rendering.level_view import LevelView

MAPS = Path(__file__).resolve().parents[2] / "shared" / "data" / "maps"
REAL_MAPS = {"depot": 0.05, "tb3_sandbox": 0.05, "warehouse": 0.03}
POSES = 60
ROUNDS = range(5)
SIZE, METRES = 1000, 0.05
TARGET = "15 ms"

Place = tuple[str, NDArray[np.bool_], float, NDArray[np.float64] | None]


def measure(seed: int = 0) -> list[dict[str, Any]]:
    """Processor seconds for three views, one row per map.

    The median of five renders of each pose, and of those the median over random free poses.

    Args:
        seed: Seed of the generated maps and the poses.

    Returns:
        Rows of `name`, `ours_s`, `theirs_s`, `ratio`, `target` and `note`; there is nothing to
        compare with, so `theirs_s` and `ratio` are None. Real maps are left out where they are
        absent.
    """
    rng = np.random.default_rng(seed)
    with _one_core():
        return [_row(place, rng) for place in _places(rng)]


def main() -> None:
    """Print the measurements."""
    for row in measure():
        print(f"{row['name']:44s} {row['ours_s'] * 1e3:6.2f} ms  {row['note']}")


def _places(rng: np.random.Generator) -> Iterator[Place]:
    blocks = np.ones((SIZE, SIZE), dtype=np.bool_)
    for row, column, height, width in rng.integers(3, 60, (150, 4)) * [17, 17, 1, 1]:
        blocks[row : row + height, column : column + width] = False
    rows, columns = np.mgrid[:SIZE, :SIZE] * METRES
    hills = 0.8 * np.sin(columns / 6.0) + 0.6 * np.cos(rows / 7.0)
    yield f"blocks, {SIZE} x {SIZE}", blocks, METRES, None
    yield f"blocks on hills, {SIZE} x {SIZE}", blocks, METRES, hills
    for name, metres in REAL_MAPS.items():
        if (MAPS / f"{name}.pgm").is_file():
            grey = np.asarray(cv2.imread(str(MAPS / f"{name}.pgm"), cv2.IMREAD_GRAYSCALE))
            yield f"{name}, {grey.shape[1]} x {grey.shape[0]}", grey >= 250, metres, None


def _row(place: Place, rng: np.random.Generator) -> dict[str, Any]:
    name, free, metres, height = place
    rows, columns = free.shape
    corners = (0.0, rows * metres), (columns * metres, rows * metres), (0.0, 0.0)
    renderer = EmbeddedRenderer()
    geometry = MapGeometry.from_corners(*corners, columns, rows)
    added = _seconds(lambda: renderer.add_scene("place", free, geometry, height))
    poses = _poses(free, geometry, height, rng)
    renderer.render(poses[0], "place")
    with _timed_fill() as filling:
        runs = [
            [_seconds(partial(renderer.render, pose, "place")) for pose in poses] for _ in ROUNDS
        ]
    whole = np.median(runs, axis=0)
    share = sum(filling) / float(np.sum(runs))
    note = (
        f"pixel fill {share:.0%} of it; 90 % of poses below "
        f"{np.quantile(whole, 0.9) * 1e3:.1f} ms; adding the scene {added * 1e3:.0f} ms"
    )
    return {
        "name": f"three views, {name}",
        "ours_s": float(np.median(whole)),
        "theirs_s": None,
        "ratio": None,
        "target": TARGET,
        "note": note,
    }


def _poses(
    free: NDArray[np.bool_],
    geometry: MapGeometry,
    height: NDArray[np.float64] | None,
    rng: np.random.Generator,
) -> list[NDArray[np.float64]]:
    poses = []
    for row, column in rng.permutation(np.argwhere(free))[:POSES]:
        yaw = rng.uniform(-math.pi, math.pi)
        pose = np.eye(4)
        pose[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
        pose[:2, 3] = geometry.to_world([column + 0.5, row + 0.5])
        pose[2, 3] = 0.65 + (-0.1 if height is None else height[row, column])
        poses.append(pose)
    return poses


def _seconds(action: Callable[[], object]) -> float:
    """Processor time of all threads: on a core of its own, what the clock on the wall shows."""
    start = time.process_time()
    action()
    return time.process_time() - start


@contextmanager
def _timed_fill() -> Iterator[list[float]]:
    """Collect the seconds that each view's pixels take."""
    plain, seconds = LevelView.image, list[float]()

    def timed(view: LevelView, *arguments: Any) -> NDArray[np.uint8]:
        start = time.process_time()
        image = plain(view, *arguments)
        seconds.append(time.process_time() - start)
        return image

    LevelView.image = timed  # type: ignore[method-assign, assignment]
    try:
        yield seconds
    finally:
        LevelView.image = plain  # type: ignore[method-assign]


@contextmanager
def _one_core() -> Iterator[None]:
    """Keep this process on one core, where the system can, and cv2 on one thread."""
    threads = cv2.getNumThreads()
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    cv2.setNumThreads(1)
    if cores:
        os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        cv2.setNumThreads(threads)
        if cores:
            os.sched_setaffinity(0, cores)


if __name__ == "__main__":
    main()
