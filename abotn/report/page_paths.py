"""Paths as short lists of whole numbers: centimetres, degrees, differences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.records.types import Trajectory

MOST_POSES = 300_000
MOST_REFERENCE_POINTS = 256


def stride_for(trajectories: Iterable[Trajectory | None], most: int = MOST_POSES) -> int:
    """Return every how many poses are kept so that all paths together have about ``most``."""
    poses = sum(len(one.position) for one in trajectories if one is not None)
    return max(1, -(-poses // most))


def encoded_path(trajectory: Trajectory, stride: int = 1) -> dict[str, Any] | None:
    """Return a trajectory for the page; None where not even its first position is finite.

    The first and the last pose are always kept, and a kept pose answers for the collisions of
    the steps that led to it. What follows a position that is not finite is left out.

    Args:
        trajectory: T steps.
        stride: Every how many poses are kept.

    Returns:
        ``at`` (K,) pose indices; ``xy`` 2 K centimetres, the first absolute, the others as
        differences; ``yaw`` (K,) degrees; ``d`` (K,) centimetres to the goal, None where not
        finite; ``hit`` indices into the kept poses whose step collided, and ``len`` centimetres
        inside obstacles for each.
    """
    count = _finite_poses(trajectory.position)
    if count == 0:
        return None
    kept = np.append(np.arange(0, count - 1, stride), count - 1)
    hits, lengths = _hits(trajectory, kept)
    yaw = np.nan_to_num(np.degrees(trajectory.yaw[kept]))
    return {
        "at": kept.tolist(),
        "xy": encoded_points(trajectory.position[kept, :2]),
        "yaw": (np.rint(yaw).astype(np.int64) % 360).tolist(),
        "d": centimetres(trajectory.distance_to_goal[kept]),
        "hit": hits,
        "len": lengths,
    }


def encoded_reference(reference: NDArray[np.float64]) -> list[int]:
    """Return a reference (N, 2) in metres as :func:`encoded_points`, thinned when it is long."""
    stride = max(1, -(-len(reference) // MOST_REFERENCE_POINTS))
    return encoded_points(np.concatenate([reference[:-1:stride], reference[-1:]]))


def encoded_points(points: ArrayLike) -> list[int]:
    """Return points (N, 2) in metres as 2 N centimetres: the first, then differences.

    Points that are not finite are left out.

    Example:
        >>> encoded_points([[1.0, 2.0], [1.5, 2.0]])
        [100, 200, 50, 0]
    """
    metres = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    whole = np.rint(metres[np.isfinite(metres).all(axis=1)] * 100).astype(np.int64)
    differences = np.diff(whole, axis=0, prepend=np.zeros((1, 2), np.int64))
    return [int(value) for value in differences.ravel()]


def centimetres(metres: NDArray[np.float64]) -> list[int | None]:
    """Return numbers of metres as whole centimetres, None where not finite."""
    finite = np.isfinite(metres)
    whole = np.rint(np.where(finite, metres, 0.0) * 100).astype(np.int64).tolist()
    return [one if known else None for one, known in zip(whole, finite.tolist(), strict=True)]


def _finite_poses(position: NDArray[np.float64]) -> int:
    broken = np.flatnonzero(~np.isfinite(position[:, :2]).all(axis=1))
    return int(broken[0]) if len(broken) else len(position)


def _hits(trajectory: Trajectory, kept: NDArray[np.int64]) -> tuple[list[int], list[int]]:
    """Return the kept poses reached by a collision, and the centimetres inside obstacles."""
    if len(kept) < 2:
        return [], []
    steps = slice(0, int(kept[-1]))
    collided = np.logical_or.reduceat(trajectory.collided[steps], kept[:-1])
    lengths = np.nan_to_num(trajectory.collision_length[steps])
    inside = np.add.reduceat(lengths, kept[:-1])
    hits = np.flatnonzero(collided)
    return (hits + 1).tolist(), np.rint(inside[hits] * 100).astype(np.int64).tolist()
