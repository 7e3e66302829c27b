"""Writing scenes and replacing datasets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abotn.errors import ConfigError, DataError
from abotn.geometry.map_geometry import MapGeometry
from abotn.scenes import Episode, Task, new_dataset, write_scene

GEOMETRY = MapGeometry.from_corners((0, 2), (3, 2), (0, 0), 6, 4)
FREE = np.random.default_rng(0).random((4, 6)) < 0.5
TASK = Task("traj_0", [{"x": 0.1, "y": 0.2}, {"x": 1.0, "y": 1.0}], {"extend": {}}, "Go.")


def write(folder: Path, **changes: object) -> Path:
    arguments = {"tasks": [TASK], "free": FREE, "geometry": GEOMETRY, **changes}
    return write_scene(folder, **arguments)  # type: ignore[arg-type]


def all_bytes(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_written_scene_is_read_back(tmp_path: Path) -> None:
    height = np.linspace(0, 1, 24, dtype=np.float32).reshape(4, 6)
    episode = Episode.from_scene_dir(write(tmp_path / "s", height_map=height))
    np.testing.assert_array_equal(episode.grid.free, FREE)
    np.testing.assert_array_equal(episode.height_map, height)
    assert episode.geometry == GEOMETRY
    assert episode.tasks[0].instruction == "Go."
    assert episode.tasks[0].positions.tolist() == [[0.1, 0.2, 0.0], [1.0, 1.0, 0.0]]


def test_the_same_scene_has_the_same_bytes(tmp_path: Path) -> None:
    first, second = all_bytes(write(tmp_path / "a")), all_bytes(write(tmp_path / "b"))
    assert first == second
    assert sorted(first) == ["map/occ_map.png", "map/occ_map_meta.txt", "traj_0.json"]
    assert first["map/occ_map_meta.txt"].decode() == (
        "Top Left: (0.0, 2.0)\nTop Right: (3.0, 2.0)\nBottom Left: (0.0, 0.0)\n"
        "Bottom Right: (3.0, 0.0)\nImage size in pixels: 6, 4\n"
    )
    assert first["traj_0.json"].decode() == (
        '{\n"instruction": "Go.",\n"label": {"extend": {}},\n"trajectory": [\n'
        '{"x": 0.1, "y": 0.2},\n{"x": 1.0, "y": 1.0}\n]\n}\n'
    )


@pytest.mark.parametrize("task_id", ["../outside", ".hidden", "a/b", "c:d", "", "a\nb"])
def test_an_unsafe_task_id_is_refused_before_anything_is_written(
    tmp_path: Path, task_id: str
) -> None:
    with pytest.raises(DataError, match="task id"):
        write(tmp_path / "s", tasks=[Task(task_id, TASK.trajectory)])
    assert not (tmp_path / "s").exists()


def test_two_tasks_with_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="two tasks have the id 'traj_0'"):
        write(tmp_path / "s", tasks=[TASK, TASK])


def test_an_unsafe_scene_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="scene id"):
        write(tmp_path / ".s")


def test_a_scene_is_not_written_over(tmp_path: Path) -> None:
    write(tmp_path / "s")
    with pytest.raises(DataError, match="cannot write"):
        write(tmp_path / "s")


def test_a_dataset_appears_whole(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "data"
    with new_dataset(out) as folder:
        write(folder / "s")
        assert not out.exists()
    assert [path.name for path in out.iterdir()] == ["s"]
    assert [path.name for path in out.parent.iterdir()] == ["data"]


@pytest.mark.parametrize("existing", [False, True])
def test_a_failure_leaves_everything_as_it_was(tmp_path: Path, existing: bool) -> None:
    out = tmp_path / "data"
    if existing:
        write(out / "old")
    before = all_bytes(tmp_path)
    with pytest.raises(KeyError, match="stopped"):
        _write_and_stop(out, overwrite=existing)
    assert all_bytes(tmp_path) == before
    assert out.exists() == existing


def _write_and_stop(out: Path, *, overwrite: bool) -> None:
    with new_dataset(out, overwrite=overwrite) as folder:
        write(folder / "new")
        raise KeyError("stopped")


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with new_dataset(tmp_path / "data") as folder:
        write(folder / "s")
    assert (tmp_path / "data" / "s" / "traj_0.json").is_file()


def test_a_dataset_is_replaced_only_when_told(tmp_path: Path) -> None:
    out = tmp_path / "data"
    write(out / "old")
    with pytest.raises(ConfigError, match=r"not empty.*--overwrite"), new_dataset(out):
        pass
    with new_dataset(out, overwrite=True) as folder:
        write(folder / "new")
    assert [path.name for path in out.iterdir()] == ["new"]
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_what_is_no_dataset_is_never_replaced(tmp_path: Path) -> None:
    out = tmp_path / "home"
    write(out / "scene")
    (out / "thesis.tex").write_text("years of work")
    with (
        pytest.raises(ConfigError, match=r"holds 'thesis\.tex', which is no scene"),
        new_dataset(out, overwrite=True),
    ):
        pass
    assert (out / "thesis.tex").read_text() == "years of work"


def test_a_file_is_no_output_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="got a file"), new_dataset(tmp_path / "file"):
        pass


@settings(
    max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.data())
def test_any_map_is_read_back(tmp_path: Path, data: st.DataObject) -> None:
    rows, columns = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    bits = data.draw(st.lists(st.booleans(), min_size=rows * columns, max_size=rows * columns))
    free = np.array(bits).reshape(rows, columns)
    geometry = MapGeometry((1.5, -2.0), (0.03, 0.01), (0.01, -0.03), columns, rows)
    with new_dataset(tmp_path / "data", overwrite=True) as folder:
        write(folder / "s", free=free, geometry=geometry)
    np.testing.assert_array_equal(Episode.from_scene_dir(tmp_path / "data" / "s").grid.free, free)
