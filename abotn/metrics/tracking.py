"""Errors of following a reference path, along it and across it, and after alignment."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import EvaluationInputError
from abotn.metrics.arrays import as_path_pair
from abotn.metrics.spec import metric
from abotn.metrics.trajectory import PAIR, STANDSTILL
from abotn.units import Unit

FloatArray = NDArray[np.float64]

ALIGNMENTS = ("none", "rigid", "similarity")


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="Frenet frame of the reference path",
    category="trajectory",
    sample=True,
    shapes=PAIR,
)
def lateral_error(prediction: ArrayLike, ground_truth: ArrayLike) -> float:
    """Mean distance across the reference path, of points at the same time.

    ``mean_t |t_t x (p_t - g_t)|`` with ``t_t`` the unit tangent of the reference in XY: the
    direction from the point before to the point after, one-sided at the ends. Where it stands
    still there is no direction and the whole distance counts.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres.
        ground_truth: The same shape; the reference.

    Returns:
        Metres.

    Raises:
        EvaluationInputError: shapes differ, or a number is not finite.

    Example:
        >>> lateral_error([[0.5, 1.0], [1.5, 1.0]], [[0.0, 0.0], [1.0, 0.0]])
        1.0

    Source: Frenet frame of the reference path.
    """
    offset, tangent, standing = _frenet(prediction, ground_truth)
    across = np.abs(tangent[:, 0] * offset[:, 1] - tangent[:, 1] * offset[:, 0])
    return float(np.where(standing, np.linalg.norm(offset, axis=1), across).mean())


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="Frenet frame of the reference path",
    category="trajectory",
    sample=True,
    shapes=PAIR,
)
def longitudinal_error(prediction: ArrayLike, ground_truth: ArrayLike) -> float:
    """Mean distance along the reference path, of points at the same time.

    ``mean_t |t_t . (p_t - g_t)|`` with ``t_t`` as in ``lateral_error``; 0 where the reference
    stands still, as the whole distance counts as lateral there.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres.
        ground_truth: The same shape; the reference.

    Returns:
        Metres.

    Raises:
        EvaluationInputError: shapes differ, or a number is not finite.

    Example:
        >>> longitudinal_error([[0.5, 1.0], [1.5, 1.0]], [[0.0, 0.0], [1.0, 0.0]])
        0.5

    Source: Frenet frame of the reference path.
    """
    offset, tangent, _ = _frenet(prediction, ground_truth)
    return float(np.abs((offset * tangent).sum(axis=1)).mean())


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="Sturm et al. 2012, IROS",
    aliases=("ate",),
    category="trajectory",
    sample=True,
    shapes=PAIR,
    allowed={"align": ALIGNMENTS},
)
def ape(prediction: ArrayLike, ground_truth: ArrayLike, *, align: str = "rigid") -> float:
    """Absolute position error: root mean square distance after alignment.

    ``sqrt(mean_t |A p_t - g_t|^2)`` with ``A`` the least-squares motion of the whole path.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres.
        ground_truth: The same shape.
        align: ``"rigid"`` (rotation and translation), ``"similarity"`` (and scale) or ``"none"``.

    Returns:
        Metres; NaN for one point, unless ``align="none"``, and for a path of one place that is
        to be scaled.

    Raises:
        EvaluationInputError: shapes differ, a number is not finite, or another ``align``.

    Example:
        >>> round(ape([[0.0, 0.0], [0.0, 1.0], [0.0, 3.0]], [[5.0, 0], [6.0, 0], [8.0, 0]]), 9)
        0.0

    Source: absolute trajectory error of Sturm et al. 2012, IROS; alignment of Umeyama 1991,
    equations 40 to 42.
    """
    left, right = _aligned(prediction, ground_truth, align)
    return float(np.sqrt(np.mean(np.sum((left - right) ** 2, axis=1))))


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="Sturm et al. 2012, IROS",
    category="trajectory",
    sample=True,
    shapes=PAIR,
    allowed={"delta": "[1, inf)", "align": ALIGNMENTS},
)
def rpe(
    prediction: ArrayLike, ground_truth: ArrayLike, *, delta: int = 1, align: str = "rigid"
) -> float:
    """Relative position error: root mean square error of displacements, after alignment.

    ``sqrt(mean_t |(A p_{t+d} - A p_t) - (g_{t+d} - g_t)|^2)``; positions only, so displacements
    are compared in the frame of the ground truth.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres.
        ground_truth: The same shape.
        delta: ``d``, number of time steps of a displacement.
        align: ``"rigid"`` (rotation and translation), ``"similarity"`` (and scale) or ``"none"``.

    Returns:
        Metres; NaN for at most ``delta`` points.

    Raises:
        EvaluationInputError: shapes differ, a number is not finite, another ``align``, or
            ``delta`` is no positive whole number.

    Example:
        >>> rpe([[0.0, 0.0], [2.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]], align="none")
        1.0

    Source: relative pose error of Sturm et al. 2012, IROS.
    """
    if isinstance(delta, bool) or not isinstance(delta, int | np.integer) or delta < 1:
        raise EvaluationInputError(f"expected a whole number above 0, got {delta!r}", where="delta")
    left, right = _aligned(prediction, ground_truth, align)
    if len(left) <= delta:
        return math.nan
    moved = (left[delta:] - left[:-delta]) - (right[delta:] - right[:-delta])
    return float(np.sqrt(np.mean(np.sum(moved**2, axis=1))))


def umeyama(
    source: FloatArray, target: FloatArray, *, with_scale: bool = False
) -> tuple[FloatArray, FloatArray, float]:
    """Return the rotation, translation and scale that bring source nearest to target.

    Least squares of ``|s R x_t + c - y_t|`` over proper rotations.

    Args:
        source: (T, D) points ``x``.
        target: (T, D) points ``y``.
        with_scale: Whether to find the scale ``s``; 1 otherwise.

    Returns:
        ``R`` (D, D), ``c`` (D,), ``s``; NaN scale where all source points coincide.

    Source: Umeyama 1991, IEEE PAMI 13(4), equations 40 to 42.
    """
    middle, aim = source.mean(axis=0), target.mean(axis=0)
    spread = source - middle
    left, stretch, right = np.linalg.svd((target - aim).T @ spread / len(source))
    signs = np.ones(source.shape[1])
    signs[-1] = np.sign(np.linalg.det(left) * np.linalg.det(right))
    rotation = (left * signs) @ right
    scale = 1.0
    if with_scale:
        variance = float((spread**2).sum(axis=1).mean())
        scale = float(stretch @ signs) / variance if variance > 0 else math.nan
    return rotation, aim - scale * rotation @ middle, scale


def _aligned(
    prediction: ArrayLike, ground_truth: ArrayLike, align: str
) -> tuple[FloatArray, FloatArray]:
    if align not in ALIGNMENTS:
        raise EvaluationInputError(
            f"expected one of {', '.join(ALIGNMENTS)}, got {align!r}", where="align"
        )
    left, right = as_path_pair(prediction, ground_truth)
    if align == "none":
        return left, right
    if len(left) < 2:
        return np.full_like(left, np.nan), right
    rotation, shift, scale = umeyama(left, right, with_scale=align == "similarity")
    return scale * left @ rotation.T + shift, right


def _frenet(
    prediction: ArrayLike, ground_truth: ArrayLike
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    left, right = as_path_pair(prediction, ground_truth)
    path = right[:, :2]
    padded = np.concatenate([path[:1], path, path[-1:]])
    tangent = padded[2:] - padded[:-2]
    length = np.linalg.norm(tangent, axis=1)
    standing = length <= STANDSTILL
    tangent = np.where(standing[:, None], 0.0, tangent / np.where(standing, 1.0, length)[:, None])
    return left[:, :2] - path, tangent, standing
