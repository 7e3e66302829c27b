"""Several processes: the same records, and what happens when one of them dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from abotn import schema_files
from abotn.agents.config import load_agent_config
from abotn.errors import AgentError
from abotn.rollout import Progress, run
from abotn.rollout.resume import pending_units
from abotn.rollout.rules import Unit

KEYS = ["hall/traj_0", "room/traj_0", "room/traj_2", "room/traj_10"]
TIMES = ("agent_seconds", "render_seconds")


def go(dataset: Path, folder: Path, agent: str, **options: Any) -> Any:
    chosen = {"protocol": "strict", "render": "none", "max_steps": 9, **options}
    return run("point_goal", agent, data_dir=dataset, run_dir=folder, **chosen)


def untimed(path: Path) -> dict[str, Any]:
    document = json.loads(path.read_bytes())
    return {key: value for key, value in document.items() if key not in TIMES}


def test_records_do_not_depend_on_the_number_of_workers(dataset: Path, tmp_path: Path) -> None:
    for workers in (1, 3):
        outcome = go(
            dataset, tmp_path / str(workers), "abotn.agents:RandomAgent",
            workers=workers, attempts=2, seed=5, render="embedded", max_steps=2,
        )  # fmt: skip
        assert outcome.made == 8
    found = sorted(path.relative_to(tmp_path / "1") for path in (tmp_path / "1").rglob("*.json"))
    assert len(found) == 2 * 8 + 1
    for path in found:
        one, three = tmp_path / "1" / path, tmp_path / "3" / path
        if path.name == "result.json":
            assert one.read_bytes() == three.read_bytes()
        elif path.name == "trajectory.json":
            assert untimed(one) == untimed(three)


def test_process_that_dies_costs_its_attempt_alone(
    dataset: Path, agents: str, tmp_path: Path
) -> None:
    seen: list[Progress] = []
    outcome = go(
        dataset, tmp_path / "run", f"{agents}:Fails",
        agent_config={"what": "die"}, workers=2, progress=seen.append,
    )  # fmt: skip
    assert (outcome.made, outcome.errors, outcome.solved) == (4, 1, 3)
    document = json.loads((tmp_path / "run/room/traj_0/result.json").read_bytes())
    assert schema_files.complaint("result.v1", document) is None
    assert document["error"]["type"] == "ProcessDied"
    assert "exit code 7" in document["error"]["message"]
    units = [Unit(Path(key).parts[0], Path(key).parts[1]) for key in KEYS]
    assert pending_units(tmp_path / "run", units) == [Unit("room", "traj_0")]
    assert seen[-1].done == 4


def test_last_process_that_dies_is_replaced(dataset: Path, agents: str, tmp_path: Path) -> None:
    from abotn.rollout.workers import WorkerPool

    made: list[int] = []
    original = WorkerPool._start

    def counted(pool: WorkerPool) -> Any:
        made.append(1)
        return original(pool)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkerPool, "_start", counted)
        outcome = go(
            dataset, tmp_path / "run", f"{agents}:Fails",
            agent_config={"what": "die"}, workers=2, scenes=["room"], tasks=["traj_0", "traj_2"],
        )  # fmt: skip
    assert (outcome.errors, outcome.solved) == (1, 1)
    assert len(made) == 2


def test_fail_fast_stops_all(dataset: Path, agents: str, tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="room/traj_0"):
        go(dataset, tmp_path / "run", f"{agents}:Fails", workers=2, fail_fast=True, attempts=5)
    assert len(list((tmp_path / "run").rglob("result.json"))) < 20


SLOW = """
import time
from abotn.agents import StraightLineAgent

class Slow(StraightLineAgent):
    def predict(self, observation):
        time.sleep(0.1)
        return super().predict(observation)
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_run_that_is_interrupted_leaves_whole_records_and_can_go_on(
    workers: int, dataset: Path, repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    folder = tmp_path / "run"
    command = [
        sys.executable, "-m", "abotn", "run", "point-goal", "--agent", "slow:Slow",
        "--data-dir", str(dataset), "--protocol", "strict", "--render", "none",
        "--attempts", "50", "--max-steps", "8", "--workers", str(workers),
        "--run-dir", str(folder),
    ]  # fmt: skip
    path = os.pathsep.join([str(repository), str(tmp_path)])
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path}, start_new_session=True,
    )  # fmt: skip
    _wait_for_records(folder, process, 2)
    os.killpg(process.pid, signal.SIGINT)
    output, complaints = process.communicate(timeout=30)
    assert process.returncode == 130, complaints
    assert output == ""
    assert f"--resume-dir {folder}" in complaints
    assert "Traceback" not in complaints
    written = list(folder.rglob("*.json"))
    for result in folder.rglob("result.json"):
        document = json.loads(result.read_bytes())
        assert schema_files.complaint("result.v1", document) is None
        assert document["status"] == "stop"
        assert (result.parent / "trajectory.json").is_file()
    assert {path.name for path in written} == {"run.json", "result.json", "trajectory.json"}
    assert not list(folder.rglob(".tmp*"))
    sys.path.insert(0, str(tmp_path))
    try:
        (tmp_path / "slow.py").write_text(SLOW.replace("0.1", "0"))
        done = len(list(folder.rglob("result.json")))
        outcome = run(resume_dir=folder, scenes=["hall"])
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("slow", None)
    assert outcome.total == 50
    assert outcome.kept + outcome.made == 50
    assert outcome.kept <= done


def _wait_for_records(folder: Path, process: subprocess.Popen[str], count: int) -> None:
    for _ in range(600):
        if len(list(folder.rglob("result.json"))) >= count or process.poll() is not None:
            return
        time.sleep(0.05)


def test_config_files_reach_the_workers(dataset: Path, tmp_path: Path) -> None:
    config = tmp_path / "agent.yaml"
    config.write_text("step_length: 2.5\n")
    assert load_agent_config(config) == {"step_length": 2.5}
    go(
        dataset, tmp_path / "run", "abotn.agents:StraightLineAgent",
        agent_config=config, workers=2, scenes=["hall"], attempts=2,
    )  # fmt: skip
    document = json.loads((tmp_path / "run/hall/traj_0@1/result.json").read_bytes())
    assert document["steps"] == 2
