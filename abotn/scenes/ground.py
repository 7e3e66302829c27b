"""Ground height under a point, from a height map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.geometry.map_geometry import MapGeometry

NO_MAP_HEIGHT = -0.1
HIGHEST_GROUND = 5.0


def ground_height(
    xy: ArrayLike, height_map: NDArray[Any] | None, geometry: MapGeometry | None
) -> NDArray[np.float64]:
    """Return the ground height under points.

    The height map is read at the pixel a point lies in, clamped to the map. A value above 5 m or
    one that is not finite is a hole in the map and counts as 0; where there is no map the ground
    is at -0.1 m.

    Args:
        xy: Points (..., 2) in the world, metres.
        height_map: Heights (rows, columns) in metres, or None.
        geometry: Where the map lies, or None.

    Returns:
        float64 array (...) in metres.

    Example:
        >>> ground_height([[0.0, 0.0], [3.0, 4.0]], None, None).tolist()
        [-0.1, -0.1]
    """
    points = np.asarray(xy, dtype=np.float64)
    if height_map is None or geometry is None:
        return np.full(points.shape[:-1], NO_MAP_HEIGHT)
    cells = geometry.cell_of(points)
    column = np.clip(cells[..., 0], 0, geometry.width - 1)
    row = np.clip(cells[..., 1], 0, geometry.height - 1)
    height = np.asarray(height_map[row, column], dtype=np.float64)
    usable = np.isfinite(height) & (height <= HIGHEST_GROUND)
    return np.where(usable, height, 0.0)
