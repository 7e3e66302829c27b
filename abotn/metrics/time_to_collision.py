"""How long until a collision, if all keep their velocity."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import EvaluationInputError
from abotn.metrics.arrays import as_number, as_numbers, as_path, as_paths, plain_array
from abotn.metrics.spec import metric
from abotn.units import Unit

FloatArray = NDArray[np.float64]

HAYWARD = "Hayward 1972, Near-miss determination through use of a scale of danger"


@metric(
    unit=Unit.SECOND,
    better="higher",
    bounds=(0, np.inf),
    reference=HAYWARD,
    aliases=("ttc",),
    category="safety",
    sample=True,
    allowed={"dt": "(0, inf)"},
)
def time_to_collision(
    ego_state: ArrayLike | Mapping[str, float],
    actor_state: ArrayLike | Mapping[str, float],
    *,
    dt: float | None = None,
) -> float:
    """Time until two discs touch if both keep their velocity.

    Smallest ``t >= 0`` with ``|d + v t| = r``, where ``d`` and ``v`` are the actor's position and
    velocity relative to the agent and ``r`` the sum of the radii.

    Args:
        ego_state: ``[x, y, vx, vy]`` or ``[x, y, vx, vy, radius]`` in metres and m/s, a mapping
            with those keys, or, with ``dt``, a path (T, 2) whose first step gives the velocity.
        actor_state: The same for the actor.
        dt: Time between the points of a path, seconds.

    Returns:
        Seconds; 0 where they touch, infinity where they never will.

    Raises:
        EvaluationInputError: a state is none of these, or a number is not finite.

    Example:
        >>> time_to_collision([0.0, 0.0, 1.0, 0.0], [10.0, 0.0, -1.0, 0.0, 2.0])
        4.0

    Source: Hayward 1972, Near-miss determination through use of a scale of danger.
    """
    ego, actor = _state(ego_state, dt, "ego_state"), _state(actor_state, dt, "actor_state")
    apart = actor - ego
    return float(contact_time(apart[:2], apart[2:4], float(ego[4] + actor[4])))


@metric(
    unit=Unit.SECOND,
    better="higher",
    bounds=(0, np.inf),
    reference=HAYWARD,
    category="safety",
    sample=True,
    shapes={"prediction": "T D", "dt": ""},
    allowed={"ego_radius": "[0, inf)", "actor_radius": "[0, inf)"},
)
def soft_ttc(
    prediction: ArrayLike,
    actor_trajs: Any,
    dt: float,
    *,
    ego_radius: float = 0.0,
    actor_radius: float = 0.0,
) -> float:
    """Least time to collision over a path, at every step as if all kept their velocity.

    ``min_{t,a} time_to_collision(p_t, q_{a,t})`` with velocities by finite differences, in XY.

    Args:
        prediction: (T, 2) or (T, 3) positions of the agent, metres, T >= 3.
        actor_trajs: One path (S, D), a stack (A, S, D) or a list of paths, S >= 3.
        dt: Time between points, seconds.
        ego_radius: Radius of the agent, metres.
        actor_radius: Radius of every actor, metres.

    Returns:
        Seconds; infinity where no collision is ahead, NaN for fewer than three points.

    Raises:
        EvaluationInputError: a shape does not match, a number is not finite, or ``dt <= 0``.

    Example:
        >>> path = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]
        >>> soft_ttc(path, [[[10.0, 0.0], [10.0, 0.0], [10.0, 0.0]]], 1.0)
        8.0

    Source: Hayward 1972, at every step.
    """
    path, step = as_path(prediction, "prediction")[:, :2], as_number(dt, "dt", above=True)
    reach = as_number(ego_radius, "ego_radius") + as_number(actor_radius, "actor_radius")
    actors = [actor[:, :2] for actor in as_paths(actor_trajs, "actor_trajs")]
    if min(map(len, [path, *actors])) < 3:
        return math.nan
    speed = np.gradient(path, step, axis=0, edge_order=2)
    least = math.inf
    for actor in actors:
        both = slice(0, min(len(path), len(actor)))
        relative = np.gradient(actor, step, axis=0, edge_order=2)[both] - speed[both]
        times = contact_time(actor[both] - path[both], relative, reach)
        least = min(least, float(times.min()))
    return least


def contact_time(apart: FloatArray, velocity: FloatArray, reach: float) -> FloatArray:
    """Return when ``|apart + velocity t| = reach`` for the first time, t >= 0.

    Args:
        apart: (..., 2) relative positions, metres.
        velocity: (..., 2) relative velocities, m/s.
        reach: Sum of the radii, metres.

    Returns:
        (...) seconds; 0 where they touch now, infinity where never.
    """
    gap = (apart**2).sum(axis=-1) - reach**2
    closing = -(apart * velocity).sum(axis=-1)
    square = closing**2 - (velocity**2).sum(axis=-1) * gap
    meets = (closing > 0) & (square >= 0)
    # The other form of the root subtracts nearly equal numbers when the discs just graze.
    bottom = np.where(meets, closing + np.sqrt(np.maximum(square, 0.0)), 1.0)
    return np.where(gap <= 0, 0.0, np.where(meets, gap / bottom, np.inf))


def _state(state: Any, dt: float | None, name: str) -> FloatArray:
    """Return ``[x, y, vx, vy, radius]``."""
    if isinstance(state, Mapping):
        missing = [key for key in ("x", "y", "vx", "vy") if key not in state]
        if missing:
            raise EvaluationInputError(f"lacks {', '.join(missing)}", where=name)
        values = [state[key] for key in ("x", "y", "vx", "vy")] + [state.get("radius", 0.0)]
        return as_numbers(values, name, axes="5")
    plain = plain_array(state)
    if np.ndim(plain) == 2:
        return _state_of_path(as_path(plain, name), dt, name)
    numbers = as_numbers(plain, name, axes="5")
    if len(numbers) not in (4, 5):
        raise EvaluationInputError(
            f"expected [x, y, vx, vy] or [x, y, vx, vy, radius], got {len(numbers)} numbers",
            where=name,
        )
    return numbers if len(numbers) == 5 else np.append(numbers, 0.0)


def _state_of_path(path: FloatArray, dt: float | None, name: str) -> FloatArray:
    if dt is None or len(path) < 2:
        raise EvaluationInputError(
            "a path gives a velocity only with dt and two points", where=name, hint="give dt"
        )
    step = as_number(dt, "dt", above=True)
    return np.concatenate([path[0, :2], (path[1, :2] - path[0, :2]) / step, [0.0]])
