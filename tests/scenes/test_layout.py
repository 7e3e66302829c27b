"""Where scenes, tasks and maps are found."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.errors import DataError
from abotn.scenes.layout import map_files, natural_key, scene_folders, task_files

from .conftest import write_map


def test_numbers_count() -> None:
    names = ["traj_10", "traj_2", "traj_1", "park3", "park12", "a", "2b", "10b"]
    expected = ["2b", "10b", "a", "park3", "park12", "traj_1", "traj_2", "traj_10"]
    assert sorted(names, key=natural_key) == expected


@given(st.lists(st.integers(0, 10**30), unique=True))
def test_names_with_one_number_sort_by_it(numbers: list[int]) -> None:
    names = sorted((f"traj_{number}" for number in numbers), key=natural_key)
    assert names == [f"traj_{number}" for number in sorted(numbers)]


@given(st.lists(st.text(alphabet="ab01²٣é_", max_size=6), unique=True))
def test_the_order_of_any_names_is_total(names: list[str]) -> None:
    keys = sorted(natural_key(name) for name in names)
    assert all(left < right for left, right in itertools.pairwise(keys))


def test_scenes_and_tasks_come_in_natural_order(make_dataset: Callable[..., Path]) -> None:
    data = make_dataset(("scene_10", "scene_9", "scene_100"))
    (data / ".cache").mkdir()
    (data / "notes.txt").write_text("not a scene")
    folders = scene_folders(data)
    assert [folder.name for folder in folders] == ["scene_9", "scene_10", "scene_100"]
    assert [path.stem for path in task_files(folders[0])] == ["traj_2", "traj_10"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist") as caught:
        scene_folders(tmp_path / "absent")
    assert caught.value.where == str(tmp_path / "absent")


def test_an_empty_folder_says_how_to_fill_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no scenes.*abotn scenes generate"):
        scene_folders(tmp_path)


def test_a_file_is_not_a_data_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="got a file"):
        scene_folders(tmp_path / "file")


def test_the_folder_of_one_scene_points_to_its_parent(make_dataset: Callable[..., Path]) -> None:
    data = make_dataset()
    with pytest.raises(DataError, match="pass its parent") as caught:
        scene_folders(data / "scene_2")
    assert str(data) in str(caught.value)


@pytest.mark.parametrize("name", ["con", "bad\nname", "drive:x", "ends."])
def test_an_unsafe_scene_id_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(DataError, match="scene id"):
        scene_folders(tmp_path)


def test_maps_are_looked_up_in_order(make_dataset: Callable[..., Path], tmp_path: Path) -> None:
    scene, maps = make_dataset(("s",)) / "s", tmp_path / "maps"

    def found() -> Path:
        files = map_files(scene, maps)
        assert files is not None
        return files.folder

    assert found() == scene / "map"
    write_map(maps / "s")
    assert found() == maps / "s"
    write_map(maps / "s" / "map")
    assert found() == maps / "s" / "map"


def test_a_scene_without_a_map_has_no_map_files(make_dataset: Callable[..., Path]) -> None:
    assert map_files(make_dataset(("s",), maps=False) / "s") is None


def test_missing_files_are_none(make_dataset: Callable[..., Path]) -> None:
    scene = make_dataset(("s",)) / "s"
    (scene / "map" / "occ_map_height.tiff").unlink()
    files = map_files(scene)
    assert files is not None
    assert files.height is None
    assert [name for name, _ in files.present] == ["occ_map.png", "occ_map_meta.txt"]
