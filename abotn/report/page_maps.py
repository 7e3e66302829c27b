"""The maps of the scenes as small pictures, once per scene."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import AbotnError
from abotn.geometry.map_geometry import MapGeometry

SIDES = (1024, 768, 512, 256)
MOST_BYTES = 4_000_000
_LOSSLESS_BYTES = 120_000
_QUALITY = 50

Folders = tuple[str | None, str | None]


@dataclass(frozen=True)
class SceneMap:
    """One scene's map.

    Attributes:
        geometry: Where it lies in the world.
        grey: uint8 (rows, columns), obstacles dark.
    """

    geometry: MapGeometry
    grey: NDArray[np.uint8]


def find_maps(
    scenes: Sequence[str], places: Iterable[Folders]
) -> tuple[dict[str, SceneMap], dict[str, str]]:
    """Return the maps that are found, by scene, and for the other scenes why there is none.

    Args:
        scenes: Names of the scenes.
        places: (folder of the scenes, folder of the maps) to look in, the first that has it wins.
    """
    folders = list(dict.fromkeys(place for place in places if any(place)))
    found: dict[str, SceneMap] = {}
    missing: dict[str, str] = {}
    for scene in scenes:
        try:
            here = next(filter(None, (_map_in(scene, place) for place in folders)), None)
        except AbotnError as error:
            missing[scene] = str(error)
            continue
        if here is None:
            missing[scene] = _no_map(folders)
        else:
            found[scene] = here
    return found, missing


def encoded_maps(maps: dict[str, SceneMap], most: int = MOST_BYTES) -> dict[str, dict[str, Any]]:
    """Return each map for the page: ``picture`` as a data URI, ``matrix`` and ``size``.

    Page coordinates are metres from the picture's top-left corner, x to the right, y down:
    ``x = m0 X + m1 Y + m2``, ``y = m3 X + m4 Y + m5`` for a world point (X, Y).

    Args:
        maps: Maps by scene.
        most: Bytes that all pictures together may take. They get coarser until they do, and where
            even the coarsest are too many, the last scenes have ``picture`` None.
    """
    pictures: dict[str, str] = {}
    for side in SIDES:
        pictures = {scene: _data_uri(one.grey, side) for scene, one in maps.items()}
        if sum(map(len, pictures.values())) <= most:
            break
    total = accumulate(map(len, pictures.values()))
    fits = {scene: size <= most for scene, size in zip(pictures, total, strict=True)}
    return {
        scene: {"picture": pictures[scene] if fits[scene] else None, **_placed(one.geometry)}
        for scene, one in maps.items()
    }


def data_uri(content: bytes) -> str:
    """Return a WebP picture as a ``data:`` address."""
    return f"data:image/webp;base64,{base64.b64encode(content).decode()}"


def _map_in(scene: str, place: Folders) -> SceneMap | None:
    from abotn.scenes.layout import map_files
    from abotn.scenes.map_images import read_occupancy
    from abotn.scenes.meta_text import geometry_of, read_meta

    data_dir, map_dir = place
    files = map_files(Path(data_dir or map_dir or "") / scene, map_dir)
    if files is None or files.occupancy is None or files.meta is None:
        return None
    geometry = geometry_of(read_meta(files.meta), files.meta)
    return SceneMap(geometry, read_occupancy(files.occupancy, geometry.shape))


def _no_map(folders: Sequence[Folders]) -> str:
    if not folders:
        return "the run does not say where its scenes are; say it with --data-dir"
    shown = ", ".join(str(data_dir or map_dir) for data_dir, map_dir in folders)
    return f"none in {shown}; say with --data-dir or --map-dir where it is"


def _placed(geometry: MapGeometry) -> dict[str, list[float]]:
    """Return the matrix from world to page metres, and the picture's size in metres."""
    across, down = geometry.column_metres, geometry.row_metres
    (cx, cy), (rx, ry) = geometry.column_step, geometry.row_step
    area = cx * ry - cy * rx
    to_column = np.array([ry, -rx]) / area * across
    to_row = np.array([-cy, cx]) / area * down
    origin = np.array(geometry.origin)
    matrix = [*to_column, -(to_column @ origin), *to_row, -(to_row @ origin)]
    size = [geometry.width * across, geometry.height * down]
    return {"matrix": [_short(one) for one in matrix], "size": [_short(one) for one in size]}


def _short(number: float) -> float:
    return float(f"{number:.9g}")


def _data_uri(grey: NDArray[np.uint8], side: int) -> str:
    small = _shrunk(grey, side)
    content = _webp(small, lossless=True)
    if len(content) > _LOSSLESS_BYTES:
        content = _webp(small, lossless=False)
    return data_uri(content)


def _shrunk(grey: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    factor = side / max(grey.shape)
    if factor >= 1:
        return grey
    import cv2

    rows, columns = (max(1, round(size * factor)) for size in grey.shape)
    return np.asarray(cv2.resize(grey, (columns, rows), interpolation=cv2.INTER_AREA), np.uint8)


def _webp(grey: NDArray[np.uint8], *, lossless: bool) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(grey).save(buffer, "WEBP", lossless=lossless, quality=_QUALITY, method=4)
    return buffer.getvalue()
