"""Standard output: any encoding, a full disk, a closed pipe; and it holds what is ours alone."""

import json
import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120

PLUGIN = '''
"""A metric that talks: when it is loaded, when it is asked for, and when it counts."""
import os
import sys

from abotn import hookimpl, metric
from abotn.units import Unit

print("LOUD import")


@metric(unit=Unit.COUNT, better="lower", reference="none")
def loud_steps(steps):
    """Steps, said aloud."""
    print("LOUD metric", flush=True)
    os.write(1, b"LOUD descriptor\\n")
    os.system("echo LOUD child")
    sys.stdout.write("LOUD write\\n")
    return steps


@hookimpl
def abotn_metrics():
    print("LOUD hook")
    return [loud_steps]


@hookimpl
def abotn_episode_finished(record):
    print("LOUD episode")


@hookimpl
def abotn_run_finished(run):
    print("LOUD end")
'''
AGENT = """
import os

from abotn.agents import StraightLineAgent

print("LOUD agent module")


class Loud(StraightLineAgent):
    def __init__(self):
        super().__init__()
        print("LOUD agent made")

    def predict(self, observation):
        print("LOUD predict", flush=True)
        os.write(1, b"LOUD descriptor\\n")
        return super().predict(observation)
"""


@pytest.fixture(scope="module")
def loud(tmp_path_factory):
    """Environment with a talking plugin installed and a talking agent in the current folder."""
    folder = tmp_path_factory.mktemp("loud")
    (folder / "loud_plugin.py").write_text(PLUGIN, encoding="utf-8")
    (folder / "loud_agent.py").write_text(AGENT, encoding="utf-8")
    described = folder / "loud-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text("[abotn]\nloud = loud_plugin\n")
    path = os.pathsep.join([str(folder), ROOT])
    return {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": ""}, folder


@pytest.fixture
def shell(tmp_path):
    """Run a line of bash in which ``$ABOTN`` is the command line."""

    def run(line, **more):
        env = {**os.environ, "ABOTN": f"{sys.executable} -m abotn", "PYTHONPATH": ROOT, **more}
        return subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, env=env, capture_output=True, check=False
        )

    return run


@pytest.mark.parametrize("command", ["evaluate --bootstrap 0", "report --format json"])
def test_json_is_alone_on_standard_output(abotn, loud, made_run, command):
    env, _ = loud
    name, *options = command.split()
    if name != "report":
        options.append("--json")
    if name == "evaluate":
        options += ["-o", str(made_run / "loud.json")]
    done = abotn(name, made_run / "run", *options, env=env)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert "LOUD" not in done.stdout
    for voice in ("import", "hook"):
        assert f"LOUD {voice}" in done.stderr
    assert "loud_steps" in str(document)
    for voice in ("metric", "descriptor", "child", "write"):
        assert f"LOUD {voice}" in done.stderr


def test_a_run_prints_its_path_alone(abotn, loud, made_run, tmp_path):
    env, folder = loud
    done = abotn("run", "point-goal", "--agent", "loud_agent:Loud", "--data-dir",
                 made_run / "scenes", "--render", "none", "--max-steps", 2, "--run-dir",
                 tmp_path / "run", "--workers", 2, env=env, cwd=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path / 'run'}\n"
    for voice in ("agent module", "agent made", "predict", "descriptor", "episode", "end"):
        assert f"LOUD {voice}" in done.stderr


@pytest.fixture(scope="module")
def evaluation(abotn, made_run):
    """An evaluation whose name few encodings hold."""
    path = made_run / "named.json"
    abotn("evaluate", made_run / "run", "--bootstrap", 0, "-o", path, check=True)
    document = json.loads(path.read_text(encoding="utf-8"))
    named = {**document, "name": "Café 机 🤖 ±"}
    path.write_text(json.dumps(named, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_what_an_encoding_lacks_is_escaped(evaluation, tmp_path, encoding):
    env = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": ROOT}

    def printed(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "abotn", *map(str, arguments)],
            env=env, capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode(encoding)

    target = tmp_path / "bericht é 机 🤖.md"
    shown = printed("report", evaluation, "-o", target).strip()
    assert json.loads(f'"{shown}"') == str(target)
    assert ("é" in shown) == (encoding == "latin-1")
    assert "Café 机 🤖 ±" in target.read_text(encoding="utf-8")


def test_json_survives_an_ascii_terminal(abotn, made_run, tmp_path):
    """The escapes are those of JSON, beyond the basic plane too."""
    folder = tmp_path / "Läufe 机 🤖"
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from abotn.cli.streams import tolerant_streams; "
         "tolerant_streams(); print(sys.argv[1]); print(sys.argv[1], file=sys.stderr)",
         json.dumps(str(folder), ensure_ascii=False)],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": ROOT},
        capture_output=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout.decode("ascii")) == str(folder)
    assert json.loads(done.stderr.decode("ascii")) == str(folder)


def test_the_c_locale(shell):
    done = shell(
        "$ABOTN metrics list", LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0",
        PYTHONIOENCODING="",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert b"\\u" in done.stdout
    done.stdout.decode("ascii")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
@pytest.mark.parametrize(
    ("command", "unbuffered"), [("--help", ""), ("run --help", ""), ("metrics list", "1")]
)
def test_a_full_disk_under_standard_output(shell, command, unbuffered):
    done = shell(f"$ABOTN {command} > /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 2
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert "No space left on device" in lines[0]


def unread(*arguments, **more):
    """Run the command line with a pipe on standard output that nobody reads."""
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        return subprocess.run(
            [sys.executable, "-m", "abotn", *map(str, arguments)],
            stdout=theirs, stderr=subprocess.PIPE, check=False,
            env={**os.environ, "PYTHONPATH": ROOT, **more},
        )  # fmt: skip
    finally:
        os.close(theirs)


@pytest.mark.parametrize(
    ("command", "unbuffered"), [("--help", ""), ("--help", "1"), ("metrics list", "")]
)
def test_a_pipe_that_nobody_reads(command, unbuffered):
    done = unread(*command.split(), PYTHONUNBUFFERED=unbuffered)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_gate_whose_verdict_nobody_read_has_not_passed(evaluation):
    done = unread("gate", evaluation, "--threshold", "success>=0")
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams(shell, closed):
    done = shell(f"$ABOTN --help {closed} && $ABOTN metrics describe nothing {closed}")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_bytes_of_a_name_that_is_no_text_come_out_as_they_were(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "from abotn.cli.streams import tolerant_streams; "
         "tolerant_streams(); print('a\\udce4b\\ud800c')"],
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": ROOT},
        capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout == b"a\xe4b\\ud800c\n"
