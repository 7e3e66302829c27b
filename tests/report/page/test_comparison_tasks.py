"""Which tasks one run alone solves, what each run did, and the tables that list them."""

import json
import shutil
from dataclasses import replace

import pytest

from abotn.records.readers import read_records
from abotn.report.comparison_lists import MOST_TASKS, damaged_tables, solved_tables
from abotn.report.comparison_sources import ComparisonSources, compared_run, run_names
from abotn.report.comparison_tables import comparison_report, pair_tasks
from abotn.report.comparison_tasks import SplitTask, split_tasks
from abotn.results.comparison import Comparison


def cells(row):
    return [cell.plain for cell in row.cells]


def tasks_of(pair):
    comparison, sources = pair
    return pair_tasks(comparison, comparison.pairs[0], sources)


def test_both_lists_say_what_each_run_did(pair):
    found = tasks_of(pair)
    assert [task.name for task in found.only_a] == ["hall/t0", "hall/t1", "hall/t5"]
    assert [task.name for task in found.only_b] == ["hall/t2"]
    first = found.only_a[0]
    assert (first.scene, first.task) == ("hall", "t0")
    assert (first.a.outcome, first.b.outcome) == ("solved", "time-out")
    assert (first.a.status, first.b.status) == ("stop", "max_steps")
    assert first.b.record.trajectory.collided.tolist() == [False, True, True, False]
    assert found.only_a[1].b.record.trajectory is None
    assert found.only_a[1].has_path
    numbers = dict(zip((c.key for c in found.columns), first.b.record.values, strict=True))
    assert (numbers["distance_to_goal"], numbers["travel_length"]) == (3.5, 1.25)


def test_of_several_attempts_the_first_that_went_as_the_task_counts_is_shown(pair):
    task = tasks_of(pair).only_a[2]
    assert (task.a.record.attempt, task.a.solved, task.a.attempts) == (1, 2, 3)
    assert (task.b.record.attempt, task.b.solved, task.b.attempts) == (0, 1, 3)
    assert task.a.outcome == "solved (2 of 3 solved)"
    assert task.b.outcome == "time-out (1 of 3 solved)"


def test_attempts_that_the_policy_leaves_out_are_not_counted(parts, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    failed = {"status": "error", "error": {"stage": "agent", "type": "E", "message": "m"}}
    parts.attempt(first, "t0", solved=False, **failed)
    parts.attempt(first, "t0", attempt=1)
    parts.attempt(second, "t0", solved=False)
    comparison, sources = parts.compared(first, second, on_error="exclude")
    (task,) = tasks_of((comparison, sources)).only_a
    assert (task.a.attempts, task.a.solved, task.a.record.attempt) == (1, 1, 1)
    counted = split_tasks(comparison.pairs[0], sources)
    assert counted.only_a[0].a.attempts == 2


def test_without_the_metric_in_the_records_the_first_attempt_is_shown(pair):
    comparison, sources = pair
    by_other = replace(comparison.pairs[0], solved_by="some_metric")
    task = split_tasks(by_other, sources).only_a[2]
    assert (task.a.record.attempt, task.a.solved) == (0, None)
    assert task.a.outcome == "time-out (1 of 3 attempts)"


def test_what_was_read_of_a_pair_is_read_once(pair):
    assert tasks_of(pair) is tasks_of(pair)


def test_no_path_of_another_task_is_read(pair_folder, parts, tmp_path):
    shutil.copytree(pair_folder, tmp_path / "copy")
    for task in ("t3", "t4"):
        (tmp_path / "copy" / "first" / "hall" / task / "trajectory.npz").write_bytes(b"no")
    made = parts.compared(tmp_path / "copy" / "first", tmp_path / "copy" / "second")
    assert len(tasks_of(made).every) == 4
    assert [path for _, path, _ in made[1].damaged()] == ["hall/t8/result.json"]


def test_the_tables_have_a_block_per_run(pair):
    comparison, sources = pair
    tables = {table.key: table for table in comparison_report(comparison, None, sources).tables}
    assert list(tables) == ["pair-1", "only-a-1", "only-b-1", "alone-1", "damaged"]
    only = tables["only-a-1"]
    assert only.title == "Tasks that planner solves and straight does not"
    assert only.caption == "3 of 6 tasks that both have; solved: success in most attempts."
    assert [(c.block, c.label) for c in only.columns] == [
        ("", "scene/task"),
        *(
            (run, head)
            for run in ("planner", "straight")
            for head in ("outcome", "to goal (m)", "travelled (m)")
        ),
    ]
    assert cells(only.rows[0]) == [
        "hall/t0", "solved", "0.25", "2.00", "time-out", "3.50", "1.25",
    ]  # fmt: skip
    assert cells(tables["alone-1"].rows[0]) == ["planner", "hall/t9"]
    assert tables["alone-1"].caption == "Left out of the comparison: planner 1, straight 0."
    assert cells(tables["damaged"].rows[0])[:2] == ["straight", "hall/t8/result.json"]
    counts = "planner alone solves 3, straight alone 1, both 1, neither 1."
    assert counts in tables["pair-1"].caption


def test_without_records_the_lists_have_names_alone(pair):
    comparison, _ = pair
    tables = comparison_report(comparison).tables
    assert [cells(row) for row in tables[1].rows] == [["hall/t0"], ["hall/t1"], ["hall/t5"]]
    (task, *_) = tasks_of((comparison, ComparisonSources())).only_a
    assert (task, task.scene, task.task) == (SplitTask("hall/t0"), "hall", "t0")
    assert not task.has_path


def test_records_of_one_run_alone_fill_one_block(pair):
    comparison, sources = pair
    one = ComparisonSources((sources.runs[0], replace(sources.runs[1], records=None)))
    table = comparison_report(comparison, None, one).tables[1]
    assert {column.block for column in table.columns} == {"", "planner"}
    assert cells(table.rows[0]) == ["hall/t0", "solved", "0.25", "2.00"]


def test_long_lists_are_cut_and_say_so(pair):
    comparison, sources = pair
    many = tuple(f"s/t{i}" for i in range(MOST_TASKS + 1))
    long = replace(comparison.pairs[0], solved_only_by_a=many, solved_only_by_b=())
    (table,) = solved_tables(long, 1)
    assert len(table.rows) == MOST_TASKS
    assert table.notes == (f"The first {MOST_TASKS} of {MOST_TASKS + 1}; the HTML page has all.",)
    records = replace(
        sources.runs[1].records, damaged=sources.runs[1].records.damaged * (MOST_TASKS + 1)
    )
    broken = ComparisonSources((replace(sources.runs[1], records=records),))
    assert len(next(damaged_tables(broken)).rows) == MOST_TASKS
    assert len(next(damaged_tables(broken, most=None)).rows) == MOST_TASKS + 1


def test_the_caption_names_the_metric_and_what_is_not_known(pair):
    comparison, _ = pair
    other = replace(
        comparison.pairs[0], solved_by="poi_success", solved_unknown=("s/a", "s/b"),
        solved_by_both=None,
    )  # fmt: skip
    caption = comparison_report(Comparison((other,), None, {})).tables[0].caption
    assert "planner alone solves 3 by poi_success, straight alone 1; not known of 2." in caption


def test_runs_come_in_the_order_they_were_given(parts, pair_folder):
    made, _ = parts.compared(pair_folder / "first", pair_folder / "second", baseline="planner")
    assert (made.pairs[0].run_a, made.pairs[0].run_b) == ("straight", "planner")
    assert run_names(made) == ["planner", "straight"]
    assert run_names(Comparison(made.pairs)) == ["straight", "planner"]


def test_a_run_keeps_what_the_comparison_knows_of_it(pair, pair_folder):
    comparison, _ = pair
    bare = compared_run(comparison, "planner", None)
    assert bare.manifest["protocol"]["name"] == "pointbench-indoor"
    known = compared_run(comparison, "planner", read_records(pair_folder / "first"))
    assert known.result.counts == {"scored": 9}
    assert json.loads(json.dumps(known.manifest["agent"]))["name"] == "planner"


@pytest.mark.parametrize("folder", [None, "elsewhere"])
def test_a_damaged_file_elsewhere_keeps_its_path(pair, folder):
    comparison, sources = pair
    source = replace(sources.runs[1].records, folder=folder)
    run = compared_run(comparison, "straight", source)
    (found,) = ComparisonSources((run,)).damaged()
    assert found[1].endswith("second/hall/t8/result.json")
