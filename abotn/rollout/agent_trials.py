"""An agent on an empty map: what it did there, step by step."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.agents.interface import Observation
from abotn.geometry.frames import local_to_world
from abotn.geometry.map_geometry import MapGeometry
from abotn.rendering.factory import Renderer
from abotn.rollout.live import LiveAttempt
from abotn.rollout.rules import RunRules, Unit, attempt_seed
from abotn.rollout.scene_maps import SceneMaps
from abotn.rollout.stages import AttemptFailed, stage
from abotn.rollout.step import Answer, read_answer
from abotn.scenes.episode import Episode
from abotn.scenes.meta_text import meta_text, parse_meta
from abotn.scenes.task import Task

FloatArray = NDArray[np.float64]

SCENE_ID = "empty"
GOAL_DISTANCE = 6.0
KEPT_STEPS = 4

# The start lies off the world's origin and looks along no axis, so that an agent which takes the
# world for its own frame goes astray.
_START = (12.0, -7.0)
_HALF_SIDE, _RESOLUTION = 40.0, 0.2
# Nor do the goals lie on the agent's axes, which would hide that it takes left for right.
_GOALS = (
    ("ahead", 20.0, 0.4),
    ("left", 110.0, -1.2),
    ("behind", 200.0, 2.5),
    ("right", -70.0, -2.9),
)


@dataclass(frozen=True)
class StepTaken:
    """One answer of an agent.

    Attributes:
        waypoints: (N, 2) as the agent gave them, in its own frame.
        executed: Index of the one that was executed.
        answer: The same as the run reads it.
        heading: Heading before the step, radians.
        target: (2,) the goal before the step, ``[front, left]``, metres.
        seconds: How long it took.
    """

    waypoints: FloatArray
    executed: int
    answer: Answer
    heading: float
    target: FloatArray
    seconds: float


@dataclass
class Trial:
    """One walk to one goal.

    Attributes:
        goal: Where the goal lay at the start, such as ``"left"``.
        unit: What the seed of the walk was made from.
        reset_seconds: How long ``reset`` took.
        steps: The steps it took.
        observations: Copies of what it saw before the first steps.
        distances: Distance to the goal at the start and after each step, metres.
        prediction: The answer that could not be used, when that is how it failed.
        failure: What failed, or nothing.
    """

    goal: str
    unit: Unit
    reset_seconds: float = 0.0
    steps: list[StepTaken] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    distances: list[float] = field(default_factory=list)
    prediction: Any = None
    failure: AttemptFailed | None = None

    @property
    def stopped(self) -> bool:
        """Whether the agent declared arrival."""
        return bool(self.steps) and self.steps[-1].answer.arrive


def empty_scene(task_type: str) -> Episode:
    """Return a scene without obstacles, with a task for each of four goals around its start."""
    x, y = _START
    left, right, low, high = x - _HALF_SIDE, x + _HALF_SIDE, y - _HALF_SIDE, y + _HALF_SIDE
    cells = round(2 * _HALF_SIDE / _RESOLUTION)
    geometry = MapGeometry.from_corners((left, high), (right, high), (left, low), cells, cells)
    label = {"extend": {"goal_label": "Cafe"}} if task_type == "poi_goal" else {}
    return Episode(
        SCENE_ID,
        tasks=[Task(name, _poses(bearing, yaw), label) for name, bearing, yaw in _GOALS],
        occ_map=np.full((cells, cells), 255, dtype=np.uint8),
        height_map=np.zeros((cells, cells), dtype=np.float32),
        meta_data=parse_meta(meta_text(geometry), SCENE_ID),
    )


def make_trials(agent: Any, renderer: Renderer, rules: RunRules, scene: Episode) -> Iterator[Trial]:
    """Let an agent walk to each of the scene's goals.

    Args:
        agent: The agent.
        renderer: Makes the views of the scene.
        rules: The rules of the walks.
        scene: The scene, see :func:`empty_scene`.
    """
    maps = SceneMaps(scene, rules.protocol)
    for task in scene.tasks:
        yield _trial(agent, renderer, rules, maps, task)


def restart(agent: Any, rules: RunRules, unit: Unit) -> None:
    """Seed and reset an agent as a run does.

    Raises:
        AttemptFailed: it raised.
    """
    with stage("agent"):
        if callable(getattr(agent, "seed", None)):
            agent.seed(attempt_seed(rules.seed, unit))
        agent.reset()


def answers_again(agent: Any, rules: RunRules, trial: Trial) -> list[Answer]:
    """Return what an agent answers to the first observations of a trial when it sees them again.

    Raises:
        AttemptFailed: it raised.
    """
    restart(agent, rules, trial.unit)
    frame = rules.protocol.waypoint_frame
    with stage("agent"):
        # Copies, because an agent may write into what it is shown.
        seen = [copy.deepcopy(observation) for observation in trial.observations]
        return [read_answer(agent.predict(observation), frame) for observation in seen]


def _trial(agent: Any, renderer: Renderer, rules: RunRules, maps: SceneMaps, task: Task) -> Trial:
    trial = Trial(task.task_id, Unit(SCENE_ID, task.task_id))
    live = LiveAttempt(trial.unit, rules, renderer, lambda: (maps, task))
    try:
        trial.reset_seconds = _timed(lambda: restart(agent, rules, trial.unit))[1]
        while not live.ended:
            _step(agent, rules, live, trial)
    except AttemptFailed as failure:
        trial.failure = failure
        live.fail(failure)
    path = live.finish().trajectory
    if path is not None:
        trial.distances = [float(distance) for distance in path.distance_to_goal]
    return trial


def _step(agent: Any, rules: RunRules, live: LiveAttempt, trial: Trial) -> None:
    observation = live.observe()
    target, heading = np.array(observation.target_position), float(observation.heading)
    if len(trial.observations) < KEPT_STEPS:
        trial.observations.append(copy.deepcopy(observation))
    with stage("agent"):
        prediction, seconds = _timed(lambda: agent.predict(observation))
    trial.prediction = prediction
    live.execute(prediction, seconds)
    waypoints = np.array(prediction.waypoint, dtype=np.float64).reshape(-1, 2)
    executed = min(rules.protocol.execute_waypoint, len(waypoints) - 1)
    answer = read_answer(prediction, rules.protocol.waypoint_frame)
    trial.steps.append(StepTaken(waypoints, executed, answer, heading, target, seconds))
    trial.prediction = None


def _poses(bearing: float, yaw: float) -> list[dict[str, float]]:
    angle = math.radians(bearing)
    ahead = [GOAL_DISTANCE * math.cos(angle), GOAL_DISTANCE * math.sin(angle)]
    places = (_START, local_to_world(ahead, _START, yaw))
    level = {"z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": yaw}
    return [{"x": float(x), "y": float(y), **level} for x, y in places]


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    return work(), time.perf_counter() - started
