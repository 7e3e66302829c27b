"""From an agent's answer to the pose that is executed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import AgentError, name_of, text_of
from abotn.geometry.frames import local_to_world, waypoint_to_front_left, wrap_angle

FloatArray = NDArray[np.float64]

# A shorter vector has no direction, and waypoints this far away are no step.
_SHORTEST = 1e-6
_FARTHEST = 1e6
# Texts and dates, and complex numbers, of which numpy would take a part in silence.
_NO_NUMBERS = "cSUmMV"


@dataclass(frozen=True)
class Answer:
    """A checked prediction in the agent frame ``[front, left]``.

    Attributes:
        waypoints: (N, 2) metres, N >= 1.
        turns: (N,) heading at each waypoint relative to the agent's, radians.
        arrive: Whether the agent declares arrival.
    """

    waypoints: FloatArray
    turns: FloatArray
    arrive: bool


@dataclass(frozen=True)
class Choice:
    """The pose a step executes.

    Attributes:
        index: Which of the predicted poses.
        xy: (2,) world metres.
        yaw: Radians.
        waypoint: (2,) the pose's place in the agent frame before the step, metres.
        distance: XY distance from the pose to the goal, metres.
        within_reach: Whether it was chosen because it lies within the arrival radius.
    """

    index: int
    xy: FloatArray
    yaw: float
    waypoint: FloatArray
    distance: float
    within_reach: bool


def read_answer(prediction: Any, waypoint_frame: str) -> Answer:
    """Check what an agent returned and bring it into ``[front, left]``.

    ``directions`` are ``[front, left]`` whatever the waypoint frame is, as in the published
    evaluator.

    Args:
        prediction: A ``WaypointPrediction``, or an object with its attributes.
        waypoint_frame: How the two numbers of a waypoint are read.

    Raises:
        AgentError: it has no waypoint, or one that is not finite or not of an accepted shape, or
            ``arrive`` is neither true nor false.
    """
    if not hasattr(prediction, "waypoint"):
        raise AgentError(
            f"predict() returned a {name_of(prediction)}, expected a WaypointPrediction"
        )
    given = _vectors(prediction.waypoint, "waypoint")
    waypoints = waypoint_to_front_left(given, waypoint_frame)
    directions = getattr(prediction, "directions", None)
    if directions is None:
        looks = _along(waypoints)
    else:
        looks = _vectors(directions, "directions")
        if looks.shape != waypoints.shape:
            raise AgentError(f"directions has {len(looks)} vectors for {len(waypoints)} waypoints")
    return Answer(waypoints, _angles(looks), _truth(getattr(prediction, "arrive", False)))


def choose_pose(
    answer: Answer,
    position_xy: FloatArray,
    yaw: float,
    goal_xy: FloatArray,
    *,
    execute_waypoint: int,
    auto_arrive_within: float | None,
) -> Choice:
    """Choose which of the predicted poses is executed.

    The first pose nearer to the goal than ``auto_arrive_within``; without one, the pose at
    ``execute_waypoint``, or the last where there are fewer.

    Args:
        answer: The agent's answer.
        position_xy: (2,) the agent, world metres.
        yaw: The agent's heading, radians.
        goal_xy: (2,) world metres.
        execute_waypoint: Index of the waypoint to execute.
        auto_arrive_within: Arrival radius, metres; None when the agent must say so itself.
    """
    places = local_to_world(answer.waypoints, position_xy, yaw)
    distances = np.hypot(places[:, 0] - goal_xy[0], places[:, 1] - goal_xy[1])
    near = np.flatnonzero(distances < (-1.0 if auto_arrive_within is None else auto_arrive_within))
    index = int(near[0]) if near.size else min(execute_waypoint, len(places) - 1)
    return Choice(
        index=index,
        xy=places[index],
        yaw=float(wrap_angle(yaw + answer.turns[index])),
        waypoint=answer.waypoints[index],
        distance=float(distances[index]),
        within_reach=bool(near.size),
    )


def _vectors(values: Any, name: str) -> FloatArray:
    try:
        given = np.asarray(values)
        if given.dtype.kind in _NO_NUMBERS:
            raise TypeError(given.dtype)
        array = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise AgentError(f"{name} must be numbers, got {text_of(values, 60)!r}") from error
    if array.shape == (2,):
        array = array[np.newaxis]
    if array.ndim != 2 or array.shape[1] != 2 or len(array) == 0:
        raise AgentError(f"{name} must have shape (2,), (1, 2) or (N, 2), got {array.shape}")
    if not np.isfinite(array).all():
        raise AgentError(f"{name} must be finite, got {array.tolist()}"[:300])
    if np.abs(array).max() > _FARTHEST:
        raise AgentError(f"{name} must lie within {_FARTHEST:g} m, got {array.tolist()}"[:300])
    return array


def _along(waypoints: FloatArray) -> FloatArray:
    """Each waypoint looks to the next one, the last back along the way to it."""
    before = np.zeros(2) if len(waypoints) == 1 else waypoints[-2]
    looks = np.empty_like(waypoints)
    looks[:-1] = np.diff(waypoints, axis=0)
    looks[-1] = waypoints[-1] - before
    return looks


def _angles(looks: FloatArray) -> FloatArray:
    lengths = np.hypot(looks[:, 0], looks[:, 1])
    return np.where(lengths > _SHORTEST, np.arctan2(looks[:, 1], looks[:, 0]), 0.0)


def _truth(value: Any) -> bool:
    """Read true, false, 1 or 0, alone or as the one element of an array; nothing else counts."""
    alone = getattr(value, "shape", None) in ((), (1,))
    given = value.item() if alone else value
    if not isinstance(given, int | float) or given not in (0, 1):
        raise AgentError(f"arrive must be true, false, 1 or 0, got {text_of(value, 60)!r}")
    return bool(given)
