import json
import math

import numpy as np
import pytest

from abotn.errors import ConfigError, DataError, EvaluationInputError
from abotn.records.published import normalise
from abotn.records.readers import read_records

PUBLISHED = {
    "episode_id": "scene_001",
    "task_id": "traj_1",
    "status": "stop",
    "steps": 42,
    "travel_length": 28.5,
    "shortest_path_length": "inf",
    "distance_to_goal": 0.35,
    "success": True,
    "metrics": {"path_collision_count": 1, "collision_path_length": float("nan")},
}


def put(run, task, content):
    folder = run / "s" / task
    folder.mkdir(parents=True)
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / "result.json").write_text(text, encoding="utf-8")
    return folder / "result.json"


def test_published_spellings_become_this_layout():
    plain = normalise({**PUBLISHED, "gt_taget_instance": "Starbucks", "status": "render_error"})
    assert plain["shortest_path_length"] is None
    assert plain["metrics"]["collision_path_length"] is None
    assert plain["value_serialization"] == {
        "shortest_path_length": "inf",
        "metrics.collision_path_length": "nan",
    }
    assert plain["poi_name"] == "Starbucks"
    assert plain["status"] == "error"
    assert plain["error"]["stage"] == "render"


def test_normalising_leaves_the_input_alone():
    original = json.dumps(PUBLISHED)
    normalise(PUBLISHED)
    assert json.dumps(PUBLISHED) == original


def test_damaged_records_are_named_and_the_rest_is_read(tmp_path):
    put(tmp_path, "good", PUBLISHED)
    put(tmp_path, "cut", '{"episode_id": "s"')
    put(tmp_path, "odd", {**PUBLISHED, "task_id": "odd", "steps": "many"})
    put(tmp_path, "empty", "")
    source = read_records(tmp_path)
    assert len(source.table) == 1
    reasons = {one.path.replace("\\", "/").split("/")[-2]: one.reason for one in source.damaged}
    assert set(reasons) == {"cut", "odd", "empty"}
    assert "steps" in reasons["odd"]
    assert "empty" in reasons["empty"]


def test_only_damaged_records_is_an_error(tmp_path):
    put(tmp_path, "cut", "{")
    with pytest.raises(DataError, match="no usable record"):
        read_records(tmp_path)


def test_a_folder_without_records_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"no result\.json"):
        read_records(tmp_path)


def test_a_missing_path_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="nowhere"):
        read_records(tmp_path / "nowhere")


def test_a_list_of_paths_is_one_table(tmp_path):
    paths = [put(tmp_path, t, {**PUBLISHED, "task_id": t}) for t in ("a", "b")]
    assert read_records(paths).table.column("task_id").tolist() == ["a", "b"]


def test_a_damaged_file_in_a_list_is_named_and_the_rest_is_read(tmp_path):
    good = put(tmp_path, "a", {**PUBLISHED, "task_id": "a"})
    bad = put(tmp_path, "b", "{")
    odd = put(tmp_path, "c", {**PUBLISHED, "task_id": "c", "metrics": {"total_distance": "far"}})
    (good.parent / "trajectory.json").write_text("{", encoding="utf-8")
    source = read_records([good, bad, odd])
    assert source.table.column("task_id").tolist() == ["a"]
    damaged = {one.path.replace("\\", "/").split("/")[-2:][0] for one in source.damaged}
    assert damaged == {"a", "b", "c"}


def test_joined_sources_keep_columns_that_only_one_has(tmp_path):
    one = put(tmp_path, "a", {**PUBLISHED, "task_id": "a", "extra_number": 2})
    two = put(tmp_path, "b", {**PUBLISHED, "task_id": "b", "note": "text"})
    table = read_records([one, two]).table
    assert table.column("extra_number")[0] == 2.0
    assert np.isnan(table.column("extra_number")[1])
    assert table.column("note").tolist() == [None, "text"]


@pytest.mark.parametrize("bad", [5, {"a": 1}, [], [1, 2], [{"x": 1}]])
def test_what_cannot_be_evaluated_says_so(bad):
    with pytest.raises(EvaluationInputError, match="results"):
        read_records(bad)


def test_infinite_reference_in_a_dict_is_missing_not_zero():
    table = read_records([PUBLISHED]).table
    assert math.isnan(table.column("shortest_path_length")[0])


def test_a_damaged_trajectory_is_named_when_it_is_needed(tmp_path):
    path = put(tmp_path, "a", PUBLISHED)
    (path.parent / "trajectory.json").write_text("{", encoding="utf-8")
    source = read_records(tmp_path)
    assert source.all_damaged == []
    assert source.table.column("trajectory").tolist() == [None]
    assert [one.path for one in source.all_damaged] == [str(path.parent / "trajectory.json")]


@pytest.mark.parametrize("at_once", [1, 2, 1000])
def test_files_are_read_alike_however_many_at_a_time(tmp_path, monkeypatch, at_once):
    """Sound files, files of the published tools and damaged ones, in one run."""
    monkeypatch.setattr("abotn.records.readers._AT_ONCE", at_once)
    for number in range(9):
        document = {**PUBLISHED, "task_id": f"traj_{number}", "steps": number}
        if number % 3 == 1:
            document = {**normalise(document), "steps": -1 if number == 7 else number}
        put(tmp_path, f"traj_{number}", "{" if number == 5 else document)
    source = read_records(tmp_path)
    assert source.table.column("task_id").tolist() == [f"traj_{n}" for n in (0, 1, 2, 3, 4, 6, 8)]
    assert source.table.column("steps").tolist() == [0, 1, 2, 3, 4, 6, 8]
    assert [one.path.split("/")[-2] for one in source.damaged] == ["traj_5", "traj_7"]
