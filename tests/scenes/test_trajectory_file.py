"""Reading and writing traj_*.json."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abotn.errors import DataError
from abotn.scenes.trajectory_file import POSE_KEYS, read_trajectory, trajectory_bytes

from .conftest import write_task

coordinates = st.floats(-1e6, 1e6)


def test_missing_angles_and_heights_are_zero(tmp_path: Path) -> None:
    path = write_task(tmp_path / "traj_0.json", [{"x": 1, "y": 2}, {"x": 3, "y": 4, "yaw": 0.5}])
    points = read_trajectory(path)["trajectory"]
    assert points[0] == {"x": 1.0, "y": 2.0, "z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": 0.0}
    assert points[1]["yaw"] == 0.5
    assert all(type(value) is float for point in points for value in point.values())


def test_points_may_be_lists(tmp_path: Path) -> None:
    path = write_task(tmp_path / "traj_0.json", [[1, 2], [3, 4, 5], [1, 2, 3, 4, 5, 6]])
    points = read_trajectory(path)["trajectory"]
    assert points[0]["z"] == 0.0
    assert points[1]["z"] == 5.0
    assert list(points[2].values()) == [1, 2, 3, 4, 5, 6]


def test_further_keys_of_a_point_stay(tmp_path: Path) -> None:
    path = write_task(tmp_path / "traj_0.json", [{"x": 1, "y": 2, "time": 7}])
    assert read_trajectory(path)["trajectory"][0]["time"] == 7


def test_label_and_instruction(tmp_path: Path) -> None:
    label = {"extend": {"goal_label": "Café 東京"}}
    path = write_task(tmp_path / "traj_0.json", label=label, instruction="Go.")
    task = read_trajectory(path)
    assert (task["label"], task["instruction"]) == (label, "Go.")
    bare = read_trajectory(write_task(tmp_path / "traj_1.json", label=None))
    assert (bare["label"], bare["instruction"]) == ({}, "")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "empty"),
        ('{"trajectory": [{"x": 1', "not valid JSON"),
        ("not json", "not valid JSON"),
        ("[1, 2]", "JSON object"),
        ("{}", "key 'trajectory'.*got nothing"),
        ('{"trajectory": []}', "at least one point, got an empty list"),
        ('{"trajectory": 3}', "key 'trajectory'"),
        ('{"trajectory": [{"x": 1}]}', r"key 'trajectory\[0\].y' .*got nothing"),
        ('{"trajectory": [[1, 2], [1]]}', r"key 'trajectory\[1\]'"),
        ('{"trajectory": ["here"]}', r"key 'trajectory\[0\]'"),
        ('{"trajectory": [{"x": NaN, "y": 1}]}', r"trajectory\[0\].x' must be a finite.*nan"),
        ('{"trajectory": [{"x": 1, "y": 1, "yaw": Infinity}]}', r"trajectory\[0\].yaw'.*inf"),
        ('{"trajectory": [[0, 0], [0, "1"]]}', r"trajectory\[1\].y'"),
        ('{"trajectory": [[0, true]]}', r"trajectory\[0\].y' must be a finite number, got True"),
        ('{"trajectory": [[0, 1e999]]}', r"trajectory\[0\].y'"),
        ('{"trajectory": [[0, 0]], "label": []}', "key 'label' must be an object"),
        ('{"trajectory": [[0, 0]], "instruction": 1}', "key 'instruction' must be a string"),
    ],
)
def test_damage_is_named_by_file_and_key(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "traj_0.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=reason) as caught:
        read_trajectory(path)
    assert caught.value.where == str(path)
    assert "\n" not in str(caught.value)


def test_an_integer_too_large_for_a_float_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "traj_0.json"
    path.write_text('{"trajectory": [[0, ' + "9" * 400 + "]]}", encoding="utf-8")
    with pytest.raises(DataError, match=r"trajectory\[0\].y'"):
        read_trajectory(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read") as caught:
        read_trajectory(tmp_path / "traj_0.json")
    assert caught.value.where == str(tmp_path / "traj_0.json")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(*[coordinates] * 6), min_size=1, max_size=6),
    st.text(max_size=20),
    st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3),
)
def test_what_is_written_is_read_back_to_a_tenth_of_a_millimetre(
    tmp_path: Path, rows: list[tuple[float, ...]], instruction: str, label: dict[str, object]
) -> None:
    points = [dict(zip(POSE_KEYS, row, strict=True)) for row in rows]
    path = tmp_path / "traj_0.json"
    path.write_bytes(trajectory_bytes(points, label, instruction))
    task = read_trajectory(path)
    assert task["instruction"] == instruction
    assert task["label"] == label
    for written, read in zip(points, task["trajectory"], strict=True):
        assert all(abs(written[key] - read[key]) <= 0.00005 + 1e-9 for key in POSE_KEYS)


def test_bytes_do_not_depend_on_key_order_or_the_sign_of_zero() -> None:
    first = trajectory_bytes([{"x": 0.0, "y": -0.00001}], {"b": 1, "a": 2})
    second = trajectory_bytes([{"y": 0.0, "x": -0.0}], {"a": 2, "b": 1})
    assert first == second
    assert json.loads(first)["trajectory"] == [{"x": 0.0, "y": 0.0}]


def test_nothing_that_is_not_finite_is_written() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        trajectory_bytes([{"x": math.nan, "y": 0.0}])
