"""How near a path comes to others at the same time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import EvaluationInputError
from abotn.metrics.arrays import as_number, as_numbers, as_path, as_paths, plain_array
from abotn.metrics.boxes import boxes_overlap
from abotn.metrics.spec import metric
from abotn.units import Unit

FloatArray = NDArray[np.float64]

DISCS = "overlap of discs at the same time"


@metric(
    unit=Unit.NONE,
    better="lower",
    bounds=(0, 1),
    reference=DISCS,
    category="safety",
    sample=True,
    shapes={"prediction": "T D", "ego_radius": "", "actor_radius": ""},
)
def collision_rate(
    prediction: ArrayLike, actor_trajs: Any, ego_radius: float, actor_radius: float
) -> float:
    """Share of the steps at which the agent's disc touches that of an actor.

    ``mean_t any_a |p_t - q_{a,t}| <= r_ego + r_actor`` over the steps at which an actor is there.

    Args:
        prediction: (T, 2) or (T, 3) positions of the agent, metres.
        actor_trajs: One path (S, D), a stack (A, S, D) or a list of paths; index t is the same
            time as the agent's.
        ego_radius: Radius of the agent, metres.
        actor_radius: Radius of every actor, metres.

    Returns:
        Between 0 and 1; 0 without actors.

    Raises:
        EvaluationInputError: a shape does not match, a number is not finite, or a radius is
            negative.

    Example:
        >>> collision_rate([[0.0, 0.0], [1.0, 0.0]], [[[0.0, 3.0], [1.0, 0.5]]], 0.5, 0.5)
        0.5

    Source: overlap of discs at the same time.
    """
    reach = as_number(ego_radius, "ego_radius") + as_number(actor_radius, "actor_radius")
    path, distances = _distances(prediction, actor_trajs)
    return _share_hit(len(path), [row <= reach for row in distances])


@metric(
    unit=Unit.NONE,
    better="lower",
    bounds=(0, 1),
    reference="Gottschalk et al. 1996, SIGGRAPH (separating axes)",
    category="safety",
    sample=True,
    shapes={"prediction": "T D", "ego_yaws": "T"},
)
def collision_rate_obb(
    prediction: ArrayLike,
    ego_dims: ArrayLike,
    ego_yaws: ArrayLike,
    actor_trajs: Any,
    actor_dims: Any,
    actor_yaws: Any,
) -> float:
    """Share of the steps at which the agent's box touches that of an actor.

    Boxes are rectangles in XY, centred on the position and turned by the yaw; they touch unless
    one of their four axes separates them.

    Args:
        prediction: (T, 2) or (T, 3) centres of the agent, metres.
        ego_dims: (2,) length and width, metres, or (T, 2).
        ego_yaws: (T,) headings, radians.
        actor_trajs: List of A paths (S, D), or one path, or a stack.
        actor_dims: A entries, each (2,) or (S, 2), metres.
        actor_yaws: A entries, each (S,), radians.

    Returns:
        Between 0 and 1; 0 without actors.

    Raises:
        EvaluationInputError: a shape does not match, a number is not finite, or a length is not
            positive.

    Example:
        >>> collision_rate_obb([[0.0, 0.0]], [4.0, 2.0], [0.0], [[[2.5, 0.0]]], [[2, 2]], [[0.0]])
        1.0

    Source: separating axes of Gottschalk et al. 1996, SIGGRAPH.
    """
    path = as_path(prediction, "prediction")[:, :2]
    ego = _boxes(ego_dims, ego_yaws, len(path), "ego_dims", "ego_yaws")
    actors = as_paths(actor_trajs, "actor_trajs")
    sizes = _one_each(actor_dims, len(actors), "actor_dims")
    yaws = _one_each(actor_yaws, len(actors), "actor_yaws")
    hits = []
    for index, actor in enumerate(actors):
        names = f"actor_dims[{index}]", f"actor_yaws[{index}]"
        size, yaw = _boxes(sizes[index], yaws[index], len(actor), *names)
        both = slice(0, min(len(path), len(actor)))
        mine = path[both], ego[0][both], ego[1][both]
        hits.append(boxes_overlap(*mine, actor[both, :2], size[both], yaw[both]))
    return _share_hit(len(path), hits)


@metric(
    unit=Unit.METRE,
    better="higher",
    bounds=(0, np.inf),
    reference="least distance at the same time",
    category="safety",
    sample=True,
    shapes={"prediction": "T D"},
)
def min_distance_to_actors(prediction: ArrayLike, actor_trajs: Any) -> float:
    """Least distance from the agent's centre to that of an actor at the same time.

    ``min_{t,a} |p_t - q_{a,t}|``.

    Args:
        prediction: (T, 2) or (T, 3) positions of the agent, metres.
        actor_trajs: One path (S, D), a stack (A, S, D) or a list of paths.

    Returns:
        Metres; infinity without actors.

    Raises:
        EvaluationInputError: a shape does not match, or a number is not finite.

    Example:
        >>> min_distance_to_actors([[0.0, 0.0], [1.0, 0.0]], [[[0.0, 3.0], [1.0, 0.5]]])
        0.5

    Source: least distance at the same time.
    """
    _, distances = _distances(prediction, actor_trajs)
    return min((float(row.min()) for row in distances), default=math.inf)


@metric(
    unit=Unit.NONE,
    better="lower",
    bounds=(0, 1),
    reference="RoboMetrics 0.3.1, near_miss_rate",
    category="safety",
    sample=True,
    shapes={"clearances": "T"},
    allowed={"threshold": "(0, inf)"},
)
def near_miss_rate(
    clearances: ArrayLike, *, threshold: float = 1.0, collision_mask: ArrayLike | None = None
) -> float:
    """Share of moments that were too close without being a collision.

    ``mean_t (clearance_t < threshold and not collided_t)``.

    Args:
        clearances: (T,) distances to the nearest obstacle or actor, metres.
        threshold: What is too close, metres.
        collision_mask: (T,) whether each moment was a collision; none was by default.

    Returns:
        Between 0 and 1.

    Raises:
        EvaluationInputError: shapes differ, a number is not finite, or ``threshold <= 0``.

    Example:
        >>> near_miss_rate([0.5, 0.0, 3.0, 2.0], collision_mask=[0, 1, 0, 0])
        0.25

    Source: RoboMetrics 0.3.1.
    """
    distances = as_numbers(clearances, "clearances", axes="T")
    near = distances < as_number(threshold, "threshold", above=True)
    if collision_mask is None:
        return float(near.mean())
    collided = as_numbers(collision_mask, "collision_mask", axes="T")
    if collided.shape != near.shape or not np.isin(collided, (0, 1)).all():
        raise EvaluationInputError(
            f"expected {len(near)} flags, got {collided.shape}", where="collision_mask"
        )
    return float((near & (collided == 0)).mean())


def _distances(prediction: ArrayLike, actor_trajs: Any) -> tuple[FloatArray, list[FloatArray]]:
    path = as_path(prediction, "prediction")
    actors = as_paths(actor_trajs, "actor_trajs")
    for index, actor in enumerate(actors):
        if actor.shape[1] != path.shape[1]:
            raise EvaluationInputError(
                f"expected D = {path.shape[1]} as in the prediction, got shape {actor.shape}",
                where=f"actor_trajs[{index}]",
            )
    shared = [min(len(path), len(actor)) for actor in actors]
    return path, [
        np.linalg.norm(path[:count] - actor[:count], axis=1)
        for actor, count in zip(actors, shared, strict=True)
    ]


def _share_hit(steps: int, hits: Sequence[NDArray[np.bool_]]) -> float:
    """Return the share of the steps with an actor at which one was hit; 0 without actors."""
    covered = max(map(len, hits), default=0)
    hit = np.zeros(steps, dtype=bool)
    for row in hits:
        hit[: len(row)] |= row
    return float(hit[:covered].mean()) if covered else 0.0


def _boxes(
    dims: ArrayLike, yaws: ArrayLike, count: int, dims_name: str, yaws_name: str
) -> tuple[FloatArray, FloatArray]:
    plain = plain_array(dims)
    size = as_numbers(plain, dims_name, axes="2" if np.ndim(plain) == 1 else "T 2")
    yaw = as_numbers(yaws, yaws_name, axes="T")
    if size.shape[-1] != 2 or (size.ndim == 2 and len(size) != count) or (size <= 0).any():
        raise EvaluationInputError(
            f"expected positive length and width, (2,) or ({count}, 2), got {size.shape}",
            where=dims_name,
        )
    if len(yaw) != count:
        raise EvaluationInputError(f"expected {count} yaws, got {len(yaw)}", where=yaws_name)
    return np.broadcast_to(size, (count, 2)), yaw


def _one_each(values: Any, count: int, name: str) -> list[Any]:
    plain = plain_array(values)
    found = len(plain) if isinstance(plain, list | np.ndarray) else type(values).__name__
    if found != count:
        raise EvaluationInputError(
            f"expected a list of one entry per actor, {count}, got {found}", where=name
        )
    return list(plain)
