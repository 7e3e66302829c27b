"""How far a path lies from another, how long it is and how much it bends."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import EvaluationInputError
from abotn.metrics.arrays import as_path, as_path_pair
from abotn.metrics.spec import metric
from abotn.units import Unit

FloatArray = NDArray[np.float64]

PAIR = {"prediction": "T D", "ground_truth": "T D"}
TWO_PATHS = {"prediction": "T D", "ground_truth": "S D"}
STANDSTILL = 1e-12


def pairwise_mean(prediction: FloatArray, ground_truth: FloatArray) -> FloatArray:
    """Return the mean distance of N pairs of paths, (N, T, D) each, as (N,)."""
    _require_like(prediction, ground_truth)
    return np.asarray(np.linalg.norm(prediction - ground_truth, axis=-1).mean(axis=-1))


def pairwise_last(prediction: FloatArray, ground_truth: FloatArray) -> FloatArray:
    """Return the distance of the ends of N pairs of paths, (N, T, D) each, as (N,)."""
    _require_like(prediction, ground_truth)
    return np.asarray(np.linalg.norm(prediction[:, -1] - ground_truth[:, -1], axis=-1))


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="Pellegrini et al. 2009, ICCV; Alahi et al. 2016, CVPR",
    aliases=("average_displacement_error",),
    category="trajectory",
    sample=True,
    shapes=PAIR,
    batch=pairwise_mean,
)
def ade(prediction: ArrayLike, ground_truth: ArrayLike) -> float:
    """Average displacement error: mean distance of points at the same time.

    ``mean_t |prediction_t - ground_truth_t|``.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres; index t is time.
        ground_truth: The same shape.

    Returns:
        Metres.

    Raises:
        EvaluationInputError: shapes differ, or a number is not finite.

    Example:
        >>> ade([[0.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 3.0]])
        2.0

    Source: Pellegrini et al. 2009, ICCV.
    """
    left, right = as_path_pair(prediction, ground_truth)
    return float(np.linalg.norm(left - right, axis=1).mean())


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="Alahi et al. 2016, CVPR",
    aliases=("final_displacement_error",),
    category="trajectory",
    sample=True,
    shapes=PAIR,
    batch=pairwise_last,
)
def fde(prediction: ArrayLike, ground_truth: ArrayLike) -> float:
    """Final displacement error: distance of the last points.

    ``|prediction_T - ground_truth_T|``.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres; index t is time.
        ground_truth: The same shape.

    Returns:
        Metres.

    Raises:
        EvaluationInputError: shapes differ, or a number is not finite.

    Example:
        >>> fde([[0.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 3.0]])
        3.0

    Source: Alahi et al. 2016, CVPR.
    """
    left, right = as_path_pair(prediction, ground_truth)
    return float(np.linalg.norm(left[-1] - right[-1]))


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="Hausdorff 1914, Grundzüge der Mengenlehre",
    category="trajectory",
    sample=True,
    shapes=TWO_PATHS,
)
def hausdorff_distance(prediction: ArrayLike, ground_truth: ArrayLike) -> float:
    """Largest distance from a point of one path to the nearest point of the other.

    ``max(max_t min_s |p_t - g_s|, max_s min_t |p_t - g_s|)``; the order of the points is ignored.

    Args:
        prediction: (T, D) positions, metres, D = 2 or 3.
        ground_truth: (S, D) positions, metres.

    Returns:
        Metres.

    Raises:
        EvaluationInputError: D differs, or a number is not finite.

    Example:
        >>> hausdorff_distance([[0.0, 0.0], [4.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]])
        3.0

    Source: computed by ``scipy.spatial.distance.directed_hausdorff``, both ways.
    """
    from scipy.spatial.distance import directed_hausdorff

    left, right = as_path_pair(prediction, ground_truth, same_length=False)
    return float(max(directed_hausdorff(left, right)[0], directed_hausdorff(right, left)[0]))


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="Eiter & Mannila 1994, CD-TR 94/64",
    category="trajectory",
    sample=True,
    shapes=TWO_PATHS,
)
def frechet_distance(prediction: ArrayLike, ground_truth: ArrayLike) -> float:
    """Discrete Fréchet distance: the shortest leash for walking both paths forward.

    ``D[i, j] = max(|p_i - g_j|, min(D[i-1, j], D[i, j-1], D[i-1, j-1]))``; the last entry.

    Args:
        prediction: (T, D) positions, metres, D = 2 or 3.
        ground_truth: (S, D) positions, metres.

    Returns:
        Metres. O(T S) time, O(T + S) memory.

    Raises:
        EvaluationInputError: D differs, or a number is not finite.

    Example:
        >>> frechet_distance([[0.0, 0.0], [2.0, 0.0]], [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
        1.4142135623730951

    Source: Eiter & Mannila 1994, CD-TR 94/64, table 1.
    """
    left, right = as_path_pair(prediction, ground_truth, same_length=False)
    return _leash(left, right) if len(left) <= len(right) else _leash(right, left)


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="arc length of a polyline",
    category="trajectory",
    sample=True,
    shapes={"prediction": "T D"},
)
def path_length(prediction: ArrayLike) -> float:
    """Length of a path, in all its coordinates.

    ``sum_t |p_{t+1} - p_t|``.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres.

    Returns:
        Metres; 0 for one point.

    Raises:
        EvaluationInputError: another shape, or a number is not finite.

    Example:
        >>> path_length([[0.0, 0.0], [3.0, 4.0]])
        5.0

    Source: arc length of a polyline.
    """
    steps = np.diff(as_path(prediction, "prediction"), axis=0)
    return float(np.linalg.norm(steps, axis=1).sum())


@metric(
    unit=Unit.PER_METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="curvature of a plane curve, finite differences",
    category="trajectory",
    sample=True,
    shapes={"prediction": "T D"},
)
def curvature(prediction: ArrayLike) -> FloatArray:
    """Curvature of a path in the XY plane at each of its points.

    ``|x' y'' - y' x''| / (x'^2 + y'^2)^1.5``, derivatives by central differences (second order at
    the ends) over points taken at equal times. A point at a standstill does not bend: 0.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres.

    Returns:
        (T,) 1/m; NaN for fewer than three points.

    Raises:
        EvaluationInputError: another shape, or a number is not finite.

    Example:
        >>> curvature([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]).tolist()
        [0.0, 0.0, 0.0]

    Source: differential geometry of plane curves.
    """
    points = as_path(prediction, "prediction")[:, :2]
    if len(points) < 3:
        return np.full(len(points), np.nan)
    first = np.gradient(points, axis=0, edge_order=2)
    second = np.gradient(first, axis=0, edge_order=2)
    speed = np.power(first[:, 0] ** 2 + first[:, 1] ** 2, 1.5)
    turn = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
    moving = speed > STANDSTILL
    return np.where(moving, turn / np.where(moving, speed, 1.0), 0.0)


@metric(
    unit=Unit.PER_METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="curvature of a plane curve, finite differences",
    category="trajectory",
    sample=True,
    shapes={"prediction": "T D"},
)
def mean_curvature(prediction: ArrayLike) -> float:
    """Mean of the curvature over the points of a path.

    ``mean_t curvature_t``.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres.

    Returns:
        1/m; NaN for fewer than three points.

    Raises:
        EvaluationInputError: another shape, or a number is not finite.

    Example:
        >>> angles = np.linspace(0.0, 1.0, 200)
        >>> round(mean_curvature(2 * np.stack([np.cos(angles), np.sin(angles)], axis=1)), 4)
        0.5

    Source: differential geometry of plane curves.
    """
    return float(np.mean(curvature(prediction)))


def _require_like(prediction: FloatArray, ground_truth: FloatArray) -> None:
    if prediction.shape != ground_truth.shape or prediction.ndim != 3:
        raise EvaluationInputError(
            f"expected two stacks (N, T, D), got {prediction.shape} and {ground_truth.shape}",
            where="ground_truth",
        )
    if prediction.shape[-1] not in (2, 3) or prediction.shape[1] == 0:
        raise EvaluationInputError(f"got paths of shape {prediction.shape}", where="prediction")


def _leash(short: FloatArray, long: FloatArray) -> float:
    """Entries with one i + j depend only on the two diagonals before, so each is one vector."""
    n, m = len(short), len(long)
    reverse = long[::-1]
    before = np.full(n + 1, np.inf)
    current = np.full(n + 1, np.inf)
    before[0] = 0.0
    for diagonal in range(n + m - 1):
        low, high = max(0, diagonal - m + 1), min(n - 1, diagonal)
        other = reverse[m - 1 - diagonal + low : m - diagonal + high]
        apart = np.linalg.norm(short[low : high + 1] - other, axis=1)
        best = np.minimum(current[low : high + 1], current[low + 1 : high + 2])
        best = np.minimum(best, before[low : high + 1])
        following = np.full(n + 1, np.inf)
        following[low + 1 : high + 2] = np.maximum(apart, best)
        before, current = current, following
    return float(current[n])
