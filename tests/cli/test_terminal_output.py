"""What commands print on a real terminal, into a pipe, and for scripts."""

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios

import pytest

from abotn.cli.main import run_command_line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

ESCAPE = re.compile(r"\x1b\[[\d;]*m")


@pytest.fixture(scope="module")
def runs(made_run, tmp_path_factory):
    """Two copies of a run, the second with every task failed."""
    folder = tmp_path_factory.mktemp("runs")
    good, bad = (shutil.copytree(made_run / "run", folder / name) for name in ("good", "bad"))
    for record in bad.glob("*/*/result.json"):
        document = json.loads(record.read_text(encoding="utf-8"))
        record.write_text(json.dumps({**document, "success": False}), encoding="utf-8")
    return good, bad


@pytest.fixture
def piped(capfd):
    """Runs a command line whose output is no terminal; returns exit code, stdout and stderr."""

    def run(*arguments):
        code = run_command_line([str(argument) for argument in arguments])
        return code, *capfd.readouterr()

    return run


def on_terminal(*arguments, columns, **environment):
    """Run the command line on a pseudo-terminal, and return what it shows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
    env |= {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", "abotn", *map(str, arguments)],
        stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=env,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    os.close(ours)
    assert process.wait() == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [40, 80])
def test_evaluate_draws_tables_as_wide_as_the_terminal(runs, columns):
    shown = on_terminal("evaluate", runs[0], "--bootstrap", 100, columns=columns)
    lines = ESCAPE.sub("", shown).splitlines()
    assert ESCAPE.search(shown)
    assert max(map(len, lines[:-1])) <= columns
    assert lines[-1] == str(runs[0] / "evaluation.json")
    assert any("success ↑" in line for line in lines)
    assert not any(line.startswith("|") for line in lines)


def test_no_color_leaves_no_colour(runs):
    arguments = ("compare", *runs, "--bootstrap", 100, "--metrics", "success")
    shown = on_terminal(*arguments, columns=100, NO_COLOR="1")
    assert not re.search(r"\x1b\[[\d;]*(3[0-7]|38;|9[0-7])m", shown)
    assert "\x1b" not in on_terminal(*arguments, columns=100, TERM="dumb")


def test_compare_draws_the_numbers_of_its_markdown(runs, piped):
    arguments = ("compare", *runs, "--bootstrap", 100, "--metrics", "success,spl")
    shown = ESCAPE.sub("", on_terminal(*arguments, columns=120))
    numbers = re.findall(r"-?\d\.\d{3,4}", piped(*arguments)[1].split("\n- ")[0])
    assert len(numbers) >= 10
    assert re.findall(r"-?\d\.\d{3,4}", shown.split("\n- ")[0]) == numbers


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
@pytest.mark.parametrize("metrics", ["success_new", "success,spl,travel_length"])
def test_compare_says_which_run_is_better_at_every_width(runs, columns, metrics):
    names = ("--name", "PlannerAgent", "--name", "StraightLineAgent")
    arguments = ("compare", *runs, *names, "--bootstrap", 100, "--metrics", metrics)
    shown = ESCAPE.sub("", on_terminal(*arguments, columns=columns))
    assert re.search(r"\bbetter\b", shown.split("\n- ")[0])
    assert not re.search("Left out.*better", shown)
    if columns >= 80:
        assert re.search("^ *metric +", shown, flags=re.MULTILINE)


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_a_pipe_gets_the_same_plain_bytes_whatever_the_terminal_says(
    runs, piped, monkeypatch, command
):
    paths = runs if command == "compare" else runs[:1]
    arguments = (command, *paths, "--bootstrap", 100, "--metrics", "success,spl")
    plain = piped(*arguments)[1]
    for name, value in (("FORCE_COLOR", "1"), ("COLUMNS", "40"), ("TERM", "xterm-256color")):
        monkeypatch.setenv(name, value)
    assert piped(*arguments)[1] == plain
    assert "\x1b" not in plain
    assert "| metric" in plain


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_json_is_one_document_and_quiet_prints_the_path(runs, piped, tmp_path, command):
    paths = runs if command == "compare" else runs[:1]
    target = tmp_path / "out.json"
    arguments = (command, *paths, "--bootstrap", 100, "-o", target)
    assert json.loads(piped(*arguments, "--json")[1])["schema_version"] == "1"
    assert json.loads(piped(*arguments, "--json", "--quiet")[1])["schema_version"] == "1"
    assert piped(*arguments, "--quiet") == (0, f"{target}\n", "")


def test_quiet_says_nothing_where_nothing_is_written(runs, piped):
    compared = piped("compare", *runs, "--bootstrap", 100, "--metrics", "success", "--quiet")
    assert compared == (0, "", "")
    code, out, err = piped("compare", *runs, "--metrics", "sucess", "--quiet")
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
