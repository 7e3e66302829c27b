"""``--expose``: what the agent of a run can see, what the manifest says, and resuming."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from abotn.cli.main import run_command_line
from abotn.errors import ConfigError, UnknownNameError
from abotn.records.files import read_manifest
from abotn.rendering.camera import CameraConfig
from abotn.rollout import run

STRAIGHT = "abotn.agents:StraightLineAgent"


@pytest.fixture
def spy(agents: str) -> Any:
    """A class of agents that all keep what they saw in one list."""
    module = importlib.import_module(agents)

    class Spy(module.Script):  # type: ignore[name-defined, misc]
        everything: list[Any] = []  # noqa: RUF012

        def predict(self, observation: Any) -> Any:
            self.everything.append(observation)
            return super().predict(observation)

    return Spy


def go(dataset: Path, folder: Path, agent: Any, task_type: str = "point_goal", **more: Any) -> Any:
    options = {"render": "none", "max_steps": 2, "scenes": ["room"], "tasks": ["traj_0"], **more}
    return run(task_type, agent, data_dir=dataset, run_dir=folder, **options)


def test_agent_sees_what_is_exposed_and_nothing_else(
    dataset: Path, tmp_path: Path, spy: Any
) -> None:
    outcome = go(dataset, tmp_path / "run", spy, "poi_goal", expose="poi_name,images")
    assert outcome.errors == 0
    assert [set(vars(seen)) for seen in spy.everything] == [{"images", "poi_name"}] * 2
    assert spy.everything[0].poi_name == "Cafe"
    assert read_manifest(tmp_path / "run")["expose"] == ["images", "poi_name"]


def test_without_the_option_everything_is_there(dataset: Path, tmp_path: Path, spy: Any) -> None:
    go(dataset, tmp_path / "run", spy)
    assert spy.everything[0].goal_world.tolist() == [4, 1]
    assert read_manifest(tmp_path / "run")["expose"] is None


def test_optional_field_that_is_exposed_is_provided(
    dataset: Path, tmp_path: Path, spy: Any
) -> None:
    go(dataset, tmp_path / "run", spy, expose=["occ_map", "history_poses"])
    first, second = spy.everything
    assert first.occ_map.shape == (80, 100)
    assert [len(first.history_poses), len(second.history_poses)] == [0, 1]
    assert not hasattr(first, "meta_data")
    assert read_manifest(tmp_path / "run")["provide"] == ["history_poses", "occ_map"]


def test_peeking_is_an_error_of_the_agent(dataset: Path, tmp_path: Path) -> None:
    outcome = go(dataset, tmp_path / "run", STRAIGHT, expose="images")
    assert dict(outcome.statuses) == {"error": 1}
    text = (tmp_path / "run/room/traj_0/result.json").read_text()
    assert "'target_position' is not exposed" in text


def test_an_exposed_run_is_resumed_as_it_was(dataset: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    go(dataset, folder, STRAIGHT, expose=["target_position"])
    record = folder / "room/traj_0/result.json"
    before = record.read_bytes()
    record.unlink()
    again = run(None, None, resume_dir=folder, scenes=["room"], tasks=["traj_0"])
    assert (again.made, again.errors) == (1, 0)
    assert record.read_bytes() == before
    with pytest.raises(ConfigError, match="exposed observations"):
        run(None, None, resume_dir=folder, expose=["target_position", "images"])


@pytest.mark.parametrize(
    ("expose", "kind", "reason"),
    [
        ("targetposition", UnknownNameError, "did you mean: target_position"),
        ("", ConfigError, "at least one"),
        ("target_position", ConfigError, "needs occ_map"),
    ],
)
def test_bad_choices_stop_before_anything_is_written(
    dataset: Path, tmp_path: Path, expose: str, kind: type[Exception], reason: str
) -> None:
    agent = "abotn.agents:PlannerAgent" if "needs" in reason else STRAIGHT
    with pytest.raises(kind, match=reason):
        go(dataset, tmp_path / "run", agent, expose=expose)
    assert list(tmp_path.iterdir()) == []


def test_the_option_is_typed_with_commas(
    dataset: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    command = ["run", "point-goal", "--agent", STRAIGHT, "--data-dir", str(dataset),
               "--render", "none", "--run-dir", str(folder), "--protocol", "strict"]  # fmt: skip
    assert run_command_line([*command, "--expose", "target_position, heading"]) == 0
    assert read_manifest(folder)["expose"] == ["target_position", "heading"]
    other = [*command[:-3], str(tmp_path / "other"), "--expose", "headin"]
    assert run_command_line(other) == 2
    assert "did you mean: heading" in capfd.readouterr().err


def positions(folder: Path) -> Any:
    return json.loads((folder / "room/traj_0/trajectory.json").read_bytes())["position"]


def test_history_and_camera_of_a_run_are_kept_when_it_is_resumed(
    dataset: Path, tmp_path: Path, spy: Any
) -> None:
    folder = tmp_path / "run"
    go(
        dataset, folder, STRAIGHT, provide=["history_poses"], max_history_frames=1, max_steps=4,
        history_resize_ratio=0.5, camera=CameraConfig(extrinsic_height=1.5),
    )  # fmt: skip
    manifest = read_manifest(folder)
    assert manifest["history"] == {"max_frames": 1, "resize_ratio": 0.5}
    assert manifest["camera"]["extrinsic_height"] == 1.5
    before = positions(folder)
    (folder / "room/traj_0/result.json").unlink()
    run(None, None, resume_dir=folder, scenes=["room"], tasks=["traj_0"])
    assert positions(folder) == before
    assert {row[2] for row in before} == {1.75}
    with pytest.raises(ConfigError, match="history"):
        run(None, None, resume_dir=folder, max_history_frames=2)
    with pytest.raises(ConfigError, match="camera"):
        run(None, None, resume_dir=folder, camera=CameraConfig())
    go(dataset, tmp_path / "spied", spy, provide=["history_poses"], max_history_frames=1,
       max_steps=4)  # fmt: skip
    assert [len(seen.history_poses) for seen in spy.everything] == [0, 1, 1, 1]


@pytest.mark.parametrize(
    "more", [{"max_history_frames": -1}, {"history_resize_ratio": 0.0}, {"history_resize_ratio": 2}]
)
def test_history_out_of_range(dataset: Path, tmp_path: Path, more: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"max_history_frames|resize_ratio"):
        go(dataset, tmp_path / "run", STRAIGHT, **more)
