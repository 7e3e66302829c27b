"""Poses, angles and the agent's local frame.

World: metres, right-handed, z up, yaw counter-clockwise from +x. Agent: x forward, y left, z up.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import DataError, UnknownNameError

FloatArray = NDArray[np.float64]


def wrap_angle(angle: ArrayLike) -> FloatArray:
    """Angles brought into ``[-pi, pi)``.

    Args:
        angle: Radians, any shape.

    Returns:
        float64 radians of the same shape.

    Example:
        >>> float(wrap_angle(np.deg2rad(270.0))) == float(np.deg2rad(270.0) - 2 * np.pi)
        True
    """
    values = np.asarray(angle, dtype=np.float64)
    turns = np.floor((values + math.pi) / (2.0 * math.pi))
    wrapped = values - 2.0 * math.pi * turns
    return np.asarray(np.where(wrapped >= math.pi, wrapped - 2.0 * math.pi, wrapped))


def yaw_of(pose: ArrayLike) -> FloatArray:
    """Heading of camera-to-world poses.

    ``yaw = atan2(R[1, 0], R[0, 0])``.

    Args:
        pose: (..., 3, 3) rotations or (..., 4, 4) transforms, camera to world.

    Returns:
        (...) float64 radians, counter-clockwise from world +x.

    Raises:
        DataError: The last two axes are neither 3x3 nor 4x4.

    Example:
        >>> float(yaw_of(np.eye(4)))
        0.0
    """
    matrix = np.asarray(pose, dtype=np.float64)
    if matrix.ndim < 2 or matrix.shape[-2:] not in ((3, 3), (4, 4)):
        raise DataError(
            f"expected 3x3 rotations or 4x4 poses, got shape {matrix.shape}", where="pose"
        )
    return np.asarray(np.arctan2(matrix[..., 1, 0], matrix[..., 0, 0]))


def heading(start_xy: ArrayLike, end_xy: ArrayLike) -> FloatArray:
    """Direction from one point to another.

    Args:
        start_xy: (..., 2) world metres.
        end_xy: (..., 2) world metres.

    Returns:
        (...) float64 radians, counter-clockwise from world +x; 0 where the points are equal.
    """
    delta = _vectors(end_xy, "end_xy") - _vectors(start_xy, "start_xy")
    return np.asarray(np.arctan2(delta[..., 1], delta[..., 0]))


def pose_from_xyz_rpy(
    x: float, y: float, z: float, roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0
) -> FloatArray:
    """Camera-to-world transform of a position and XYZ Euler angles.

    ``R = Rz(yaw) Ry(pitch) Rx(roll)``: rotations about the fixed world axes x, y, z in that order
    (scipy's extrinsic ``"xyz"``). With roll and pitch zero the heading is ``yaw``.

    Args:
        x: World metres.
        y: World metres.
        z: World metres.
        roll: Radians about x.
        pitch: Radians about y.
        yaw: Radians about z.

    Returns:
        (4, 4) float64.

    Raises:
        DataError: A number is not finite.

    Example:
        >>> float(yaw_of(pose_from_xyz_rpy(1, 2, 0, yaw=0.5)))
        0.5
    """
    values = (x, y, z, roll, pitch, yaw)
    if not all(math.isfinite(value) for value in values):
        raise DataError(f"expected finite x, y, z, roll, pitch, yaw, got {values}", where="pose")
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
            [-sp, cp * sr, cp * cr, z],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def local_to_world(front_left: ArrayLike, position_xy: ArrayLike, yaw: ArrayLike) -> FloatArray:
    """World points of agent-local ones.

    ``world = position + Rz(yaw) [front, left]``.

    Args:
        front_left: (..., 2) metres forward and left of the agent.
        position_xy: (2,) or (..., 2) the agent, world metres.
        yaw: Scalar or (...) the agent's heading, radians.

    Returns:
        (..., 2) float64 world metres.

    Example:
        >>> local_to_world([[1.0, 0.0]], (2.0, 3.0), 0.0).tolist()
        [[3.0, 3.0]]
    """
    local = _vectors(front_left, "front_left")
    return _rotated(local, np.asarray(yaw, dtype=np.float64)) + _vectors(position_xy, "position_xy")


def world_to_local(xy: ArrayLike, position_xy: ArrayLike, yaw: ArrayLike) -> FloatArray:
    """Agent-local ``[front, left]`` of world points, the inverse of `local_to_world`.

    Args:
        xy: (..., 2) world metres.
        position_xy: (2,) or (..., 2) the agent, world metres.
        yaw: Scalar or (...) the agent's heading, radians.

    Returns:
        (..., 2) float64 metres forward and left.
    """
    offset = _vectors(xy, "xy") - _vectors(position_xy, "position_xy")
    return _rotated(offset, -np.asarray(yaw, dtype=np.float64))


def waypoint_to_front_left(waypoints: ArrayLike, waypoint_frame: str) -> FloatArray:
    """Waypoints of a named frame as ``[front, left]``.

    Args:
        waypoints: (..., 2) metres in that frame.
        waypoint_frame: ``"front_left"`` (forward, left) or ``"right_front"`` (right, forward).

    Returns:
        (..., 2) float64 metres forward and left; never the caller's own array.

    Raises:
        UnknownNameError: The frame has no such name.

    Example:
        >>> waypoint_to_front_left([0.5, 2.0], "right_front").tolist()
        [2.0, -0.5]
    """
    convert = WAYPOINT_FRAMES.get(waypoint_frame)
    if convert is None:
        raise UnknownNameError("waypoint frame", waypoint_frame, WAYPOINT_FRAMES)
    return convert(_vectors(waypoints, "waypoints"))


def _from_front_left(waypoints: FloatArray) -> FloatArray:
    return np.array(waypoints)


def _from_right_front(waypoints: FloatArray) -> FloatArray:
    return np.stack([waypoints[..., 1], -waypoints[..., 0]], axis=-1)


WAYPOINT_FRAMES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "front_left": _from_front_left,
    "right_front": _from_right_front,
}


def _rotated(vectors: FloatArray, angle: FloatArray) -> FloatArray:
    cosine, sine = np.cos(angle), np.sin(angle)
    first, second = vectors[..., 0], vectors[..., 1]
    rotated = np.empty((*np.broadcast_shapes(cosine.shape, first.shape), 2))
    rotated[..., 0] = cosine * first - sine * second
    rotated[..., 1] = sine * first + cosine * second
    return rotated


def _vectors(values: ArrayLike, name: str) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != 2:
        raise DataError(f"expected vectors of shape (..., 2), got shape {array.shape}", where=name)
    return array
