"""Which points lie in a polygon?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import EvaluationInputError
from abotn.metrics.arrays import as_path

FloatArray = NDArray[np.float64]

ON_EDGE = 1e-9


def inside_polygon(points: FloatArray, corners: ArrayLike, name: str) -> NDArray[np.bool_]:
    """Return which points lie in a polygon or on its edge, by the even-odd rule.

    Args:
        points: (N, 2) metres.
        corners: (V, 2) or (V, 3) metres, in order; the last joins the first.
        name: Argument the corners came from, for the error.

    Returns:
        (N,) bool.

    Raises:
        EvaluationInputError: fewer than three corners, or no area.
    """
    start = as_path(corners, name)[:, :2]
    if len(start) < 3 or _area(start) <= ON_EDGE:
        raise EvaluationInputError(
            "expected a polygon of at least three corners and some area", where=name
        )
    edge = np.roll(start, -1, axis=0) - start
    offset = points[:, None, :] - start
    return _crosses_odd(offset, edge) | _on_edge(offset, edge)


def _crosses_odd(offset: FloatArray, edge: FloatArray) -> NDArray[np.bool_]:
    """Count the edges that a ray to +x crosses; each edge owns its lower end only."""
    height = offset[:, :, 1]
    spans = (height >= 0) != (height >= edge[:, 1])
    slope = np.where(edge[:, 1] == 0, 1.0, edge[:, 1])
    beyond = offset[:, :, 0] < height * edge[:, 0] / slope
    return np.asarray((spans & beyond).sum(axis=1) % 2 == 1)


def _on_edge(offset: FloatArray, edge: FloatArray) -> NDArray[np.bool_]:
    length = (edge**2).sum(axis=1)
    along = (offset * edge).sum(axis=2) / np.where(length == 0, 1.0, length)
    nearest = np.clip(along, 0.0, 1.0)[:, :, None] * edge
    return np.asarray((((offset - nearest) ** 2).sum(axis=2) <= ON_EDGE**2).any(axis=1))


def _area(corners: FloatArray) -> float:
    x, y = (corners - corners[0]).T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
