import json
import shutil

import pytest

from abotn.cli.main import run_command_line
from abotn.results.comparison import Comparison


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Three runs of six tasks by agents called planner, planner and random."""
    folder = tmp_path_factory.mktemp("compared")
    for name, agent, solved in (("a", "planner", 5), ("b", "planner", 3), ("c", "random", 0)):
        for i in range(6):
            place = folder / name / f"s{i % 2}" / f"t{i}"
            place.mkdir(parents=True)
            record = {
                "schema_version": "1", "episode_id": f"s{i % 2}", "task_id": f"t{i}",
                "status": "stop", "steps": 4 + i, "success": i < solved, "travel_length": 10.0 + i,
                "shortest_path_length": 10.0, "metrics": {"path_collision_count": 0},
            }  # fmt: skip
            (place / "result.json").write_text(json.dumps(record), encoding="utf-8")
        manifest = {
            "schema_version": "1", "run_id": name, "task_type": "point_goal",
            "agent": {"name": agent, "class": "m:C", "config": {}},
            "protocol": {"name": "strict", "values": {}, "modified": []},
            "dataset": {"fingerprint": "0" * 64, "scenes": 2, "tasks": 6},
            "renderer": {"kind": "none"}, "max_steps": 10, "attempts": 1, "seed": 0,
            "versions": {}, "created": "2026-01-01T00:00:00+00:00",
        }  # fmt: skip
        (folder / name / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.fixture
def say(capfdbinary, runs, monkeypatch):
    """Run one command in the folder of the runs; return exit code, stdout and stderr."""
    monkeypatch.chdir(runs)

    def run(*arguments):
        code = run_command_line([str(one) for one in arguments])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def test_it_prints_differences_with_intervals_and_p_values(say):
    code, out, err = say("compare", "a", "c", "--metrics", "success,steps", "--bootstrap", 200)
    assert (code, err) == (0, "")
    row = next(line for line in out.splitlines() if line.startswith("| success"))
    assert [cell.strip() for cell in row.strip("|").split("|")][1:3] == ["0.833", "0.000"]
    assert "| 0.0625 |" in row
    assert "6 tasks that both have; difference is planner minus random" in out
    assert "## Tasks that planner solves and random does not" in out
    assert "| s0/t0      | solved " in out


def test_runs_of_one_agent_are_told_apart_by_their_folders(say):
    out = say("compare", "a", "b", "c", "--metrics", "success", "--bootstrap", 100)[1]
    assert "planner (a) against planner (b)" in out
    assert "planner (b) against random" in out
    named = say("compare", "a", "b", "--name", "new", "--name", "old", "--metrics", "success",
                "--bootstrap", 100)[1]  # fmt: skip
    assert "new against old" in named


@pytest.mark.parametrize("baseline", ["c", "random", "./c"])
def test_the_baseline_is_a_path_or_a_name(say, baseline):
    options = ("--metrics", "success", "--bootstrap", 100, "--json")
    found = json.loads(say("compare", "a", "b", "c", "--baseline", baseline, *options)[1])
    assert found["baseline"] == "random"
    assert [(p["run_a"], p["run_b"]) for p in found["pairs"]] == [
        ("planner (a)", "random"),
        ("planner (b)", "random"),
    ]


def test_json_is_the_comparison_in_every_form(say, tmp_path):
    options = ("compare", "a", "c", "--bootstrap", 100)
    printed = say(*options, "--json")[1]
    assert say(*options, "--format", "json")[1] == printed
    code, out, _ = say(*options, "-o", tmp_path / "comparison.json")
    assert code == 0
    assert out == f"{tmp_path / 'comparison.json'}\n"
    assert say(*options, "-o", tmp_path / "comparison.json", "--json")[1] == printed
    assert (tmp_path / "comparison.json").read_text(encoding="utf-8") == printed
    assert Comparison.read(tmp_path / "comparison.json").pairs[0].n_pairs == 6
    assert say("validate", tmp_path / "comparison.json")[0] == 0


@pytest.mark.parametrize(
    ("name", "start"),
    [("t.csv", "run,grouping"), ("t.tex", "% Needs"), ("t.html", "<!doctype"), ("t.md", "# "),
     ("t.rst", "Comparison")],
)  # fmt: skip
def test_the_ending_of_the_file_decides_the_format(say, tmp_path, name, start):
    say("compare", "a", "c", "--metrics", "success", "--bootstrap", 100, "-o", tmp_path / name)
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_a_damaged_record_is_named_and_left_out(say, runs, tmp_path):
    shutil.copytree(runs / "a", tmp_path / "a")
    (tmp_path / "a" / "s0" / "t0" / "result.json").write_text("{", encoding="utf-8")
    code, out, err = say("compare", tmp_path / "a", "c", "--metrics", "success",
                         "--bootstrap", 100)  # fmt: skip
    assert code == 0
    assert err.startswith("warning: ")
    assert "| random | s0/t0" in out
    assert "## Damaged files" in out
    assert "| planner | s0/t0/result.json |" in out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["a"], "two runs or more"),
        (["a", "a"], "given twice"),
        (["a", "nope"], "nope"),
        (["a", "c", "--baseline", "b"], "baseline"),
        (["a", "c", "--bootstrap", "99"], "n_resamples"),
        (["a", "c", "--ci-level", "1"], "level"),
        (["a", "c", "--seed", "-1"], "seed"),
        (["a", "c", "--metrics", "sucess"], "success"),
        (["a", "c", "--cluster-by", "nope"], "cluster column"),
        (["a", "c", "--format", "word"], "report format"),
        (["a", "c", "--name", "x"], "--name"),
        (["a", "c", "-o", "absent/x.md"], "absent"),
        (["a", "c", "-o", "t.odd"], ".odd"),
        (["a", "c", "--digits", "-1"], "digits"),
        (["a", "c", "--set", "success"], "--set"),
        (["a", "c", "--solved-by", "sucess"], "success"),
        (["a", "c", "--solved-by", "travel_length"], "not 0 or 1"),
        (["a", "c", "--solved-by", "ndtw"], "cannot be measured"),
        (["a", "c", "--data-dir", "nowhere"], "--data-dir"),
        (["a", "c", "--map-dir", "nowhere"], "--map-dir"),
        (["a", "c", "--pictures", "x", "--no-pictures"], "--no-pictures"),
        (["a", "c", "--pictures", "x"], "--pictures: goes with -o FILE"),
        (["a", "c", "--pictures", "x", "--format", "rst", "-o", "t.rst"], "--pictures"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(say, arguments, named):
    code, out, err = say("compare", *arguments)
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert named in err


def test_power_says_how_many_tasks_are_needed(say):
    code, out, _ = say("power", "a", "--delta", 0.2, "--metrics", "success,spl")
    assert code == 0
    assert "80 % power at the 5 % level, from one run" in out
    assert out.count("\n| success |") == 1
    found = json.loads(say("power", "a", "--against", "b", "--delta", 0.2, "--json")[1])
    assert found["basis"] == "paired differences"
    assert {row["metric"] for row in found["rows"]} >= {"success", "spl"}
    code, _, err = say("power", "a", "--delta", 0)
    assert (code, err.startswith("error: delta")) == (2, True)


def test_history_lists_values_and_changes(say, tmp_path):
    for name in ("a", "b"):
        say("evaluate", name, "--metrics", "success,sr_new", "--bootstrap", 100, "-o",
            tmp_path / f"{name}.json")  # fmt: skip
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    code, out, err = say("history", tmp_path, "--metric", "success")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "success, higher is better"
    assert "-0.3333 worse" in out
    found = json.loads(say("history", tmp_path, "--metric", "success", "--json")[1])
    assert [round(entry["value"], 3) for entry in found["entries"]] == [0.833, 0.5]
    by_alias = say("history", tmp_path, "--metric", "sr_new")
    assert by_alias == say("history", tmp_path, "--metric", "success_new")
    assert by_alias[1].startswith("success_new, higher")
    code, _, err = say("history", tmp_path, "--metric", "sucess")
    assert (code, "success" in err) == (2, True)
    assert say("history", tmp_path / "absent", "--metric", "success")[0] == 2
