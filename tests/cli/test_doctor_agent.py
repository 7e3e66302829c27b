"""``abotn doctor agent`` as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from abotn.cli.doctor_command import doctor
from abotn.errors import AbotnError, ConfigError, UnknownNameError

AGENTS = """
from abotn.agents import BasePoiGoalAgent, StraightLineAgent, WaypointPrediction


class Sideways(StraightLineAgent):
    def predict(self, observation):
        front, left = super().predict(observation).waypoint
        return WaypointPrediction([-left, front])


class ForPois(BasePoiGoalAgent):
    def reset(self):
        pass

    def predict(self, observation):
        assert observation.poi_name
        return WaypointPrediction(observation.target_position / 2, observation.distance_to_goal < 3)
"""


def diagnose(agent: str, *more: str) -> Result:
    arguments = ["agent", "--agent", agent, "--render", "none", *more]
    return CliRunner().invoke(doctor, arguments, catch_exceptions=False)


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "doctored_agents.py").write_text(AGENTS)
    (tmp_path / "agent.yaml").write_text("step_length: 2.0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_a_good_agent_exits_with_0() -> None:
    result = diagnose("abotn.agents:StraightLineAgent")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert [line.split()[:2] for line in lines[:-1]] == [
        ["ok", f"{name}:"] for name in
        ("loads", "resets", "output", "finite", "frame", "stop", "time", "leftover")
    ]  # fmt: skip
    assert lines[-1] == "no problems: abotn.agents:StraightLineAgent"


def test_a_problem_exits_with_1(beside: None) -> None:
    result = diagnose("doctored_agents:Sideways", "--steps", "5")
    assert result.exit_code == 1
    assert "--waypoint-frame right_front" in result.output
    assert "in each of 20 answers" in result.output
    assert result.output.splitlines()[-1] == "1 problem: doctored_agents:Sideways"
    assert diagnose("doctored_agents:Sideways", "--waypoint-frame", "right_front").exit_code == 0


def test_the_task_type_is_the_one_the_class_is_for(beside: None) -> None:
    assert diagnose("doctored_agents:ForPois").exit_code == 0
    assert diagnose("doctored_agents:ForPois", "--task-type", "point-goal").exit_code == 1
    result = diagnose("abotn.agents:PlannerAgent", "--task-type", "poi-goal")
    assert (result.exit_code, "within 2 m" in result.output) == (0, True)


def test_options_reach_the_agent(beside: None) -> None:
    result = diagnose("abotn.agents:StraightLineAgent", "--agent-config", "agent.yaml")
    assert "the farthest waypoint is 2 m away" in result.output
    shown = diagnose("abotn.agents:RandomAgent", "--seed", "1")
    assert shown.output.partition("frame")[2] != diagnose(
        "abotn.agents:RandomAgent", "--seed", "2"
    ).output.partition("frame")[2]  # fmt: skip


def test_an_agent_config_that_does_not_fit_is_a_problem(beside: None) -> None:
    (Path("agent.yaml")).write_text("speed: 2.0\n")
    result = diagnose("abotn.agents:StraightLineAgent", "--agent-config", "agent.yaml")
    assert result.exit_code == 1
    assert "could not be made: TypeError" in result.output


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["no_colon"], ConfigError, "one colon"),
        (["abotn.agents:Nobody"], ConfigError, "has no class 'Nobody'"),
        (["collections:OrderedDict"], ConfigError, "no method reset or predict"),
        (["http://127.0.0.1:9"], ConfigError, "no agent server answers"),
        (["abotn.agents:PlannerAgent", "--agent-config", "gone.yaml"], ConfigError, "gone.yaml"),
        (["abotn.agents:PlannerAgent", "--waypoint-frame", "x"], UnknownNameError, "frame 'x'"),
    ],
)
def test_bad_input_is_an_error_of_this_package(
    arguments: list[str], error: type[AbotnError], message: str
) -> None:
    with pytest.raises(error) as caught:
        diagnose(*arguments)
    assert message in str(caught.value)


def test_usage_is_checked() -> None:
    assert diagnose("abotn.agents:PlannerAgent", "--task-type", "walk").exit_code == 2
    assert diagnose("abotn.agents:PlannerAgent", "--steps", "0").exit_code == 2
