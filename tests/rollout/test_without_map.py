"""Scenes without a map, and maps that are none: the one is said, the other refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from abotn.cli.main import run_command_line


@pytest.fixture
def scenes(dataset: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(dataset, tmp_path / "scenes"))


def go(scenes: Path, tmp_path: Path, *more: str) -> int:
    return run_command_line(
        ["run", "point-goal", "--agent", "abotn.agents:StraightLineAgent", "--data-dir",
         str(scenes), "--render", "none", "--run-dir", str(tmp_path / "run"), *more]
    )  # fmt: skip


def spoil(folder: Path, how: str) -> Path:
    """Make something of a scene's map unusable and return its path."""
    if how.startswith("map"):
        shutil.rmtree(folder / "map")
        path = folder / "map"
    else:
        path = folder / "map" / how.split()[0]
        path.unlink(missing_ok=True)
    if how.endswith("is a folder"):
        path.mkdir()
    elif how.endswith("is a file"):
        path.write_text("no map")
    else:
        path.symlink_to("nowhere")
    return path


@pytest.mark.parametrize(
    ("how", "got"),
    [
        ("map is a file", "expected a folder, got a file"),
        ("map is a link", "expected a folder, got a link to nothing"),
        ("occ_map_height.tiff is a folder", "expected a file, got a folder"),
        ("occ_map_height.tiff is a link", "expected a file, got a link to nothing"),
        ("occ_map.png is a folder", "expected a file, got a folder"),
        ("occ_map_meta.txt is a link", "expected a file, got a link to nothing"),
    ],
)
def test_what_cannot_be_a_map_is_refused_by_name(
    how: str, got: str, scenes: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = spoil(scenes / "room", how)
    assert go(scenes, tmp_path) == 2
    output, messages = capfd.readouterr()
    assert output == ""
    (line,) = messages.splitlines()
    assert line.startswith(f"error: {path}: {got} (")
    assert not (tmp_path / "run").exists()
    assert run_command_line(["scenes", "check", str(scenes)]) == 1
    assert f"{path.name}: {got}" in capfd.readouterr().out


def test_scenes_without_a_map_are_counted(
    scenes: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(scenes / "hall" / "map")
    assert go(scenes, tmp_path) == 0
    said = [line for line in capfd.readouterr().err.splitlines() if "no map" in line]
    assert said == ["1 of 2 scenes has no map, so nothing is known of collisions there: hall"]
    shutil.rmtree(tmp_path / "run")
    assert go(scenes, tmp_path, "--scenes", "room") == 0
    assert "no map" not in capfd.readouterr().err


def test_poi_goals_without_a_name_are_counted_and_no_table_is_empty(
    scenes: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def poi(folder: str) -> tuple[str, str]:
        run = str(tmp_path / folder)
        code = run_command_line(
            ["run", "poi-goal", "--agent", "abotn.agents:StraightLineAgent", "--data-dir",
             str(scenes), "--render", "none", "--run-dir", run]
        )  # fmt: skip
        said = capfd.readouterr().err
        assert code == 0
        assert run_command_line(["evaluate", run]) == 0
        return said, capfd.readouterr().out

    (first,) = (scenes / "hall").glob("traj_*.json")
    first.write_text(first.read_text().replace("goal_label", "other_label"))
    said, table = poi("some")
    line = "1 of 4 attempts has no POI to name (goal_label of the task)"
    assert [one.startswith(line) for one in said.splitlines()].count(True) == 1
    assert "By poi" in table
    for path in scenes.rglob("traj_*.json"):
        path.write_text(path.read_text().replace("goal_label", "other_label"))
    said, table = poi("none")
    assert "4 of 4 attempts have no POI to name" in said
    assert "By poi" not in table
    assert run_command_line(["evaluate", str(tmp_path / "none"), "--group-by", "poi"]) == 0
    output, messages = capfd.readouterr()
    assert "By poi" not in output
    assert "warning: no record belongs to a group of 'poi', so it is left out" in messages
