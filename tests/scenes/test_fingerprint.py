"""What a dataset's fingerprint depends on."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from abotn.errors import DataError
from abotn.scenes import dataset_fingerprint


def plain_fingerprint(data: Path, names: list[str]) -> str:
    total = hashlib.sha256()
    for name in names:
        digest = hashlib.sha256((data / name).read_bytes()).hexdigest()
        total.update(f"{name}\0{digest}\n".encode())
    return total.hexdigest()


def test_it_is_the_hash_of_names_and_contents(make_dataset: Callable[..., Path]) -> None:
    data = make_dataset(("s",))
    names = ["traj_2.json", "traj_10.json"]
    names += [f"map/occ_map{end}" for end in (".png", "_meta.txt", "_height.tiff")]
    assert dataset_fingerprint(data) == plain_fingerprint(data, [f"s/{name}" for name in names])


def test_the_place_of_the_maps_does_not_matter(
    make_dataset: Callable[..., Path], tmp_path: Path
) -> None:
    data = make_dataset()
    before = dataset_fingerprint(data)
    for scene in ("scene_2", "scene_10"):
        (tmp_path / "maps").mkdir(exist_ok=True)
        shutil.move(data / scene / "map", tmp_path / "maps" / scene)
    assert dataset_fingerprint(data, tmp_path / "maps") == before
    assert dataset_fingerprint(data) != before


def test_other_files_and_times_do_not_matter(make_dataset: Callable[..., Path]) -> None:
    data = make_dataset()
    before = dataset_fingerprint(data)
    (data / "README").write_text("hello")
    (data / "scene_2" / "notes.json").write_text("{}")
    (data / "scene_2" / "traj_2.json").touch()
    assert dataset_fingerprint(data) == before


@pytest.mark.parametrize("change", ["task", "map", "name", "missing"])
def test_everything_that_counts_changes_it(make_dataset: Callable[..., Path], change: str) -> None:
    data = make_dataset()
    before = dataset_fingerprint(data)
    task, meta = data / "scene_2" / "traj_2.json", data / "scene_2" / "map" / "occ_map_meta.txt"
    if change == "task":
        task.write_text(task.read_text() + " ")
    elif change == "map":
        meta.write_text(meta.read_text().replace("2.0", "2.5"))
    elif change == "name":
        task.rename(task.with_name("traj_3.json"))
    else:
        meta.with_name("occ_map_height.tiff").unlink()
    assert dataset_fingerprint(data) != before


def test_missing_folders_are_errors(make_dataset: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="data folder does not exist"):
        dataset_fingerprint(tmp_path / "absent")
    with pytest.raises(DataError, match="map folder does not exist"):
        dataset_fingerprint(make_dataset(), tmp_path / "absent")
