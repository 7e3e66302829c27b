"""What abotn scenes check finds."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tifffile

from abotn.errors import DataError
from abotn.scenes import check_dataset

from .conftest import META, write_map, write_task


@pytest.fixture
def data(make_dataset: Callable[..., Path]) -> Path:
    return make_dataset(("s",))


def found(data: Path, map_dir: Path | None = None) -> list[tuple[str, str, str]]:
    """(path below the data folder, severity, message) of every finding."""
    findings = check_dataset(data, map_dir)
    return [(f.path.relative_to(data).as_posix(), f.severity, f.message) for f in findings]


def test_a_good_dataset_has_no_findings(data: Path) -> None:
    assert found(data) == []


def test_every_damaged_file_is_reported_not_just_the_first(data: Path) -> None:
    scene = data / "s"
    (scene / "traj_2.json").write_text('{"trajectory": [')
    write_task(scene / "traj_10.json", [{"x": 0.0}])
    (scene / "map" / "occ_map.png").write_bytes(b"nothing")
    (scene / "map" / "occ_map_meta.txt").write_text(META.replace("8, 4", "eight"))
    tifffile.imwrite(scene / "map" / "occ_map_height.tiff", np.zeros((2, 2, 2), np.float32))
    findings = found(data)
    assert [path for path, _, _ in findings] == [
        "s/traj_2.json",
        "s/traj_10.json",
        "s/map/occ_map_meta.txt",
        "s/map/occ_map.png",
        "s/map/occ_map_height.tiff",
    ]
    assert {severity for _, severity, _ in findings} == {"error"}
    assert "trajectory[0].y" in findings[1][2]


def test_sizes_that_differ_are_errors(data: Path) -> None:
    (data / "s" / "map" / "occ_map_meta.txt").write_text(META.replace("8, 4", "8, 5"))
    assert [path for path, _, _ in found(data)] == [
        "s/map/occ_map.png",
        "s/map/occ_map_height.tiff",
    ]


def test_starts_and_goals_must_be_free_and_inside(data: Path) -> None:
    write_task(data / "s" / "traj_2.json", [{"x": 0.75, "y": 0.75}, {"x": 3.5, "y": 1.75}])
    assert found(data) == [
        ("s/traj_2.json", "error", "the start (0.75, 0.75) lies in an obstacle"),
        ("s/traj_2.json", "error", "the goal (3.50, 1.75) lies outside the map"),
        (
            "s/traj_2.json",
            "warning",
            # From (0.75, 0.75) with slope 1 / 2.75 the obstacle ends at x = 1.5, the map at 3.
            "the reference path crosses obstacles in 1 of 1 segments, 1.33 m in all",
        ),
    ]


def test_a_reference_through_an_obstacle_is_a_warning(data: Path) -> None:
    write_task(data / "s" / "traj_2.json", [[-0.75, 0.75], [0.0, 0.75], [2.75, 0.75]])
    message = "the reference path crosses obstacles in 1 of 2 segments, 1.00 m in all"
    assert found(data) == [("s/traj_2.json", "warning", message)]


def test_a_start_on_the_goal_is_a_warning(data: Path) -> None:
    write_task(data / "s" / "traj_2.json", [[-0.75, 0.75], [-0.75, 0.75]])
    assert found(data) == [("s/traj_2.json", "warning", "the start is the goal")]
    write_task(data / "s" / "traj_2.json", [[-0.75, 0.75]])
    assert found(data) == [("s/traj_2.json", "warning", "the start is the goal")]


def test_missing_things_are_named(data: Path) -> None:
    (data / "empty").mkdir()
    (data / "s" / "map" / "occ_map_height.tiff").unlink()
    assert found(data) == [
        ("empty", "error", "the scene has no traj_*.json files"),
        ("empty", "error", "the scene has no map"),
        (
            "s/map",
            "warning",
            "there is no height map; the ground is taken to be at -0.1 m",
        ),
    ]


@pytest.mark.parametrize("name", ["occ_map.png", "occ_map_meta.txt"])
def test_half_a_map_is_an_error(data: Path, name: str) -> None:
    (data / "s" / "map" / name).unlink()
    assert found(data) == [("s/map", "error", f"{name} is missing")]


def test_a_scene_id_that_is_unsafe_is_an_error(data: Path) -> None:
    (data / "s").rename(data / "a:b")
    assert [(path, severity) for path, severity, _ in found(data)] == [("a:b", "error")]


def test_ids_that_differ_by_case_are_errors(data: Path) -> None:
    shutil.copytree(data / "s", data / "S")
    if len(list(data.iterdir())) < 2:
        pytest.skip("this file system ignores case")
    write_task(data / "s" / "traj_A.json")
    write_task(data / "s" / "traj_a.json")
    assert found(data) == [
        ("s", "error", "the id differs from 'S' only by case"),
        ("s/traj_a.json", "error", "the id differs from 'traj_A.json' only by case"),
    ]


def test_maps_apart_are_checked(make_dataset: Callable[..., Path], tmp_path: Path) -> None:
    data = make_dataset(("s",), maps=False)
    write_map(tmp_path / "data" / "maps_elsewhere" / "s")
    apart = tmp_path / "data" / "maps_elsewhere"
    shutil.move(apart, tmp_path / "maps")
    assert found(data, tmp_path / "maps") == []
    (tmp_path / "maps" / "s" / "occ_map.png").write_bytes(b"")
    finding = check_dataset(data, tmp_path / "maps")[0]
    assert finding.path == tmp_path / "maps" / "s" / "occ_map.png"
    assert str(finding).startswith(f"error: {finding.path}: not a readable image")


def test_unusable_arguments_raise(data: Path, tmp_path: Path) -> None:
    for arguments in ((tmp_path / "absent",), (data, tmp_path / "absent"), (data / "s" / "map",)):
        with pytest.raises(DataError):
            check_dataset(*arguments)


def test_progress_is_told_once_per_scene(make_dataset: Callable[..., Path]) -> None:
    told: list[int] = []
    check_dataset(make_dataset(("a", "b", "c")), progress=lambda: told.append(1))
    assert len(told) == 3
