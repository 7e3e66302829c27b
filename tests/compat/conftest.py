"""A small dataset, and agents written against the published names alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import abotn.compat  # noqa: F401 - makes the published names importable here
from abotn.geometry import MapGeometry
from abotn.scenes.task import Task
from abotn.scenes.writer import write_scene

AGENTS = '''
"""Agents as people have written them for the published evaluator."""
import numpy as np

from abotn_evaluator.interface.poi_goal import BasePoiGoalAgent, PoiGoalObservation
from abotn_evaluator.interface.point_goal import (
    BasePointGoalAgent, Observation, WaypointPrediction,
)
from abotn_evaluator.memory import ShortMemory
from abotn_evaluator.poi_goal.evaluator import PoiGoalEvaluator
from abotn_evaluator.point_goal.evaluator import PointGoalEvaluator


class Walker(BasePointGoalAgent):
    def __init__(self, step_size: float = 1.0):
        self.step_size = step_size

    def reset(self) -> None:
        self.memory = ShortMemory(max_history_frames=3)

    def predict(self, observation: Observation) -> WaypointPrediction:
        views = [observation.images[name] for name in ("left", "right", "front")]
        self.memory.add_frame(views, observation.rotation)
        target = observation.target_position
        length = max(float(np.hypot(*target)) / self.step_size, 1.0)
        return WaypointPrediction(
            waypoint=target / length, arrive=observation.distance_to_goal < 0.5
        )


class Blind(Walker):
    def predict(self, observation: Observation) -> WaypointPrediction:
        target = observation.target_position
        length = max(float(np.hypot(*target)) / self.step_size, 1.0)
        return WaypointPrediction(target / length, observation.distance_to_goal < 0.5)


class PoiWalker(BasePoiGoalAgent):
    def reset(self) -> None:
        self.names = []

    def predict(self, observation: PoiGoalObservation) -> WaypointPrediction:
        assert observation.goal_world is None
        self.names.append(observation.poi_name)
        target = observation.target_position
        length = max(float(np.hypot(*target)), 1.0)
        return WaypointPrediction(target / length, arrive=observation.distance_to_goal < 2.0)


class Fails(Blind):
    def predict(self, observation):
        raise ValueError("the model said no")


class Marked(PointGoalEvaluator):
    """Shows the agent a mark in every observation, and keeps every result."""

    def build_observation(self):
        observation = super().build_observation()
        observation.extra["mark"] = 7
        return observation

    def save_result(self):
        return {**super().save_result(), "marked": True}


class BuggyEvaluator(PointGoalEvaluator):
    def build_observation(self):
        raise ZeroDivisionError("a bug")


class LeavingEvaluator(PointGoalEvaluator):
    def step(self, prediction):
        raise SystemExit


class NoEvaluator:
    pass
'''

GEOMETRY = MapGeometry.from_corners((0, 8), (10, 8), (0, 0), 100, 80)


def _task(name: str, *points: tuple[float, float], goal: str = "") -> Task:
    poses = [{"x": x, "y": y, "z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": 0.0} for x, y in points]
    return Task(name, poses, {"extend": {"goal_label": goal}} if goal else {})


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scene ``room``, 10 m by 8 m at 0.1 m, with a wall 0.4 m thick, and ``hall`` without."""
    root = tmp_path_factory.mktemp("published")
    free = np.ones((80, 100), dtype=bool)
    free[20:80, 50:54] = False
    height = np.full((80, 100), 0.25, dtype=np.float32)
    tasks = [
        _task("traj_0", (1, 1), (4, 1), goal="Cafe"),
        _task("traj_2", (1, 2), (1, 7), (9, 7), (9, 2), goal="Bank"),
    ]
    write_scene(root / "room", tasks=tasks, free=free, geometry=GEOMETRY, height_map=height)
    hall = [_task("traj_0", (2, 2), (7, 2), goal="Bank")]
    write_scene(root / "hall", tasks=hall, free=np.ones_like(free), geometry=GEOMETRY)
    return root


@pytest.fixture(scope="session")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Name of the module of agents, importable also in other processes."""
    folder = tmp_path_factory.mktemp("agents")
    name = "published_test_agents"
    (folder / f"{name}.py").write_text(AGENTS)
    sys.path.insert(0, str(folder))
    yield name
    sys.path.remove(str(folder))
    sys.modules.pop(name, None)
