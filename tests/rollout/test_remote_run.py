"""Runs with an agent in a server process: the same records, and what happens when it fails."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from abotn.agents.remote import RemoteAgent
from abotn.cli.main import run_command_line
from abotn.errors import AgentError, ConfigError
from abotn.records.files import read_manifest
from abotn.rollout import run

MODULE = "remote_test_agents"
AGENTS = '''
import os
import zlib

import numpy as np

from abotn.agents import RandomAgent, StraightLineAgent, WaypointPrediction


class Looks(RandomAgent):
    """Goes where a checksum of all it sees tells it to, so that no byte may differ."""

    needs = ("occ_map", "height_map", "history_images")
    waypoint_frame = "right_front"

    def predict(self, observation):
        seen = [*observation.images.values(), observation.occ_map, observation.height_map,
                observation.rotation, observation.target_position, observation.position,
                np.array([observation.distance_to_goal, observation.heading]),
                *[image["front"] for image in observation.history_images]]
        number = 0
        for array in seen:
            number = zlib.crc32(np.ascontiguousarray(array), number)
        luck = self._generator.uniform()
        return WaypointPrediction(np.array([number % 1000 / 1000 - 0.5, luck]), number % 9 == 0)


class Fails(StraightLineAgent):
    def __init__(self, what="raise"):
        super().__init__()
        self.what = what

    def predict(self, observation):
        if tuple(np.round(observation.position[:2], 3)) == (1.0, 1.0):
            if self.what == "die":
                os._exit(7)
            raise ValueError("the model said no")
        return super().predict(observation)


class NeedsGpu(StraightLineAgent):
    def __init__(self):
        raise RuntimeError("no CUDA device")
'''

Start = Callable[..., str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the agents' module lies; importable here too."""
    folder = tmp_path_factory.mktemp("agents")
    (folder / f"{MODULE}.py").write_text(AGENTS)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    sys.modules.pop(MODULE, None)


def command(agent: str, *options: str) -> list[str]:
    script = "from abotn.cli.serve_agent_command import serve_agent; serve_agent()"
    return [sys.executable, "-c", script, "--agent", agent, "--port", "0", *options]


@pytest.fixture
def start(folder: Path, repository: Path) -> Iterator[Start]:
    """Start a server process and return its URL."""
    processes: list[subprocess.Popen[str]] = []

    def start(agent: str, *options: str) -> str:
        process = subprocess.Popen(
            command(agent, *options), cwd=folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(repository)},
        )  # fmt: skip
        processes.append(process)
        assert process.stdout is not None
        return process.stdout.readline().strip()

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def go(dataset: Path, target: Path, agent: Any, **options: Any) -> Any:
    chosen = {"protocol": "strict", "render": "none", "max_steps": 9, **options}
    return run(chosen.pop("task_type", "point_goal"), agent, data_dir=dataset, run_dir=target,
               **chosen)  # fmt: skip


def results(target: Path) -> dict[str, bytes]:
    return {str(p.relative_to(target)): p.read_bytes() for p in target.rglob("result.json")}


@pytest.mark.parametrize(("task_type", "workers"), [("point_goal", 2), ("poi_goal", 1)])
def test_records_are_the_bytes_that_a_local_agent_gives(
    task_type: str, workers: int, dataset: Path, start: Start, tmp_path: Path
) -> None:
    options = {
        "task_type": task_type, "render": "embedded", "max_steps": 5, "seed": 4, "attempts": 2,
        "scenes": ["room"], "protocol": None, "overrides": {"collision_mode": "off"},
    }  # fmt: skip
    local = go(dataset, tmp_path / "local", f"{MODULE}:Looks", **options)
    url = start(f"{MODULE}:Looks")
    far = go(dataset, tmp_path / "far", url, workers=workers, **options)
    assert (far.statuses, far.made) == (local.statuses, 6)
    found = results(tmp_path / "local")
    assert found == results(tmp_path / "far")
    assert len({json.loads(content)["travel_length"] for content in found.values()}) == 6
    manifests = [read_manifest(tmp_path / name) for name in ("local", "far")]
    for manifest in manifests:
        del manifest["run_id"], manifest["created"]
    assert manifests[1]["agent"].pop("url") == url
    assert manifests[0] == manifests[1]
    assert manifests[1]["protocol"]["values"]["waypoint_frame"] == "right_front"
    assert set(manifests[1]["provide"]) == {"occ_map", "height_map", "history_images"}


def test_jpeg_is_recorded_and_is_another_agent(dataset: Path, start: Start, tmp_path: Path) -> None:
    url = start(f"{MODULE}:Looks")
    settings = {"images": "jpeg", "timeout": 30}
    go(dataset, tmp_path / "run", url, agent_config=settings, render="embedded", max_steps=2,
       scenes=["hall"])  # fmt: skip
    go(dataset, tmp_path / "raw", url, render="embedded", max_steps=2, scenes=["hall"])
    agent = read_manifest(tmp_path / "run")["agent"]
    assert (agent["name"], agent["class"]) == ("Looks", f"{MODULE}:Looks")
    assert (agent["config"], agent["images"], agent["timeout"]) == ({}, "jpeg", 30)
    assert results(tmp_path / "run") != results(tmp_path / "raw")
    with pytest.raises(ConfigError, match='images for the agent "jpeg", asked for is null'):
        run(resume_dir=tmp_path / "run", agent=f"{MODULE}:Looks")
    with pytest.raises(ConfigError, match="images for the agent null, asked for is"):
        run(resume_dir=tmp_path / "raw", agent_config=settings)
    assert run(resume_dir=tmp_path / "run", scenes=["hall"]).kept == 1


def test_what_is_not_exposed_does_not_travel(dataset: Path, start: Start, tmp_path: Path) -> None:
    outcome = go(dataset, tmp_path / "run", start("abotn.agents:StraightLineAgent"),
                 expose="target_position,images")  # fmt: skip
    assert outcome.solved == 4
    outcome = go(dataset, tmp_path / "none", start("abotn.agents:StraightLineAgent"),
                 expose="images")  # fmt: skip
    assert outcome.errors == 4
    document = json.loads(results(tmp_path / "none")["hall/traj_0/result.json"])
    assert "'target_position' is not exposed" in document["error"]["message"]


def test_an_error_of_the_agent_is_that_tasks_error(
    dataset: Path, start: Start, tmp_path: Path
) -> None:
    url = start(f"{MODULE}:Fails")
    outcome = go(dataset, tmp_path / "run", url)
    assert (outcome.made, outcome.errors, outcome.solved) == (4, 1, 3)
    document = json.loads(results(tmp_path / "run")["room/traj_0/result.json"])
    assert (document["status"], document["error"]) == ("error", {
        "stage": "agent", "type": "AgentError", "message": "ValueError: the model said no"
    })  # fmt: skip


def test_a_server_that_dies_costs_its_tasks_and_resuming_redoes_just_those(
    dataset: Path, start: Start, tmp_path: Path
) -> None:
    outcome = go(dataset, tmp_path / "run", start(f"{MODULE}:Fails"), tasks=["traj_2"])
    assert outcome.errors == 0
    (tmp_path / "die.yaml").write_text("what: die\n")
    url = start(f"{MODULE}:Fails", "--agent-config", str(tmp_path / "die.yaml"))
    broken = go(dataset, tmp_path / "dies", url)
    assert (broken.made, broken.errors, broken.solved) == (4, 3, 1)
    document = json.loads(results(tmp_path / "dies")["room/traj_2/result.json"])
    assert document["error"]["stage"] == "agent"
    assert "Connection refused" in document["error"]["message"]
    with pytest.raises(ConfigError, match="no agent server answers: Connection refused"):
        run(resume_dir=tmp_path / "dies")
    with pytest.raises(ConfigError, match="agent config"):
        run(resume_dir=tmp_path / "dies", agent=start(f"{MODULE}:Fails"))
    url = start(f"{MODULE}:Fails", "--agent-config", str(tmp_path / "die.yaml"))
    again = run(resume_dir=tmp_path / "dies", agent=url, tasks=["traj_10"])
    assert (again.kept, again.made, again.errors) == (0, 1, 0)


def test_sessions_end_with_the_run(dataset: Path, start: Start, tmp_path: Path) -> None:
    url = start("abotn.agents:StraightLineAgent", "--max-sessions", "2")
    assert go(dataset, tmp_path / "two", url, workers=2).solved == 4
    for number in range(3):
        assert go(dataset, tmp_path / str(number), url).solved == 4
    with RemoteAgent(url), RemoteAgent(url), pytest.raises(AgentError, match="2 sessions are"):
        RemoteAgent(url)


def test_too_few_sessions_are_told_before_anything_is_written(
    dataset: Path, start: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    url = start("abotn.agents:StraightLineAgent", "--max-sessions", "1")
    arguments = ["run", "point-goal", "--agent", url, "--data-dir", str(dataset), "--render",
                 "none", "--run-dir", str(tmp_path / "run")]  # fmt: skip
    assert run_command_line([*arguments, "--workers", "2"]) == 2
    output, messages = capfd.readouterr()
    assert output == ""
    assert messages == (
        f"error: {url}: all 1 sessions are taken; serve with a larger --max-sessions, "
        "or run with fewer workers\n"
    )
    assert list(tmp_path.iterdir()) == []
    assert run_command_line(arguments) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agent", "http://127.0.0.1:9"], "agent http://127.0.0.1:9: no agent server answers: "
         "Connection refused (start one with 'abotn serve-agent')"),
        (["--agent", "http://"], "agent: expected a URL such as http://localhost:7037"),
        (["--agent", "http://127.0.0.1:9", "--agent-config", "agent.yaml"],
         "agent config: 'step_length' is no setting of a remote agent"),
        (["--agent", "http://127.0.0.1:9", "--agent-config", "gone.yaml"], "gone.yaml"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_2(
    arguments: list[str],
    message: str,
    dataset: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("agent.yaml").write_text("step_length: 2.0\n")
    code = run_command_line(["run", "point-goal", "--data-dir", str(dataset), *arguments])
    output, messages = capfd.readouterr()
    assert (code, output) == (2, "")
    assert len(messages.splitlines()) == 1
    assert message in messages
    assert [path.name for path in tmp_path.iterdir()] == ["agent.yaml"]


def test_fail_fast_and_another_agent(dataset: Path, start: Start, tmp_path: Path) -> None:
    url = start(f"{MODULE}:Fails")
    with pytest.raises(AgentError, match="first error: agent: ValueError: the model said no"):
        go(dataset, tmp_path / "run", url, fail_fast=True)
    other = start("abotn.agents:StraightLineAgent")
    with pytest.raises(ConfigError, match="run was made with agent"):
        run(resume_dir=tmp_path / "run", agent=other)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_command_prints_its_url_and_stops_at_a_signal(
    number: signal.Signals, folder: Path, repository: Path
) -> None:
    with subprocess.Popen(
        command("abotn.agents:StraightLineAgent"), cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(repository)},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.send_signal(number)
        output, messages = process.communicate(timeout=30)
    assert (process.returncode, output) == (0, "")
    assert messages.splitlines() == [
        "serving abotn.agents.baselines:StraightLineAgent to at most 8 sessions; Ctrl-C stops",
        "stopped",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agent", f"{MODULE}:NeedsGpu"], "could not be made: RuntimeError: no CUDA device"),
        (["--agent", "no.such:Agent"], "cannot import module"),
        (["--agent", f"{MODULE}:Looks", "--agent-config", "gone.yaml"], "gone.yaml"),
        (["--agent", f"{MODULE}:Looks", "--host", "no.such.host.invalid"], "cannot listen"),
    ],
)
def test_what_cannot_be_served_is_an_error(
    arguments: list[str], message: str, folder: Path
) -> None:
    from click.testing import CliRunner

    from abotn.cli.serve_agent_command import serve_agent

    with pytest.raises((ConfigError, AgentError)) as caught:
        CliRunner().invoke(serve_agent, [*arguments, "--port", "0"], catch_exceptions=False)
    assert message in str(caught.value)
