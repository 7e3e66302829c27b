"""How roughly a path is driven: accelerations and jerks of its positions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.geometry.paths import total_turn
from abotn.metrics.arrays import as_number, as_path
from abotn.metrics.spec import metric
from abotn.metrics.trajectory import STANDSTILL
from abotn.units import Unit

FloatArray = NDArray[np.float64]

DIFFERENCES = "second-order finite differences of positions"
ONE_PATH = {"prediction": "T D", "dt": ""}


@metric(
    unit=Unit.METRE_PER_SECOND2,
    better="lower",
    bounds=(0, np.inf),
    reference=DIFFERENCES,
    category="comfort",
    sample=True,
    shapes=ONE_PATH,
)
def acceleration(prediction: ArrayLike, dt: float) -> FloatArray:
    """Acceleration at each point of a path; reduced to its mean magnitude.

    ``p''`` by central differences applied twice, second order at the ends.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres, at equal times.
        dt: Time between points, seconds.

    Returns:
        (T, D) m/s^2; NaN for fewer than three points.

    Raises:
        EvaluationInputError: another shape, a number is not finite, or ``dt <= 0``.

    Example:
        >>> acceleration([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]], 1.0).tolist()
        [[2.0, 0.0], [2.0, 0.0], [2.0, 0.0]]

    Source: finite differences.
    """
    return _derivative(as_path(prediction, "prediction"), as_number(dt, "dt", above=True), 2)


@metric(
    unit=Unit.METRE_PER_SECOND3,
    better="lower",
    bounds=(0, np.inf),
    reference=DIFFERENCES,
    category="comfort",
    sample=True,
    shapes=ONE_PATH,
)
def jerk(prediction: ArrayLike, dt: float) -> FloatArray:
    """Jerk at each point of a path; reduced to its mean magnitude.

    ``p'''`` by central differences applied three times, second order at the ends.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres, at equal times.
        dt: Time between points, seconds.

    Returns:
        (T, D) m/s^3; NaN for fewer than four points.

    Raises:
        EvaluationInputError: another shape, a number is not finite, or ``dt <= 0``.

    Example:
        >>> jerk([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0], [9.0, 0.0]], 1.0).tolist()[0]
        [0.0, 0.0]

    Source: finite differences.
    """
    return _derivative(as_path(prediction, "prediction"), as_number(dt, "dt", above=True), 3)


@metric(
    unit=Unit.METRE2_PER_SECOND6,
    better="lower",
    bounds=(0, np.inf),
    reference="Flash & Hogan 1985, J. Neuroscience 5(7)",
    category="comfort",
    sample=True,
    shapes=ONE_PATH,
)
def jerk_cost(prediction: ArrayLike, dt: float) -> float:
    """Mean squared jerk.

    ``mean_t |p'''_t|^2``.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres, at equal times.
        dt: Time between points, seconds.

    Returns:
        m^2/s^6; NaN for fewer than four points.

    Raises:
        EvaluationInputError: another shape, a number is not finite, or ``dt <= 0``.

    Example:
        >>> jerk_cost([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [2.0, 0.0]], 1.0)
        1.0

    Source: the cost of Flash & Hogan 1985, J. Neuroscience 5(7), equation 1, as a mean over time.
    """
    return float(np.mean(np.sum(jerk(prediction, dt) ** 2, axis=1)))


@metric(
    unit=Unit.METRE_PER_SECOND2,
    better="lower",
    bounds=(0, np.inf),
    reference=DIFFERENCES,
    category="comfort",
    sample=True,
    shapes=ONE_PATH,
)
def max_acceleration(prediction: ArrayLike, dt: float) -> float:
    """Largest magnitude of the acceleration.

    ``max_t |p''_t|``.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres, at equal times.
        dt: Time between points, seconds.

    Returns:
        m/s^2; NaN for fewer than three points.

    Raises:
        EvaluationInputError: another shape, a number is not finite, or ``dt <= 0``.

    Example:
        >>> max_acceleration([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]], 1.0)
        2.0

    Source: finite differences.
    """
    return float(np.max(np.linalg.norm(acceleration(prediction, dt), axis=1)))


@metric(
    unit=Unit.METRE_PER_SECOND2,
    better="lower",
    bounds=(0, np.inf),
    reference="ISO 2631-1:1997, unweighted",
    category="comfort",
    sample=True,
    shapes=ONE_PATH,
)
def rms_acceleration(prediction: ArrayLike, dt: float) -> float:
    """Root mean square acceleration.

    ``sqrt(mean_t |p''_t|^2)``.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres, at equal times.
        dt: Time between points, seconds.

    Returns:
        m/s^2; NaN for fewer than three points.

    Raises:
        EvaluationInputError: another shape, a number is not finite, or ``dt <= 0``.

    Example:
        >>> rms_acceleration([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]], 1.0)
        2.0

    Source: ISO 2631-1:1997, 6.1, without frequency weights.
    """
    return float(np.sqrt(np.mean(np.sum(acceleration(prediction, dt) ** 2, axis=1))))


@metric(
    unit=Unit.METRE_PER_SECOND2,
    better="lower",
    bounds=(0, np.inf),
    reference=DIFFERENCES,
    category="comfort",
    sample=True,
    shapes=ONE_PATH,
)
def max_deceleration(prediction: ArrayLike, dt: float) -> float:
    """Hardest braking: the largest acceleration against the direction of motion.

    ``max_t max(0, -p''_t . p'_t / |p'_t|)``; points at a standstill have no direction and do not
    count.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres, at equal times.
        dt: Time between points, seconds.

    Returns:
        m/s^2; 0 for a path that never brakes, NaN for fewer than three points.

    Raises:
        EvaluationInputError: another shape, a number is not finite, or ``dt <= 0``.

    Example:
        >>> max_deceleration([[0.0, 0.0], [3.0, 0.0], [4.0, 0.0]], 1.0)
        2.0

    Source: finite differences.
    """
    path, step = as_path(prediction, "prediction"), as_number(dt, "dt", above=True)
    if len(path) < 3:
        return math.nan
    velocity = _derivative(path, step, 1)
    speed = np.linalg.norm(velocity, axis=1)
    moving = speed > STANDSTILL
    along = (_derivative(path, step, 2) * velocity).sum(axis=1) / np.where(moving, speed, 1.0)
    return float(np.maximum(-along, 0.0, where=moving, out=np.zeros(len(path))).max())


@metric(
    unit=Unit.NONE,
    better="higher",
    bounds=(0, 1),
    reference="RoboMetrics 0.3.1, smoothness_score",
    category="comfort",
    sample=True,
    shapes={"prediction": "T D"},
)
def smoothness_score(prediction: ArrayLike) -> float:
    """Smoothness of a path's shape, free of its scale and speed.

    ``1 / (1 + log(1 + q))`` with ``q`` the mean squared third difference of the points over their
    mean squared first difference.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres, at equal times.

    Returns:
        Between 0 and 1; NaN for fewer than four points.

    Raises:
        EvaluationInputError: another shape, or a number is not finite.

    Example:
        >>> smoothness_score([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
        1.0

    Source: RoboMetrics 0.3.1.
    """
    path = as_path(prediction, "prediction")
    if len(path) < 4:
        return math.nan
    steps = _mean_square(np.diff(path, axis=0))
    bends = _mean_square(np.diff(path, n=3, axis=0))
    if steps <= STANDSTILL:
        return 1.0 if bends <= STANDSTILL else 0.0
    return 1.0 / (1.0 + math.log1p(bends / steps))


@metric(
    unit=Unit.RADIAN_PER_METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="PROTOCOL section 9",
    category="comfort",
    sample=True,
    shapes={"prediction": "T D"},
)
def smoothness(prediction: ArrayLike) -> float:
    """Turning per metre travelled, the heading taken from the direction of motion.

    ``sum |heading change| / sum |position change|`` in XY, each change the short way round; points
    at which the path stands still have no heading and do not count.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres.

    Returns:
        Radians per metre; NaN for a path without length.

    Raises:
        EvaluationInputError: another shape, or a number is not finite.

    Example:
        >>> round(smoothness([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), 6)
        0.785398

    Source: ``smoothness`` of a recorded trajectory, which knows its headings.
    """
    steps = np.diff(as_path(prediction, "prediction")[:, :2], axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    moves = steps[lengths > 0]
    if len(moves) == 0:
        return math.nan
    return total_turn(np.arctan2(moves[:, 1], moves[:, 0])) / float(lengths.sum())


def velocity_of(path: FloatArray, dt: float) -> FloatArray:
    """Return (T, D) velocities of a path of at least two points, m/s."""
    return _derivative(path, dt, 1)


def _derivative(path: FloatArray, dt: float, order: int) -> FloatArray:
    """Return a derivative in time, (T, D); NaN where the path has too few points for it."""
    if len(path) <= order:
        return np.full_like(path, np.nan)
    for _ in range(order):
        path = np.gradient(path, dt, axis=0, edge_order=2 if len(path) > 2 else 1)
    return path


def _mean_square(vectors: FloatArray) -> float:
    return float(np.mean(np.sum(vectors**2, axis=1)))
