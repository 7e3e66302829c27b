"""A small dataset written by hand, and agents that worker processes can import."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from abotn.geometry import MapGeometry
from abotn.scenes.task import Task
from abotn.scenes.writer import write_scene

AGENTS = '''
"""Agents for tests."""
import os
import sys

import numpy as np

from abotn.agents import BasePointGoalAgent, RandomAgent, StraightLineAgent, WaypointPrediction


class Script(BasePointGoalAgent):
    """Answers with the waypoints it was given, then stays; ``arrive_at`` counts steps from 0."""

    def __init__(self, waypoints=((0.0, 0.0),), arrive_at=None):
        self.waypoints, self.arrive_at = waypoints, arrive_at

    def reset(self):
        self.step, self.seen = 0, []

    def predict(self, observation):
        self.seen.append(observation)
        last = min(self.step, len(self.waypoints) - 1)
        answer = WaypointPrediction(np.array(self.waypoints[last]), self.step == self.arrive_at)
        self.step += 1
        return answer


class Sideways(StraightLineAgent):
    waypoint_frame = "right_front"

    def predict(self, observation):
        answer = super().predict(observation)
        front, left = answer.waypoint
        return WaypointPrediction(np.array([-left, front]), answer.arrive)


class Fails(StraightLineAgent):
    """Raises in the tasks of one name."""

    def __init__(self, what="raise", task_start=(1.0, 1.0)):
        super().__init__()
        self.what, self.task_start = what, tuple(task_start)

    def predict(self, observation):
        if tuple(np.round(observation.position[:2], 3)) == self.task_start:
            if self.what == "raise":
                raise ValueError("the model said no")
            if self.what == "exit":
                sys.exit("bye")
            if self.what == "die":
                os._exit(7)
            if self.what == "nan":
                return WaypointPrediction(np.array([np.nan, 0.0]))
            if self.what == "none":
                return None
        return super().predict(observation)


class NeedsGpu(StraightLineAgent):
    def __init__(self):
        raise RuntimeError("no CUDA device")


class Dies(StraightLineAgent):
    def __init__(self):
        os._exit(3)


class NoSeed(RandomAgent):
    seed = None
'''

GEOMETRY = MapGeometry.from_corners((0, 8), (10, 8), (0, 0), 100, 80)


def grey_room() -> np.ndarray:
    """10 m by 8 m at 0.1 m, with a wall from (5, 0) to (5.4, 6)."""
    free = np.ones((80, 100), dtype=bool)
    free[20:80, 50:54] = False
    return free


def task(task_id: str, *points: tuple[float, float], goal: str = "", yaw: float = 0.0) -> Task:
    """A task along the points."""
    poses = [{"x": x, "y": y, "z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": yaw} for x, y in points]
    label = {"extend": {"goal_label": goal}} if goal else {}
    return Task(task_id, poses, label)


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two scenes: ``room`` with a wall between the ends of ``traj_2``, and ``hall`` without."""
    root = tmp_path_factory.mktemp("data")
    height = np.full((80, 100), 0.25, dtype=np.float32)
    write_scene(
        root / "room",
        tasks=[
            task("traj_0", (1, 1), (4, 1), goal="Cafe", yaw=0.5),
            task("traj_2", (1, 2), (1, 7), (9, 7), (9, 2), goal="Bank"),
            task("traj_10", (8, 4), goal="Cafe"),
        ],
        free=grey_room(),
        geometry=GEOMETRY,
        height_map=height,
    )
    write_scene(
        root / "hall",
        tasks=[task("traj_0", (2, 2), (7, 2), goal="Bank")],
        free=np.ones((80, 100), dtype=bool),
        geometry=GEOMETRY,
    )
    return root


@pytest.fixture(scope="session")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Name of a module of agents that other processes can import too."""
    folder = tmp_path_factory.mktemp("agents")
    name = "abotn_test_agents"
    (folder / f"{name}.py").write_text(AGENTS)
    sys.path.insert(0, str(folder))
    yield name
    sys.path.remove(str(folder))
    sys.modules.pop(name, None)
