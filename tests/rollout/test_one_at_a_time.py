"""One process at a time in a run folder: starts at the same instant, resumes, and kills."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from abotn.agents import StraightLineAgent
from abotn.errors import ConfigError
from abotn.json_files import read_json, write_json
from abotn.rollout import run
from abotn.rollout.run_lock import locked_run

OPTIONS: dict[str, Any] = {"render": "none", "max_steps": 5}
REPOSITORY = Path(__file__).parents[2]

# Several starts in threads that all wait at the last moment before the folder is looked at.
RACE = """
import sys, threading
from pathlib import Path

from abotn.errors import ConfigError
from abotn.rollout import run, runner

options = dict(data_dir=sys.argv[1], render="none", max_steps=5)
# Plugins are loaded once, before the threads.
run("point_goal", "abotn.agents:StraightLineAgent", output_dir=sys.argv[3], **options)
count, folder = 6, Path(sys.argv[2])
barrier = threading.Barrier(count)
looks = runner.exact_run_folder


def together(run_dir):
    found = looks(run_dir)
    barrier.wait()
    return found


runner.exact_run_folder = together
outcomes = []


def start():
    try:
        run("point_goal", "abotn.agents:StraightLineAgent", run_dir=folder, **options)
        outcomes.append("made")
    except ConfigError as error:
        outcomes.append(str(error))


threads = [threading.Thread(target=start) for _ in range(count)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(*sorted(outcomes), sep="\\n")
"""

HOLDER = """
import os, sys, time

from abotn.rollout.run_lock import locked_run

with locked_run(sys.argv[1]):
    if len(sys.argv) > 2 and os.fork() == 0:
        print("held", os.getpid(), flush=True)
        time.sleep(60)
        os._exit(0)
    if len(sys.argv) == 2:
        print("held", 0, flush=True)
    time.sleep(60)
"""


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.fixture
def made(dataset: Path, tmp_path: Path) -> Path:
    """A run of two scenes with one record missing."""
    run("point_goal", StraightLineAgent, data_dir=dataset, run_dir=tmp_path / "run", **OPTIONS)
    (tmp_path / "run/hall/traj_0/result.json").unlink()
    return tmp_path / "run"


def test_of_several_that_find_the_folder_empty_one_goes_on(dataset: Path, tmp_path: Path) -> None:
    done = python(RACE, dataset, tmp_path / "run", tmp_path / "other")
    out, err = done.communicate(timeout=120)
    assert done.returncode == 0, err
    lines = out.splitlines()
    assert lines.count("made") == 1, (out, err)
    refused = [line for line in lines if line != "made"]
    assert len(refused) == 5
    assert all("the folder already holds a run" in line for line in refused)
    left = sorted(p.name for p in (tmp_path / "run").iterdir())
    assert left == ["hall", "room", "run.json"]


def test_a_new_file_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: Any) -> None:
        raise PermissionError(1, "no links here")

    for number, links in enumerate((True, False)):
        if not links:
            monkeypatch.setattr(os, "link", unsupported)
        path = tmp_path / f"{number}.json"
        outcomes = []

        def write(value: int, path: Path = path, outcomes: list[Any] = outcomes) -> None:
            try:
                write_json(path, {"value": value}, new=True)
                outcomes.append(value)
            except FileExistsError:
                outcomes.append(None)

        threads = [threading.Thread(target=write, args=(value,)) for value in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (winner,) = [value for value in outcomes if value is not None]
        assert len(outcomes) == 8
        assert read_json(path) == {"value": winner}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["0.json", "1.json"]


def test_a_second_resume_is_refused_and_changes_nothing(dataset: Path, made: Path) -> None:
    class Nosy(StraightLineAgent):
        said = ""

        def reset(self) -> None:
            with pytest.raises(ConfigError, match="another process is at work") as caught:
                run(resume_dir=made)
            Nosy.said = str(caught.value)

    # Another agent's run, so that the first one can look at what a second one would do.
    Nosy.__module__, Nosy.__qualname__ = StraightLineAgent.__module__, "StraightLineAgent"
    Nosy.__name__ = "StraightLineAgent"
    outcome = run(None, Nosy, resume_dir=made)
    assert (outcome.made, outcome.kept) == (1, 3)
    assert str(made) in Nosy.said
    assert run(resume_dir=made).made == 0


def test_a_new_run_is_held_while_it_is_made(dataset: Path, tmp_path: Path) -> None:
    refused = []

    def resume(event: Any) -> None:
        with pytest.raises(ConfigError, match="another process"):
            run(resume_dir=tmp_path / "run")
        refused.append(event.done)

    run("point_goal", StraightLineAgent, data_dir=dataset, run_dir=tmp_path / "run",
        progress=resume, **OPTIONS)  # fmt: skip
    assert refused == [0, 1, 2, 3, 4]
    assert run(resume_dir=tmp_path / "run").kept == 4


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("forked", [False, True], ids=["alone", "with a child that lives on"])
def test_a_killed_process_leaves_no_lock(made: Path, forked: bool) -> None:
    holder = python(HOLDER, made, *(["fork"] if forked else []))
    assert holder.stdout is not None
    child = int(holder.stdout.readline().split()[1])
    try:
        with pytest.raises(ConfigError, match="another process"):
            run(resume_dir=made)
        holder.kill()
        holder.wait()
        assert run(resume_dir=made).made == 1
    finally:
        holder.kill()
        if child:
            os.kill(child, signal.SIGKILL)
        holder.communicate()


def test_a_lock_that_the_system_does_not_know_holds_nobody_up(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl", reason="locks of another kind")

    def unknown(*_: Any) -> None:
        raise OSError(95, "not supported")

    monkeypatch.setattr(fcntl, "flock", unknown)
    with locked_run(made), locked_run(made):
        assert run(resume_dir=made).made == 1


def test_a_folder_without_a_run_cannot_be_held(tmp_path: Path) -> None:
    from abotn.errors import DataError

    with pytest.raises(DataError, match=r"run\.json.*cannot open"), locked_run(tmp_path):
        pass


def test_a_finished_run_that_may_only_be_read_can_be_resumed(made: Path) -> None:
    run(resume_dir=made)
    (made / "run.json").chmod(0o444)
    assert run(resume_dir=made).kept == 4
