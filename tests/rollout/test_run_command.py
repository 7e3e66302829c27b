"""``abotn run`` as it is typed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from abotn.cli.main import run_command_line
from abotn.cli.run_command import run
from abotn.records.files import read_manifest

AGENT = "abotn.agents:StraightLineAgent"

ISSUE_FLAGS = [
    "--agent", "--agent-config", "--agent-name", "--data-dir", "--map-dir", "--protocol",
    "--render", "--output-dir", "--run-dir", "--resume-dir", "--max-steps", "--seed", "--workers",
    "--attempts", "--fail-fast", "--reference", "--save-render-images", "--provide-history",
    "--provide-occ-map", "--provide-height-map", "--arrive-threshold", "--collision-threshold",
    "--collision-mode", "--occ-dilation-meters", "--collision-sampling", "--execute-waypoint",
    "--waypoint-frame", "--scenes", "--tasks",
]  # fmt: skip


def test_every_flag_is_there_and_explained() -> None:
    described = {
        option: getattr(parameter, "help", None)
        for parameter in run.params
        for option in parameter.opts
    }
    assert set(ISSUE_FLAGS) <= set(described)
    assert all(described[flag] for flag in ISSUE_FLAGS)
    assert "point-goal|poi-goal" in CliRunner().invoke(run, ["--help"]).output


def test_path_of_the_run_is_the_last_line(
    dataset: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = run_command_line(
        ["run", "point-goal", "--agent", AGENT, "--data-dir", str(dataset), "--render", "none",
         "--output-dir", str(tmp_path / "runs"), "--protocol", "strict"]
    )  # fmt: skip
    output, messages = capfd.readouterr()
    assert code == 0
    folder = Path(output.splitlines()[-1])
    assert folder.parent == tmp_path / "runs"
    assert len(list(folder.rglob("result.json"))) == 4
    assert "4 attempts made; 4 reached the goal (4 stop)" in messages


def test_options_reach_the_manifest(dataset: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    code = run_command_line(
        ["run", "poi-goal", "--agent", AGENT, "--data-dir", str(dataset), "--run-dir", str(folder),
         "--render", "none", "--max-steps", "7", "--seed", "9", "--attempts", "2",
         "--arrive-threshold", "1.5", "--collision-threshold", "2", "--collision-mode", "soft",
         "--occ-dilation-meters", "0.1", "--collision-sampling", "exact", "--execute-waypoint",
         "0", "--waypoint-frame", "right_front", "--reference", "geodesic", "--provide-history",
         "--provide-occ-map", "--provide-height-map", "--agent-name", "mine", "--scenes", "hall"]
    )  # fmt: skip
    assert code == 0
    manifest = read_manifest(folder)
    values = manifest["protocol"]["values"]
    expected = {
        "arrive_threshold": 1.5, "collision_threshold": 2, "collision_mode": "soft",
        "occ_dilation_meters": 0.1, "collision_sampling": "exact", "execute_waypoint": 0,
        "waypoint_frame": "right_front", "reference": "geodesic",
    }  # fmt: skip
    assert {name: values[name] for name in expected} == expected
    assert set(manifest["protocol"]["modified"]) == set(expected)
    assert manifest["protocol"]["name"] == "poibench"
    assert (manifest["max_steps"], manifest["seed"], manifest["attempts"]) == (7, 9, 2)
    assert manifest["agent"]["name"] == "mine"
    assert set(manifest["provide"]) == {
        "history_images", "history_poses", "occ_map", "height_map", "meta_data"
    }  # fmt: skip


def test_run_goes_on_with_nothing_but_its_folder(
    dataset: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    first = ["run", "point-goal", "--agent", AGENT, "--data-dir", str(dataset), "--render", "none",
             "--protocol", "strict", "--run-dir", str(folder)]  # fmt: skip
    assert run_command_line(first) == 0
    (folder / "hall/traj_0/result.json").unlink()
    assert run_command_line(["run", "point-goal", "--resume-dir", str(folder)]) == 0
    output, messages = capfd.readouterr()
    assert output.splitlines() == [str(folder)] * 2
    assert "1 attempt made, 3 kept from before" in messages
    document = json.loads((folder / "hall/traj_0/result.json").read_bytes())
    assert document["success"] is True


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--agent", "no_colon"], "one colon"),
        (["--agent", "os.path:join"], "function"),
        (["--agent", AGENT, "--protocol", "strct"], "did you mean: strict"),
        (["--agent", AGENT, "--render", "http://"], "expected a URL"),
        (["--agent", AGENT, "--max-steps", "0"], "at least 1"),
        (["--agent", AGENT, "--seed", "x"], "--seed"),
        (["--agent", AGENT, "--run-dir", "a", "--output-dir", "b"], "output dir and run dir"),
        ([], "no agent"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    arguments: list[str],
    reason: str,
    dataset: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code = run_command_line(["run", "point-goal", "--data-dir", str(dataset), *arguments])
    output, messages = capfd.readouterr()
    assert (code, output) == (2, "")
    lines = messages.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert reason in lines[0]
    assert list(tmp_path.iterdir()) == []


def test_fail_fast_exits_with_2(
    dataset: Path, agents: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = run_command_line(
        ["run", "point-goal", "--agent", f"{agents}:Fails", "--data-dir", str(dataset),
         "--render", "none", "--run-dir", str(tmp_path / "run"), "--fail-fast"]
    )  # fmt: skip
    output, messages = capfd.readouterr()
    assert (code, output) == (2, "")
    assert "the model said no" in messages


def test_agent_beside_the_user_is_found(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_local_agent.py").write_text(
        "from abotn.agents import StraightLineAgent\nclass Mine(StraightLineAgent): pass\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p not in ("", str(tmp_path))])
    code = run_command_line(
        ["run", "point-goal", "--agent", "my_local_agent:Mine", "--data-dir", str(dataset),
         "--render", "none", "--run-dir", "run", "--scenes", "hall"]
    )  # fmt: skip
    assert code == 0
    assert read_manifest(tmp_path / "run")["agent"]["class"] == "my_local_agent:Mine"


def test_any_parameter_of_the_protocol_can_be_overridden(dataset: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    code = run_command_line(
        ["run", "point-goal", "--agent", AGENT, "--data-dir", str(dataset), "--render", "none",
         "--run-dir", str(folder), "--max-steps", "2", "--override", "require-stop=true",
         "--override", "robot_radius=0.2", "--override", "collision_mode=off",
         "--override", "exclude_scenes=[hall]"]
    )  # fmt: skip
    assert code == 0
    protocol = read_manifest(folder)["protocol"]
    assert {name: protocol["values"][name] for name in protocol["modified"]} == {
        "collision_mode": "off", "require_stop": True, "robot_radius": 0.2,
        "exclude_scenes": ["hall"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["--override", "require_stop"], "expected NAME=VALUE"),
        (["--override", "require_sto=true"], "require_stop"),
        (["--override", "require_stop=perhaps"], "true or false"),
        (["--override", "groupings=[a"], "cannot be read as YAML"),
        (["--override", "arrive_threshold=1", "--arrive-threshold", "2"], "given twice"),
    ],
)
def test_override_that_cannot_be(
    dataset: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], given: list[str], reason: str
) -> None:
    options = ["run", "point-goal", "--agent", AGENT, "--data-dir", str(dataset), "--render",
               "none", "--run-dir", str(tmp_path / "run"), *given]  # fmt: skip
    assert run_command_line(options) == 2
    messages = capfd.readouterr().err.splitlines()
    assert len(messages) == 1
    assert reason in messages[0]
    assert not (tmp_path / "run").exists()


def test_agent_config_that_could_not_be_recorded_is_refused(
    dataset: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "agent.yaml"
    config.write_text("step_length: 2024-01-02\n")
    code = run_command_line(
        ["run", "point-goal", "--agent", AGENT, "--agent-config", str(config), "--data-dir",
         str(dataset), "--render", "none", "--run-dir", str(tmp_path / "run")]
    )  # fmt: skip
    assert code == 2
    [line] = capfd.readouterr().err.splitlines()
    assert line.startswith("error: agent config: step_length: ")
    assert not (tmp_path / "run").exists()
