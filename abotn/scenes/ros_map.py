"""Maps in the format of ROS ``map_server``: a YAML file beside an image.

The rules are those of Nav2's map_server, cell for cell.
"""

from __future__ import annotations

import math
import os
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.collision import OccupancyGrid
from abotn.errors import DataError, hinted
from abotn.geometry.map_geometry import MapGeometry
from abotn.scenes.ros_image import read_ros_image

UNKNOWN = -1
FREE = 0
OCCUPIED = 100
MODES = ("trinary", "scale", "raw")

# A threshold such as 0.2 meets grey value 204 (p = 51/255), which binary fractions just miss.
_TIE = 1e-9

Levels = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RosMap:
    """A map as ``map_server`` publishes it, with row 0 at the top (largest y for a yaw of 0).

    Attributes:
        occupancy: int8 (rows, columns): -1 unknown, 0 free, 100 occupied, 1..99 in between
            (modes ``scale`` and ``raw`` only). Read-only.
        geometry: Where the map lies; its bottom-left corner is the YAML's origin.
        mode: ``"trinary"``, ``"scale"`` or ``"raw"``.
        resolution: Metres per pixel.
        origin: (x, y, yaw) of the lower-left corner of the lower-left pixel; metres, radians.
        negate: Whether white means occupied.
        occupied_thresh: Occupancy from which a cell is occupied.
        free_thresh: Occupancy up to which a cell is free.
        image_path: The image that was read.
    """

    occupancy: NDArray[np.int8]
    geometry: MapGeometry
    mode: str
    resolution: float
    origin: tuple[float, float, float]
    negate: bool
    occupied_thresh: float
    free_thresh: float
    image_path: Path

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Cells (rows, columns) of which nothing is known."""
        return np.asarray(self.occupancy == UNKNOWN)

    @property
    def free(self) -> NDArray[np.bool_]:
        """Cells (rows, columns) known to be free: value 0, and in mode ``raw`` values up to
        ``100 free_thresh``."""
        limit = 100 * self.free_thresh if self.mode == "raw" else FREE
        return np.asarray((self.occupancy >= 0) & (self.occupancy <= limit))

    @property
    def occupied(self) -> NDArray[np.bool_]:
        """Cells (rows, columns) known to be occupied: value 100, and in mode ``raw`` values from
        ``100 occupied_thresh``."""
        limit = 100 * self.occupied_thresh if self.mode == "raw" else OCCUPIED
        return np.asarray((self.occupancy >= limit) & (self.occupancy >= 0)) & ~self.free

    def grid(self, *, unknown_is_obstacle: bool = True) -> OccupancyGrid:
        """Return the map as a grid of free and obstacle cells.

        Args:
            unknown_is_obstacle: Whether a cell that is neither known to be free nor known to be
                occupied counts as an obstacle; cells in between are such cells too.
        """
        free = self.free if unknown_is_obstacle else ~self.occupied
        return OccupancyGrid(free, self.geometry)


@hinted(
    "correct the file: image, resolution, origin, occupied_thresh and free_thresh as map_server "
    "takes them"
)
def load_ros_map(yaml_path: str | os.PathLike[str]) -> RosMap:
    """Load a ``map_server`` map.

    With grey value ``v`` the occupancy is ``p = 1 - v/255``, or ``v/255`` under ``negate``.
    ``trinary``: occupied when ``p >= occupied_thresh``, free when ``p <= free_thresh`` (which
    wins a tie), else unknown. ``scale``: the same, with what lies between scaled to 0..100.
    ``raw``: grey values 0..100 are the occupancy, others are unknown. A pixel that is not wholly
    opaque is unknown in every mode.

    Args:
        yaml_path: The YAML file; its ``image`` is relative to it.

    Raises:
        DataError: the YAML or the image cannot be read, or a key is missing or cannot be used.
    """
    path = Path(yaml_path)
    document = _read_yaml(path)
    grey, opaque = read_ros_image(_image_path(document, path))
    resolution = _number(document, "resolution", path)
    if resolution <= 0:
        raise DataError(f"key 'resolution' must be positive, got {resolution}", where=path)
    mode, negate = _mode(document, path), _negate(document, path)
    free, occupied = _thresholds(document, path)
    occupancy = _RULES[mode](_occupancy_levels(negate=negate), free, occupied)[grey]
    occupancy[~opaque] = UNKNOWN
    occupancy.setflags(write=False)
    origin = _origin(document, path)
    return RosMap(
        occupancy=occupancy,
        geometry=_geometry(origin, resolution, grey.shape, path),
        mode=mode,
        resolution=resolution,
        origin=origin,
        negate=negate,
        occupied_thresh=occupied,
        free_thresh=free,
        image_path=_image_path(document, path),
    )


def _trinary(p: Levels, free: float, occupied: float) -> NDArray[np.int8]:
    values = np.full(p.shape, UNKNOWN, dtype=np.int8)
    values[p >= occupied - _TIE] = OCCUPIED
    values[p <= free + _TIE] = FREE
    return values


def _scale(p: Levels, free: float, occupied: float) -> NDArray[np.int8]:
    values = np.full(p.shape, OCCUPIED, dtype=np.int8)
    between = (p > free + _TIE) & (p < occupied - _TIE)
    # Round half away from zero, as C++ does; numpy rounds half to even.
    values[between] = np.floor((p[between] - free) / (occupied - free) * 100 + 0.5 + _TIE)
    values[p <= free + _TIE] = FREE
    return values


def _raw(p: Levels, free: float, occupied: float) -> NDArray[np.int8]:
    values = np.full(p.shape, UNKNOWN, dtype=np.int8)
    values[: OCCUPIED + 1] = np.arange(OCCUPIED + 1)
    return values


# Each gives the occupancy of all 256 grey values from their ``p`` and the two thresholds.
_RULES: dict[str, Callable[[Levels, float, float], NDArray[np.int8]]] = {
    "trinary": _trinary,
    "scale": _scale,
    "raw": _raw,
}


def _occupancy_levels(*, negate: bool) -> Levels:
    shade = np.arange(256) / 255.0
    return shade if negate else 1.0 - shade


def _geometry(
    origin: tuple[float, float, float], resolution: float, shape: tuple[int, ...], path: Path
) -> MapGeometry:
    rows, columns = shape
    cosine, sine = math.cos(origin[2]), math.sin(origin[2])
    right = (columns * resolution * cosine, columns * resolution * sine)
    up = (-rows * resolution * sine, rows * resolution * cosine)
    top_left = (origin[0] + up[0], origin[1] + up[1])
    top_right = (top_left[0] + right[0], top_left[1] + right[1])
    try:
        return MapGeometry.from_corners(top_left, top_right, origin[:2], columns, rows)
    except DataError as error:
        raise DataError(
            f"keys 'origin' and 'resolution' make no map: {error.message}", where=path
        ) from error


def _read_yaml(path: Path) -> dict[str, Any]:
    import yaml

    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise DataError(f"{line}not valid YAML: {error.problem}", where=path) from error
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"cannot read: {reason}", where=path) from error
    if not isinstance(document, dict):
        raise DataError(
            f"expected the keys of a map_server map, got {type(document).__name__}", where=path
        )
    return document


def _value(document: dict[str, Any], key: str, path: Path) -> Any:
    if document.get(key) is None:
        raise DataError(f"key '{key}' is missing", where=path)
    return document[key]


def _image_path(document: dict[str, Any], path: Path) -> Path:
    image = _value(document, "image", path)
    if not isinstance(image, str) or not image:
        raise DataError(f"key 'image' must name a file, got {reprlib.repr(image)}", where=path)
    found = path.parent / image
    if not os.path.lexists(found):
        raise DataError(
            f"key 'image' names {image!r}, and there is no such file beside it",
            where=path,
            hint="the path is relative to the YAML file",
        )
    return found


def _number(document: dict[str, Any], key: str, path: Path) -> float:
    value = _value(document, key, path)
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise DataError(
            f"key '{key}' must be a finite number, got {reprlib.repr(value)}", where=path
        )
    return number


def _origin(document: dict[str, Any], path: Path) -> tuple[float, float, float]:
    value = _value(document, "origin", path)
    if not isinstance(value, list) or len(value) != 3:
        raise DataError(f"key 'origin' must be [x, y, yaw], got {reprlib.repr(value)}", where=path)
    parts = {f"origin[{index}]": item for index, item in enumerate(value)}
    x, y, yaw = (_number(parts, key, path) for key in parts)
    return x, y, yaw


def _thresholds(document: dict[str, Any], path: Path) -> tuple[float, float]:
    free = _number(document, "free_thresh", path)
    occupied = _number(document, "occupied_thresh", path)
    if free > occupied:
        raise DataError(
            f"key 'free_thresh' ({free}) must not exceed 'occupied_thresh' ({occupied})",
            where=path,
        )
    return free, occupied


def _mode(document: dict[str, Any], path: Path) -> str:
    mode = str(document.get("mode") or MODES[0]).lower()
    if mode not in MODES:
        raise DataError(f"key 'mode' must be one of {', '.join(MODES)}, got {mode!r}", where=path)
    return mode


def _negate(document: dict[str, Any], path: Path) -> bool:
    value = _value(document, "negate", path)
    if not isinstance(value, bool | int):
        raise DataError(f"key 'negate' must be 0 or 1, got {reprlib.repr(value)}", where=path)
    return bool(value)
