"""What an agent is shown: each field, only when asked for, and nothing it could break."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abotn.agents import Observation, PoiGoalObservation
from abotn.rendering.factory import NoRenderer
from abotn.rollout.protocol import POIBENCH, STRICT, Protocol
from abotn.rollout.rules import RunRules, Unit
from abotn.rollout.scene_maps import SceneMaps
from abotn.rollout.task import Rollout
from abotn.scenes.episode import Episode

OPTIONAL = ("history_images", "history_poses", "occ_map", "height_map", "meta_data")


class Painter(NoRenderer):
    """Views whose grey counts the frames, in the renderers' order."""

    def __init__(self) -> None:
        self.frames = 0

    def render(self, pose: Any, scene_id: str) -> dict[str, Any]:
        views = {
            name: np.full((8, 12, 3), 10 * self.frames + part, dtype=np.uint8)
            for part, name in enumerate(("left", "right", "front"))
        }
        self.frames += 1
        return views


def observations(
    dataset: Path,
    agent: Any,
    *provide: str,
    renderer: Any = None,
    scene: str = "room",
    protocol: Protocol = STRICT,
) -> list[Observation]:
    kind = protocol.task_type or "point_goal"
    rules = RunRules(kind, protocol, 4, provide=frozenset(provide))
    episode = Episode.from_scene_dir(dataset / scene)
    rollout = Rollout(agent, renderer or NoRenderer(), rules)
    attempt = rollout.attempt(
        Unit(scene, "traj_0"), lambda: (SceneMaps(episode, protocol), episode.tasks[0])
    )
    assert attempt.record.status == "max_steps", attempt.record.error
    return list(agent.seen)


@pytest.fixture
def script(agents: str) -> Any:
    import importlib

    return importlib.import_module(agents).Script([(0.5, 0.1)])


def test_pose_and_goal(dataset: Path, script: Any) -> None:
    first, second, *_ = observations(dataset, script)
    assert first.position == pytest.approx([1, 1, 0.9])
    assert first.heading == 0.5
    assert first.distance_to_goal == pytest.approx(3.0)
    assert first.target_position == pytest.approx([3 * math.cos(0.5), -3 * math.sin(0.5)])
    assert first.goal_world is not None
    assert first.goal_world.tolist() == [4, 1]
    assert [first.step_count, second.step_count] == [0, 1]
    for seen in (first, second):
        rotation = seen.rotation
        local = np.array([*seen.target_position, 0.0])
        world = rotation[:3, :3] @ local + rotation[:3, 3]
        assert world[:2] == pytest.approx([4, 1])
        assert math.atan2(rotation[1, 0], rotation[0, 0]) == pytest.approx(seen.heading)
        assert rotation[:3, 3] == pytest.approx(seen.position)


def test_nothing_optional_unless_asked_for(dataset: Path, script: Any) -> None:
    for seen in observations(dataset, script):
        assert type(seen) is Observation
        assert all(getattr(seen, name) is None for name in OPTIONAL)
        assert seen.images == {}
        assert seen.extra == {}


def test_maps_when_asked_for(dataset: Path, script: Any) -> None:
    first, second, *_ = observations(dataset, script, "occ_map", "height_map")
    episode = Episode.from_scene_dir(dataset / "room")
    assert np.array_equal(first.occ_map, episode.occ_map)  # type: ignore[arg-type]
    assert np.array_equal(first.height_map, episode.height_map)  # type: ignore[arg-type]
    assert first.meta_data == episode.meta_data
    assert second.occ_map is first.occ_map
    with pytest.raises(ValueError, match="read-only"):
        first.occ_map[0, 0] = 1  # type: ignore[index]
    first.meta_data["IMAGE_WIDTH"] = 0  # type: ignore[index]
    assert second.meta_data == episode.meta_data


def test_meta_data_alone(dataset: Path, script: Any) -> None:
    (first, *_) = observations(dataset, script, "meta_data")
    assert first.meta_data is not None
    assert first.occ_map is None


def test_map_is_the_scenes_own_not_the_widened_one(dataset: Path, script: Any) -> None:
    protocol = STRICT.override(occ_dilation_meters=0.5)
    (first, *_) = observations(dataset, script, "occ_map", protocol=protocol)
    assert first.occ_map is not None
    assert (first.occ_map == 0).sum() == 60 * 4


def test_poi_observation_names_the_goal_and_hides_where_it_is_in_the_world(
    dataset: Path, script: Any
) -> None:
    (first, *_) = observations(dataset, script, protocol=POIBENCH)
    assert isinstance(first, PoiGoalObservation)
    assert first.poi_name == "Cafe"
    assert first.goal_world is None


def test_views_are_those_of_the_pose(dataset: Path, script: Any) -> None:
    seen = observations(dataset, script, renderer=Painter())
    for number, observation in enumerate(seen):
        assert sorted(observation.images) == ["front", "left", "right"]
        assert observation.images["left"][0, 0, 0] == 10 * number
        assert observation.images["front"][0, 0, 0] == 10 * number + 2


def test_history_holds_earlier_front_views_and_poses(dataset: Path, script: Any) -> None:
    seen = observations(dataset, script, "history_images", "history_poses", renderer=Painter())
    for number, observation in enumerate(seen):
        assert observation.history_images is not None
        assert observation.history_poses is not None
        fronts = [frame["front"] for frame in observation.history_images]
        assert [int(front[0, 0, 0]) for front in fronts] == [10 * n + 2 for n in range(number)]
        assert all(front.shape == (2, 3, 3) for front in fronts)
        assert all(front.dtype == np.uint8 for front in fronts)
        poses = [known[:2, 3].tolist() for known in observation.history_poses]
        assert poses == [other.position[:2].tolist() for other in seen[:number]]


def test_history_without_images_has_poses(dataset: Path, script: Any) -> None:
    seen = observations(dataset, script, "history_poses", "history_images")
    assert seen[3].history_images == []
    assert seen[3].history_poses is not None
    assert [p[0, 3] for p in seen[3].history_poses] == [o.position[0] for o in seen[:3]]


def test_agent_cannot_move_itself_by_changing_what_it_sees(dataset: Path, agents: str) -> None:
    import importlib

    module = importlib.import_module(agents)

    class Meddler(module.Script):  # type: ignore[name-defined,misc]
        def predict(self, observation: Any) -> Any:
            answer = super().predict(observation)
            where = observation.position[:2].copy()
            for array in (observation.position, observation.rotation, observation.goal_world):
                array[...] = 77.0
            for known in observation.history_poses:
                known[...] = 77.0
            self.places.append(where.tolist())
            return answer

    meddler = Meddler([(0.5, 0.1)])
    meddler.places = []
    honest = module.Script([(0.5, 0.1)])
    observations(dataset, meddler, "history_poses")
    untouched = observations(dataset, honest)
    assert meddler.places == [seen.position[:2].tolist() for seen in untouched]
