"""What a protocol makes of a map: the two published rules, and the greys of a pose's disc."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from abotn.geometry import MapGeometry
from abotn.rollout.protocol import POIBENCH, STRICT, Protocol
from abotn.rollout.scene_maps import SceneMaps
from abotn.scenes.episode import Episode
from abotn.scenes.writer import write_scene

METRES_PER_PIXEL = 0.1
THIN_WALL = 50


def maps_of(folder: Path, grey: np.ndarray, protocol: Protocol) -> SceneMaps:
    height, width = grey.shape
    right, top = width * METRES_PER_PIXEL, height * METRES_PER_PIXEL
    geometry = MapGeometry.from_corners((0, top), (right, top), (0, 0), width, height)
    write_scene(folder, tasks=[], free=grey >= 128, geometry=geometry)
    assert cv2.imwrite(str(folder / "map" / "occ_map.png"), grey)
    return SceneMaps(Episode.from_scene_dir(folder), protocol)


def thin_wall() -> np.ndarray:
    grey = np.full((40, 100), 255, dtype=np.uint8)
    grey[:, THIN_WALL] = 0
    return grey


def test_published_length_does_not_wait_for_a_hit(tmp_path: Path) -> None:
    """The samples two pixels apart step over the wall; those 0.05 m apart do not.

    From x = 4.11 to 5.11 the ends are pixels 41 and 51, so ``n = max(2, int(10 / 2)) = 5``
    samples at pixels 41, 43, 46, 48 and 51, none of them pixel 50. Along the world line
    ``n = int(1 / 0.05) = 20`` samples lie 1/19 m apart; those at 4.11 + 17/19 = 5.005 and
    4.11 + 18/19 = 5.057 are inside the wall, the next one, at 5.11, is free: 2/19 m.
    """
    maps = maps_of(tmp_path / "room", thin_wall(), STRICT)
    steps = maps.step_collisions(np.array([[4.11, 2.05], [5.11, 2.05]]))
    assert steps["published"].hit.tolist() == [False]
    assert steps["published"].length == pytest.approx([2 / 19], rel=1e-9)
    assert steps["exact"].hit.tolist() == [True]
    assert steps["exact"].length == pytest.approx([METRES_PER_PIXEL], rel=1e-9)


@pytest.mark.parametrize("dilation", [0.0, 0.2, 0.5])
@pytest.mark.parametrize(("grey", "collides"), [(0, True), (64, True), (65, False), (127, False)])
def test_dark_threshold_decides_what_a_pose_hits(
    tmp_path: Path, dilation: float, grey: int, collides: bool
) -> None:
    """Greys above the threshold are free for a pose, though below 128 they stop a line."""
    image = np.full((40, 100), 255, dtype=np.uint8)
    image[:, 40:70] = grey
    maps = maps_of(tmp_path / "room", image, POIBENCH.override(occ_dilation_meters=dilation))
    assert maps.pose_collides(np.array([5.5, 2.05])) is collides
    line = maps.step_collisions(np.array([[5.5, 2.05], [5.6, 2.05]]))["exact"]
    # Widened by half a metre or less, the block of three metres still stops a line here.
    assert line.hit.tolist() == [True]


def test_free_space_of_a_pose_is_widened_by_the_protocol(tmp_path: Path) -> None:
    """Free up to x = 4.0; widened by five pixels up to 4.5."""
    image = np.full((40, 100), 255, dtype=np.uint8)
    image[:, 40:70] = 0
    maps = maps_of(tmp_path / "room", image, POIBENCH)
    assert maps.pose_collides(np.array([4.45, 2.05])) is False
    assert maps.pose_collides(np.array([4.55, 2.05])) is True
