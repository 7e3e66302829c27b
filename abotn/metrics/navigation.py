"""Was the goal reached, how near did the agent come, and by how long a way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from abotn.metrics.spec import metric
from abotn.units import Unit

FloatArray = NDArray[np.float64]

EMBODIED = "Anderson et al. 2018, arXiv:1807.06757"
BENCHMARK = "ABot-N1 technical report, arXiv:2607.10383"


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference=EMBODIED,
    category="navigation",
)
def success(success: FloatArray) -> FloatArray:
    """Share of tasks solved under the run's protocol.

    ``S``.

    Args:
        success: (N,) 1 where the task was solved, else 0.

    Returns:
        (N,) 0 or 1.

    Example:
        >>> success(np.array([1.0, 0.0])).tolist()
        [1.0, 0.0]

    Source: Anderson et al. 2018, arXiv:1807.06757.
    """
    return np.array(success, dtype=np.float64)


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference="Anderson et al. 2018, arXiv:1711.07280",
    category="navigation",
)
def oracle_success(
    min_distance_to_goal: FloatArray, pointgoal_arrive_threshold: FloatArray
) -> FloatArray:
    """Share of tasks on which the agent was at the goal at some time.

    ``dmin <= a``.

    Args:
        min_distance_to_goal: (N,) least XY distance to the goal over the trajectory, metres.
        pointgoal_arrive_threshold: (N,) arrival radius, metres.

    Returns:
        (N,) 0 or 1.

    Example:
        >>> oracle_success(np.array([0.5, 0.6]), np.array([0.5, 0.5])).tolist()
        [1.0, 0.0]

    Source: Anderson et al. 2018, arXiv:1711.07280, section 4.
    """
    reached = np.less_equal(min_distance_to_goal, pointgoal_arrive_threshold)
    return reached.astype(np.float64)


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference=BENCHMARK,
    aliases=("sr_new",),
    category="navigation",
    allowed={"collision_threshold": "[0, inf)"},
)
def success_new(
    success: FloatArray, path_collision_count: FloatArray, *, collision_threshold: float = 3
) -> FloatArray:
    """Share of tasks solved with fewer collisions than the threshold.

    ``S and k < c``.

    Args:
        success: (N,) 1 where the task was solved, else 0.
        path_collision_count: (N,) steps whose segment hit an obstacle.
        collision_threshold: ``c``, the first count that spoils a success.

    Returns:
        (N,) 0 or 1.

    Example:
        >>> success_new(np.array([1.0, 1.0]), np.array([2.0, 3.0])).tolist()
        [1.0, 0.0]

    Source: ABot-N1 technical report, arXiv:2607.10383 (SR<3col, SR<1col).
    """
    few = np.less(path_collision_count, collision_threshold)
    return np.where(few, success, 0.0)


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference=EMBODIED,
    category="navigation",
)
def spl(
    success: FloatArray, travel_length: FloatArray, shortest_path_length: FloatArray
) -> FloatArray:
    """Success weighted by path length.

    ``S l / max(p, l)``; the ratio is 1 where ``p = l = 0``.

    Args:
        success: (N,) 1 where the task was solved, else 0.
        travel_length: (N,) ``p``, XY length of the executed path, metres.
        shortest_path_length: (N,) ``l``, XY length of the reference path, metres.

    Returns:
        (N,) between 0 and ``success``; NaN where a length is negative.

    Example:
        >>> spl(np.array([1.0, 1.0, 0.0]), np.array([10.0, 20.0, 10.0]), np.full(3, 10.0)).tolist()
        [1.0, 0.5, 0.0]

    Source: Anderson et al. 2018, arXiv:1807.06757, equation 1.
    """
    return success * length_ratio(travel_length, shortest_path_length)


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference=BENCHMARK,
    category="navigation",
    allowed={"collision_threshold": "[0, inf)"},
)
def spl_new(
    success: FloatArray,
    path_collision_count: FloatArray,
    travel_length: FloatArray,
    shortest_path_length: FloatArray,
    *,
    collision_threshold: float = 3,
) -> FloatArray:
    """Success with few collisions, weighted by path length.

    ``success_new l / max(p, l)``; 0 where ``l <= 0``, as published.

    Args:
        success: (N,) 1 where the task was solved, else 0.
        path_collision_count: (N,) steps whose segment hit an obstacle.
        travel_length: (N,) ``p``, XY length of the executed path, metres.
        shortest_path_length: (N,) ``l``, XY length of the reference path, metres.
        collision_threshold: The first count that spoils a success.

    Returns:
        (N,) between 0 and ``spl``; NaN where the travelled length is negative.

    Example:
        >>> spl_new(np.ones(2), np.array([0.0, 3.0]), np.full(2, 20.0), np.full(2, 10.0)).tolist()
        [0.5, 0.0]

    Source: ABot-N1 technical report, arXiv:2607.10383.
    """
    counted = success_new(success, path_collision_count, collision_threshold=collision_threshold)
    ratio = length_ratio(travel_length, np.maximum(shortest_path_length, 0.0))
    return np.where(np.less_equal(shortest_path_length, 0), 0.0, counted * ratio)


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference="Datta et al. 2020, arXiv:2009.03231",
    category="navigation",
)
def soft_spl(
    success: FloatArray,
    distance_to_goal: FloatArray,
    initial_distance_to_goal: FloatArray,
    travel_length: FloatArray,
    shortest_path_length: FloatArray,
) -> FloatArray:
    """Progress towards the goal, weighted by path length.

    ``max(0, 1 - dT/d0) l / max(p, l)``; where ``d0 = 0`` the first factor is ``S``.

    Args:
        success: (N,) 1 where the task was solved, else 0; used where ``d0 = 0`` only.
        distance_to_goal: (N,) ``dT``, last XY distance to the goal, metres.
        initial_distance_to_goal: (N,) ``d0``, first XY distance to the goal, metres.
        travel_length: (N,) ``p``, XY length of the executed path, metres.
        shortest_path_length: (N,) ``l``, XY length of the reference path, metres.

    Returns:
        (N,) between 0 and 1; NaN where a length is negative.

    Example:
        >>> soft_spl(*(np.array([v]) for v in (0.0, 2.0, 8.0, 20.0, 10.0))).tolist()
        [0.375]

    Source: Datta et al. 2020, arXiv:2009.03231, section 4.
    """
    made = progress(success, distance_to_goal, initial_distance_to_goal)
    return np.asarray(made * length_ratio(travel_length, shortest_path_length))


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference="Datta et al. 2020, arXiv:2009.03231",
    category="navigation",
)
def progress(
    success: FloatArray, distance_to_goal: FloatArray, initial_distance_to_goal: FloatArray
) -> FloatArray:
    """Share of the first distance to the goal that was made good at the end.

    ``max(0, 1 - dT/d0)``; where ``d0 = 0`` it is ``S``.

    Args:
        success: (N,) 1 where the task was solved, else 0; used where ``d0 = 0`` only.
        distance_to_goal: (N,) ``dT``, last XY distance to the goal, metres.
        initial_distance_to_goal: (N,) ``d0``, first XY distance to the goal, metres.

    Returns:
        (N,) between 0 and 1; NaN where a distance is negative.

    Example:
        >>> progress(np.zeros(2), np.array([2.0, 9.0]), np.full(2, 8.0)).tolist()
        [0.75, 0.0]

    Source: the first factor of SoftSPL, Datta et al. 2020, arXiv:2009.03231.
    """
    at_goal = np.equal(initial_distance_to_goal, 0)
    start = np.where(at_goal, 1.0, initial_distance_to_goal)
    made = np.where(at_goal, success, np.maximum(0.0, 1.0 - distance_to_goal / start))
    negative = np.less(distance_to_goal, 0) | np.less(initial_distance_to_goal, 0)
    return np.where(negative, np.nan, made)


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference=EMBODIED,
    category="navigation",
)
def distance_to_goal(distance_to_goal: FloatArray) -> FloatArray:
    """Distance from the last position to the goal.

    ``dT``.

    Args:
        distance_to_goal: (N,) XY distance, metres.

    Returns:
        (N,) metres.

    Example:
        >>> distance_to_goal(np.array([0.25])).tolist()
        [0.25]

    Source: Anderson et al. 2018, arXiv:1807.06757.
    """
    return np.array(distance_to_goal, dtype=np.float64)


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="Anderson et al. 2018, arXiv:1711.07280",
    category="navigation",
)
def min_distance_to_goal(min_distance_to_goal: FloatArray) -> FloatArray:
    """Least distance to the goal over the trajectory.

    ``dmin``.

    Args:
        min_distance_to_goal: (N,) XY distance, metres.

    Returns:
        (N,) metres.

    Example:
        >>> min_distance_to_goal(np.array([0.25])).tolist()
        [0.25]

    Source: the oracle error of Anderson et al. 2018, arXiv:1711.07280, section 4.
    """
    return np.array(min_distance_to_goal, dtype=np.float64)


@metric(
    unit=Unit.NONE,
    better="lower",
    bounds=(0, 1),
    reference=EMBODIED,
    category="navigation",
)
def false_stop(declared_arrival: FloatArray, success: FloatArray) -> FloatArray:
    """Share of tasks on which arrival was declared and the task was not solved.

    ``declared and not S``.

    Args:
        declared_arrival: (N,) 1 where the agent declared arrival, else 0.
        success: (N,) 1 where the task was solved, else 0.

    Returns:
        (N,) 0 or 1.

    Example:
        >>> false_stop(np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])).tolist()
        [0.0, 1.0, 0.0]

    Source: the stop action of Anderson et al. 2018, arXiv:1807.06757, section 3.
    """
    return np.where(np.equal(success, 0), declared_arrival, 0.0)


def length_ratio(travel_length: FloatArray, shortest_path_length: FloatArray) -> FloatArray:
    """Return ``l / max(p, l)``, 1 where both are 0, NaN where one is negative."""
    longer = np.maximum(travel_length, shortest_path_length)
    ratio = np.where(longer > 0, shortest_path_length / np.where(longer > 0, longer, 1.0), 1.0)
    negative = np.less(travel_length, 0) | np.less(shortest_path_length, 0)
    return np.where(negative, np.nan, ratio)
