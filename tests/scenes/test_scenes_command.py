"""abotn scenes generate, from-ros and check, as a user types them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image

from abotn.cli.main import run_command_line
from abotn.collision import line_collisions
from abotn.scenes import GaussianScene, check_dataset
from abotn.scenes.ros_map import load_ros_map
from abotn.scenes.ros_scene import scene_from_ros

from .test_ros_map import MAPS, needs_maps


def run(*arguments: object) -> int:
    return run_command_line(["scenes", *map(str, arguments)])


@pytest.fixture
def ros_yaml(tmp_path: Path) -> Path:
    grey = np.full((80, 120), 254, dtype=np.uint8)
    grey[30:34, :90] = 0
    grey[:, 118:] = 205
    Image.fromarray(grey).save(tmp_path / "floor.pgm")
    keys = {"image": "floor.pgm", "resolution": 0.1, "origin": [-3, 2, 0.5], "negate": 0}
    path = tmp_path / "floor.yaml"
    path.write_text(yaml.safe_dump({**keys, "occupied_thresh": 0.65, "free_thresh": 0.196}))
    return path


def test_generate_then_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "data"
    assert run("generate", "--kind", "indoor", "--scenes", 1, "--tasks", 2, "--out", out) == 0
    assert capsys.readouterr().out == f"1 scene, 2 tasks: {out}\n"
    assert run("check", out) == 0
    assert capsys.readouterr().out == f"0 errors, 0 warnings in 1 scene, 2 tasks: {out}\n"


def test_generate_does_not_write_over_anything(
    make_dataset: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    data = make_dataset()
    arguments = ("generate", "--kind", "indoor", "--scenes", 1, "--tasks", 1, "--out", data)
    assert run(*arguments) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith(f"error: {data}: the output folder is not empty")
    assert [path.name for path in sorted(data.iterdir())] == ["scene_10", "scene_2"]
    assert run(*arguments, "--overwrite") == 0
    assert [path.name for path in data.iterdir()] == ["indoor_0"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("generate", "--out", "x"),
        ("generate", "--kind", "space", "--out", "x"),
        ("generate", "--kind", "indoor", "--scenes", 0, "--out", "x"),
        ("generate", "--kind", "indoor"),
        ("from-ros", "absent.yaml", "--out", "x"),
        ("check", "absent"),
        ("check",),
    ],
)
def test_unusable_arguments_are_one_line_and_exit_2(
    arguments: tuple[object, ...],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    assert capsys.readouterr().err.strip().splitlines()[-1].startswith("error: ")
    assert list(tmp_path.iterdir()) == []


def test_check_exits_1_and_names_the_file(
    make_dataset: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    data = make_dataset()
    bad = data / "scene_2" / "traj_2.json"
    bad.write_text("{")
    assert run("check", data) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"error: {bad}: not valid JSON")
    assert lines[1:] == [f"1 error, 0 warnings in 2 scenes, 4 tasks: {data}"]


def test_warnings_alone_exit_0(
    make_dataset: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    data = make_dataset(("s",))
    (data / "s" / "map" / "occ_map_height.tiff").unlink()
    assert run("check", data) == 0
    assert "0 errors, 1 warning" in capsys.readouterr().out


def test_from_ros_writes_a_scene_where_the_map_is(
    ros_yaml: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data"
    arguments = ("--tasks", 4, "--seed", 2, "--min-length", 3, "--max-length", 9, "--out", out)
    assert run("from-ros", ros_yaml, *arguments) == 0
    assert capsys.readouterr().out == f"1 scene, 4 tasks: {out}\n"
    episode = GaussianScene(out).get_episode(0)
    ros = load_ros_map(ros_yaml)
    np.testing.assert_array_equal(episode.grid.free, ros.free)
    corners = [[0, 0], [120, 0], [0, 80], [120, 80]]
    np.testing.assert_allclose(
        episode.geometry.to_world(corners), ros.geometry.to_world(corners), atol=1e-9
    )
    assert episode.has_map_data()
    assert all(3 <= task.reference_length <= 9 for task in episode.tasks)
    assert check_dataset(out) == []
    notes = (out / "floor" / "map" / "occ_map_meta.txt").read_text().splitlines()[5:]
    assert notes == [
        "Source: ROS map floor.yaml",
        "Mode: trinary",
        "Unknown cells: obstacle, 160 of them",
        "Task seed: 2",
        "Task clearance: 0.3",
    ]


def test_unknown_cells_may_count_as_free(ros_yaml: Path, tmp_path: Path) -> None:
    out = tmp_path / "data"
    arguments = ("--tasks", 1, "--unknown", "free", "--scene-id", "hall", "--out", out)
    assert run("from-ros", ros_yaml, *arguments) == 0
    episode = GaussianScene(out).get_episode_by_id("hall")
    assert episode is not None
    np.testing.assert_array_equal(episode.grid.free, ~load_ros_map(ros_yaml).occupied)
    assert "Unknown cells: free" in (out / "hall" / "map" / "occ_map_meta.txt").read_text()


def test_from_ros_leaves_nothing_when_it_fails(
    ros_yaml: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data"
    assert run("from-ros", ros_yaml, "--min-length", 100, "--max-length", 200, "--out", out) == 2
    assert "found no path of 100 to 200 m" in capsys.readouterr().err
    assert run("from-ros", ros_yaml, "--scene-id", "../x", "--out", out) == 2
    assert "scene id" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["floor.pgm", "floor.yaml"]


@needs_maps
@pytest.mark.parametrize("name", ["depot", "tb3_sandbox", "warehouse"])
def test_real_maps_become_sound_scenes(tmp_path: Path, name: str) -> None:
    out = tmp_path / "data"
    scene_from_ros(MAPS / f"{name}.yaml", tasks=2, seed=0, out=out)
    assert check_dataset(out) == []
    for episode, task in GaussianScene(out).iter_tasks():
        xy = task.positions[:, :2]
        assert not line_collisions(episode.grid, xy[:-1], xy[1:], "exact")[0].any()
        assert 2 <= task.reference_length <= 40
