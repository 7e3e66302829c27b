"""What a renderer asks a run for: the map of a scene, by the scene's id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.geometry.map_geometry import MapGeometry

#: Free cells (rows, columns), where they lie, and ground heights in metres or None.
SceneParts = tuple[NDArray[np.bool_], MapGeometry, NDArray[Any] | None]

#: From a scene id to its map.
SceneSource = Callable[[str], SceneParts]
