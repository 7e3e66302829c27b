"""Generated and converted scenes against golden files.

``ABOTN_WRITE_GOLDEN=1 python -m pytest tests/scenes/test_golden.py`` writes them anew; look at the
difference before keeping it. Text must be the same but for the last digits of its numbers, and
pixels the same; how an image library packs pixels, or the last bit of a sine, is not ours to fix.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image

from abotn.geometry.map_geometry import MapGeometry
from abotn.scenes import Task, generate, write_scene
from abotn.scenes.ros_scene import scene_from_ros
from abotn.streaming.generate import generate_anomaly_dataset

from .test_ros_map import MAPS, needs_maps

GOLDEN = Path(__file__).parent / "golden"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
# Half a millimetre, or milliradian; what is written is rounded to a tenth of one.
TOLERANCE = 5e-4


def compare(text: str, name: str) -> None:
    """Compare a text with a golden file: all but the numbers exactly, the numbers nearly."""
    target = GOLDEN / name
    if os.environ.get("ABOTN_WRITE_GOLDEN"):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
    expected = target.read_bytes().decode()
    assert NUMBER.sub("#", text) == NUMBER.sub("#", expected)
    numbers, wanted = (np.array(NUMBER.findall(one), dtype=float) for one in (text, expected))
    np.testing.assert_allclose(numbers, wanted, rtol=0, atol=TOLERANCE)


def listing(folder: Path) -> str:
    """All files below a folder, one a line, with what their pixels or arrays hold."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return "".join(f"{path.relative_to(folder).as_posix()}{held(path)}\n" for path in files)


def held(path: Path) -> str:
    if path.suffix == ".png":
        return digest(np.asarray(Image.open(path)))
    if path.suffix == ".npy":
        return digest(np.load(path))
    if path.suffix == ".tiff":
        height = tifffile.imread(path)
        assert height.dtype == np.float32
        some = height[:: height.shape[0] // 2, :: height.shape[1] // 2].ravel()
        return f" {height.shape} " + " ".join(f"{value:.4f}" for value in some.tolist())
    return ""


def digest(array: np.ndarray) -> str:
    # Letters only: a digest is compared exactly, and digits would be taken for numbers.
    code = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
    return (
        f" {array.dtype} {array.shape} {code.translate(str.maketrans('0123456789', 'ghijklmnop'))}"
    )


def compare_scene(scene: Path, name: str) -> None:
    compare(listing(scene), f"{name}/files.txt")
    compare((scene / "traj_0.json").read_bytes().decode(), f"{name}/traj_0.json")
    meta = (scene / "map" / "occ_map_meta.txt").read_bytes().decode()
    compare(meta, f"{name}/occ_map_meta.txt")


@pytest.mark.parametrize("kind", ["indoor", "outdoor", "poi"])
def test_generated_scenes(tmp_path: Path, kind: str) -> None:
    generate(kind, scenes=1, tasks=1, seed=7, out=tmp_path / "data")
    assert [path.name for path in (tmp_path / "data").iterdir()] == [f"{kind}_0"]
    compare_scene(tmp_path / "data" / f"{kind}_0", kind)


def test_a_generated_dataset_of_anomalies(tmp_path: Path) -> None:
    small = {"towns": ("Town01",), "anomaly_types": ("spawn-props",), "timesteps": 2, "seed": 7}
    generate_anomaly_dataset(tmp_path / "data", **small)
    compare(listing(tmp_path / "data"), "anomaly/files.txt")
    compare((tmp_path / "data" / "answers.json").read_bytes().decode(), "anomaly/answers.json")


@needs_maps
def test_a_converted_ros_map(tmp_path: Path) -> None:
    scene = scene_from_ros(MAPS / "tb3_sandbox.yaml", tasks=1, seed=7, out=tmp_path / "data")
    compare_scene(scene, "from_ros")


def test_a_scene_written_from_given_numbers_has_the_same_bytes_everywhere(tmp_path: Path) -> None:
    geometry = MapGeometry.from_corners((-1.5, 2.0), (1.5, 2.0), (-1.5, 0.0), 6, 4)
    poses = [{"x": 1 / 3, "y": 0.25, "z": -0.0, "roll": 0.0, "pitch": 0.0, "yaw": 2 / 3}]
    task = Task("traj_0", poses, {"extend": {"goal_label": "Café 街"}}, "Go to Café 街.")
    free = np.arange(24).reshape(4, 6) % 5 != 0
    scene = write_scene(
        tmp_path / "s", tasks=[task], free=free, geometry=geometry, notes=["Source: numbers"]
    )
    for path in ("traj_0.json", "map/occ_map_meta.txt"):
        target = GOLDEN / "given" / Path(path).name
        if os.environ.get("ABOTN_WRITE_GOLDEN"):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((scene / path).read_bytes())
        assert (scene / path).read_bytes() == target.read_bytes()
    pixels = np.asarray(Image.open(scene / "map" / "occ_map.png"))
    np.testing.assert_array_equal(pixels, np.where(free, 255, 0))
