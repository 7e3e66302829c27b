"""Exactly at ``arrive_threshold``: inside for success and for the exemption, not for auto-arrival.

Every number is a sum of powers of two, so distances are exact and a step of 2**-4 m decides.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abotn.agents import BasePointGoalAgent, WaypointPrediction
from abotn.geometry import MapGeometry
from abotn.rollout import Protocol, run
from abotn.rollout.pose_hits import PoseHits
from abotn.rollout.protocol import POIBENCH
from abotn.scenes.task import Task
from abotn.scenes.writer import write_scene

BIT = 2.0**-4
START, WALL = (1.0, 1.0), 5.25


class OneStep(BasePointGoalAgent):
    """Walks to the middle of the wall's place, then declares arrival or not."""

    def __init__(self, says: bool) -> None:
        self.says = says

    def reset(self) -> None:
        pass

    def predict(self, observation: Any) -> WaypointPrediction:
        return WaypointPrediction(np.array([WALL - START[0], 0.0]), arrive=self.says)


def made(tmp_path: Path, goal_x: float, *, says: bool, wall: bool, **options: Any) -> Any:
    """The record of one step to x = 5.25 with the goal at ``goal_x``."""
    free = np.ones((64, 96), dtype=bool)
    free[:, 40:44] = not wall
    poses = [{"x": x, "y": START[1], "z": 0.0, "yaw": 0.0} for x in (START[0], goal_x)]
    write_scene(
        tmp_path / "scenes/room",
        tasks=[Task("traj_0", poses, {"extend": {"goal_label": "Cafe"}})],
        free=free,
        geometry=MapGeometry.from_corners((0, 8), (12, 8), (0, 0), 96, 64),
    )
    run("poi_goal", OneStep, agent_config={"says": says}, data_dir=tmp_path / "scenes",
        run_dir=tmp_path / "run", render="none", max_steps=1,
        overrides={"occ_dilation_meters": 0.0, **options})  # fmt: skip
    return json.loads((tmp_path / "run/room/traj_0/result.json").read_bytes())


@pytest.mark.parametrize(("beyond", "success"), [(-BIT, True), (0.0, True), (BIT, False)])
def test_success(tmp_path: Path, beyond: float, success: bool) -> None:
    threshold = POIBENCH.arrive_threshold
    record = made(tmp_path, WALL + threshold + beyond, says=True, wall=False)
    assert record["distance_to_goal"] == threshold + beyond
    assert record["status"] == "stop"
    assert (record["success"], record["oracle_success"]) == (success, success)


@pytest.mark.parametrize(("beyond", "status"), [(-BIT, "stop"), (0.0, "max_steps")])
def test_auto_arrival_needs_to_be_closer(tmp_path: Path, beyond: float, status: str) -> None:
    record = made(tmp_path, WALL + 2.0 + beyond, says=False, wall=False)
    assert (record["status"], record["success"]) == (status, True)


@pytest.mark.parametrize("mode", ["soft", "hard"])
@pytest.mark.parametrize(("beyond", "exempt"), [(-BIT, True), (0.0, True), (BIT, False)])
def test_a_pose_on_an_obstacle(tmp_path: Path, beyond: float, exempt: bool, mode: str) -> None:
    record = made(tmp_path, WALL + 2.0 + beyond, says=True, wall=True, collision_mode=mode)
    assert record["distance_to_goal"] == 2.0 + beyond
    metrics = record["metrics"]
    assert metrics["collision_skipped_near_goal"] == int(exempt)
    assert metrics["collision_count"] == int(not exempt)
    assert metrics["collision_terminated"] is (mode == "hard" and not exempt)
    assert record["status"] == ("collision" if mode == "hard" and not exempt else "stop")
    assert record["success"] is exempt


@pytest.mark.parametrize(
    ("distance", "exempt"), [(0.0, True), (2.0, True), (np.nextafter(2.0, 3.0), False)]
)
def test_the_tally(distance: float, exempt: bool) -> None:
    protocol: Protocol = POIBENCH.override(collision_mode="soft")
    hits = PoseHits(protocol)
    hits.add(lambda: True, float(distance))
    hits.add(lambda: False, float(distance))
    assert (hits.skipped, hits.count, hits.longest) == ((1, 0, 0) if exempt else (0, 1, 1))
