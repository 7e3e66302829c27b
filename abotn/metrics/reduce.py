"""One number from a metric that returns an array."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from abotn.metrics.returned import FloatArray, real_numbers

_SAFE = 1e150


class Reduced(NamedTuple):
    """A metric's return value as one number.

    Attributes:
        value: The number; NaN for an empty array, and where an entry is NaN.
        rule: ``"mean_norm"`` or ``"mean"``; None where nothing had to be reduced.
        original: The array as nested lists; None where nothing had to be reduced.
    """

    value: float
    rule: str | None
    original: Any


def reduce_value(value: Any) -> Reduced:
    """Reduce a metric's return value to one number.

    A number stays as it is. An array of vectors, ndim >= 2 with 2 or 3 entries in the last axis,
    becomes the mean of their Euclidean norms; any other array the mean of its entries. Entries
    that are NaN or infinite are not dropped: they make the value so.

    Args:
        value: What the metric returned.

    Returns:
        The number, the rule and the original.

    Raises:
        TypeError, ValueError: it is no number and no array of numbers; see
            :func:`abotn.metrics.returned.real_numbers`.

    Example:
        >>> reduce_value(np.array([[3.0, 4.0], [0.0, 1.0]]))
        Reduced(value=3.0, rule='mean_norm', original=[[3.0, 4.0], [0.0, 1.0]])
    """
    if isinstance(value, float):
        return Reduced(float(value), None, None)
    array = real_numbers(value)
    if array.ndim == 0:
        return Reduced(float(array), None, None)
    vectors = array.ndim >= 2 and array.shape[-1] in (2, 3)
    rule = "mean_norm" if vectors else "mean"
    if array.size == 0:
        return Reduced(float("nan"), rule, array.tolist())
    return Reduced(_mean(array, vectors=vectors), rule, array.tolist())


def _mean(array: FloatArray, *, vectors: bool) -> float:
    """Return the mean of entries or norms, also where their sum or squares would overflow."""
    largest = float(np.max(np.abs(array)))
    scale = largest if math.isfinite(largest) and largest > _SAFE else 1.0
    scaled = array / scale
    entries = np.linalg.norm(scaled, axis=-1) if vectors else scaled
    return float(np.mean(entries)) * scale
