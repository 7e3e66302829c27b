"""The least and greatest value of a metric, and what lies outside."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError

Bounds = tuple[float, float] | None

TOLERANCE = 1e-9


def interval(bounds: Bounds) -> str:
    """Return bounds as text, such as ``[0, 1]``; an infinite side is open."""
    low, high = bounds or (-math.inf, math.inf)
    return f"{'(' if low == -math.inf else '['}{low:g}, {high:g}{')' if high == math.inf else ']'}"


def outside(values: NDArray[np.float64], bounds: Bounds) -> NDArray[np.bool_]:
    """Return (N,) which values lie outside the bounds by more than rounding; NaN never does."""
    if bounds is None:
        return np.zeros(len(values), dtype=bool)
    low, high = bounds
    return np.asarray((values < _eased(low, -TOLERANCE)) | (values > _eased(high, TOLERANCE)))


def is_finite_number(value: object) -> bool:
    """Whether a value is an int or float, and no truth value, that float64 can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def require_threshold(name: str, value: float, bounds: Bounds, where: str) -> None:
    """Refuse a pass mark that is no number, or that no value of the metric can be near.

    Args:
        name: The metric.
        value: The pass mark.
        bounds: The metric's bounds; None where it has none.
        where: Argument it came from, for the error.

    Raises:
        EvaluationInputError: not a finite number, or outside the bounds.
    """
    if not is_finite_number(value):
        raise EvaluationInputError(
            f"the threshold of {name} must be a finite number, got {value!r}", where=where
        )
    low, high = bounds or (-math.inf, math.inf)
    if not low <= value <= high:
        raise EvaluationInputError(
            f"the threshold of {name} must lie in {interval(bounds)}, got {value!r}", where=where
        )


def _eased(bound: float, by: float) -> float:
    return bound + by * max(1.0, abs(bound)) if math.isfinite(bound) else bound
