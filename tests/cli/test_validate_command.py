import json
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
