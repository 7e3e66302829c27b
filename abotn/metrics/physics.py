"""Does a path keep within what the vehicle can do?"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import EvaluationInputError
from abotn.metrics.arrays import as_number, as_path
from abotn.metrics.comfort import acceleration, jerk, velocity_of
from abotn.metrics.spec import metric
from abotn.metrics.trajectory import curvature
from abotn.units import Unit

FloatArray = NDArray[np.float64]


@metric(
    unit=Unit.METRE_PER_SECOND2,
    better="lower",
    bounds=(0, np.inf),
    reference="limit on the magnitude of the acceleration",
    category="physics",
    sample=True,
    shapes={"prediction": "T D", "dt": "", "max_accel": ""},
    threshold_from="max_accel",
)
def acceleration_limits_violated(prediction: ArrayLike, dt: float, max_accel: float) -> float:
    """Largest acceleration, passed where it keeps the limit.

    ``max_t |p''_t|``, to be compared with ``max_accel``.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres, at equal times.
        dt: Time between points, seconds.
        max_accel: The limit and pass mark, m/s^2.

    Returns:
        m/s^2; NaN for fewer than three points.

    Raises:
        EvaluationInputError: another shape, a number is not finite, ``dt <= 0``, or a negative
            limit.

    Example:
        >>> acceleration_limits_violated([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]], 1.0, 1.5)
        2.0

    Source: ``max_acceleration``.
    """
    as_number(max_accel, "max_accel")
    return _largest(acceleration(prediction, dt))


@metric(
    unit=Unit.METRE_PER_SECOND3,
    better="lower",
    bounds=(0, np.inf),
    reference="limit on the magnitude of the jerk",
    category="physics",
    sample=True,
    shapes={"prediction": "T D", "dt": "", "max_jerk": ""},
    threshold_from="max_jerk",
)
def jerk_limits_violated(prediction: ArrayLike, dt: float, max_jerk: float) -> float:
    """Largest jerk, passed where it keeps the limit.

    ``max_t |p'''_t|``, to be compared with ``max_jerk``.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres, at equal times.
        dt: Time between points, seconds.
        max_jerk: The limit and pass mark, m/s^3.

    Returns:
        m/s^3; NaN for fewer than four points.

    Raises:
        EvaluationInputError: another shape, a number is not finite, ``dt <= 0``, or a negative
            limit.

    Example:
        >>> jerk_limits_violated([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [2.0, 0.0]], 1.0, 0.5)
        1.0

    Source: the magnitude of ``jerk``.
    """
    as_number(max_jerk, "max_jerk")
    return _largest(jerk(prediction, dt))


@metric(
    unit=Unit.PER_METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="limit on the curvature",
    category="physics",
    sample=True,
    shapes={"prediction": "T D", "max_curvature": ""},
    threshold_from="max_curvature",
)
def curvature_limits_violated(prediction: ArrayLike, max_curvature: float) -> float:
    """Largest curvature, passed where it keeps the limit.

    ``max_t curvature_t``, to be compared with ``max_curvature``.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres.
        max_curvature: The limit and pass mark, 1/m.

    Returns:
        1/m; NaN for fewer than three points.

    Raises:
        EvaluationInputError: another shape, a number is not finite, or a negative limit.

    Example:
        >>> curvature_limits_violated([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], 0.2)
        0.0

    Source: ``curvature``.
    """
    as_number(max_curvature, "max_curvature")
    return float(np.max(curvature(prediction)))


@metric(
    unit=Unit.NONE,
    better="higher",
    bounds=(0, 1),
    reference="RoboMetrics 0.3.1, dynamic_feasibility_score",
    category="physics",
    sample=True,
    shapes={"prediction": "T D", "dt": ""},
)
def dynamic_feasibility_score(
    prediction: ArrayLike, dt: float, constraints: Mapping[str, float]
) -> float:
    """How far the worst limit is exceeded, as a score.

    ``1 / (1 + max_c max(0, observed_c / limit_c - 1))``.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres, at equal times.
        dt: Time between points, seconds.
        constraints: Limits among ``max_speed`` (m/s), ``max_accel`` (m/s^2), ``max_jerk`` (m/s^3)
            and ``max_curvature`` (1/m).

    Returns:
        1 where every limit is kept, 0 where a limit of 0 is not; NaN where the path has too few
        points for one of them.

    Raises:
        EvaluationInputError: another shape, a number is not finite, ``dt <= 0``, an unknown or a
            negative limit.

    Example:
        >>> path = [[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]]
        >>> dynamic_feasibility_score(path, 1.0, {"max_accel": 1.0})
        0.5

    Source: RoboMetrics 0.3.1.
    """
    path, step = as_path(prediction, "prediction"), as_number(dt, "dt", above=True)
    unknown = sorted(set(constraints) - set(_OBSERVED))
    if unknown:
        raise EvaluationInputError(
            f"unknown limit {', '.join(unknown)}",
            where="constraints",
            hint=f"known: {', '.join(_OBSERVED)}",
        )
    excess = 0.0
    for name, limit in constraints.items():
        bound = as_number(limit, f"constraints[{name!r}]")
        excess = float(np.maximum(excess, _excess(_OBSERVED[name](path, step), bound)))
    return 1.0 / (1.0 + excess)


def _excess(observed: float, limit: float) -> float:
    if limit == 0.0:
        return observed if np.isnan(observed) else (0.0 if observed == 0.0 else np.inf)
    return observed / limit - 1.0


def _largest(vectors: FloatArray) -> float:
    return float(np.max(np.linalg.norm(vectors, axis=1)))


def _top_speed(path: FloatArray, dt: float) -> float:
    return _largest(velocity_of(path, dt))


_OBSERVED: dict[str, Callable[[FloatArray, float], float]] = {
    "max_speed": _top_speed,
    "max_accel": lambda path, dt: _largest(acceleration(path, dt)),
    "max_jerk": lambda path, dt: _largest(jerk(path, dt)),
    "max_curvature": lambda path, dt: float(np.max(curvature(path))),
}
