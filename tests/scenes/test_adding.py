"""Adding a scene to a dataset, and what a file system that refuses leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image

from abotn.cli.main import run_command_line
from abotn.errors import ConfigError, DataError
from abotn.scenes import GaussianScene, Task, check_dataset, generate
from abotn.scenes.ros_scene import scene_from_ros
from abotn.scenes.writer import new_scene, write_scene
from abotn.streaming.generate import generate_anomaly_dataset

from .test_writer import FREE, GEOMETRY, TASK, all_bytes


def write(folder: Path) -> None:
    write_scene(folder, tasks=[TASK], free=FREE, geometry=GEOMETRY)


def add(out: Path, name: str) -> None:
    with new_scene(out, name) as folder:
        write(folder / name)


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can be larger than 1000 bytes."""
    resource = pytest.importorskip("resource", reason="this system limits no file sizes")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def run(*arguments: object) -> int:
    return run_command_line(["scenes", *map(str, arguments)])


@pytest.fixture
def ros_yaml(tmp_path: Path) -> Path:
    grey = np.random.default_rng(0).choice([205, 254], (90, 120), p=[0.002, 0.998])
    Image.fromarray(grey.astype(np.uint8)).save(tmp_path / "floor.pgm")
    keys = {"image": "floor.pgm", "resolution": 0.1, "origin": [-3, 2, 0.5], "negate": 0}
    path = tmp_path / "floor.yaml"
    path.write_text(yaml.safe_dump({**keys, "occupied_thresh": 0.65, "free_thresh": 0.196}))
    return path


def test_a_second_map_is_added_and_the_first_stays(
    ros_yaml: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data"
    arguments = ["scenes", "from-ros", str(ros_yaml), "--tasks", "1", "--out", str(out)]
    assert run_command_line(arguments) == 0
    (out / "README.txt").write_text("ours")
    before = all_bytes(out)
    assert run_command_line([*arguments, "--scene-id", "second"]) == 0
    assert [ep.episode_id for ep in GaussianScene(out)] == ["floor", "second"]
    assert check_dataset(out) == []
    after = all_bytes(out)
    assert {name: after[name] for name in before} == before
    scene_from_ros(ros_yaml, tasks=1, seed=0, out=tmp_path / "alone", scene_id="second")
    assert all_bytes(tmp_path / "alone" / "second") == all_bytes(out / "second")
    assert sorted(path.name for path in out.iterdir()) == ["README.txt", "floor", "second"]
    capsys.readouterr()
    for name in ("second", "SECOND"):
        assert run_command_line([*arguments, "--scene-id", name, "--seed", "1"]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"error: {out}: the dataset already holds 'second'")
        assert "--scene-id" in error
    assert all_bytes(out) == after


def test_overwriting_replaces_the_whole_dataset(ros_yaml: Path, tmp_path: Path) -> None:
    out = tmp_path / "data"
    add(out, "old")
    scene_from_ros(ros_yaml, tasks=1, seed=0, out=out, overwrite=True)
    assert [path.name for path in out.iterdir()] == ["floor"]


@pytest.mark.parametrize("inside", ["notes.txt", "traj_0.json"])
def test_a_folder_without_scenes_gets_none(tmp_path: Path, inside: str) -> None:
    (tmp_path / inside).write_text("{}")
    with pytest.raises(ConfigError, match="is no dataset that a scene could be added to"):
        add(tmp_path, "s")
    assert [path.name for path in tmp_path.iterdir()] == [inside]


def test_a_folder_with_other_folders_gets_no_scene(tmp_path: Path) -> None:
    add(tmp_path / "home", "s")
    (tmp_path / "home" / "music").mkdir()
    before = all_bytes(tmp_path)
    with pytest.raises(ConfigError, match="holds 'music', which is no scene, so nothing is added"):
        add(tmp_path / "home", "t")
    assert all_bytes(tmp_path) == before


def test_of_two_that_add_one_scene_the_first_wins(tmp_path: Path) -> None:
    data = tmp_path / "data"
    add(data, "other")
    with pytest.raises(DataError, match="cannot write") as caught:
        _add_twice_at_once(data, "s")
    assert caught.value.where == str(data)
    assert sorted(all_bytes(data / "s")) == [
        "first.json",
        "map/occ_map.png",
        "map/occ_map_meta.txt",
    ]
    assert sorted(path.name for path in data.iterdir()) == ["other", "s"]


def _add_twice_at_once(data: Path, name: str) -> None:
    with new_scene(data, name) as folder:
        write(folder / name)
        with new_scene(data, name) as other:
            first = [Task("first", TASK.trajectory)]
            write_scene(other / name, tasks=first, free=FREE, geometry=GEOMETRY)


def test_a_failure_while_adding_leaves_the_dataset_as_it_was(tmp_path: Path) -> None:
    add(tmp_path / "data", "s")
    before = all_bytes(tmp_path)
    with pytest.raises(KeyError, match="stopped"):
        _add_and_stop(tmp_path / "data")
    assert all_bytes(tmp_path) == before
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["s"]


def _add_and_stop(data: Path) -> None:
    with new_scene(data, "t") as folder:
        write(folder / "t")
        raise KeyError("stopped")


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    add(tmp_path / "link", "s")
    assert (tmp_path / "link").is_symlink()
    assert [path.name for path in (tmp_path / "real").iterdir()] == ["s"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]


@pytest.mark.parametrize("kind", ["indoor", "anomaly"])
def test_a_full_disk_is_one_line_that_names_the_destination(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deep" / "data"
    with full_disk():
        assert run("generate", "--kind", kind, "--scenes", 1, "--tasks", 2, "--out", out) == 2
    printed = capsys.readouterr()
    [line] = printed.err.splitlines()
    assert line.startswith(f"error: {out}")
    assert "cannot write: " in line
    assert ".tmp" not in line
    assert printed.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_dataset_that_was_to_be_added_to(
    ros_yaml: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data"
    add(out, "s")
    before = all_bytes(tmp_path)
    with full_disk():
        assert run("from-ros", ros_yaml, "--tasks", 1, "--max-length", 30, "--out", out) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {out / 'floor'}: cannot write: ")
    assert all_bytes(tmp_path) == before
    assert [path.name for path in out.iterdir()] == ["s"]


def test_an_overwrite_on_a_full_disk_leaves_the_old_dataset(tmp_path: Path) -> None:
    out = tmp_path / "data"
    small = {"towns": ("T",), "anomaly_types": ("spawn-props",), "timesteps": 2}
    generate_anomaly_dataset(out, **small)
    before = all_bytes(tmp_path)
    with full_disk(), pytest.raises(DataError, match="cannot write") as caught:
        generate_anomaly_dataset(out, overwrite=True, **small)
    assert caught.value.where is not None
    assert caught.value.where.startswith(str(out))
    assert all_bytes(tmp_path) == before


def test_a_destination_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file" / "data", tmp_path / ("x" * 300)):
        with pytest.raises(DataError, match="cannot write") as caught:
            generate("indoor", scenes=1, tasks=1, seed=0, out=out)
        assert caught.value.where == str(out)
    with pytest.raises(ConfigError, match="no name"):
        generate("indoor", scenes=1, tasks=1, seed=0, out="")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_scene_of_which_a_part_cannot_be_written_is_not_left_half(tmp_path: Path) -> None:
    tasks = [TASK, Task("traj_1", TASK.trajectory * 100)]
    with full_disk(), pytest.raises(DataError, match="cannot write") as caught:
        write_scene(tmp_path / "deep" / "s", tasks=tasks, free=FREE, geometry=GEOMETRY)
    assert caught.value.where == str(tmp_path / "deep" / "s")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", ["0", "-1", "nan", "1.5", str(2**64), "9" * 400])
@pytest.mark.parametrize("option", ["--scenes", "--tasks", "--seed"])
@pytest.mark.parametrize("command", ["generate", "from-ros"])
def test_numbers_that_cannot_be_used_are_one_line(
    ros_yaml: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    option: str,
    value: str,
) -> None:
    if (option, value) == ("--seed", "0"):
        value = "-2"
    first = [str(ros_yaml)] if command == "from-ros" else ["--kind", "indoor"]
    if command == "from-ros" and option == "--scenes":
        option = "--clearance"
        value = "-0.5" if value in ("0", "1.5") else value
    out = tmp_path / "data"
    assert run_command_line(["scenes", command, *first, option, value, "--out", str(out)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert not out.exists()


@pytest.mark.parametrize("value", [0, -1, 2**63, float("nan"), 2.0, True, "3", [10**5000]])
def test_numbers_given_in_python_are_checked_alike(tmp_path: Path, value: object) -> None:
    with pytest.raises(ConfigError, match=r"tasks must be .*from 1 to 9223372036854775807"):
        generate("indoor", scenes=1, tasks=value, seed=0, out=tmp_path / "d")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
