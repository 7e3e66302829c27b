"""Start and goal pairs in free space, with collision-free reference paths."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.collision import GeodesicPath, OccupancyGrid
from abotn.errors import ConfigError
from abotn.geometry.frames import heading
from abotn.scenes.endpoints import EndpointSampler
from abotn.scenes.ground import ground_height
from abotn.scenes.task import Task

SPACING = 0.25

Span = tuple[float, float]


def sample_tasks(
    grid: OccupancyGrid,
    count: int,
    *,
    seed: int | np.random.Generator = 0,
    min_length: float = 2.0,
    max_length: float = 40.0,
    clearance: float = 0.3,
    height_map: NDArray[Any] | None = None,
    progress: Callable[[], None] | None = None,
) -> list[Task]:
    """Return tasks whose start and goal are free, apart by obstacles and reachable.

    Lengths are spread evenly over the range as far as the map allows; the reference path is the
    shortest one that keeps the clearance.

    Args:
        grid: The map.
        count: Number of tasks, ``traj_0`` to ``traj_{count - 1}``.
        seed: Seed, or a generator to draw from.
        min_length: Least length of a reference path, metres.
        max_length: Greatest length, metres.
        clearance: Least distance of a reference path from obstacles, metres.
        height_map: Ground height (rows, columns) in metres for the z of the path.
        progress: Called after each task.

    Raises:
        ConfigError: a count, length or clearance is out of range.
        DataError: the map has no such pairs; says what to change.
    """
    paths = sample_paths(
        grid,
        count,
        seed=seed,
        spans=[(min_length, max_length)],
        clearance=clearance,
        progress=progress,
    )
    return [
        reference_task(f"traj_{index}", path.points, grid, height_map)
        for index, path in enumerate(paths)
    ]


def sample_paths(
    grid: OccupancyGrid,
    count: int,
    *,
    seed: int | np.random.Generator,
    spans: Sequence[Span],
    clearance: float,
    progress: Callable[[], None] | None = None,
) -> list[GeodesicPath]:
    """Return shortest paths between random pairs; path ``i`` has a length in ``spans[i % len]``.

    Args:
        grid: The map.
        count: Number of paths.
        seed: Seed, or a generator to draw from.
        spans: (least, greatest) lengths in metres, taken in turn.
        clearance: Least distance of a path from obstacles, metres.
        progress: Called after each path.

    Raises:
        ConfigError: a count, length or clearance is out of range.
        DataError: the map has no such pairs; says what to change.
    """
    if count < 1:
        raise ConfigError(f"the number of tasks must be at least 1, got {count}")
    for span in spans:
        check_span(span)
    sampler = EndpointSampler(grid, clearance, np.random.default_rng(seed))
    paths = []
    for index in range(count):
        paths.append(sampler.path(spans[index % len(spans)]))
        if progress is not None:
            progress()
    return paths


def check_span(span: Span) -> None:
    """Refuse a range of lengths that holds none.

    Raises:
        ConfigError: a length is not finite, not positive, or the range is empty.
    """
    least, greatest = span
    if not (math.isfinite(least) and math.isfinite(greatest) and 0 < least < greatest):
        raise ConfigError(
            f"expected 0 < least length < greatest length, got {least} m and {greatest} m",
            hint="change --min-length or --max-length",
        )


def reference_task(
    task_id: str,
    points: ArrayLike,
    grid: OccupancyGrid,
    height_map: NDArray[Any] | None = None,
    *,
    goal_label: str = "",
    goal_id: str = "",
    instruction: str = "",
) -> Task:
    """Return the task of following a path.

    Args:
        task_id: Id of the task.
        points: (K, 2) corners of the path in world metres, start first.
        grid: The map, for its geometry.
        height_map: Ground height (rows, columns) in metres, or None for flat ground at 0.
        goal_label: Name of the goal; empty for a plain point.
        goal_id: Id of the goal element, where it has a name.
        instruction: What to tell the agent.
    """
    path = subdivided(np.asarray(points, dtype=np.float64), SPACING)
    yaws = _yaws(path)
    flat = np.zeros(len(path))
    z = flat if height_map is None else ground_height(path, height_map, grid.geometry)
    trajectory = [
        {
            "x": float(x),
            "y": float(y),
            "z": float(height),
            "roll": 0.0,
            "pitch": 0.0,
            "yaw": float(yaw),
        }
        for (x, y), height, yaw in zip(path, z, yaws, strict=True)
    ]
    extend: dict[str, Any] = {"start_point": _point(trajectory[0])}
    extend["end_point"] = _point(trajectory[-1])
    if goal_label:
        extend.update(goal_label=goal_label, el_unique_id=goal_id)
    return Task(task_id, trajectory, {"extend": extend}, instruction)


def subdivided(points: NDArray[np.float64], spacing: float) -> NDArray[np.float64]:
    """Return a path with further points so that neighbours are at most ``spacing`` apart.

    Every corner stays, so the length does not change and nothing is cut.

    Args:
        points: (K, 2) corners, metres, K >= 1.
        spacing: Greatest distance between neighbours, metres.

    Returns:
        float64 array (M, 2), M >= K.

    Example:
        >>> subdivided(np.array([[0.0, 0.0], [1.0, 0.0]]), 0.5).tolist()
        [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]]
    """
    pieces = [points[:1]]
    for start, end in itertools.pairwise(points):
        number = max(1, math.ceil(math.dist(start, end) / spacing))
        fractions = np.arange(1, number + 1)[:, None] / number
        pieces.append(start + fractions * (end - start))
    return np.concatenate(pieces)


def _yaws(path: NDArray[np.float64]) -> NDArray[np.float64]:
    """Direction to the next point; the last point keeps the one before it."""
    if len(path) < 2:
        return np.zeros(len(path))
    along = heading(path[:-1], path[1:])
    return np.append(along, along[-1])


def _point(pose: dict[str, float]) -> list[float]:
    return [round(pose[key], 4) + 0.0 for key in ("x", "y", "z")]
