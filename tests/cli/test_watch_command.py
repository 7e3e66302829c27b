import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import unicodedata

import pytest

from abotn.cli.main import run_command_line
from abotn.cli.watch_display import duration
from abotn.evaluation.evaluator import Evaluator
from abotn.json_files import read_json
from abotn.rollout.runner import run

# Stops at its third task until a file says that it may go on; fails in its second one.
AGENT = """
import time
from pathlib import Path

from abotn.agents import PlannerAgent


class Waits(PlannerAgent):
    def __init__(self):
        super().__init__()
        self.task = 0

    def reset(self):
        super().reset()
        self.task = getattr(self, "task", 0) + 1
        while self.task == 3 and not Path("go").exists():
            time.sleep(0.02)

    def predict(self, observation):
        if self.task == 2:
            raise ValueError("[bold]no[/bold] \\x1b[31mred")
        return super().predict(observation)
"""
PROGRAM = ("-m", "abotn")
# Names everything that the program opens for writing, or changes otherwise, within a folder.
GUARD = """
import os
import sys

folder, changes = os.path.realpath(sys.argv[1]), ("os.chmod", "os.link", "os.mkdir", "os.remove",
    "os.rename", "os.rmdir", "os.symlink", "os.truncate", "os.utime")
writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def heed(event, arguments):
    opened = event == "open" and isinstance(arguments[2], int) and arguments[2] & writing
    if (opened or event in changes) and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        if path.startswith(folder):
            os.write(2, f"WROTE {event} {path}\\n".encode())


sys.addaudithook(heed)
from abotn.cli.main import run_command_line

sys.exit(run_command_line(sys.argv[2:]))
"""
HOSTILE = "[bold]a[/bold] :smile: \x1b[31mred\x07\u202e\ud800"


@pytest.fixture
def unfinished(made_run, tmp_path):
    """The records of a finished run, in a run that is planned to have one more."""
    folder = tmp_path / "run"
    for path in (made_run / "run").rglob("result.json"):
        target = folder / path.relative_to(made_run / "run")
        target.parent.mkdir(parents=True)
        target.write_bytes(path.read_bytes())
    manifest = read_json(made_run / "run" / "run.json")
    assert manifest["planned_attempts"] == 4
    change_manifest(folder, {**manifest, "planned_attempts": 5})
    return folder


def change_manifest(folder, document):
    (folder / "run.json").write_text(json.dumps(document), encoding="utf-8")


@pytest.fixture
def watch(capsys):
    """Run the command in this process, its output being no terminal."""

    def run(*arguments):
        code = run_command_line(["watch", *map(str, arguments)])
        shown = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, shown.out, shown.err)

    return run


def start(*arguments, cwd=None, program=PROGRAM):
    """Start a command that is killed after a minute, so that no test waits for ever."""
    process = subprocess.Popen(
        [sys.executable, *program, *map(str, arguments)],
        cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    timer = threading.Timer(60, process.kill)
    timer.daemon = True
    timer.start()
    return process


def test_a_run_is_watched_from_before_its_first_record_to_its_end(made_run, tmp_path):
    (tmp_path / "waits.py").write_text(AGENT, encoding="utf-8")
    run = tmp_path / "run"
    run.mkdir()
    watching = start("watch", run, "--interval", 0.1, "--json")
    shown = [json.loads(watching.stdout.readline())]
    running = start("run", "point-goal", "--agent", "waits:Waits", "--data-dir",
                    made_run / "scenes", "--render", "none", "--protocol", "pointbench-indoor",
                    "--max-steps", 60, "--run-dir", run, cwd=tmp_path)  # fmt: skip
    while shown[-1]["done"] < 2:
        shown.append(json.loads(watching.stdout.readline()))
    (tmp_path / "go").touch()
    rest, errors = watching.communicate(timeout=60)
    _, said = running.communicate(timeout=60)
    shown += map(json.loads, rest.splitlines())

    assert (watching.returncode, running.returncode, errors) == (0, 0, ""), said
    assert (shown[0]["planned"], shown[0]["done"], shown[0]["left"]) == (None, 0, None)
    done = [one["done"] for one in shown]
    assert done == sorted(done)
    assert 2 in done
    assert all(one["left"] == 4 - one["done"] for one in shown if one["planned"])
    assert [one["finished"] for one in shown] == [False] * (len(shown) - 1) + [True]
    last = shown[-1]
    assert (last["done"], last["errors"], last["agent"]["name"]) == (4, 1, "Waits")
    assert "[bold]no[/bold]" in last["failures"][0]["error"]
    evaluated = Evaluator().evaluate_dataset(run, metrics=["spl_new"], bootstrap_ci=10_000)
    (spl_new,) = (one for one in last["metrics"] if one["name"] == "spl_new")
    assert spl_new["value"] == evaluated["spl_new"].value
    assert spl_new["ci"]["lower"] == evaluated["spl_new"].ci.lower


def test_the_number_of_planned_tasks_is_that_of_the_tasks_chosen(watch, made_run, tmp_path):
    run("point_goal", "abotn.agents:StraightLineAgent", data_dir=made_run / "scenes",
        render="none", max_steps=2, attempts=3, scenes=["indoor_1"],
        run_dir=tmp_path / "run")  # fmt: skip
    shown = watch(tmp_path / "run").stdout.splitlines()
    assert "6 of 6 attempts done, 0 left, 0 errors; finished" in shown[0]
    assert "dataset   2 scenes, 4 tasks, 3 attempts each" in "\n".join(shown)


def test_once_in_a_pipe_is_plain_text(watch, unfinished):
    done = watch(unfinished, "--once", "--metrics", "success,distance_to_goal")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert "4 of 5 tasks done, 1 left, 0 errors" in lines
    assert "protocol  pointbench-indoor" in lines
    assert any(line.startswith("success ↑") for line in lines)
    assert any(line.startswith("distance_to_goal (m) ↓") for line in lines)
    assert any(line.startswith("Looked at before the end") for line in lines)
    assert not [line for line in lines if line != line.rstrip()]
    assert not [letter for letter in done.stdout if unicodedata.category(letter)[0] == "C"
                and letter != "\n"]  # fmt: skip


def test_names_and_messages_are_inert(watch, unfinished):
    manifest = read_json(unfinished / "run.json")
    agent = {**manifest["agent"], "name": HOSTILE}
    protocol = {**manifest["protocol"], "modified": ["arrive_threshold", HOSTILE]}
    change_manifest(unfinished, {**manifest, "agent": agent, "protocol": protocol})
    path = next(unfinished.rglob("result.json"))
    error = {"stage": "agent", "type": HOSTILE, "message": HOSTILE}
    record = {**read_json(path), "status": "error", "success": False, "error": error}
    path.write_text(json.dumps({**record, "task_id": HOSTILE}), encoding="utf-8")
    for options in ((), ("--json",)):
        done = watch(unfinished, "--once", *options)
        assert (done.returncode, done.stderr) == (0, "")
        assert "[bold]a[/bold] :smile:" in done.stdout
        assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout)
    shown = watch(unfinished, "--once").stdout
    assert "modified protocol: arrive_threshold, [bold]a" in shown


def test_nothing_is_written_not_even_where_nothing_can_be(watch, unfinished):
    def inside():
        paths = [unfinished, *sorted(unfinished.rglob("*"))]
        return {p: (p.stat().st_mtime_ns, p.is_file() and p.read_bytes()) for p in paths}

    before = inside()
    for path in sorted(before, reverse=True):
        path.chmod(0o444 if path.is_file() else 0o555)
    try:
        assert watch(unfinished, "--once").returncode == 0
        assert inside() == before
    finally:
        for path in before:
            path.chmod(0o755)


def add_last_record(folder):
    """Add the record that the unfinished run lacks."""
    source = next(iter(sorted(folder.rglob("result.json"))))
    target = source.parent.parent / "added" / "result.json"
    document = {**json.loads(source.read_text(encoding="utf-8")), "task_id": "added"}
    target.parent.mkdir()
    target.write_text(json.dumps(document), encoding="utf-8")


def test_json_lines_are_read_without_writing_between_the_looks(unfinished):
    options = ("watch", unfinished, "--interval", "0.1", "--json")
    watching = start(unfinished, *options, program=("-c", GUARD))
    watching.stdout.readline()
    time.sleep(0.5)
    add_last_record(unfinished)
    rest, errors = watching.communicate(timeout=30)
    assert (watching.returncode, errors) == (0, "")
    assert json.loads(rest.splitlines()[-1])["finished"]


def test_the_live_display_writes_nothing_between_its_looks(unfinished):
    timer = threading.Timer(3.0, add_last_record, [unfinished])
    timer.start()
    options = [unfinished, "watch", unfinished, "--interval", "0.1"]
    code, drawn = on_a_terminal(options, None, program=("-c", GUARD))
    timer.join()
    assert code == 0
    assert "5 of 5 tasks done" in drawn
    assert "WROTE" not in drawn


def test_a_command_that_writes_is_noticed(unfinished):
    done = start(unfinished, "evaluate", unfinished, "--bootstrap", 100, program=("-c", GUARD))
    _, errors = done.communicate(timeout=60)
    assert "WROTE" in errors


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")
def test_ctrl_c_ends_it_quietly(unfinished):
    watching = start("watch", unfinished, "--interval", 0.1)
    assert "4 of 5 tasks done" in watching.stdout.readline()
    watching.send_signal(signal.SIGINT)
    rest, errors = watching.communicate(timeout=30)
    assert (watching.returncode, rest, errors) == (0, "", "")


def test_a_run_that_is_removed_is_one_line_and_exit_code_2(unfinished):
    watching = start("watch", unfinished, "--interval", 0.1)
    watching.stdout.readline()
    (unfinished / "run.json").unlink()
    rest, errors = watching.communicate(timeout=30)
    assert (watching.returncode, rest) == (2, "")
    assert errors == f"error: {unfinished}: the run was removed while it was watched\n"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["no/run"], "no/run: no such run folder"),
        (["RUN", "--interval", "nan"], "--interval"),
        (["RUN", "--interval", "0"], "--interval: expected 0.1 to 3600 seconds, got 0"),
        (["RUN", "--metrics", "sucess"], "did you mean: success"),
        (["RUN", "--metrics", "ndtw"], "abotn evaluate"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(watch, unfinished, arguments, named):
    done = watch(*(unfinished if word == "RUN" else word for word in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1


def on_a_terminal(arguments, until, program=PROGRAM):
    """Run a command on a terminal of 24 lines, press Ctrl-C after some text, return what it drew.

    ``until`` None lets it end by itself.
    """
    pty = pytest.importorskip("pty", reason="terminals as on POSIX")
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    process = subprocess.Popen(
        [sys.executable, *program, *map(str, arguments)],
        stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color"},
    )  # fmt: skip
    os.close(theirs)
    drawn, pressed, end = b"", False, time.monotonic() + 30
    while time.monotonic() < end:
        try:
            drawn += os.read(ours, 1 << 16) if select.select([ours], [], [], 0.1)[0] else b""
        except OSError:
            break
        if until is not None and until in drawn and not pressed:
            process.send_signal(signal.SIGINT)
            pressed = True
    os.close(ours)
    return process.wait(timeout=30), drawn.decode()


def test_the_display_of_a_finished_run_ends_by_itself(made_run):
    code, drawn = on_a_terminal(["watch", made_run / "run"], None)
    assert code == 0
    assert "4 of 4 tasks done, 0 left, 0 errors" in drawn
    assert "\x1b[?25l" in drawn
    assert drawn.rstrip().endswith("\x1b[?25h")


def test_ctrl_c_leaves_the_terminal_as_it_was(unfinished):
    code, drawn = on_a_terminal(["watch", unfinished, "--interval", "0.2"], b"1 left")
    assert (code, "Traceback" in drawn) == (0, False)
    assert drawn.rstrip().endswith("\x1b[?25h")


def test_a_narrow_terminal_is_respected(unfinished):
    from rich.cells import cell_len
    from rich.console import Console

    from abotn.cli.watch_display import snapshot
    from abotn.evaluation.run_state import RunWatch

    state = RunWatch(unfinished).look()
    for width in (30, 60, 100):
        console = Console(width=width, color_system=None, force_terminal=True)
        with console.capture() as captured:
            console.print(snapshot(state))
        assert max(map(cell_len, captured.get().splitlines())) <= width


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"), (0.26, "0.3 s"), (9.4, "9.4 s"), (9.6, "10 s"), (59.4, "59 s"),
        (59.6, "1 min"), (61, "1 min 1 s"), (3599.7, "1 h"), (7320, "2 h 2 min"),
        (86400, "1 d"), (1e6, "11 d 13 h"),
    ],
)  # fmt: skip
def test_time_spans_have_at_most_two_units(seconds, shown):
    assert duration(seconds) == shown
