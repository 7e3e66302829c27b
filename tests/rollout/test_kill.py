"""SIGKILL at ten moments: after resuming, the run is the one that was never disturbed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from abotn import Evaluator, schema_files
from abotn.evaluation.summaries import summarise_point_goal
from abotn.records.files import read_trajectory

KILLS = 10
TASKS = 4 * 12
TIMES = ("agent_seconds", "render_seconds")

# One process imports everything once; every start of the run is a fork of it, and really killed.
KILLER = """
import os, shutil, signal, sys, time
from pathlib import Path

import numpy as np

from abotn.agents import RandomAgent
from abotn.rollout import run


class Slow(RandomAgent):
    def predict(self, observation):
        time.sleep(0.008)
        return super().predict(observation)


def start(folder):
    options = dict(data_dir=sys.argv[1], render="none", max_steps=6, seed=3, attempts=12)
    if (folder / "run.json").is_file():
        return run("point_goal", Slow, resume_dir=folder, **options)
    shutil.rmtree(folder, ignore_errors=True)
    return run("point_goal", Slow, run_dir=folder, **options)


def count(folder):
    return len(list(folder.rglob("result.json")))


whole, killed = Path(sys.argv[2]), Path(sys.argv[3])
start(whole)
random = np.random.default_rng(11)
for number in range(int(sys.argv[4])):
    # Some kills come while the run starts, the others somewhere in a later attempt.
    wanted = count(killed) + int(random.integers(0, 4))
    child = os.fork()
    if child == 0:
        start(killed)
        os._exit(0)
    patience = time.monotonic() + 60.0
    while count(killed) < wanted and time.monotonic() < patience:
        time.sleep(0.002)
    time.sleep(random.uniform(0.0, 0.05))
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    print("killed" if os.WIFSIGNALED(status) else "finished", count(killed), flush=True)
print("kept", start(killed).kept, flush=True)
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="killing needs fork and SIGKILL")


@pytest.fixture(scope="module")
def runs(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[str]]:
    """A run that was left alone, one that was killed ten times, and what happened to it."""
    folder = tmp_path_factory.mktemp("kill")
    (folder / "killer.py").write_text(KILLER)
    whole, killed = folder / "whole" / "run", folder / "killed" / "run"
    done = subprocess.run(
        [sys.executable, "killer.py", str(dataset), str(whole), str(killed), str(KILLS)],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return whole, killed, done.stdout.splitlines()


def contents(folder: Path, name: str) -> dict[str, dict[str, Any]]:
    found = {}
    for path in folder.rglob(name):
        document = json.loads(path.read_bytes())
        key = path.parent.relative_to(folder).as_posix()
        found[key] = {k: value for k, value in document.items() if k not in TIMES}
    return found


def test_the_run_was_really_killed_while_it_was_under_way(
    runs: tuple[Path, Path, list[str]],
) -> None:
    *events, last = [line.split() for line in runs[2]]
    assert [event for event, _ in events] == ["killed"] * KILLS
    counts = [int(count) for _, count in events]
    assert counts == sorted(counts)
    assert 0 < counts[-1] < TASKS
    assert int(last[1]) <= counts[-1]


def test_every_task_has_exactly_one_valid_record(runs: tuple[Path, Path, list[str]]) -> None:
    whole, killed, _ = runs
    found = contents(killed, "result.json")
    assert sorted(found) == sorted(contents(whole, "result.json"))
    assert len(found) == TASKS
    for key, document in found.items():
        assert schema_files.complaint("result.v1", document) is None
        assert len(read_trajectory(killed / key / "trajectory.json").position) == (
            document["steps"] + 1
        )


def test_records_are_those_of_the_undisturbed_run(runs: tuple[Path, Path, list[str]]) -> None:
    whole, killed, _ = runs
    for name in ("result.json", "trajectory.json"):
        assert contents(killed, name) == contents(whole, name)


def test_evaluation_is_that_of_the_undisturbed_run(runs: tuple[Path, Path, list[str]]) -> None:
    documents = []
    for folder in runs[:2]:
        result = Evaluator().evaluate_dataset(
            folder, bootstrap_ci=200, metrics=["success", "spl", "collision_length", "ndtw"]
        )
        document = result.to_dict()
        document.pop("provenance")
        documents.append(document)
    assert documents[0] == documents[1]
    summaries = [summarise_point_goal(folder).document for folder in runs[:2]]
    assert [summary.pop("result_dir") for summary in summaries] == [str(f) for f in runs[:2]]
    assert summaries[0] == summaries[1]
