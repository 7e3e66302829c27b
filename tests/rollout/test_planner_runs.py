"""The planner over generated scenes and real maps: it reaches its goals and touches nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from abotn.rollout import run
from abotn.scenes import generate
from abotn.scenes.ros_scene import scene_from_ros


def scores(folder: Path) -> list[tuple[bool, int, float, float]]:
    """Success, exact collisions, spl_new and least clearance of every record."""
    documents = [json.loads(path.read_bytes()) for path in folder.rglob("result.json")]
    return [
        (
            document["success"],
            document["metrics"]["path_collision_count_exact"],
            document["metrics"]["spl_new"],
            document["metrics"]["min_clearance"],
        )
        for document in documents
    ]


def plan(
    data: Path, folder: Path, task_type: str, protocol: str
) -> list[tuple[bool, int, float, float]]:
    agent = "abotn.agents:PlannerAgent"
    run(task_type, agent, data_dir=data, run_dir=folder, protocol=protocol, render="none")
    return scores(folder)


@pytest.mark.parametrize(
    ("kind", "task_type", "protocol"),
    [
        ("indoor", "point_goal", "strict"),
        ("outdoor", "point_goal", "pointbench-outdoor"),
        ("poi", "poi_goal", "poibench"),
    ],
)
def test_generated_scenes(kind: str, task_type: str, protocol: str, tmp_path: Path) -> None:
    generate(kind, scenes=1, tasks=6, seed=3, out=tmp_path / "data")
    found = plan(tmp_path / "data", tmp_path / "run", task_type, protocol)
    assert len(found) == 6
    for success, collisions, spl, clearance in found:
        assert success
        assert collisions == 0
        assert spl > 0.9
        assert clearance >= 0.15


@pytest.mark.parametrize("name", ["depot", "tb3_sandbox"])
def test_real_maps(name: str, shared: Path, tmp_path: Path) -> None:
    yaml_path = shared / "data/maps" / f"{name}.yaml"
    scene_from_ros(yaml_path, tasks=5, seed=1, out=tmp_path / "data")
    found = plan(tmp_path / "data", tmp_path / "run", "point_goal", "strict")
    assert len(found) == 5
    assert all(success and collisions == 0 and spl > 0.9 for success, collisions, spl, _ in found)
