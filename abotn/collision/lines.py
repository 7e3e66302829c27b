"""Line collisions of many segments on one grid."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.collision.exact import exact_collisions
from abotn.collision.grid import OccupancyGrid
from abotn.collision.inputs import points_of
from abotn.collision.published import published_collisions
from abotn.errors import DataError, UnknownNameError

Sampling = Literal["exact", "published"]
SAMPLINGS = ("exact", "published")


def line_collisions(
    grid: OccupancyGrid, starts: ArrayLike, ends: ArrayLike, sampling: str = "exact"
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether each segment hits an obstacle, and how much of it lies inside obstacles.

    Outside the map is an obstacle. ``"exact"`` traverses the grid (`exact_collisions`);
    ``"published"`` samples as the published evaluator does (`published_hits`,
    `published_lengths`), where a hit and a length may disagree.

    Args:
        grid: The map.
        starts: (N, 2) world points, metres.
        ends: (N, 2) world points, metres.
        sampling: ``"exact"`` or ``"published"``.

    Returns:
        ``(hit, length)``: (N,) bool and (N,) float64 metres.

    Raises:
        UnknownNameError: The sampling has no such name.
        DataError: The points are not finite, or not as many starts as ends.

    Example:
        >>> from abotn.geometry import MapGeometry
        >>> geometry = MapGeometry((0, 0), (1, 0), (0, 1), 3, 1)
        >>> grid = OccupancyGrid(np.array([[True, False, True]]), geometry)
        >>> hit, length = line_collisions(grid, [[0.5, 0.5]], [[2.5, 0.5]])
        >>> hit.tolist(), length.tolist()
        ([True], [1.0])
    """
    first, last = points_of(starts, "starts"), points_of(ends, "ends")
    if len(first) != len(last):
        raise DataError(
            f"expected as many ends as starts, got {len(first)} starts and {len(last)} ends",
            where="starts, ends",
        )
    if sampling == "exact":
        return exact_collisions(grid, first, last)
    if sampling == "published":
        return published_collisions(grid, first, last)
    raise UnknownNameError("sampling", sampling, SAMPLINGS)
