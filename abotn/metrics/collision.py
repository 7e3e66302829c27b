"""How often, for how long and how nearly a path ran into obstacles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abotn.metrics.bounds import TOLERANCE
from abotn.metrics.navigation import BENCHMARK, success_new
from abotn.metrics.spec import metric
from abotn.units import Unit

FloatArray = NDArray[np.float64]


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference=BENCHMARK,
    category="collision",
    allowed={"collision_threshold": "[0, inf)"},
)
def tcr_new(
    success: FloatArray,
    path_collision_count: FloatArray,
    steps: FloatArray,
    *,
    collision_threshold: float = 3,
) -> FloatArray:
    """Success with few collisions, weighted by the share of steps without one.

    ``success_new (n - k) / n``; 0 where ``n = 0``, undefined where ``k > n``.

    Args:
        success: (N,) 1 where the task was solved, else 0.
        path_collision_count: (N,) ``k``, steps whose segment hit an obstacle; at most ``n``.
        steps: (N,) ``n``, executed steps.
        collision_threshold: The first count that spoils a success.

    Returns:
        (N,) between 0 and 1.

    Example:
        >>> tcr_new(np.ones(2), np.array([1.0, 3.0]), np.full(2, 10.0)).tolist()
        [0.9, 0.0]

    Source: ABot-N1 technical report, arXiv:2607.10383.
    """
    counted = success_new(success, path_collision_count, collision_threshold=collision_threshold)
    return _weighted(counted, path_collision_count, steps)


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference=BENCHMARK,
    category="collision",
    allowed={"collision_threshold": "[0, inf)"},
)
def dcr_new(
    success: FloatArray,
    path_collision_count: FloatArray,
    collision_path_length: FloatArray,
    total_distance: FloatArray,
    *,
    collision_threshold: float = 3,
) -> FloatArray:
    """Success with few collisions, weighted by the share of the way outside obstacles.

    ``success_new (D - L) / D``; 0 where ``D = 0``, undefined where ``L > D``.

    Args:
        success: (N,) 1 where the task was solved, else 0.
        path_collision_count: (N,) steps whose segment hit an obstacle.
        collision_path_length: (N,) ``L``, length inside obstacles, metres; at most ``D``.
        total_distance: (N,) ``D``, length of the executed path, metres.
        collision_threshold: The first count that spoils a success.

    Returns:
        (N,) between 0 and 1.

    Example:
        >>> dcr_new(np.ones(1), np.ones(1), np.array([2.5]), np.array([10.0])).tolist()
        [0.75]

    Source: ABot-N1 technical report, arXiv:2607.10383.
    """
    counted = success_new(success, path_collision_count, collision_threshold=collision_threshold)
    return _weighted(counted, collision_path_length, total_distance)


@metric(
    unit=Unit.COUNT,
    better="lower",
    bounds=(0, np.inf),
    reference=BENCHMARK,
    category="collision",
)
def path_collision_count(path_collision_count: FloatArray) -> FloatArray:
    """Steps whose segment hit an obstacle.

    ``k``.

    Args:
        path_collision_count: (N,) count.

    Returns:
        (N,) count.

    Example:
        >>> path_collision_count(np.array([2.0])).tolist()
        [2.0]

    Source: ABot-N1 technical report, arXiv:2607.10383.
    """
    return np.array(path_collision_count, dtype=np.float64)


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference=BENCHMARK,
    aliases=("collision_path_length",),
    category="collision",
)
def collision_length(collision_path_length: FloatArray) -> FloatArray:
    """Length of the executed path inside obstacles.

    ``L``.

    Args:
        collision_path_length: (N,) metres.

    Returns:
        (N,) metres.

    Example:
        >>> collision_length(np.array([1.5])).tolist()
        [1.5]

    Source: ABot-N1 technical report, arXiv:2607.10383.
    """
    return np.array(collision_path_length, dtype=np.float64)


@metric(
    unit=Unit.NONE,
    better="lower",
    bounds=(0, 1),
    reference=BENCHMARK,
    category="collision",
    ratio=True,
)
def collision_path_ratio(
    collision_path_length: FloatArray, total_distance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Share of all metres travelled that lay inside obstacles.

    ``sum L / sum D`` over the records; a record whose ``L`` exceeds its ``D`` is undefined.

    Args:
        collision_path_length: (N,) ``L``, metres; at most ``D``.
        total_distance: (N,) ``D``, metres.

    Returns:
        (N,) numerators and (N,) denominators, metres.

    Example:
        >>> inside, travelled = collision_path_ratio(np.array([1.0, 0.0]), np.array([4.0, 6.0]))
        >>> float(inside.sum() / travelled.sum())
        0.1

    Source: ABot-N1 technical report, arXiv:2607.10383.
    """
    inside = np.where(_fits(collision_path_length, total_distance), collision_path_length, np.nan)
    return inside, np.array(total_distance, dtype=np.float64)


@metric(
    unit=Unit.NONE,
    better="lower",
    bounds=(0, 1),
    reference=BENCHMARK,
    category="collision",
)
def path_collision_task_rate(path_collision_count: FloatArray) -> FloatArray:
    """Share of tasks with at least one collision.

    ``k > 0``.

    Args:
        path_collision_count: (N,) steps whose segment hit an obstacle.

    Returns:
        (N,) 0 or 1.

    Example:
        >>> path_collision_task_rate(np.array([0.0, 4.0])).tolist()
        [0.0, 1.0]

    Source: ABot-N1 technical report, arXiv:2607.10383.
    """
    return np.greater(path_collision_count, 0).astype(np.float64)


@metric(
    unit=Unit.METRE,
    better="higher",
    bounds=(0, np.inf),
    reference="PROTOCOL section 9",
    category="collision",
)
def min_clearance(min_clearance: FloatArray) -> FloatArray:
    """Least distance from a pose of the trajectory to an obstacle.

    Args:
        min_clearance: (N,) as recorded, metres.

    Returns:
        (N,) metres; 0 where a pose lay on an obstacle.

    Example:
        >>> min_clearance(np.array([0.4])).tolist()
        [0.4]

    Source: the records of a run, from the distance transform of the undilated map.
    """
    return np.array(min_clearance, dtype=np.float64)


def _weighted(counted: FloatArray, blocked: FloatArray, total: FloatArray) -> FloatArray:
    """Return ``counted (total - blocked) / total``, 0 where total is 0.

    NaN where something counts and more is blocked than there is.
    """
    some = np.not_equal(total, 0)
    share = np.subtract(total, blocked) / np.where(some, total, 1.0)
    impossible = np.not_equal(counted, 0) & ~_fits(blocked, total)
    return np.where(some, np.where(impossible, np.nan, counted * share), 0.0)


def _fits(part: FloatArray, whole: FloatArray) -> NDArray[np.bool_]:
    """Return whether a part is at most its whole, but for rounding; NaN fits."""
    return ~np.greater(part, np.multiply(whole, 1.0 + TOLERANCE))
