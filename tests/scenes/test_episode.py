"""Scenes and tasks as objects."""

from __future__ import annotations

import dataclasses
import math
import pickle
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from abotn.errors import DataError
from abotn.scenes import Episode, Task

from .conftest import META, grey_rows, write_map, write_task

HEIGHTS = np.arange(32, dtype=np.float32).reshape(4, 8) / 10


@pytest.fixture
def scene_dir(make_dataset: Callable[..., Path]) -> Path:
    return make_dataset(("s",)) / "s"


def big_episode(tmp_path: Path, grey: np.ndarray) -> Episode:
    """A scene with 0.1 m pixels."""
    rows, columns = grey.shape
    meta = (
        f"Top Left: (0, {rows / 10})\nTop Right: ({columns / 10}, {rows / 10})\n"
        f"Bottom Left: (0, 0)\nBottom Right: ({columns / 10}, 0)\n"
        f"Image size in pixels: {columns}, {rows}\n"
    )
    folder = tmp_path / "big" / "map"
    folder.mkdir(parents=True)
    (folder / "occ_map_meta.txt").write_text(meta)
    cv2.imwrite(str(folder / "occ_map.png"), grey)
    return Episode.from_scene_dir(folder.parent)


def test_a_scene_has_the_published_fields(scene_dir: Path) -> None:
    episode = Episode.from_scene_dir(str(scene_dir) + "/")
    assert episode.episode_id == "s"
    assert episode.scene_path == str(scene_dir)
    assert [task.task_id for task in episode.tasks] == ["traj_2", "traj_10"]
    assert episode.num_tasks == 2
    assert episode.meta_data is not None
    assert episode.meta_data["TOP_LEFT_X"] == -1.0
    np.testing.assert_array_equal(episode.occ_map, grey_rows())
    np.testing.assert_array_equal(episode.height_map, HEIGHTS)
    assert episode.has_map_data()
    assert episode.get_meter_per_pixel() == 0.5
    names = [field.name for field in dataclasses.fields(Episode)]
    assert names == ["episode_id", "scene_path", "tasks", "occ_map", "height_map", "meta_data"]


def test_a_scene_can_be_made_in_memory() -> None:
    episode = Episode("made", "", [Task("traj_0", [])])
    assert (episode.occ_map, episode.height_map, episode.meta_data) == (None, None, None)
    assert not episode.has_map_data()
    assert episode.get_meter_per_pixel() is None
    assert Episode("a").tasks is not Episode("b").tasks


def test_the_callers_map_is_copied_and_ours_is_read_only() -> None:
    grey = np.full((2, 2), 255, np.uint8)
    view = grey[:]
    view.setflags(write=False)
    for given in (grey, view):
        episode = Episode("made", occ_map=given)
        grey[0, 0] = 0
        assert episode.occ_map is not None
        assert episode.occ_map[0, 0] == 255
        assert not episode.occ_map.flags.writeable
        grey[0, 0] = 255
    assert grey.flags.writeable


def test_images_are_read_when_they_are_needed(scene_dir: Path) -> None:
    episode = Episode.from_scene_dir(scene_dir)
    content = (scene_dir / "map" / "occ_map.png").read_bytes()
    (scene_dir / "map" / "occ_map.png").write_bytes(content[:-30])
    assert episode.has_map_data()
    with pytest.raises(DataError, match="not a readable image"):
        episode.load_maps()
    (scene_dir / "map" / "occ_map.png").write_bytes(content)
    assert episode.load_maps() is episode
    assert episode.occ_map is episode.occ_map


def test_a_scene_survives_pickling_before_and_after_reading(scene_dir: Path) -> None:
    episode = Episode.from_scene_dir(scene_dir)
    fresh = pickle.loads(pickle.dumps(episode))
    _ = episode.grid
    used = pickle.loads(pickle.dumps(episode))
    for copy in (fresh, used):
        np.testing.assert_array_equal(copy.occ_map, grey_rows())
        assert not copy.occ_map.flags.writeable
        assert copy.geometry == episode.geometry
        np.testing.assert_array_equal(copy.grid.free, episode.grid.free)


def test_the_grid_follows_the_map_and_its_metadata(scene_dir: Path) -> None:
    episode = Episode.from_scene_dir(scene_dir)
    assert episode.grid is episode.grid
    assert int(episode.grid.free.sum()) == 28
    episode.occ_map = np.array(grey_rows()) * 0 + 128
    assert episode.grid.free.all()
    assert episode.meta_data is not None
    episode.meta_data = {**episode.meta_data, "TOP_LEFT_X": 1.0, "BOTTOM_LEFT_X": 1.0}
    assert episode.geometry.top_left == (1.0, 2.0)
    assert episode.grid.geometry == episode.geometry


def test_128_is_free_and_127_is_not(tmp_path: Path) -> None:
    episode = big_episode(tmp_path, np.array([[127, 128]], np.uint8))
    assert episode.grid.free.tolist() == [[False, True]]


def test_a_colour_map_is_refused_when_it_is_used(scene_dir: Path) -> None:
    episode = Episode.from_scene_dir(scene_dir)
    episode.occ_map = np.zeros((4, 8, 3), np.uint8)
    with pytest.raises(DataError, match="grey"):
        _ = episode.grid


def test_a_scene_without_a_map_says_so() -> None:
    with pytest.raises(DataError, match="no map metadata"):
        _ = Episode("made").geometry
    episode = Episode("made", meta_data=_meta(2, 2))
    with pytest.raises(DataError, match="no occupancy map"):
        _ = episode.grid


@pytest.mark.parametrize("name", ["occ_map.png", "occ_map_meta.txt"])
def test_half_a_map_is_refused(scene_dir: Path, name: str) -> None:
    (scene_dir / "map" / name).unlink()
    with pytest.raises(DataError, match=f"{name} is missing beside") as caught:
        Episode.from_scene_dir(scene_dir)
    assert caught.value.where == str(scene_dir / "map")


def test_a_size_that_differs_is_found_at_once(scene_dir: Path) -> None:
    meta = scene_dir / "map" / "occ_map_meta.txt"
    meta.write_text(META.replace("8, 4", "8, 5"))
    with pytest.raises(DataError, match="8 x 4 pixels, the meta file says 8 x 5") as caught:
        Episode.from_scene_dir(scene_dir)
    assert caught.value.where == str(scene_dir / "map" / "occ_map.png")


def test_a_height_map_of_another_size_is_found_at_once(scene_dir: Path) -> None:
    import tifffile

    tifffile.imwrite(scene_dir / "map" / "occ_map_height.tiff", np.zeros((3, 8), np.float32))
    with pytest.raises(DataError, match=r"occ_map_height\.tiff.*8 x 3"):
        Episode.from_scene_dir(scene_dir)


def test_a_map_apart_is_taken_instead_of_the_scenes_own(scene_dir: Path, tmp_path: Path) -> None:
    write_map(tmp_path / "maps" / "s", meta=META.replace("-1.0", "-2.0"), height=False)
    episode = Episode.from_scene_dir(scene_dir, tmp_path / "maps")
    assert episode.geometry.top_left == (-2.0, 2.0)
    assert episode.has_grid()
    assert not episode.has_map_data()


def test_ground_is_the_pixel_below_and_clamped(scene_dir: Path) -> None:
    episode = Episode.from_scene_dir(scene_dir)
    points = [[-0.75, 1.75], [-0.51, 1.99], [-0.49, 1.49], [2.9, 0.1], [99.0, -99.0], [-99.0, 99.0]]
    expected = [0.0, 0.0, 0.9, 3.1, 3.1, 0.0]
    np.testing.assert_allclose(episode.ground_height(points), expected, atol=1e-6)
    assert episode.ground_height((2.9, 0.1)).shape == ()


def test_holes_in_the_height_map_count_as_zero(scene_dir: Path) -> None:
    episode = Episode.from_scene_dir(scene_dir)
    episode.height_map = np.array([[5.0, 5.01, np.nan, np.inf, -np.inf, -2.0, 1, 1]] * 4)
    centres = [[-0.75 + 0.5 * column, 1.75] for column in range(6)]
    assert episode.ground_height(centres).tolist() == [5.0, 0.0, 0.0, 0.0, 0.0, -2.0]


def test_without_a_height_map_the_ground_is_below_zero() -> None:
    assert Episode("made").ground_height([[1.0, 2.0]]).tolist() == [-0.1]
    assert Episode("made", meta_data=_meta(2, 2)).ground_height((0, 0)) == -0.1


def test_dilation_is_opencvs_with_an_ellipse(tmp_path: Path) -> None:
    grey = np.random.default_rng(3).choice(np.array([0, 255], np.uint8), (60, 80), p=[0.8, 0.2])
    episode = big_episode(tmp_path, grey)
    episode.dilate_free_space_by_meter(0.3)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))
    np.testing.assert_array_equal(episode.occ_map, cv2.dilate(grey, kernel))
    np.testing.assert_array_equal(episode.grid.free, cv2.dilate(grey, kernel) > 0)


def test_dilating_twice_changes_nothing_and_another_distance_replaces(tmp_path: Path) -> None:
    grey = np.zeros((60, 80), np.uint8)
    grey[30, 40] = 255
    episode = big_episode(tmp_path, grey)
    counts = []
    for metres in (0.5, 0.5, 0.2, 0.5, 0.01):
        episode.dilate_free_space_by_meter(metres)
        assert episode.occ_map is not None
        counts.append(np.count_nonzero(episode.occ_map))
    assert counts[0] == counts[1] == counts[3]
    assert counts[2] < counts[0]
    # Never less than one pixel: the cross that a 3 x 3 ellipse is.
    assert counts[4] == 5


def test_a_new_map_is_dilated_afresh(tmp_path: Path) -> None:
    episode = big_episode(tmp_path, np.zeros((60, 80), np.uint8))
    episode.dilate_free_space(2)
    grey = np.zeros((60, 80), np.uint8)
    grey[30, 40] = 255
    episode.occ_map = grey
    episode.dilate_free_space(1)
    assert np.count_nonzero(episode.occ_map) == 5


def test_pixels_can_be_dilated_without_metadata() -> None:
    grey = np.zeros((5, 5), np.uint8)
    grey[2, 2] = 200
    episode = Episode("made", occ_map=grey)
    episode.dilate_free_space(1)
    assert np.count_nonzero(episode.occ_map) == 5
    assert grey[2, 1] == 0


@pytest.mark.parametrize("metres", [0.0, -1.0, math.nan, math.inf])
def test_a_distance_that_is_not_positive_warns_and_does_nothing(
    scene_dir: Path, metres: float
) -> None:
    episode = Episode.from_scene_dir(scene_dir)
    with pytest.warns(UserWarning, match="'s' was not dilated.*positive"):
        episode.dilate_free_space_by_meter(metres)
    np.testing.assert_array_equal(episode.occ_map, grey_rows())


def test_a_scene_without_metadata_warns_and_does_nothing() -> None:
    for episode in (Episode("made"), Episode("made", occ_map=np.zeros((2, 2), np.uint8))):
        with pytest.warns(UserWarning, match="no map metadata"):
            episode.dilate_free_space_by_meter(1.0)
    with pytest.warns(UserWarning, match="it has no map"):
        Episode("made").dilate_free_space(1)
    with pytest.warns(UserWarning, match="0 pixels"):
        Episode("made", occ_map=np.zeros((2, 2), np.uint8)).dilate_free_space(0)


def test_a_task_has_the_published_properties(tmp_path: Path) -> None:
    label = {"extend": {"goal_label": "Starling Cafe", "el_unique_id": "poi_3"}}
    points = [{"x": 0, "y": 0, "z": 1}, {"x": 3, "y": 4}, {"x": 3, "y": 5, "yaw": 1.5}]
    task = Task.from_json(str(write_task(tmp_path / "traj_7.json", points, label=label)))
    assert task.task_id == "traj_7"
    assert task.start_pose == {"x": 0, "y": 0, "z": 1, "roll": 0, "pitch": 0, "yaw": 0}
    assert task.end_pose is task.trajectory[-1]
    assert task.goal_label == "Starling Cafe"
    assert task.reference_length == 6.0
    assert task.positions.tolist() == [[0, 0, 1], [3, 4, 0], [3, 5, 0]]


@pytest.mark.parametrize(
    "label", [{}, {"extend": None}, {"extend": {}}, {"extend": {"goal_label": None}}]
)
def test_a_goal_without_a_name_is_empty(label: dict[str, object]) -> None:
    assert Task("traj_0", [], label).goal_label == ""


def test_a_task_without_points_has_no_ends_and_no_length() -> None:
    task = Task("traj_0", [])
    assert (task.start_pose, task.end_pose) == (None, None)
    assert math.isnan(task.reference_length)
    assert task.positions.shape == (0, 3)


def test_an_unsafe_scene_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".hidden").mkdir()
    with pytest.raises(DataError, match="scene id"):
        Episode.from_scene_dir(tmp_path / ".hidden")


def _meta(width: int, height: int) -> dict[str, float]:
    corners = {"TOP_LEFT": (0, 1), "TOP_RIGHT": (1, 1), "BOTTOM_LEFT": (0, 0)}
    meta = {
        f"{key}_{axis}": pair[i] for key, pair in corners.items() for i, axis in enumerate("XY")
    }
    return {**meta, "IMAGE_WIDTH": width, "IMAGE_HEIGHT": height}
