"""Agents that end their process, fork it, or read from the keyboard."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import abotn

ROOT = str(Path(abotn.__file__).parents[1])
AGENTS = """
import os, sys
from abotn.agents import StraightLineAgent

class Ends(StraightLineAgent):
    def predict(self, observation):
        if tuple(observation.position[:2].round(3)) == (1.0, 1.0):
            os._exit(0)
        return super().predict(observation)

class Forks(StraightLineAgent):
    def __init__(self, log, how="return"):
        super().__init__()
        self.log, self.how = log, how

    def predict(self, observation):
        with open(self.log, "a") as stream:
            stream.write(f"{os.getpid()}\\n")
        if os.fork() == 0:
            if self.how == "raise":
                raise ValueError("in the child")
            if self.how == "exit":
                sys.exit(3)
            if self.how == "interrupt":
                raise KeyboardInterrupt
        else:
            os.wait()
        return super().predict(observation)

class Asks(StraightLineAgent):
    def reset(self):
        assert input() == "go"
"""
SCRIPT = """
import sys
from abotn.rollout import run
outcome = run("point_goal", "odd:Forks", data_dir=sys.argv[1], run_dir=sys.argv[2],
              protocol="strict", render="none", agent_config={"log": "log", "how": sys.argv[3]})
print(outcome.made, outcome.solved)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "odd.py").write_text(AGENTS)
    return tmp_path


def python(place: Path, *words: object, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)], cwd=place, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([ROOT, str(place)])},
        timeout=60, check=False, **more,
    )  # fmt: skip


def command(
    place: Path, dataset: Path, agent: str, *more: object, **options: Any
) -> subprocess.CompletedProcess[str]:
    return python(
        place, "-m", "abotn", "run", "point-goal", "--agent", agent, "--data-dir", dataset,
        "--protocol", "strict", "--render", "none", "--run-dir", place / "run", *more, **options,
    )  # fmt: skip


@pytest.mark.parametrize("workers", [1, 2])
def test_an_agent_that_ends_its_process_costs_one_attempt(
    workers: int, dataset: Path, place: Path
) -> None:
    done = command(place, dataset, "odd:Ends", "--workers", workers)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(place / "run")
    found = [json.loads(path.read_bytes()) for path in (place / "run").rglob("result.json")]
    assert len(found) == 4
    (lost,) = [one for one in found if one["status"] == "error"]
    assert (lost["task_id"], lost["error"]["type"]) == ("traj_0", "ProcessDied")
    assert "exit code 0" in lost["error"]["message"]
    assert "4 attempts made" in done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("how", ["return", "raise", "exit", "interrupt"])
def test_a_forked_child_never_goes_on_with_the_run(how: str, dataset: Path, place: Path) -> None:
    done = python(place, "-c", SCRIPT, dataset, place / "run", how)
    assert (done.returncode, done.stdout) == (0, "4 4\n"), done.stderr
    # The children have asked for nothing and written nothing.
    assert len({*(place / "log").read_text().split()}) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_of_a_worker_does_not_answer_for_it(dataset: Path, place: Path) -> None:
    (place / "agent.yaml").write_text("log: log\n")
    done = command(place, dataset, "odd:Forks", "--agent-config", "agent.yaml")
    assert done.returncode == 0, done.stderr
    assert "4 attempts made; 4 reached" in done.stderr
    assert len({*(place / "log").read_text().split()}) == 1


def test_an_agent_can_read_what_is_typed(dataset: Path, place: Path) -> None:
    done = command(place, dataset, "odd:Asks", input="go\n" * 4)
    assert "4 attempts made; 4 reached" in done.stderr
