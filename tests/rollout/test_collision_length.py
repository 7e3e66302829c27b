"""What a record says of the lengths of steps that hit nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abotn.agents import BasePointGoalAgent, WaypointPrediction
from abotn.geometry import MapGeometry
from abotn.rollout import run
from abotn.scenes.task import Task
from abotn.scenes.writer import write_scene

METRE_AHEAD = np.array([1.0, 0.0])


class TwoSteps(BasePointGoalAgent):
    """Walks a metre, once more, and declares arrival."""

    def reset(self) -> None:
        self.steps = 0

    def predict(self, observation: Any) -> WaypointPrediction:
        self.steps += 1
        return WaypointPrediction(METRE_AHEAD, arrive=self.steps == 2)


def record_of(folder: Path, sampling: str) -> dict[str, Any]:
    """One pixel of wall at x = 5.0 to 5.1 m and one at 5.7 to 5.8 m, on the way from 4.11 m on."""
    free = np.ones((40, 100), dtype=bool)
    free[:, [50, 57]] = False
    poses = [{"x": x, "y": 2.05, "z": 0.0, "yaw": 0.0} for x in (4.11, 6.11)]
    write_scene(
        folder / "scenes/room",
        tasks=[Task("traj_0", poses, {})],
        free=free,
        geometry=MapGeometry.from_corners((0, 4), (10, 4), (0, 0), 100, 40),
    )
    run("point_goal", TwoSteps, data_dir=folder / "scenes", run_dir=folder / "run",
        render="none", max_steps=2, protocol="strict",
        overrides={"collision_sampling": sampling, "reference": "task"})  # fmt: skip
    return json.loads((folder / "run/room/traj_0/result.json").read_bytes())


@pytest.mark.parametrize("sampling", ["published", "exact"])
def test_a_step_without_a_hit_still_adds_its_length(tmp_path: Path, sampling: str) -> None:
    """The published rule takes samples at pixels 41, 43, 46, 48, 51 and 51, 53, 56, 58, 61.

    None of them is a wall's pixel 50 or 57, so no step hits. Its lengths look at 20 samples, 1/19 m
    apart: at 4.11 + 17/19 = 5.005 and 4.11 + 18/19 = 5.057 in the first wall, at 5.11 + 12/19 =
    5.742 and 5.11 + 13/19 = 5.794 in the second.
    """
    record = record_of(tmp_path, sampling)
    metrics = record["metrics"]
    assert (record["steps"], record["success"]) == (2, True)
    assert metrics["path_collision_count_published"] == 0
    assert metrics["collision_path_length_published"] == pytest.approx(4 / 19, rel=1e-9)
    assert metrics["path_collision_count_exact"] == 2
    assert metrics["collision_path_length_exact"] == pytest.approx(0.2, rel=1e-9)
    assert metrics["collision_path_length"] == metrics[f"collision_path_length_{sampling}"]
    assert metrics["path_collision_count"] == metrics[f"path_collision_count_{sampling}"]
    inside = metrics["collision_path_length"]
    # Strict allows no collision, and two were found by the exact rule.
    expected = (2 - inside) / 2 if sampling == "published" else 0.0
    assert metrics["dcr_new"] == pytest.approx(expected, rel=1e-9)
