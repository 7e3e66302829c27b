from dataclasses import replace

import numpy as np
import pytest

from abotn.records.readers import read_records
from abotn.report.page_causes import CAUSES
from abotn.report.page_data import page_data
from abotn.report.page_examples import choose_examples
from abotn.report.page_records import PageRecord
from abotn.report.page_sources import RunSource


def page_record(run=0, scene="s", cause="time-out", trajectory=None):
    return PageRecord(run, scene, "t", 0, cause, "", None, (), "", None, trajectory)


@pytest.fixture(scope="module")
def data(parts, run_folder):
    return page_data([RunSource("agent", parts.evaluation(), read_records(run_folder))])


def rows(data):
    return {
        data.index["tasks"][task]["name"]: (CAUSES[cause], values, error)
        for _, task, _, cause, values, error in data.index["records"]
    }


def test_every_record_has_its_cause_its_numbers_and_its_error(data):
    found = rows(data)
    assert [cause for cause, _, _ in found.values()] == [
        "error", "collision", "wrong stop", "time-out", "collided on the way", "solved",
    ]  # fmt: skip
    heads = [column["head"] for column in data.index["columns"]]
    assert heads == ["steps", "travelled (m)", "reference (m)", "left to goal (m)", "collisions"]
    assert found["traj_1"][1] == [4, 2, 2, 0.25, 1]
    assert found["traj_0"][2] == "agent: E: m"
    assert found["traj_1"][2] == ""


def test_paths_goals_and_maps_belong_to_their_records(data):
    assert data.paths[0] is None
    assert data.paths[1]["hit"] == [2, 3]
    task = data.index["tasks"][1]
    assert (task["goal"], task["radius"]) == ([300, 100], 0.5)
    assert sum(task["reference"][::2]) == 300
    (scene,) = data.index["scenes"]
    assert scene["name"] == "hall"
    assert scene["picture"].startswith("data:image/webp;base64,")
    assert scene["size"] == pytest.approx([6, 4])


def test_views_go_with_the_examples(data):
    assert data.index["views"] == sorted(data.views) == [1, 2, 3, 4, 5]
    assert data.views[3]["at"] == [0, 1, 2, 3, 4]
    assert any("views of 5 examples" in note for note in data.notes)


def test_what_cannot_be_shown_is_said(parts, run_folder, tmp_path):
    records = read_records(run_folder)
    bare = RunSource("bare", parts.evaluation())
    lost = RunSource("lost", parts.evaluation(), records, data_dir=str(tmp_path))
    notes = page_data([bare, lost]).notes
    assert any("No records of bare" in note for note in notes)
    assert any("Without a trajectory to draw: 1 of 6 records." in note for note in notes)
    assert any("No map of hall" in note and str(tmp_path) in note for note in notes)
    assert page_data([bare]).records == ()


def test_scenes_left_out_of_the_evaluation_are_left_out(parts, run_folder):
    result = parts.evaluation(provenance={"excluded_scenes": {"hall": 6}})
    assert page_data([RunSource("agent", result, read_records(run_folder))]).records == ()


def test_runs_share_their_tasks_unless_the_paths_differ(parts):
    def run(name, **fields):
        source = read_records([parts.record("s", "t")])
        column = np.empty(1, dtype=object)
        column[0] = replace(parts.trajectory(), **fields)
        table = source.table.with_columns({"trajectory": column})
        return RunSource(name, parts.evaluation(), replace(source, table=table))

    same = page_data([run("a"), run("b")])
    assert [row[1] for row in same.index["records"]] == [0, 0]
    other = page_data([run("a"), run("b", goal=np.array([9.0, 9.0]))])
    assert [row[1] for row in other.index["records"]] == [0, 1]
    lost = page_data([run("a", goal=np.array([np.nan, 9.0]))])
    assert lost.index["tasks"][0]["goal"] is None


def test_attempts_of_a_task_stand_together(parts):
    records = read_records([parts.record("s", "t", attempt) for attempt in (1, 0, 2)])
    data = page_data([RunSource("a", parts.evaluation(), records)])
    assert [(row[1], row[2]) for row in data.index["records"]] == [(0, 0), (0, 1), (0, 2)]


def test_examples_take_turns_over_runs_and_scenes():
    places = [(0, "a"), (0, "a"), (0, "b"), (1, "a"), (1, "a")]
    found = choose_examples([page_record(run, scene) for run, scene in places], 4)
    assert found == {"time-out": (0, 3, 2, 4)}


def test_examples_with_a_path_come_first(parts):
    path = parts.trajectory()
    records = [page_record(trajectory=None), page_record(trajectory=path), page_record()]
    assert choose_examples(records)["time-out"] == (1, 0, 2)
    mixed = [page_record(cause=cause) for cause in reversed(CAUSES)]
    assert list(choose_examples(mixed)) == list(CAUSES)
    assert choose_examples([]) == {}
