"""What the doctor says about agents that have one thing wrong with them each."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from abotn.agents import (
    BasePoiGoalAgent,
    PlannerAgent,
    RandomAgent,
    StraightLineAgent,
    WaypointPrediction,
)
from abotn.agents.server import AgentServer
from abotn.errors import UnknownNameError
from abotn.geometry.frames import world_to_local
from abotn.rendering.render_check import Finding
from abotn.rollout.agent_check import check_agent, doctor_rules
from abotn.rollout.agent_choice import choose_agent
from abotn.rollout.agent_findings import frame_finding
from abotn.rollout.agent_trials import GOAL_DISTANCE, StepTaken, Trial, empty_scene
from abotn.rollout.rules import Unit
from abotn.rollout.step import Answer

ALL_WELL = dict.fromkeys(
    ("loads", "resets", "output", "finite", "frame", "stop", "time", "leftover"), "ok"
)


class Reads(StraightLineAgent):
    """Goes straight to the goal, its numbers bent by ``bend``."""

    def predict(self, observation: Any) -> Any:
        answer = super().predict(observation)
        front, left = answer.waypoint
        bent = self.bend(front, left, observation)
        return WaypointPrediction(np.array(bent, dtype=np.float64), answer.arrive)

    def bend(self, front: float, left: float, observation: Any) -> Any:
        return front, left


class Sideways(Reads):
    def bend(self, front: float, left: float, observation: Any) -> Any:
        return -left, front


class Declared(Sideways):
    waypoint_frame = "right_front"


class Backwards(Reads):
    def bend(self, front: float, left: float, observation: Any) -> Any:
        return -front, -left


class Mirrored(Reads):
    def bend(self, front: float, left: float, observation: Any) -> Any:
        return front, -left


class WorldAxes(Reads):
    def bend(self, front: float, left: float, observation: Any) -> Any:
        return world_to_local((front, left), (0.0, 0.0), -observation.heading)


class Fan(Reads):
    """Several waypoints, of which the protocol executes the second."""

    def bend(self, front: float, left: float, observation: Any) -> Any:
        return [(-front, left), (front, left), (left, front)]


class StraightOn(StraightLineAgent):
    def predict(self, observation: Any) -> WaypointPrediction:
        return WaypointPrediction(np.array([0.3, 0.0]))


class Statue(Reads):
    def predict(self, observation: Any) -> Any:
        return WaypointPrediction(np.zeros(2), directions=np.array([1.0, 0.0]))


class Pixels(Reads):
    def bend(self, front: float, left: float, observation: Any) -> Any:
        return 200 * front, 200 * left


class StopsAtOnce(Reads):
    def predict(self, observation: Any) -> Any:
        return WaypointPrediction(0.3 * observation.target_position, arrive=True)


class NeverStops(Reads):
    def predict(self, observation: Any) -> Any:
        return WaypointPrediction(super().predict(observation).waypoint)


class Lazy(Reads):
    def bend(self, front: float, left: float, observation: Any) -> Any:
        return 0.01 * front, 0.01 * left


class Counts(Reads):
    """Remembers over resets how often it was asked."""

    asked = 0

    def bend(self, front: float, left: float, observation: Any) -> Any:
        self.asked += 1
        share = 1.0 - 0.001 * self.asked
        return share * front, share * left


class Spoils(Reads):
    """Writes into what it is shown; that is no leftover of its own."""

    def predict(self, observation: Any) -> Any:
        answer = super().predict(observation)
        observation.target_position[:] = -1.0
        return answer


class Chance(Reads):
    """Draws from a generator that no seed reaches."""

    generator = np.random.default_rng(0)

    def bend(self, front: float, left: float, observation: Any) -> Any:
        share = self.generator.uniform(0.8, 1.0)
        return share * front, share * left


class Raises(Reads):
    def bend(self, front: float, left: float, observation: Any) -> Any:
        if observation.step_count == 2:
            raise ValueError("the model said no")
        return front, left


class Shape(Reads):
    def bend(self, front: float, left: float, observation: Any) -> Any:
        return front, left, 0.0


class NotANumber(Reads):
    def bend(self, front: float, left: float, observation: Any) -> Any:
        return front, left if observation.step_count else np.nan


class Nothing(Reads):
    def predict(self, observation: Any) -> Any:
        return None


class BadReset(Reads):
    def reset(self) -> None:
        raise KeyError("previous")


class FailsLater(Reads):
    resets = 0

    def reset(self) -> None:
        self.resets += 1
        if self.resets > 4:
            raise KeyError("previous")


class NeedsGpu(Reads):
    def __init__(self) -> None:
        raise RuntimeError("no CUDA device")


class ToTheCafe(BasePoiGoalAgent):
    def reset(self) -> None:
        self.name = ""

    def predict(self, observation: Any) -> Any:
        assert observation.poi_name == "Cafe"
        assert observation.goal_world is None
        distance = float(np.hypot(*observation.target_position))
        ahead = observation.target_position / distance
        return WaypointPrediction(np.outer([0.5, 1.0, 1.5], ahead), arrive=distance < 3.4)


class Looks(Reads):
    """Needs to see something."""

    def predict(self, observation: Any) -> Any:
        assert {image.shape for image in observation.images.values()} == {(640, 720, 3)}
        assert set(observation.images) == {"left", "front", "right"}
        return super().predict(observation)


def look(
    agent: Any, config: Any = None, *, task_type: str = "point_goal", render: str = "none",
    **options: Any,
) -> dict[str, Finding]:  # fmt: skip
    chosen = choose_agent(agent, config, None)
    rules = doctor_rules(chosen.description, task_type, **options)
    found = list(check_agent(chosen, rules, render))
    assert len({finding.subject for finding in found}) == len(found)
    assert all("\n" not in finding.message for finding in found)
    return {finding.subject: finding for finding in found}


def verdicts(found: dict[str, Finding]) -> dict[str, str]:
    return {subject: finding.verdict for subject, finding in found.items()}


@pytest.mark.parametrize(
    ("agent", "task_type"),
    [
        *[(agent, "point_goal") for agent in (StraightLineAgent, PlannerAgent, Declared, Fan)],
        *[(agent, "poi_goal") for agent in (StraightLineAgent, PlannerAgent, Declared, Spoils)],
    ],
)
def test_a_good_agent_has_no_problems(agent: type[Any], task_type: str) -> None:
    found = look(agent, task_type=task_type)
    assert verdicts(found) == ALL_WELL, found
    assert "(mean cosine to the goal 1.00)" in found["frame"].message
    shown = "[right, front]" if agent is Declared else "[front, left]"
    assert f"read as {shown}" in found["frame"].message


def test_the_waypoint_that_the_protocol_executes_is_judged() -> None:
    found = look(Fan, task_type="poi_goal")
    assert found["frame"].verdict == "problem"
    assert "as [left, front] they would lead there" in found["frame"].message
    assert found["output"].message.startswith("3 waypoints in each of ")


def test_an_agent_for_pois_alone() -> None:
    assert choose_agent(ToTheCafe, None, None).description.poi_only
    assert not choose_agent(PlannerAgent, None, None).description.poi_only
    found = look(ToTheCafe, task_type="poi_goal")
    assert verdicts(found) == ALL_WELL, found
    assert found["stop"].message == "declares arrival within 2 m of its goal, always"
    assert look(ToTheCafe)["output"].verdict == "problem"


@pytest.mark.parametrize(
    ("agent", "subject", "verdict", "message"),
    [
        (Sideways, "frame", "problem", "walks past its goals, read as [front, left] (mean cosine"),
        (Sideways, "frame", "problem", "as [right, front] they would lead there (1.00): set "
         'waypoint_frame = "right_front" in its class, or run it with --waypoint-frame right_'),
        (Backwards, "frame", "problem", "walks away from its goals"),
        (Backwards, "frame", "problem", "as [back, right] they would lead there (1.00), which is "
         "no frame of a run"),
        (Mirrored, "frame", "problem", "as [front, right] they would lead there (1.00)"),
        (WorldAxes, "frame", "problem", "as the world's [x, y] they would lead there (1.00)"),
        (Sideways, "stop", "note", "came no nearer than"),
        (RandomAgent, "frame", "note", "walks towards its goals neither read as [front, left]"),
        (Statue, "frame", "note", "does not move"),
        (StraightOn, "frame", "note", "walks in one direction wherever its goal is"),
        (Pixels, "finite", "note", "the farthest waypoint is 200 m away; are its numbers metres?"),
        (StopsAtOnce, "stop", "problem", "declares arrival 4.2 m from its goal; the radius is 0.5 "
         "m (4 of 4 walks)"),
        (NeverStops, "stop", "note", "came within 0.5 m and did not declare arrival in 4 of 4"),
        (Lazy, "stop", "note", "came no nearer than 5.7 m in 30 steps, so it is not known"),
        (Counts, "leftover", "problem", "reset() leaves something behind"),
        (Chance, "leftover", "note", "it is left to chance, so a run cannot be repeated; it has no "
         "method seed(seed)"),
        (Raises, "output", "problem", "ValueError: the model said no (at step 2 of the walk to a "
         "goal ahead)"),
        (Shape, "output", "problem", "waypoint must have shape (2,), (1, 2) or (N, 2), got (3,)"),
        (Nothing, "output", "problem", "predict() returned a NoneType, expected a Waypoint"),
        (NotANumber, "finite", "problem", "waypoint must be finite, got [["),
        (BadReset, "resets", "problem", "4 of 4 failed: KeyError: 'previous'"),
        (FailsLater, "leftover", "problem", "failed when asked again: KeyError: 'previous'"),
        (NeedsGpu, "loads", "problem", "could not be made: RuntimeError: no CUDA device"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(agent: type[Any], subject: str, verdict: str, message: str) -> None:
    found = look(agent)
    assert found[subject].verdict == verdict, found
    assert message in found[subject].message
    problems = [name for name, finding in found.items() if finding.verdict == "problem"]
    assert problems == ([subject] if verdict == "problem" else problems[:1])
    assert set(problems) <= {subject, "frame"}


def test_what_follows_from_a_failure_is_not_judged() -> None:
    assert set(look(NeedsGpu)) == {"loads"}
    assert set(look(BadReset)) == {"loads", "resets"}
    assert set(look(Nothing)) == {"loads", "resets", "output", "finite"}
    assert set(look(Raises)) == set(ALL_WELL) - {"stop", "leftover"}
    assert verdicts(look(NotANumber))["output"] == "note"


def test_the_frame_can_be_chosen() -> None:
    assert verdicts(look(Sideways, waypoint_frame="right_front")) == ALL_WELL
    assert look(Declared, waypoint_frame="front_left")["frame"].verdict == "problem"
    with pytest.raises(UnknownNameError, match="up_down"):
        look(Sideways, waypoint_frame="up_down")


def test_what_is_seen_is_what_a_run_shows() -> None:
    assert verdicts(look(Looks, render="embedded")) == ALL_WELL
    assert look(Looks)["output"].verdict == "problem"


def test_optional_fields_are_shown_when_asked_for() -> None:
    class Reader(Reads):
        def predict(self, observation: Any) -> Any:
            assert observation.occ_map.min() == 255
            return super().predict(observation)

    assert look(Reader)["output"].verdict == "problem"
    assert verdicts(look(Reader, provide=["occ_map"])) == ALL_WELL


def test_a_reading_that_is_half_right_is_not_enough() -> None:
    still = Answer(np.zeros((1, 2)), np.zeros(1), arrive=False)

    def step(waypoint: tuple[float, float], target: tuple[float, float]) -> StepTaken:
        return StepTaken(np.array([waypoint]), 0, still, 0.0, np.array(target), 0.0)

    ahead, mirrored = step((1, 0), (5, 0)), step((0, -1), (0, 5))
    trial = Trial("ahead", Unit("empty", "ahead"), steps=[ahead, ahead, ahead, mirrored])
    found = frame_finding([trial], "front_left")
    assert found.verdict == "problem"
    assert found.message == (
        "walks not straight to its goals, read as [front, left] (mean cosine to the goal 0.50); "
        "as [front, right] they would lead there (1.00), which is no frame of a run: convert them "
        "to [front, left]"
    )


def test_the_four_goals_lie_around_the_start() -> None:
    scene = empty_scene("poi_goal")
    bearings = []
    for task in scene.tasks:
        start, goal = task.positions[:, :2]
        local = world_to_local(goal, start, task.trajectory[0]["yaw"])
        assert np.hypot(*local) == pytest.approx(GOAL_DISTANCE)
        bearings.append(round(np.degrees(np.arctan2(local[1], local[0]))) % 360)
        assert task.goal_label == "Cafe"
    assert [task.task_id for task in scene.tasks] == ["ahead", "left", "behind", "right"]
    assert bearings == [20, 110, 200, 290]
    assert empty_scene("point_goal").tasks[0].goal_label == ""


@pytest.fixture
def serve() -> Iterator[Any]:
    running = []

    def start(agent: type[Any], **options: Any) -> str:
        server = AgentServer(agent, port=0, **options)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        running.append(server)
        return server.url

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


def test_an_agent_in_a_server_is_looked_at_the_same_way(serve: Any) -> None:
    url = serve(Declared, max_sessions=1)
    for _ in range(2):
        found = look(url)
        assert verdicts(found) == ALL_WELL, found
        assert f"Declared in {url}, made in " in found["loads"].message
    assert look(serve(Counts))["leftover"].verdict == "problem"
    found = look(serve(Counts, max_sessions=1))
    assert found["leftover"].verdict == "note"
    assert "a new agent could not be asked: " in found["leftover"].message
    assert "1 sessions are taken" in found["leftover"].message
