import csv
import io
import json
import subprocess
import sys

import pytest

from abotn.cli.main import run_command_line
from abotn.report import ReportOptions, build_report
from abotn.report.markdown import write_markdown


@pytest.fixture
def folders(tmp_path, three_runs):
    """Two run folders with an evaluation each, and one evaluation file elsewhere."""
    for name, result in three_runs[:2]:
        (tmp_path / name).mkdir()
        result.write(tmp_path / name / "evaluation.json")
    three_runs[2][1].write(tmp_path / "random.json")
    return [tmp_path / "planner", tmp_path / "straight_line", tmp_path / "random.json"]


@pytest.fixture
def command(capfdbinary):
    """Runs ``abotn report`` and returns exit code, stdout and stderr."""

    def run(*arguments):
        code = run_command_line(["report", *map(str, arguments)])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def records_of(folder, successes):
    for index, success in enumerate(successes):
        target = folder / "scene" / f"traj_{index}"
        target.mkdir(parents=True)
        record = {
            "episode_id": "scene", "task_id": f"traj_{index}", "task_type": "point_goal",
            "status": "stop", "steps": 3, "travel_length": 2.0, "shortest_path_length": 2.0,
            "distance_to_goal": 0.1, "success": success, "metrics": {},
        }  # fmt: skip
        (target / "result.json").write_text(json.dumps(record))


def test_runs_stand_side_by_side_as_markdown(command, folders, three_runs):
    code, out, err = command(*folders)
    names = ["planner", "straight_line", "random.json"]
    runs = [(name, result) for name, (_, result) in zip(names, three_runs, strict=True)]
    assert (code, err) == (0, "")
    assert out == write_markdown(build_report(runs))


def test_a_file_gets_the_same_bytes_and_its_ending_chooses_the_format(command, folders, tmp_path):
    for suffix, name in (
        (".md", "markdown"),
        (".tex", "latex"),
        (".csv", "csv"),
        ("", "markdown"),
    ):
        target = tmp_path / f"report{suffix}"
        code, out, _ = command(*folders, "-o", target)
        assert (code, out) == (0, f"{target}\n")
        assert command(*folders, "--format", name)[1] == target.read_bytes().decode()


def test_options_reach_the_tables(command, folders, three_runs):
    _, out, _ = command(
        folders[0], folders[1], "--name", "A", "--name", "B", "--metrics", "success_new,success",
        "--display", "success=SR", "--percent", "--digits", "2", "--intervals", "plus-minus",
        "--blocks", "columns", "--second", "--published", "pointbench-outdoor", "--title", "T",
    )  # fmt: skip
    options = ReportOptions(
        metrics=("success_new", "success"), display_names={"success": "SR"}, percent=True, digits=2,
        intervals="plus-minus", groups="columns", second=True, published="pointbench-outdoor",
        title="T",
    )  # fmt: skip
    runs = list(zip("AB", (result for _, result in three_runs[:2]), strict=True))
    assert out == write_markdown(build_report(runs, options))
    bare = command(folders[0], "--no-groups", "--no-intervals")[1]
    assert "By difficulty" not in bare
    assert "ntervals" not in bare.replace("with confidence intervals", "")


def test_aliases_of_metrics_are_understood(command, folders):
    assert "success_new" in command(folders[0], "--metrics", "sr_new")[1]


def test_runs_of_one_name_are_told_apart(command, tmp_path, make):
    for folder in ("a/run", "b/run"):
        (tmp_path / folder).mkdir(parents=True)
        result = make.evaluation(name="agent")
        result.write(tmp_path / folder / "evaluation.json")
    _, out, _ = command(tmp_path / "a" / "run", tmp_path / "b/run/evaluation.json")
    assert "agent (a/run)" in out
    assert "agent (b/run)" in out


def test_a_run_that_was_not_evaluated_is_evaluated(command, tmp_path):
    records_of(tmp_path / "fresh", [True, True, False, True])
    code, out, _ = command(
        tmp_path / "fresh", "--metrics", "success", "--format", "csv", "--no-groups"
    )
    (row,) = csv.DictReader(io.StringIO(out))
    assert (code, row["run"], row["value"], row["method"]) == (0, "fresh", "0.75", "wilson")
    assert not (tmp_path / "fresh" / "evaluation.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing"], "no such run folder or evaluation file"),
        (
            ["planner", "--format", "markdwon"],
            "unknown report format 'markdwon' (did you mean: mark",
        ),
        (["planner", "--metrics", "sucess"], "unknown metric 'sucess' (did you mean: success"),
        (["planner", "--digits", "99"], "digits: must be a whole number from 0 to 12"),
        (["planner", "--digits", "x"], "'x' is not a valid integer"),
        (["planner", "--name", "a", "--name", "b"], "--name: 2 names for 1 run"),
        (["planner", "--display", "success"], "--display: expected METRIC=NAME, got 'success'"),
        (["planner", "--published", "x"], "unknown table of published figures 'x'"),
        (["planner", "planner"], "the same run is given twice"),
        (["planner", "-o", "no/such/folder/r.md"], "no such folder"),
        (["broken.json"], "broken.json"),
        (["empty"], "empty"),
        ([], "Missing argument"),
    ],
)
def test_bad_input_is_one_line(command, folders, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.json").write_text('{"schema_version": "1"')
    (tmp_path / "empty").mkdir()
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert err.startswith("error: ")


def test_output_is_the_same_bytes_when_piped(folders, tmp_path, command):
    _, out, _ = command(folders[0])
    piped = subprocess.run(
        [sys.executable, "-m", "abotn", "report", str(folders[0])],
        capture_output=True,
        check=True,
        env={"PYTHONIOENCODING": "latin-1", "PATH": ""},
    )
    assert piped.stdout.decode("utf-8") == out
