"""What a synthetic scene consists of before its tasks are sampled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abotn.geometry.map_geometry import MapGeometry


@dataclass(frozen=True)
class PointOfInterest:
    """A named place: where to stand to have reached it, in world metres."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A map without tasks.

    Attributes:
        free: bool (rows, columns).
        geometry: Where the map lies.
        height_map: Ground height (rows, columns) in metres.
        clearance: Distance in metres that reference paths keep from obstacles.
        points_of_interest: Named goals; empty where goals are plain points.
    """

    free: NDArray[np.bool_]
    geometry: MapGeometry
    height_map: NDArray[np.float32]
    clearance: float
    points_of_interest: tuple[PointOfInterest, ...] = ()
