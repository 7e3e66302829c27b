import json
import os
from pathlib import Path

import pytest

from abotn.cli.main import run_command_line

OLDER = Path(__file__).parents[1] / "results" / "older"


@pytest.fixture
def published(tmp_path):
    """A run folder as the published tools leave it."""
    for path in OLDER.glob("*.json"):
        folder = tmp_path / "run" / path.stem
        folder.mkdir(parents=True)
        (folder / "result.json").write_bytes(path.read_bytes())
    return tmp_path / "run"


@pytest.fixture
def say(capsys):
    """Run validate; return exit code, stdout and stderr."""

    def run(*arguments):
        code = run_command_line(["validate", *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


def test_older_files_are_wrong_until_they_are_lifted(say, published):
    code, out, _ = say(published)
    assert code == 1
    assert "--migrate lifts the results of the published tools" in out
    code, out, _ = say("--migrate", published)
    assert (code, out.count(": lifted")) == (0, 2)
    assert out.splitlines()[-1] == "2 checked, 0 wrong"
    assert len(list(published.rglob("*.bak"))) == 2
    assert say(published)[0] == 0
    assert say("--migrate", published)[1].strip() == "2 checked, 0 wrong"


def test_without_backup_nothing_is_left_beside(say, published):
    assert say("--migrate", "--no-backup", published)[0] == 0
    assert not list(published.rglob("*.bak"))


def test_json_names_what_was_lifted(say, published):
    code, out, _ = say("--migrate", "--json", published)
    found = json.loads(out)
    assert (code, found["checked"], len(found["lifted"]), found["wrong"]) == (0, 2, 2, {})


def test_what_cannot_be_lifted_says_why_and_stays(say, published):
    (damaged, *_) = sorted(published.rglob("result.json"))
    document = json.loads(damaged.read_text(encoding="utf-8"))
    damaged.write_text(json.dumps({**document, "steps": "many"}), encoding="utf-8")
    before = damaged.read_bytes()
    code, out, _ = say("--migrate", published)
    assert code == 1
    assert f"{damaged}: breaks result.v1 also when lifted: steps" in out
    assert damaged.read_bytes() == before


@pytest.mark.parametrize("name", ["evaluation.json", "trajectory.json", "run.json"])
def test_kinds_without_an_older_layout_say_so(say, tmp_path, name):
    (tmp_path / name).write_text("{}", encoding="utf-8")
    code, out, _ = say("--migrate", tmp_path)
    assert code == 1
    assert "has no schema_version, and no older layout" in out


def test_files_of_other_versions(say, tmp_path, published):
    (path, *_) = sorted(published.rglob("result.json"))
    say("--migrate", "--no-backup", path)
    lifted = json.loads(path.read_text(encoding="utf-8"))
    for version, code in (("1.4", 0), ("2", 1)):
        path.write_text(json.dumps({**lifted, "schema_version": version, "new": 1}), "utf-8")
        assert say(path)[0] == say("--migrate", path)[0] == code


def test_a_file_of_no_known_kind(say, tmp_path):
    (tmp_path / "x.json").write_text('{"a": 1}', encoding="utf-8")
    code, out, _ = say(tmp_path / "x.json")
    assert (code, "cannot tell" in out) == (1, True)
    (tmp_path / "c.json").write_text('{"schema_version": "1", "pairs": []}', encoding="utf-8")
    assert "provenance" in say(tmp_path / "c.json")[1]
    for arguments in (["absent.json"], ["--schema", "resul.v1", tmp_path / "x.json"]):
        code, _, err = say(*arguments)
        assert (code, len(err.strip().splitlines())) == (2, 1)


STEPS = ("waypoint", "executed_index", "collided", "collision_length", "agent_seconds",
         "render_seconds")  # fmt: skip


@pytest.fixture
def attempt(tmp_path):
    """The folder of one attempt, with a result of two steps and its trajectory."""
    folder = tmp_path / "run" / "s" / "t"
    folder.mkdir(parents=True)
    identity = {"schema_version": "1", "episode_id": "s", "task_id": "t", "attempt": 0}
    result = {**identity, "status": "stop", "steps": 2, "success": True, "metrics": {}}
    path = {
        **identity, "position": [[0, 0, 0]] * 3, "yaw": [0] * 3, "distance_to_goal": [1] * 3,
        **{name: [0] * 2 for name in STEPS}, "waypoint": [[1, 0]] * 2, "collided": [False] * 2,
        "reference": [[0, 0]], "goal": [0, 0],
    }  # fmt: skip
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")
    (folder / "trajectory.json").write_text(json.dumps(path), encoding="utf-8")
    return folder


def change(path, **changes):
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, **changes}), encoding="utf-8")


def test_a_sound_attempt_is_valid(say, attempt):
    assert say(attempt)[:2] == (0, "2 checked, 0 wrong\n")


@pytest.mark.parametrize("name", ["yaw", "distance_to_goal", *STEPS])
def test_arrays_of_a_trajectory_must_belong_together(say, attempt, name):
    path = attempt / "trajectory.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    change(path, **{name: document[name][:1]})
    code, out, _ = say(path)
    assert code == 1
    whole = "position 3" if name in ("yaw", "distance_to_goal") else "for 2 steps"
    assert f"{path}: {name} has 1 rows" in out
    assert whole in out


def test_a_trajectory_must_be_the_one_of_its_result(say, attempt):
    path = attempt / "result.json"
    change(path, steps=3)
    assert "trajectory.json: has 2 steps, its record 3" in say(attempt)[1]
    change(path, steps=2, task_id="u")
    assert "trajectory.json: is of s/t, its record is of s/u" in say(attempt)[1]
    path.write_text("{", encoding="utf-8")
    assert say(attempt / "trajectory.json")[0] == 0


def test_in_a_run_a_result_must_lie_in_its_own_folder(say, attempt, made_run):
    run = attempt.parents[1]
    other = attempt.with_name("u")
    attempt.rename(other)
    assert say(run)[0] == 0
    (run / "run.json").write_bytes((made_run / "run" / "run.json").read_bytes())
    code, out, _ = say(run)
    assert code == 1
    assert f"{other / 'result.json'}: is the record of s/t, so it lies in the wrong folder" in out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
@pytest.mark.parametrize("name", ["result.json", "trajectory.json", "run.json", "evaluation.json"])
def test_a_pipe_is_never_waited_for(say, capsys, attempt, name):
    path = attempt / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    for place in (path, attempt):
        code, out, _ = say(place)
        assert code == 1
        assert "cannot read: not a regular file" in out
    for command in ("evaluate", "report"):
        code = run_command_line([command, str(path)])
        err = capsys.readouterr().err
        assert (code, len(err.strip().splitlines())) == (2, 1)
        assert str(path) in err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
def test_a_pipe_in_place_of_an_evaluation_is_an_error(capsys, attempt):
    os.mkfifo(attempt.parents[1] / "evaluation.json")
    code = run_command_line(["report", str(attempt.parents[1])])
    err = capsys.readouterr().err
    assert (code, len(err.strip().splitlines())) == (2, 1)
    assert "evaluation.json: cannot read: not a regular file" in err


def test_one_argument_that_cannot_be_used_does_not_hide_the_others(say, published, tmp_path):
    scenes = tmp_path / "scenes" / "park1"
    scenes.mkdir(parents=True)
    (scenes / "traj_0.json").write_text("{}")
    code, out, err = say(tmp_path / "gone", published, scenes.parent, "--json")
    assert code == 2
    assert json.loads(out)["checked"] == 2
    assert len(json.loads(out)["wrong"]) == 2
    first, second = err.splitlines()
    assert first == f"error: {tmp_path / 'gone'}: no such file or folder (check the path)"
    assert second.startswith(f"error: {scenes.parent}: no file of a known kind below this folder")
    assert f"'abotn scenes check {scenes.parent}' checks" in second


def test_a_report_is_called_one(say, tmp_path):
    from abotn.report.document import Report
    from abotn.report.json_format import write_json_report

    (tmp_path / "tables.json").write_bytes(write_json_report(Report("", (), (), ())))
    code, out, _ = say(tmp_path / "tables.json")
    assert (code, out.splitlines()[0]) == (
        1,
        f"{tmp_path / 'tables.json'}: is a report, which has no schema; "
        "check the evaluations it was made of",
    )
