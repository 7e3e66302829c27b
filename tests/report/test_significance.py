"""Marks against a baseline: from records on disk to the cells, with p values worked out by hand."""

import csv
import io
import json
from dataclasses import replace

import pytest

from abotn import Evaluator
from abotn.cli.main import run_command_line
from abotn.report import ReportOptions, build_report
from abotn.report.significance import PairedTest, Significance

TASKS = 12
# Two-sided exact McNemar: k tasks that one side alone solves, none the other way round.
TEN_TO_NONE, FIVE_TO_NONE = 2 * 0.5**10, 2 * 0.5**5


def records_of(folder, solved, tasks=TASKS):
    """A run folder whose first ``solved`` tasks succeed."""
    for index in range(tasks):
        target = folder / "scene" / f"traj_{index}"
        target.mkdir(parents=True)
        record = {
            "episode_id": "scene", "task_id": f"traj_{index}", "task_type": "point_goal",
            "status": "stop", "steps": 3, "travel_length": 2.0, "shortest_path_length": 2.0,
            "distance_to_goal": 0.1, "success": index < solved, "metrics": {},
        }  # fmt: skip
        (target / "result.json").write_text(json.dumps(record))
    return folder


@pytest.fixture
def runs(tmp_path):
    """Three runs over twelve tasks: ten, five and none of them solved."""
    counts = {"good": 10, "fair": 5, "base": 0}
    return [str(records_of(tmp_path / name, solved)) for name, solved in counts.items()]


@pytest.fixture
def command(capsys):
    """Runs ``abotn report`` on one metric and returns exit code, stdout and stderr."""

    def run(*arguments):
        code = run_command_line(["report", "--metrics", "success", *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


def test_p_values_are_those_of_the_paired_test_corrected_over_the_table(command, runs):
    code, out, err = command(*runs, "--baseline", "base", "--format", "csv", "--no-groups")
    rows = {row["run"]: row for row in csv.DictReader(io.StringIO(out))}
    assert (code, err) == (0, "")
    assert float(rows["good"]["p_value"]) == pytest.approx(TEN_TO_NONE, abs=1e-12)
    assert float(rows["fair"]["p_value"]) == pytest.approx(FIVE_TO_NONE, abs=1e-12)
    assert float(rows["good"]["p_adjusted"]) == pytest.approx(2 * TEN_TO_NONE, abs=1e-12)
    assert float(rows["fair"]["p_adjusted"]) == pytest.approx(FIVE_TO_NONE, abs=1e-12)
    assert rows["base"]["p_value"] == rows["base"]["baseline"] == ""


def test_the_table_marks_what_differs_and_its_caption_says_how(command, runs):
    _, out, _ = command(*runs, "--baseline", runs[2], "--format", "json")
    table = json.loads(out)["tables"][0]
    assert [row["cells"][1]["mark"] for row in table["rows"]] == ["*", "", ""]
    assert table["caption"].endswith(
        "* differs from base: p below 0.05 after Holm's correction for the 2 paired tests of "
        "this table."
    )
    assert "Tests against base: exact McNemar test, 12 tasks that both have." in table["notes"]


def test_only_shared_tasks_are_tested(command, runs, tmp_path):
    short = records_of(tmp_path / "short", 9, tasks=9)
    _, out, _ = command(short, runs[2], "--baseline", "base", "--format", "json")
    document = json.loads(out)
    assert document["entries"][0]["p_value"] == pytest.approx(2 * 0.5**9)
    assert any("9 tasks that both have" in note for note in document["tables"][0]["notes"])


def test_groups_carry_no_marks(three_runs):
    found = Significance("random", {("planner", "success"): PairedTest(0.001, "mcnemar_exact")})
    for groups in ("rows", "columns"):
        report = build_report(three_runs, ReportOptions(groups=groups, significance=found))
        marked = {
            table.key: any(cell.mark for row in table.rows for cell in row.cells)
            for table in report.tables
        }
        assert marked == {"results": True, "further": False, "by-difficulty": False, "runs": False}


def test_metrics_whose_parameters_differ_are_not_tested(command, tmp_path):
    folders = [records_of(tmp_path / name, 6) for name in ("a", "b")]
    for folder, threshold in zip(folders, (1, 2), strict=True):
        for record in folder.glob("*/*/result.json"):
            content = json.loads(record.read_text()) | {"path_collision_count": 1}
            record.write_text(json.dumps(content))
        kwargs = {"success_new": {"collision_threshold": threshold}}
        result = Evaluator().evaluate_dataset(folder, metrics=["success_new"], metric_kwargs=kwargs)
        result.write(folder / "evaluation.json")
    code = run_command_line(
        ["report", *map(str, folders), "--baseline", "a", "-o", str(tmp_path / "r.json")]
    )
    (table, *_) = json.loads((tmp_path / "r.json").read_text())["tables"]
    assert code == 0
    assert table["caption"].endswith("Nothing could be tested against a.")
    assert "Not tested, success_new: its parameters are not the same in all runs." in table["notes"]


@pytest.mark.parametrize(
    ("pick", "message"),
    [
        (lambda runs, _: [*runs, "--baseline", "zzzz"], "known: base, fair, good"),
        (lambda runs, _: [runs[0], "--baseline", "good"], "needs another run"),
        (
            lambda runs, lone: [runs[0], lone, "--baseline", "good"],
            "the records of lone are not beside its evaluation (give the run folder",
        ),
    ],
)
def test_what_cannot_be_tested_is_one_line(command, runs, tmp_path, pick, message):
    lone = tmp_path / "alone" / "evaluation.json"
    lone.parent.mkdir()
    replace(Evaluator().evaluate_dataset(runs[1]), name="lone").write(lone)
    code, out, err = command(*pick(runs, str(lone)))
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_table_corrects_for_its_own_tests_only():
    tests = {("a", "x"): PairedTest(0.02), ("a", "y"): PairedTest(0.9), ("b", "x"): PairedTest(0.9)}
    found = Significance("base", tests)
    assert found.over(["a"], ["x"]).mark("a", "x") == "*"
    assert found.over(["a", "b"], ["x", "y"]).mark("a", "x") == ""
    assert found.over(["a", "b"], ["x", "y"]).adjusted["a", "x"] == pytest.approx(0.06)


def test_over_scenes_the_notes_name_the_scenes(tmp_path, command):
    folders = []
    for name, solved in (("good", True), ("base", False)):
        folders.append(str(tmp_path / name))
        for number in range(6):
            part = records_of(tmp_path / "part", 2 * solved, tasks=2)
            (tmp_path / name).mkdir(exist_ok=True)
            (part / "scene").rename(tmp_path / name / f"scene_{number}")
            for path in (tmp_path / name / f"scene_{number}").glob("*/result.json"):
                record = json.loads(path.read_text()) | {"episode_id": f"scene_{number}"}
                path.write_text(json.dumps(record))
    _, out, _ = command(*folders, "--baseline", "base", "--no-groups")
    assert "sign-flip test over all patterns of 6 scenes, 12 tasks that both have." in out
    assert "stand out" not in out
    _, out, _ = command(*folders, "--baseline", "base", "--no-groups", "--metrics", "success,spl")
    assert "6 scenes allow no p below 0.031, so nothing can stand out among 2 tests" in out
    assert "\\* differs from base" in out
