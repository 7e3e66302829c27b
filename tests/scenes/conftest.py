"""A small dataset written by hand, without the package's own writers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

META = """Occupancy map of a test scene
Top Left: (-1.0, 2.0)
Top Right: (3.0, 2.0)
Bottom Left: (-1.0, 0.0)
Bottom Right: (3.0, 0.0)
Image size in pixels: 8, 4
"""

# 0.5 m pixels, x from -1 to 3, y from 2 (row 0) down to 0 (row 3).
ROWS = [
    "........",
    "...##...",
    "...##...",
    "........",
]


def grey_rows(rows: list[str] = ROWS) -> np.ndarray:
    return np.array([[255 if cell == "." else 0 for cell in row] for row in rows], dtype=np.uint8)


def write_task(path: Path, points: list[object] | None = None, **more: object) -> Path:
    points = [{"x": -0.75, "y": 1.75}, {"x": 2.75, "y": 1.75}] if points is None else points
    path.write_text(json.dumps({"trajectory": points, **more}), encoding="utf-8")
    return path


def write_map(folder: Path, *, meta: str | None = META, height: bool = True) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    Image.fromarray(grey_rows()).save(folder / "occ_map.png")
    if meta is not None:
        (folder / "occ_map_meta.txt").write_text(meta, encoding="utf-8")
    if height:
        metres = np.arange(32, dtype=np.float32).reshape(4, 8) / 10
        Image.fromarray(metres).save(folder / "occ_map_height.tiff")


@pytest.fixture
def make_dataset(tmp_path: Path) -> Callable[..., Path]:
    """Write scenes of two tasks each, with their maps inside, and return the data folder."""

    def make(names: tuple[str, ...] = ("scene_2", "scene_10"), *, maps: bool = True) -> Path:
        data = tmp_path / "data"
        for name in names:
            scene = data / name
            scene.mkdir(parents=True)
            for task in ("traj_10", "traj_2"):
                write_task(scene / f"{task}.json")
            if maps:
                write_map(scene / "map")
        return data

    return make
