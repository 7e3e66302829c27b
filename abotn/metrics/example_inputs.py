"""Plausible values for the columns a metric may ask for, made from a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.records.types import Trajectory

Column = NDArray[Any]


def example_columns(
    names: Iterable[str],
    count: int,
    *,
    seed: int = 0,
    shapes: Mapping[str, str] | None = None,
) -> dict[str, Column]:
    """Return columns of ``count`` records, by name.

    The columns of the protocol agree with each other (no more collisions than steps, no more
    length inside obstacles than travelled); row 2 starts on its goal and does not move. A name
    with axes gets arrays of random walks, and one that is not known numbers between 0 and 10.

    Args:
        names: Columns wanted.
        count: N, number of records.
        seed: Seed of the values; one seed, one set of values.
        shapes: Axes of array inputs, as a metric declares them; ``T`` and ``S`` are 12, ``K`` is
            3, ``V`` 5 and ``D`` 2.

    Returns:
        (N,) arrays, float64 or of objects.

    Example:
        >>> columns = example_columns(["steps", "path_collision_count"], 5)
        >>> bool((columns["path_collision_count"] <= columns["steps"]).all())
        True
    """
    records = _records(np.random.default_rng([seed, 0]), count)
    columns = {}
    for name in names:
        rng = np.random.default_rng([seed, 1, *name.encode()])
        axes = (shapes or {}).get(name, "")
        if name in records:
            columns[name] = records[name]
        elif name in _OBJECTS:
            columns[name] = object_column([_OBJECTS[name](rng) for _ in range(count)])
        elif axes:
            columns[name] = object_column([_walks(rng, axes) for _ in range(count)])
        elif name in _NUMBERS:
            columns[name] = rng.uniform(*_NUMBERS[name], count)
        else:
            columns[name] = rng.uniform(0.0, 10.0, count)
    return columns


def example_trajectory(rng: np.random.Generator, *, steps: int = 12) -> Trajectory:
    """Return a trajectory of random steps of at most a metre, with a reference path."""
    position = np.zeros((steps + 1, 3))
    position[1:, :2] = np.cumsum(rng.uniform(-0.3, 1.0, (steps, 2)), axis=0)
    reference = np.linspace(position[0, :2], position[-1, :2], 9)
    goal = reference[-1]
    return Trajectory(
        position=position,
        yaw=rng.uniform(-np.pi, np.pi, steps + 1),
        waypoint=np.diff(position[:, :2], axis=0),
        executed_index=np.zeros(steps, dtype=np.int64),
        distance_to_goal=np.hypot(*(position[:, :2] - goal).T),
        collided=rng.random(steps) < 0.2,
        collision_length=np.zeros(steps),
        agent_seconds=rng.uniform(0.01, 0.2, steps),
        render_seconds=rng.uniform(0.01, 0.2, steps),
        reference=reference,
        goal=goal,
    )


def object_column(values: Sequence[Any]) -> Column:
    """Return a column of objects, arrays among them kept whole."""
    column = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        column[row] = value
    return column


def _records(rng: np.random.Generator, count: int) -> dict[str, Column]:
    success = (rng.random(count) < 0.6).astype(np.float64)
    steps = rng.integers(1, 100, count).astype(np.float64)
    travelled = rng.uniform(1.0, 60.0, count)
    shortest = travelled * rng.uniform(0.5, 1.1, count)
    start = shortest * rng.uniform(0.6, 1.0, count)
    last = np.where(success == 1, 0.3, start * rng.uniform(0.1, 1.5, count))
    moved = (np.arange(count) != 2).astype(np.float64)
    few = np.floor(np.minimum(steps, 6) * rng.random(count))
    return {
        "success": success,
        "declared_arrival": np.maximum(success, rng.integers(0, 2, count)),
        "steps": steps,
        "travel_length": travelled * moved,
        "total_distance": travelled * moved,
        "shortest_path_length": shortest * moved,
        "initial_distance_to_goal": start * moved,
        "distance_to_goal": last,
        "min_distance_to_goal": last * rng.uniform(0.2, 1.0, count),
        "pointgoal_arrive_threshold": np.full(count, 0.5),
        "path_collision_count": few,
        "collision_path_length": travelled * moved * rng.random(count),
        "collision_count": few,
        "collision_rate": few / steps,
        "max_consecutive_collision": few,
        "collision_terminated": (few > 2).astype(np.float64),
    }


def _walks(rng: np.random.Generator, axes: str) -> Column:
    shape = tuple(_SIZES.get(axis, 2) for axis in axes.split())
    return np.cumsum(rng.normal(0.3, 0.6, shape), axis=max(len(shape) - 2, 0))


def _actors(rng: np.random.Generator) -> list[Column]:
    return [_walks(rng, "T D") for _ in range(2)]


def _square(rng: np.random.Generator) -> Column:
    side = rng.uniform(1.0, 4.0)
    return side * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def _state(rng: np.random.Generator) -> Column:
    return np.concatenate([rng.uniform(-9.0, 9.0, 4), [4.0]])


_SIZES = {"T": 12, "S": 12, "K": 3, "V": 5, "D": 2}
_NUMBERS = {
    "dt": (0.1, 0.5),
    "ego_radius": (0.2, 1.0),
    "actor_radius": (0.2, 1.0),
    "max_accel": (1.0, 3.0),
    "max_jerk": (1.0, 3.0),
    "max_curvature": (0.1, 1.0),
}
_OBJECTS: dict[str, Callable[[np.random.Generator], Any]] = {
    "trajectory": example_trajectory,
    "actor_trajs": _actors,
    "actor_dims": lambda rng: [rng.uniform(0.5, 2.0, 2) for _ in range(2)],
    "actor_yaws": lambda rng: [rng.uniform(-3.0, 3.0, _SIZES["T"]) for _ in range(2)],
    "ego_dims": lambda rng: rng.uniform(0.5, 2.0, 2),
    "lane_boundary": _square,
    "drivable_polygons": lambda rng: [_square(rng)],
    "ego_state": _state,
    "actor_state": _state,
    "constraints": lambda rng: {"max_speed": rng.uniform(1.0, 9.0), "max_accel": 2.0},
}
