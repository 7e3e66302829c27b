"""Checks on the points a caller hands in."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import DataError


def points_of(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Finite world points as (N, 2) float64.

    Args:
        values: (N, 2) or (2,) numbers; an empty list is no points.
        name: How the argument is called in an error.

    Raises:
        DataError: The shape is another, or a number is not finite.
    """
    points = np.asarray(values, dtype=np.float64)
    if points.size == 0:
        return np.empty((0, 2))
    if points.ndim == 1:
        points = points[None, :]
    if points.ndim != 2 or points.shape[1] != 2:
        raise DataError(f"expected points of shape (N, 2), got {np.shape(values)}", where=name)
    finite = np.isfinite(points)
    if not finite.all():
        row = int(np.argmin(finite.all(axis=1)))
        raise DataError(
            f"expected finite points, got {points[row].tolist()}", where=f"{name}[{row}]"
        )
    return points
