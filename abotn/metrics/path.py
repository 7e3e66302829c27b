"""The path itself: its length, its economy, its likeness to the reference, its turns."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from abotn.geometry.paths import dtw_distance, path_length, total_turn
from abotn.metrics.navigation import EMBODIED, length_ratio
from abotn.metrics.spec import metric
from abotn.records.types import Trajectory
from abotn.units import Unit

FloatArray = NDArray[np.float64]

ILHARCO = "Ilharco et al. 2019, arXiv:1907.05446"


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference=EMBODIED,
    category="path",
)
def travel_length(travel_length: FloatArray) -> FloatArray:
    """Length of the executed path.

    ``p``.

    Args:
        travel_length: (N,) XY length, metres.

    Returns:
        (N,) metres.

    Example:
        >>> travel_length(np.array([12.5])).tolist()
        [12.5]

    Source: Anderson et al. 2018, arXiv:1807.06757.
    """
    return np.array(travel_length, dtype=np.float64)


@metric(
    unit=Unit.NONE,
    better="higher",
    bounds=(0, 1),
    reference=EMBODIED,
    category="path",
)
def path_efficiency(travel_length: FloatArray, shortest_path_length: FloatArray) -> FloatArray:
    """Length of the reference path over that of the executed one, whether solved or not.

    ``l / max(p, l)``; 1 where ``p = l = 0``. Read it beside ``success``: an agent that never
    moves has 1.

    Args:
        travel_length: (N,) ``p``, XY length of the executed path, metres.
        shortest_path_length: (N,) ``l``, XY length of the reference path, metres.

    Returns:
        (N,) between 0 and 1; NaN where a length is negative.

    Example:
        >>> path_efficiency(np.array([20.0, 5.0]), np.array([10.0, 10.0])).tolist()
        [0.5, 1.0]

    Source: the second factor of SPL, Anderson et al. 2018, arXiv:1807.06757.
    """
    return length_ratio(travel_length, shortest_path_length)


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference=ILHARCO,
    category="path",
    per_record=True,
)
def ndtw(trajectory: Trajectory, pointgoal_arrive_threshold: float) -> float:
    """Likeness of the executed path to the reference, by dynamic time warping.

    ``exp(-DTW(trajectory, reference) / (|reference| a))`` with ``|reference|`` the number of
    reference points.

    Args:
        trajectory: One attempt; its positions and reference are compared in world XY, metres.
        pointgoal_arrive_threshold: ``a``, arrival radius, metres.

    Returns:
        Between 0 and 1; 1 for the reference path itself; NaN without a usable reference or with
        ``a <= 0``.

    Source: Ilharco et al. 2019, arXiv:1907.05446, equation 3.
    """
    reference = trajectory.reference
    if len(reference) == 0 or len(trajectory.position) == 0 or pointgoal_arrive_threshold <= 0:
        return math.nan
    if not (np.isfinite(reference).all() and np.isfinite(trajectory.position).all()):
        return math.nan
    cost = dtw_distance(trajectory.position, reference)
    return math.exp(-cost / (len(reference) * float(pointgoal_arrive_threshold)))


@metric(
    unit=Unit.NONE,
    better="higher",
    failure_value=0.0,
    bounds=(0, 1),
    reference=ILHARCO,
    category="path",
    per_record=True,
)
def sdtw(success: float, trajectory: Trajectory, pointgoal_arrive_threshold: float) -> float:
    """Success weighted by likeness of the path to the reference.

    ``S ndtw``.

    Args:
        success: 1 where the task was solved, else 0.
        trajectory: One attempt.
        pointgoal_arrive_threshold: Arrival radius, metres.

    Returns:
        Between 0 and ``success``; NaN where ``ndtw`` is.

    Source: Ilharco et al. 2019, arXiv:1907.05446, section 4.
    """
    return float(success) * float(ndtw(trajectory, pointgoal_arrive_threshold))


@metric(
    unit=Unit.RADIAN_PER_METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="PROTOCOL section 9",
    category="path",
    per_record=True,
)
def smoothness(trajectory: Trajectory) -> float:
    """Turning per metre travelled.

    ``sum |yaw change| / sum |position change|``, each change of heading the short way round.

    Args:
        trajectory: One attempt; yaw in radians, positions in world metres.

    Returns:
        Radians per metre; NaN where the agent did not move.

    Source: total absolute heading change over path length.
    """
    travelled = path_length(trajectory.position)
    return total_turn(trajectory.yaw) / travelled if travelled > 0 else math.nan
