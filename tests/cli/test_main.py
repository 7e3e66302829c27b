import pytest

from abotn._version import __version__


def test_version_and_help(abotn):
    assert abotn("--version").stdout.strip() == f"abotn {__version__}"
    shown = abotn("--help").stdout
    for command in ("run", "evaluate", "report", "scenes", "metrics", "demo"):
        assert f"\n  {command} " in shown
    assert abotn("run", "--help").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["evalute", "x"], "evaluate"),
        (["evaluate"], "RUN"),
        (["evaluate", "no/such/run"], "no/such/run"),
        (["report", "no/such/run"], "no/such/run"),
        (["metrics", "describe", "splx"], "spl"),
        (["metrics", "list", "--category", "navigaton"], "navigation"),
        (["validate", "no/such/file"], "no/such/file"),
        (["validate", "--schema", "result", "x"], "result.v1"),
        (["scenes", "generate", "--kind", "indor", "--scenes", "1", "--tasks", "1", "--out", "o"],
         "indoor"),
        (["--nonsense"], "--nonsense"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_code_2(abotn, tmp_path, arguments, named):
    done = abotn(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert named in lines[0]
    assert list(tmp_path.iterdir()) == []


def test_debug_shows_the_traceback(abotn):
    done = abotn("evaluate", "no/such/run", "--debug")
    assert done.returncode == 2
    assert "Traceback" in done.stderr
    assert "Traceback" not in abotn("evaluate", "no/such/run").stderr
