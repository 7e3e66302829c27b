"""One attempt: why it ends, whether it counts, and every number of its record."""

from __future__ import annotations

import importlib
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.collision import clearance, dilate_free, line_collisions
from abotn.records.types import ResultRecord, Trajectory
from abotn.rendering.factory import NoRenderer
from abotn.rollout.protocol import POIBENCH, POINTBENCH_OUTDOOR, STRICT, Protocol
from abotn.rollout.rules import RunRules, Unit, attempt_seed
from abotn.rollout.scene_maps import SceneMaps
from abotn.rollout.task import Rollout
from abotn.scenes.episode import Episode
from abotn.scenes.task import Task

CORNER_PATH = math.hypot(4, 4) + 0.4 + math.hypot(3.6, 4)


class Desk:
    """Makes attempts on the small dataset in this process."""

    def __init__(self, dataset: Path, module: str) -> None:
        self.dataset = dataset
        self.module = importlib.import_module(module)

    def make(
        self,
        agent: Any,
        task: str = "traj_0",
        scene: str = "room",
        protocol: Protocol = STRICT,
        max_steps: int = 50,
        task_type: str | None = None,
        seed: int = 0,
        **more: Any,
    ) -> tuple[ResultRecord, Trajectory | None]:
        """Make one attempt."""
        kind = task_type or protocol.task_type or "point_goal"
        rules = RunRules(kind, protocol, max_steps, seed, **more)
        unit = Unit(scene, task)
        rollout = Rollout(agent, NoRenderer(), rules)
        return rollout.attempt(unit, lambda: self.load(unit, protocol))

    def load(self, unit: Unit, protocol: Protocol) -> tuple[SceneMaps, Task]:
        episode = Episode.from_scene_dir(self.dataset / unit.scene_id)
        tasks = {task.task_id: task for task in episode.tasks}
        return SceneMaps(episode, protocol), tasks[unit.task_id]

    def script(self, *waypoints: tuple[float, float], arrive_at: int | None = None) -> Any:
        return self.module.Script(waypoints, arrive_at)


@pytest.fixture(scope="session")
def desk(dataset: Path, agents: str) -> Desk:
    return Desk(dataset, agents)


def straight(desk: Desk) -> Any:
    return desk.module.StraightLineAgent()


def test_agent_that_walks_to_the_goal_and_stops(desk: Desk) -> None:
    record, trajectory = desk.make(straight(desk))
    assert trajectory is not None
    assert (record.status, record.success, record.steps) == ("stop", True, 3)
    assert record.travel_length == pytest.approx(3.0)
    assert record.shortest_path_length == pytest.approx(3.0)
    assert record.distance_to_goal == pytest.approx(0.0, abs=1e-12)
    assert record.extra["declared_arrival"] is True
    assert record.extra["oracle_success"] is True
    metrics = record.metrics
    assert metrics["initial_distance_to_goal"] == pytest.approx(3.0)
    assert metrics["min_distance_to_goal"] == pytest.approx(0.0, abs=1e-12)
    assert metrics["total_distance"] == record.travel_length
    assert metrics["pointgoal_arrive_threshold"] == 0.5
    assert [metrics[name] for name in ("success_new", "spl_new", "tcr_new", "dcr_new")] == [
        True,
        pytest.approx(1.0),
        1.0,
        1.0,
    ]
    assert trajectory.position[:, 0] == pytest.approx([1, 2, 3, 4])
    assert trajectory.yaw == pytest.approx([0.5, 0, 0, 0], abs=1e-12)
    assert trajectory.distance_to_goal == pytest.approx([3, 2, 1, 0], abs=1e-12)
    assert trajectory.waypoint[0] == pytest.approx([math.cos(0.5), -math.sin(0.5)])
    assert trajectory.reference.tolist() == [[1, 1], [4, 1]]
    assert trajectory.goal.tolist() == [4, 1]


def test_camera_stands_at_its_height_above_the_ground_or_above_no_map(desk: Desk) -> None:
    on_map = desk.make(straight(desk))[1]
    without_height = desk.make(straight(desk), scene="hall")[1]
    assert on_map is not None
    assert without_height is not None
    assert on_map.position[:, 2] == pytest.approx(0.25 + 0.65)
    assert without_height.position[:, 2] == pytest.approx(-0.1 + 0.65)


def test_strict_success_needs_the_agents_own_stop(desk: Desk) -> None:
    turned = (3 * math.cos(0.5), -3 * math.sin(0.5))
    silent, _ = desk.make(desk.script(turned, (0, 0)), max_steps=3)
    assert (silent.status, silent.success, silent.steps) == ("max_steps", False, 3)
    assert silent.extra["oracle_success"] is True
    assert silent.extra["declared_arrival"] is False
    spoken, _ = desk.make(desk.script(turned, (0, 0), arrive_at=1), max_steps=3)
    assert (spoken.status, spoken.success, spoken.steps) == ("stop", True, 2)


def test_stop_on_the_last_step_is_a_stop(desk: Desk) -> None:
    record, _ = desk.make(desk.script((0, 0), arrive_at=2), max_steps=3)
    assert (record.status, record.steps, record.success) == ("stop", 3, False)


def test_wrong_stop_is_a_stop_that_failed(desk: Desk) -> None:
    record, _ = desk.make(desk.script((0.1, 0.0), arrive_at=0))
    assert (record.status, record.success) == ("stop", False)
    assert record.extra["declared_arrival"] is True
    assert record.metrics["spl_new"] == 0.0


def test_auto_arrival_ends_the_task_whatever_the_agent_says(desk: Desk) -> None:
    goal = (3 * math.cos(0.5), -3 * math.sin(0.5))
    record, trajectory = desk.make(desk.script(goal), protocol=POINTBENCH_OUTDOOR)
    assert trajectory is not None
    assert (record.status, record.success, record.steps) == ("stop", True, 1)
    assert record.extra["declared_arrival"] is False
    assert trajectory.executed_index.tolist() == [0]


def test_success_at_the_last_step_without_a_stop_where_none_is_required(desk: Desk) -> None:
    lenient = STRICT.override(require_stop=False)
    goal = (3 * math.cos(0.5), -3 * math.sin(0.5))
    record, _ = desk.make(desk.script(goal, (0, 0)), protocol=lenient, max_steps=2)
    assert (record.status, record.success) == ("max_steps", True)


@pytest.mark.parametrize(("short_by", "success"), [(0.499, True), (0.5, True), (0.501, False)])
def test_arrival_radius_includes_its_edge(desk: Desk, short_by: float, success: bool) -> None:
    protocol = STRICT.override(arrive_threshold=0.5)
    start = desk.script((0, 0), arrive_at=0)
    record, _ = desk.make(_At(start, (4 - short_by, 1.0)), protocol=protocol)
    assert record.success is success


class _At:
    """Puts a script's last waypoint at a world position."""

    def __init__(self, script: Any, xy: tuple[float, float]) -> None:
        self._script, self._xy = script, xy

    def reset(self) -> None:
        self._script.reset()

    def predict(self, observation: Any) -> Any:
        answer = self._script.predict(observation)
        turn = observation.rotation[:2, :2].T
        answer.waypoint = turn @ (np.array(self._xy) - observation.position[:2])
        return answer


def test_start_on_the_goal(desk: Desk) -> None:
    record, _ = desk.make(straight(desk), task="traj_10")
    assert (record.status, record.success, record.steps) == ("stop", True, 1)
    assert (record.travel_length, record.shortest_path_length) == (0.0, 0.0)
    assert record.metrics["initial_distance_to_goal"] == 0.0
    assert record.metrics["spl_new"] == 0.0
    assert record.metrics["dcr_new"] == 0.0
    assert record.metrics["tcr_new"] == 1.0


def through_the_wall(desk: Desk, protocol: Protocol = STRICT) -> Any:
    return desk.make(straight(desk), task="traj_2", protocol=protocol)


def test_walls_are_walked_through_and_counted(desk: Desk) -> None:
    record, trajectory = through_the_wall(desk)
    assert (record.status, record.success, record.steps) == ("stop", True, 8)
    metrics = record.metrics
    # The wall from x = 5 to 5.4 lies within the fifth step, from x = 5 to 6.
    assert metrics["path_collision_count_exact"] == metrics["path_collision_count"] == 1
    assert metrics["collision_path_length"] == pytest.approx(0.4, abs=1e-6)
    assert metrics["is_path_collided"] is True
    assert trajectory.collided.tolist() == [False] * 4 + [True] + [False] * 3
    assert trajectory.collision_length[4] == pytest.approx(0.4, abs=1e-6)
    assert metrics["success_new"] is False
    assert metrics["spl_new"] == metrics["tcr_new"] == metrics["dcr_new"] == 0.0
    assert metrics["min_clearance"] == 0.0


def test_new_scores_with_a_collision_that_is_allowed(desk: Desk) -> None:
    metrics = through_the_wall(desk, STRICT.override(collision_threshold=2))[0].metrics
    assert metrics["success_new"] is True
    assert metrics["spl_new"] == pytest.approx(1.0)
    assert metrics["tcr_new"] == pytest.approx(7 / 8)
    assert metrics["dcr_new"] == pytest.approx(1 - 0.4 / 8, abs=1e-6)


def test_both_samplings_are_stored_under_the_protocols_dilation(desk: Desk) -> None:
    protocol = POINTBENCH_OUTDOOR.override(occ_dilation_meters=0.1)
    record, trajectory = through_the_wall(desk, protocol)
    grid = dilate_free(Episode.from_scene_dir(desk.dataset / "room").grid, 0.1)
    path = trajectory.position[:, :2]
    for sampling in ("exact", "published"):
        hit, length = line_collisions(grid, path[:-1], path[1:], sampling)
        assert record.metrics[f"path_collision_count_{sampling}"] == int(hit.sum()) > 0
        assert record.metrics[f"collision_path_length_{sampling}"] == pytest.approx(
            float(length[hit].sum())
        )
    assert (
        record.metrics["path_collision_count"] == record.metrics["path_collision_count_published"]
    )
    assert trajectory.collided.sum() == record.metrics["path_collision_count_published"]


def test_dilation_makes_a_thin_wall_vanish_for_the_run_alone(desk: Desk) -> None:
    record, _ = through_the_wall(desk, POINTBENCH_OUTDOOR)
    assert record.metrics["path_collision_count"] == 0
    assert Episode.from_scene_dir(desk.dataset / "room").occ_map.min() == 0  # type: ignore[union-attr]


def test_least_clearance_is_that_of_the_undilated_map(desk: Desk) -> None:
    record, trajectory = desk.make(straight(desk), protocol=POINTBENCH_OUTDOOR)
    assert trajectory is not None
    grid = Episode.from_scene_dir(desk.dataset / "room").grid
    expected = clearance(grid, trajectory.position[:, :2]).min()
    assert record.metrics["min_clearance"] == pytest.approx(float(expected))
    assert record.metrics["min_clearance"] == pytest.approx(1.0)


POI = POIBENCH.override(occ_dilation_meters=0.0, arrive_threshold=0.5)


def test_hard_collision_ends_a_poi_task_as_failed(desk: Desk) -> None:
    # Four steps of 1.05 m from x = 1 end at x = 5.2, in the wall.
    agent = desk.module.StraightLineAgent(step_length=1.05)
    record, _ = desk.make(agent, task="traj_2", protocol=POI)
    assert (record.status, record.success, record.steps) == ("collision", False, 4)
    metrics = record.metrics
    assert (metrics["collision_count"], metrics["collision_terminated"]) == (1, True)
    assert metrics["collision_rate"] == pytest.approx(1 / 4)
    assert metrics["max_consecutive_collision"] == 1
    assert record.extra["poi_name"] == record.extra["goal_label"] == "Bank"


def test_soft_collisions_are_counted_and_change_nothing(desk: Desk) -> None:
    protocol = POI.override(collision_mode="soft")
    steps = [(4.1, 0), (0.1, 0), (0.1, 0), (0.5, 0), (-0.5, 0), (0.5, 0)]
    record, _ = desk.make(
        desk.script(*steps, arrive_at=5), task="traj_2", protocol=protocol, max_steps=9
    )
    # x = 5.1, 5.2, 5.3 in the wall, 5.8 behind it, back at 5.3 and turned round, out at 4.8.
    assert record.status == "stop"
    metrics = record.metrics
    assert metrics["collision_count"] == 4
    assert metrics["max_consecutive_collision"] == 3
    assert metrics["collision_rate"] == pytest.approx(4 / 6)
    assert metrics["collision_terminated"] is False
    assert metrics["collision_skipped_near_goal"] == 0


def test_arrival_circle_exempts_hits(desk: Desk) -> None:
    wide = POI.override(arrive_threshold=5.0, auto_arrive=False)
    record, _ = desk.make(
        desk.script((4.1, 0), (0.1, 0), arrive_at=1), task="traj_2", protocol=wide
    )
    assert (record.status, record.success) == ("stop", True)
    assert record.metrics["collision_count"] == 0
    assert record.metrics["collision_skipped_near_goal"] == 2


@pytest.mark.parametrize("mode", ["off", "path"])
def test_modes_that_look_at_no_pose_leave_the_counts_undefined(desk: Desk, mode: str) -> None:
    agent = desk.module.StraightLineAgent(step_length=1.05)
    record, _ = desk.make(agent, task="traj_2", protocol=POI.override(collision_mode=mode))
    assert record.status == "stop"
    assert record.metrics["collision_count"] is None
    assert record.metrics["collision_terminated"] is None
    assert record.metrics["path_collision_count"] >= 1


def test_robot_with_a_radius_collides_earlier(desk: Desk) -> None:
    slim, stout = POI, POI.override(robot_radius=0.3)
    agent = desk.script((3.8, 0), arrive_at=0)
    assert desk.make(agent, task="traj_2", protocol=slim)[0].status == "stop"
    assert desk.make(agent, task="traj_2", protocol=stout)[0].status == "collision"


def test_light_obstacles(desk: Desk) -> None:
    light = POI.override(occ_obstacle_polarity="light", occ_dark_threshold=200)
    record, _ = desk.make(desk.script((0.5, 0)), task="traj_2", protocol=light)
    assert (record.status, record.steps) == ("collision", 1)


def test_dilated_poses(desk: Desk) -> None:
    # Free space that grows by 0.3 m from both sides closes over a wall of 0.4 m.
    agent = desk.module.StraightLineAgent(step_length=1.05)
    protocol = POI.override(occ_dilation_meters=0.3)
    assert desk.make(agent, task="traj_2", protocol=protocol)[0].status == "stop"


def test_point_goal_records_have_no_pose_counts(desk: Desk) -> None:
    record, _ = desk.make(straight(desk))
    assert "collision_count" not in record.metrics
    assert "poi_name" not in record.extra


def test_geodesic_reference_goes_round_the_wall(desk: Desk) -> None:
    record, trajectory = through_the_wall(desk, STRICT.override(reference="geodesic"))
    assert record.shortest_path_length == pytest.approx(CORNER_PATH, rel=1e-6)
    assert trajectory.reference[0].tolist() == [1, 2]
    assert trajectory.reference[-1].tolist() == [9, 2]
    assert record.extra["reference"] == "geodesic"
    assert "reference_missing" not in record.extra


def test_geodesic_of_a_goal_in_a_wall_is_undefined_with_a_reason(desk: Desk) -> None:
    class Walled(Desk):
        def load(self, unit: Unit, protocol: Protocol) -> tuple[SceneMaps, Task]:
            maps, task = super().load(unit, protocol)
            task.trajectory[-1].update(x=5.2, y=3.0)
            return maps, task

    protocol = STRICT.override(reference="geodesic")
    record, trajectory = Walled(desk.dataset, desk.module.__name__).make(
        straight(desk), task="traj_2", protocol=protocol
    )
    assert trajectory is not None
    assert record.shortest_path_length is None
    assert record.metrics["spl_new"] is None
    assert "no collision-free path" in record.extra["reference_missing"]
    assert trajectory.reference.shape == (0, 2)


@pytest.mark.parametrize(
    ("what", "kind", "message"),
    [
        ("raise", "ValueError", "the model said no"),
        ("exit", "SystemExit", "bye"),
        ("nan", "AgentError", "finite"),
        ("none", "AgentError", "NoneType"),
    ],
)
def test_what_an_agent_does_wrong_is_recorded(
    desk: Desk, what: str, kind: str, message: str
) -> None:
    record, trajectory = desk.make(desk.module.Fails(what, task_start=(2.0, 1.0)))
    assert trajectory is not None
    assert (record.status, record.success, record.steps) == ("error", False, 1)
    assert record.error is not None
    assert record.error["stage"] == "agent"
    assert record.error["type"] == kind
    assert message in record.error["message"]
    assert record.travel_length == pytest.approx(1.0)
    assert len(trajectory.position) == 2


def test_reset_that_raises_is_the_agents_error(desk: Desk) -> None:
    class Stubborn:
        def reset(self) -> None:
            raise KeyError("state")

        def predict(self, observation: object) -> None: ...

    record, _ = desk.make(Stubborn())
    assert record.error == {"stage": "agent", "type": "KeyError", "message": "'state'"}


def test_renderer_that_raises_is_a_render_error(desk: Desk) -> None:
    class Broken(NoRenderer):
        def render(self, pose: Any, scene_id: str) -> dict[str, Any]:
            raise RuntimeError("the server went away")

    unit = Unit("room", "traj_0")
    rollout = Rollout(straight(desk), Broken(), RunRules("point_goal", STRICT, 5))
    record, trajectory = rollout.attempt(unit, lambda: desk.load(unit, STRICT))
    assert record.error is not None
    assert record.error["stage"] == "render"
    assert trajectory is not None
    assert trajectory.position.shape == (1, 3)
    assert trajectory.waypoint.shape == (0, 2)


def test_scene_that_cannot_be_loaded_is_a_scene_error(desk: Desk) -> None:
    def load() -> Any:
        raise OSError("disk gone")

    rollout = Rollout(straight(desk), NoRenderer(), RunRules("poi_goal", POIBENCH, 5))
    record, trajectory = rollout.attempt(Unit("room", "traj_0", 2), load)
    assert trajectory is None
    assert record.key == ("room", "traj_0", 2)
    assert record.error == {"stage": "scene", "type": "OSError", "message": "disk gone"}


@pytest.mark.parametrize(
    "protocol", [POI, POI.override(collision_mode="soft"), STRICT.override(reference="geodesic")]
)
def test_rules_that_need_a_map_fail_without_one(desk: Desk, protocol: Protocol) -> None:
    record, _ = _mapless(desk).make(straight(desk), protocol=protocol)
    assert record.error is not None
    assert record.error["stage"] == "scene"
    assert "no map" in record.error["message"]


def _mapless(desk: Desk) -> Desk:
    class Mapless(Desk):
        def load(self, unit: Unit, protocol: Protocol) -> tuple[SceneMaps, Task]:
            maps, task = super().load(unit, protocol)
            bare = Episode(maps.episode.episode_id, tasks=maps.episode.tasks)
            return SceneMaps(bare, protocol), task

    return Mapless(desk.dataset, desk.module.__name__)


def test_without_a_map_what_needs_one_is_undefined(desk: Desk) -> None:
    record, trajectory = _mapless(desk).make(straight(desk))
    assert trajectory is not None
    assert (record.status, record.success) == ("stop", True)
    for name in ("path_collision_count", "collision_path_length_exact", "is_path_collided",
                 "success_new", "spl_new", "tcr_new", "dcr_new", "min_clearance"):  # fmt: skip
        assert record.metrics[name] is None, name
    assert np.isnan(trajectory.collision_length).all()


def test_right_front_agent_walks_straight_when_read_so(desk: Desk) -> None:
    agent = desk.module.Sideways()
    assert not desk.make(agent, max_steps=10)[0].success
    assert desk.make(agent, protocol=STRICT.read_as("right_front"))[0].success


def test_random_agent_depends_on_the_seed_and_the_task_alone(desk: Desk) -> None:
    agent = desk.module.RandomAgent()

    def path(seed: int, task: str = "traj_2") -> Any:
        trajectory = desk.make(agent, task=task, seed=seed, max_steps=6)[1]
        assert trajectory is not None
        return trajectory.position.tolist()

    first = path(0)
    path(5, "traj_0")
    assert path(0) == first
    assert path(1) != first


def test_seeds_of_attempts_differ() -> None:
    seeds = {
        attempt_seed(run, Unit(scene, task, attempt))
        for run in range(3)
        for scene in "ab"
        for task in ("t", "t1")
        for attempt in range(3)
    }
    assert len(seeds) == 36
    assert all(0 <= seed < 2**32 for seed in seeds)


STEPS = st.lists(st.tuples(st.floats(-2, 2), st.floats(-2, 2)), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(STEPS, st.booleans())
def test_record_and_trajectory_agree(
    desk: Desk, steps: list[tuple[float, float]], stop: bool
) -> None:
    agent = desk.script(*steps, arrive_at=len(steps) - 1 if stop else None)
    record, trajectory = desk.make(agent, task="traj_2", max_steps=len(steps))
    assert trajectory is not None
    path = trajectory.position[:, :2]
    assert len(path) == record.steps + 1 == len(steps) + 1
    lengths = [math.dist(a, b) for a, b in pairwise(path)]
    assert record.travel_length == pytest.approx(math.fsum(lengths))
    distances = [math.dist(point, (9, 2)) for point in path]
    assert record.distance_to_goal == pytest.approx(distances[-1])
    assert record.metrics["min_distance_to_goal"] == pytest.approx(min(distances))
    assert record.extra["oracle_success"] == (min(distances) <= 0.5)
    assert record.success == (stop and distances[-1] <= 0.5)
    assert record.metrics["path_collision_count"] == int(trajectory.collided.sum())
    assert record.metrics["collision_path_length"] == pytest.approx(
        float(trajectory.collision_length.sum())
    )
    # Each step's waypoint, taken from the pose before it, leads to the pose after it.
    for before, yaw, waypoint, after in zip(
        path[:-1], trajectory.yaw[:-1], trajectory.waypoint, path[1:], strict=True
    ):
        turn = complex(math.cos(yaw), math.sin(yaw))
        reached = complex(*before) + turn * complex(*waypoint)
        assert [reached.real, reached.imag] == pytest.approx(after, abs=1e-9)


def test_least_clearance_on_a_sheared_map_is_undefined(desk: Desk) -> None:
    class Sheared(Desk):
        def load(self, unit: Unit, protocol: Protocol) -> tuple[SceneMaps, Task]:
            maps, task = super().load(unit, protocol)
            meta = {**(maps.episode.meta_data or {}), "TOP_LEFT_X": 1.0, "TOP_RIGHT_X": 11.0}
            maps.episode.meta_data = meta
            return maps, task

    record, _ = Sheared(desk.dataset, desk.module.__name__).make(straight(desk))
    assert record.status == "stop"
    assert record.metrics["min_clearance"] is None
    assert record.metrics["path_collision_count"] is not None
