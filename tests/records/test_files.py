import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.errors import ConfigError, DataError, SchemaError
from abotn.records.files import (
    check_id,
    read_result_bytes,
    read_trajectory,
    record_folder,
    write_result,
    write_trajectory,
)
from abotn.records.types import ResultRecord, Trajectory

TRAJECTORY = Trajectory(
    position=np.array([[0.0, 0, 0.65], [1, 0, 0.65]]),
    yaw=np.zeros(2),
    waypoint=np.array([[1.0, 0]]),
    executed_index=np.array([0]),
    distance_to_goal=np.array([2.0, 1.0]),
    collided=np.array([False]),
    collision_length=np.zeros(1),
    agent_seconds=np.array([0.01]),
    render_seconds=np.zeros(1),
    reference=np.array([[0.0, 0], [2, 0]]),
    goal=np.array([2.0, 0]),
)


@pytest.mark.parametrize(
    "bad",
    [
        "",
        ".",
        "..",
        ".hidden",
        "a/b",
        "a\\b",
        "C:x",
        "a\nb",
        "a\x00",
        "x" * 201,
        "a.",
        "con",
        "NUL.txt",
        5,
    ],
)
def test_an_id_that_could_leave_the_run_folder_is_refused(bad):
    with pytest.raises(DataError, match="scene id"):
        check_id(bad)


@given(st.text(max_size=12))
def test_an_accepted_id_names_a_child_of_the_run(tmp_path_factory, text):
    run = tmp_path_factory.getbasetemp()
    try:
        folder = record_folder(run, text, "t")
    except DataError:
        return
    assert folder.resolve().parent.parent == run.resolve()


@pytest.mark.parametrize("good", ["scene_0", "0802_840243", "café", "a b", "街", "x" * 200])
def test_ordinary_names_are_accepted(good):
    assert check_id(good) == good


def test_attempts_have_folders_of_their_own(tmp_path):
    assert record_folder(tmp_path, "s", "t").name == "t"
    assert record_folder(tmp_path, "s", "t", 2).name == "t@2"
    with pytest.raises(DataError, match="@"):
        record_folder(tmp_path, "s", "t@2")


def test_a_result_survives_the_round_trip(tmp_path):
    record = ResultRecord(
        "s", "t", 1, "poi_goal", "error", 3, 1.5, None, 0.25, False,
        metrics={"k": 1},
        error={"stage": "agent", "type": "E", "message": "m"},
        extra={"poi_name": "Café"},
    )  # fmt: skip
    write_result(tmp_path, record)
    document = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert document["schema_version"] == "1"
    document.pop("schema_version")
    assert ResultRecord.from_dict(document) == record


def test_a_trajectory_survives_the_round_trip(tmp_path):
    write_trajectory(tmp_path, TRAJECTORY, {"episode_id": "s", "task_id": "t", "attempt": 0})
    loaded = read_trajectory(tmp_path / "trajectory.json")
    for name in ("position", "yaw", "waypoint", "collided", "reference", "goal"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(TRAJECTORY, name))


def test_arrays_that_do_not_belong_together_are_refused(tmp_path):
    odd = replace(TRAJECTORY, yaw=np.zeros(3))
    write_trajectory(tmp_path, odd, {"episode_id": "s", "task_id": "t"})
    with pytest.raises(DataError, match="yaw has 3 rows"):
        read_trajectory(tmp_path / "trajectory.json")


def test_a_trajectory_without_points_is_refused(tmp_path):
    empty = replace(TRAJECTORY, position=np.zeros((0, 3)))
    with pytest.raises(SchemaError, match="position"):
        write_trajectory(tmp_path, empty, {"episode_id": "s", "task_id": "t"})


def test_results_are_found_at_any_depth_but_not_in_hidden_folders(tmp_path):
    for place in ("s/t", "s/t@1", "a/b/c/d", ".tmp/t"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "result.json").write_text(place)
    found = dict(read_result_bytes(tmp_path))
    assert sorted(found.values()) == [b"a/b/c/d", b"s/t", b"s/t@1"]


@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 65537, 200_000])
def test_files_of_any_size_are_read_whole(tmp_path, size):
    content = bytes(range(256)) * (size // 256 + 1)
    (tmp_path / "result.json").write_bytes(content[:size])
    assert dict(read_result_bytes(tmp_path)) == {str(tmp_path / "result.json"): content[:size]}


def test_a_result_that_cannot_be_read_comes_with_its_error(tmp_path):
    (tmp_path / "s" / "t" / "result.json").mkdir(parents=True)
    (only,) = read_result_bytes(tmp_path)
    assert isinstance(only[1], OSError)


def test_a_missing_run_folder_is_named(tmp_path):
    with pytest.raises(ConfigError, match="absent"):
        list(read_result_bytes(tmp_path / "absent"))
