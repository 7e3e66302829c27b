"""A dataset as GaussianScene, and its per-pose operations."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from abotn.errors import ConfigError, DataError
from abotn.scenes import Episode, GaussianScene

from .conftest import META, write_map

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "collisions.json"


def episode_of(case: dict[str, object]) -> Episode:
    rows = case["rows"]
    assert isinstance(rows, list)
    names = ("TOP_LEFT", "TOP_RIGHT", "BOTTOM_LEFT")
    corners = [case[name.lower()] for name in names]
    meta = {
        f"{name}_{axis}": corner[i]  # type: ignore[index]
        for name, corner in zip(names, corners, strict=True)
        for i, axis in enumerate("XY")
    }
    grey = np.array([[255 if cell == "." else 0 for cell in row] for row in rows], dtype=np.uint8)
    meta |= {"IMAGE_WIDTH": grey.shape[1], "IMAGE_HEIGHT": grey.shape[0]}
    return Episode("case", occ_map=grey, meta_data=meta)


def pose_of(point: list[float]) -> np.ndarray:
    pose = np.eye(4)
    pose[:2, 3] = point
    return pose


def test_scenes_and_tasks_are_counted_and_iterated(make_dataset: Callable[..., Path]) -> None:
    scene = GaussianScene(str(make_dataset()))
    assert len(scene) == 2
    assert scene.total_tasks == 4
    assert [episode.episode_id for episode in scene] == ["scene_2", "scene_10"]
    assert [(e.episode_id, t.task_id) for e, t in scene.iter_tasks()] == [
        ("scene_2", "traj_2"),
        ("scene_2", "traj_10"),
        ("scene_10", "traj_2"),
        ("scene_10", "traj_10"),
    ]
    assert scene.get_episode(1).episode_id == "scene_10"
    assert scene.get_episode_by_id("scene_2") is scene.get_episode(0)
    assert scene.get_episode_by_id("scene_3") is None
    assert scene.summary() == {
        "num_episodes": 2,
        "total_tasks": 4,
        "episode_ids": ["scene_2", "scene_10"],
    }


def test_two_iterations_at_once_do_not_disturb_each_other(
    make_dataset: Callable[..., Path],
) -> None:
    scene = GaussianScene(make_dataset())
    assert len([(a, b) for a in scene for b in scene]) == 4


def test_maps_may_lie_apart(make_dataset: Callable[..., Path], tmp_path: Path) -> None:
    data = make_dataset(("a", "b", "c"), maps=False)
    write_map(tmp_path / "maps" / "a", meta=META.replace("-1.0", "-5.0"))
    write_map(tmp_path / "maps" / "b" / "map", meta=META.replace("-1.0", "-6.0"))
    scene = GaussianScene(data, tmp_path / "maps")
    assert scene.get_episode(0).geometry.top_left[0] == -5.0
    assert scene.get_episode(1).geometry.top_left[0] == -6.0
    assert not scene.get_episode(2).has_grid()


def test_a_missing_map_folder_is_an_error(make_dataset: Callable[..., Path]) -> None:
    with pytest.raises(DataError, match="the map folder does not exist"):
        GaussianScene(make_dataset(), "nowhere")


def test_a_damaged_task_is_named_when_the_dataset_is_opened(
    make_dataset: Callable[..., Path],
) -> None:
    data = make_dataset()
    (data / "scene_10" / "traj_2.json").write_text('{"trajectory": [')
    with pytest.raises(DataError, match=r"scene_10/traj_2\.json"):
        GaussianScene(data)


@pytest.mark.skipif(not CASES.is_file(), reason="the shared cases are not beside the checkout")
def test_published_line_collisions_of_the_shared_cases() -> None:
    checked = 0
    for case in json.loads(CASES.read_text()):
        episode = episode_of(case)
        for segment in case["segments"]:
            ends = pose_of(segment["from"]), dict(zip("xy", segment["to"], strict=True))
            assert episode.geometry.cell_of(segment["from"]).tolist() == segment["cell_of_from"]
            if "published_hit" in segment:
                hit = GaussianScene.check_line_collision_fast(*ends, episode)
                length = GaussianScene.compute_line_collision_length(*ends, episode)
                assert hit is segment["published_hit"]
                assert length == pytest.approx(segment["published_length"], abs=1e-7)
                checked += 1
    assert checked > 100


def plain_point_check(episode: Episode, x: float, y: float, radius: int) -> bool:
    """The documented rule by a loop: 0.5 m pixels, x from -1, y down from 2."""
    column, row = int((x + 1) / 0.5), int((2 - y) / 0.5)
    if not (0 <= column < 8 and 0 <= row < 4):
        return True
    cells = [
        (r, c)
        for r in range(row - radius, row + radius + 1)
        for c in range(column - radius, column + radius + 1)
        if 0 <= r < 4 and 0 <= c < 8
    ]
    assert episode.occ_map is not None
    return any(episode.occ_map[cell] < 128 for cell in cells)


@pytest.mark.parametrize("radius", [0, 1, 2])
def test_point_collisions_follow_the_rule(make_dataset: Callable[..., Path], radius: int) -> None:
    episode = GaussianScene(make_dataset()).get_episode(0)
    for x, y in np.random.default_rng(0).uniform([-2, -1], [4, 3], size=(200, 2)):
        found = GaussianScene.check_point_collision_status({"x": x, "y": y}, episode, radius)
        assert found is plain_point_check(episode, x, y, radius)


def test_the_default_footprint_is_five_pixels_wide(make_dataset: Callable[..., Path]) -> None:
    episode = GaussianScene(make_dataset()).get_episode(0)
    # Obstacles are columns 3 and 4; the centre of column 1 is two columns away, of 0 three.
    assert GaussianScene.check_point_collision_status(pose_of([-0.25, 0.75]), episode)
    assert not GaussianScene.check_point_collision_status(pose_of([-0.75, 0.75]), episode)


def thin_wall() -> Episode:
    """A wall of one 0.1 m pixel across a corridor of 4 m, at x from 2.0 to 2.1."""
    grey = np.full((10, 40), 255, np.uint8)
    grey[:, 20] = 0
    corners = {"TOP_LEFT": (0, 1), "TOP_RIGHT": (4, 1), "BOTTOM_LEFT": (0, 0)}
    meta = {
        f"{key}_{axis}": pair[i] for key, pair in corners.items() for i, axis in enumerate("XY")
    }
    return Episode("wall", occ_map=grey, meta_data={**meta, "IMAGE_WIDTH": 40, "IMAGE_HEIGHT": 10})


def test_the_pixel_step_is_used() -> None:
    episode = thin_wall()
    ends = {"x": 0.05, "y": 0.55}, {"x": 3.95, "y": 0.55}
    # 39 pixels apart: 19 samples 2.17 pixels apart step from 19.5 to 21.7, over column 20.
    assert not GaussianScene.check_line_collision_fast(*ends, episode)
    # 39 samples 1.03 pixels apart see it: 19 * 39 / 38 = 19.5, 20 * 39 / 38 = 20.5.
    assert GaussianScene.check_line_collision_fast(*ends, episode, step_size_pixel=1.0)


def test_the_metre_step_is_used() -> None:
    episode = thin_wall()
    ends = {"x": 0.0, "y": 0.55}, {"x": 4.0, "y": 0.55}
    # 4 samples 4/3 m apart lie at 0, 1.33, 2.67, 4.0 (outside the map, the end): no length.
    assert GaussianScene.compute_line_collision_length(*ends, episode, 1.0) == 0.0
    # 80 samples 4/79 m apart: 40 * 4/79 = 2.025 and 41 * 4/79 = 2.076 are inside the wall.
    length = GaussianScene.compute_line_collision_length(*ends, episode)
    assert length == pytest.approx(2 * 4 / 79)
    assert GaussianScene.compute_line_collision_length(*ends, episode, 0.05) == length


def test_pixels_to_world_and_back(make_dataset: Callable[..., Path]) -> None:
    episode = GaussianScene(make_dataset()).get_episode(0)
    assert GaussianScene.convert_pixel_to_actual(0, 0, episode) == (-1.0, 2.0)
    assert GaussianScene.convert_pixel_to_actual(8, 4, episode) == (3.0, 0.0)
    assert GaussianScene.convert_actual_to_pixel(-0.3, 1.2, episode) == (1, 1)
    # Toward zero: half a pixel beyond the top-left corner is still pixel (0, 0).
    assert GaussianScene.convert_actual_to_pixel(-1.25, 2.25, episode) == (0, 0)


def test_poses_are_scipys_euler_angles() -> None:
    pose = {"x": 1.0, "y": -2.0, "z": 0.5, "roll": 0.3, "pitch": -0.4, "yaw": 2.0}
    matrix = GaussianScene.get_gaussian_pose(pose)
    rotation = Rotation.from_euler("xyz", [0.3, -0.4, 2.0]).as_matrix()
    np.testing.assert_allclose(matrix[:3, :3], rotation, atol=1e-15)
    assert matrix[:, 3].tolist() == [1.0, -2.0, 0.5, 1.0]
    flat = GaussianScene.get_gaussian_pose({**pose, "roll": 0.0, "pitch": 0.0})
    assert math.atan2(flat[1, 0], flat[0, 0]) == pytest.approx(2.0)


def test_a_pose_without_a_key_is_named() -> None:
    with pytest.raises(DataError, match="'roll'"):
        GaussianScene.get_gaussian_pose({"x": 1.0, "y": 2.0, "z": 3.0})


@pytest.mark.parametrize("pose", [{"x": 1.0}, np.zeros(3), None])
def test_what_is_no_pose_is_refused(pose: object) -> None:
    with pytest.raises(DataError, match="a pose must be"):
        GaussianScene.check_point_collision_status(pose, thin_wall())  # type: ignore[arg-type]


def test_collisions_without_a_map_are_an_error_not_false() -> None:
    with pytest.raises(DataError, match="no occupancy map"):
        GaussianScene.check_point_collision_status({"x": 0.0, "y": 0.0}, Episode("made"))


@pytest.mark.parametrize("step", [0.0, -1.0, math.nan])
def test_a_step_must_be_positive(step: float) -> None:
    ends = {"x": 0.0, "y": 0.5}, {"x": 1.0, "y": 0.5}
    with pytest.raises(ConfigError, match="step_size_pixel must be positive"):
        GaussianScene.check_line_collision_fast(*ends, thin_wall(), step)
    with pytest.raises(ConfigError, match="sample_step_meter must be positive"):
        GaussianScene.compute_line_collision_length(*ends, thin_wall(), step)


def test_any_metre_step_follows_the_rule_of_the_default_one() -> None:
    episode = thin_wall()
    rng = np.random.default_rng(1)
    for ends in rng.uniform([-0.5, -0.5], [4.5, 1.5], size=(50, 2, 2)):
        poses = [{"x": x, "y": y} for x, y in ends]
        exact = GaussianScene.compute_line_collision_length(*poses, episode)
        near = GaussianScene.compute_line_collision_length(*poses, episode, 0.05 * (1 + 1e-12))
        assert near == pytest.approx(exact, abs=1e-6)
