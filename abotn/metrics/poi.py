"""POI-goal tasks: SPL to the edge of the arrival circle, and the collisions of poses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abotn.metrics.navigation import BENCHMARK, length_ratio
from abotn.metrics.spec import metric
from abotn.units import Unit

FloatArray = NDArray[np.float64]

POI_GOAL = ("poi_goal",)
LEAST_LENGTH = 0.001


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference=BENCHMARK,
    category="poi",
    task_types=POI_GOAL,
)
def poi_spl(
    success: FloatArray,
    travel_length: FloatArray,
    shortest_path_length: FloatArray,
    pointgoal_arrive_threshold: FloatArray,
) -> FloatArray:
    """Success weighted by path length, the way counted to the edge of the arrival circle.

    ``e = max(l - a, 0.001)``; ``S e / max(p, e)``; 0 where ``l <= 0``.

    Args:
        success: (N,) 1 where the task was solved, else 0.
        travel_length: (N,) ``p``, XY length of the executed path, metres.
        shortest_path_length: (N,) ``l``, XY length of the reference path to the POI, metres.
        pointgoal_arrive_threshold: (N,) ``a``, arrival radius, metres.

    Returns:
        (N,) between 0 and ``success``; NaN where the travelled length is negative.

    Example:
        >>> poi_spl(np.ones(1), np.array([16.0]), np.array([10.0]), np.array([2.0])).tolist()
        [0.5]

    Source: ABot-N1 technical report, arXiv:2607.10383 (POIBench SPL).
    """
    shortened = np.subtract(shortest_path_length, pointgoal_arrive_threshold)
    ratio = length_ratio(travel_length, np.maximum(shortened, LEAST_LENGTH))
    return np.where(np.less_equal(shortest_path_length, 0), 0.0, success * ratio)


@metric(
    unit=Unit.COUNT,
    better="lower",
    bounds=(0, np.inf),
    reference=BENCHMARK,
    category="poi",
    task_types=POI_GOAL,
)
def collision_count(collision_count: FloatArray) -> FloatArray:
    """Poses of a POI-goal task that hit an obstacle outside the arrival circle.

    Args:
        collision_count: (N,) as recorded.

    Returns:
        (N,) count.

    Example:
        >>> collision_count(np.array([2.0])).tolist()
        [2.0]

    Source: ABot-N1 technical report, arXiv:2607.10383.
    """
    return np.array(collision_count, dtype=np.float64)


@metric(
    unit=Unit.NONE,
    better="lower",
    bounds=(0, 1),
    reference=BENCHMARK,
    category="poi",
    task_types=POI_GOAL,
)
def collision_rate(collision_rate: FloatArray) -> FloatArray:
    """Share of the poses of a POI-goal task that hit an obstacle.

    Args:
        collision_rate: (N,) as recorded, between 0 and 1.

    Returns:
        (N,) between 0 and 1.

    Example:
        >>> collision_rate(np.array([0.1])).tolist()
        [0.1]

    Source: ABot-N1 technical report, arXiv:2607.10383.
    """
    return np.array(collision_rate, dtype=np.float64)


@metric(
    unit=Unit.COUNT,
    better="lower",
    bounds=(0, np.inf),
    reference=BENCHMARK,
    category="poi",
    task_types=POI_GOAL,
)
def max_consecutive_collision(max_consecutive_collision: FloatArray) -> FloatArray:
    """Longest run of poses of a POI-goal task that hit an obstacle.

    Args:
        max_consecutive_collision: (N,) as recorded.

    Returns:
        (N,) count.

    Example:
        >>> max_consecutive_collision(np.array([3.0])).tolist()
        [3.0]

    Source: ABot-N1 technical report, arXiv:2607.10383.
    """
    return np.array(max_consecutive_collision, dtype=np.float64)


@metric(
    unit=Unit.NONE,
    better="lower",
    bounds=(0, 1),
    reference=BENCHMARK,
    category="poi",
    task_types=POI_GOAL,
)
def collision_terminated(collision_terminated: FloatArray) -> FloatArray:
    """Share of POI-goal tasks that a collision ended.

    Args:
        collision_terminated: (N,) as recorded, 0 or 1.

    Returns:
        (N,) 0 or 1.

    Example:
        >>> collision_terminated(np.array([1.0])).tolist()
        [1.0]

    Source: ABot-N1 technical report, arXiv:2607.10383.
    """
    return np.array(collision_terminated, dtype=np.float64)
