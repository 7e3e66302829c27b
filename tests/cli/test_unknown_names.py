"""Names that nobody knows are refused, and never taken for something else in silence."""

import pytest

from abotn.cli.main import run_command_line


@pytest.fixture
def call(capsys, made_run, monkeypatch):
    """Run one command beside the run; returns exit code, stdout and stderr."""
    monkeypatch.chdir(made_run)

    def run(*arguments):
        capsys.readouterr()
        code = run_command_line([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return run


def refused(done, *named):
    code, out, err = done
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    for name in named:
        assert name in err


@pytest.mark.parametrize(
    "command",
    [["evaluate", "run", "-o", "none.json"], ["power", "run", "--delta", "0.1"],
     ["compare", "run", "again", "--bootstrap", "100"]],
)  # fmt: skip
def test_a_scene_to_leave_out(call, made_run, command):
    import shutil

    shutil.copytree(made_run / "run", made_run / "again", dirs_exist_ok=True)
    refused(call(*command, "--exclude-scene", "indor_1"), "'indor_1'", "did you mean: indoor_1")
    assert not (made_run / "none.json").exists()


def test_scenes_that_may_be_named(call, made_run):
    def scored(*arguments):
        code, _, err = call("evaluate", "run", "--bootstrap", 0, "-o", "e.json", "--json",
                            *arguments)  # fmt: skip
        assert (code, err) == (0, "")
        import json

        return json.loads((made_run / "e.json").read_bytes())["counts"]["excluded"]

    assert scored("--exclude-scene", "indoor_0") == 2
    assert scored("--exclude-scene", "none") == 0
    assert scored() == 0


def test_a_scene_that_the_protocol_leaves_out_may_be_absent(call, made_run):
    code, out, _ = call("run", "point-goal", "--agent", "abotn.agents:StraightLineAgent",
                        "--data-dir", "scenes", "--render", "none", "--max-steps", 2,
                        "--output-dir", "outdoor")  # fmt: skip
    assert code == 0
    path = out.splitlines()[-1]
    assert call("evaluate", path, "--bootstrap", 0, "--exclude-scene", "park3", "--quiet")[0] == 0
    refused(call("evaluate", path, "--bootstrap", 0, "--exclude-scene", "park4"), "'park4'")


@pytest.mark.parametrize("command", [["report", "run"], ["compare", "run", "again"]])
def test_the_ending_of_a_file(call, made_run, command):
    import shutil

    shutil.copytree(made_run / "run", made_run / "again", dirs_exist_ok=True)
    target = f"{command[0]}.foo"
    refused(call(*command, "-o", target), target, "'.foo'", ".html", "--format")
    assert not (made_run / target).exists()
    if command[0] == "report":
        assert call(*command, "-o", target, "--format", "csv")[0] == 0
        assert (made_run / target).read_bytes().startswith(b"run,")
        assert call(*command, "-o", "plain")[0] == 0
        assert (made_run / "plain").read_bytes().startswith(b"#")
