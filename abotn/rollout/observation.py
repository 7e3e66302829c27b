"""What the agent is shown before each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.agents.exposure import limited_observation
from abotn.agents.interface import Observation, PoiGoalObservation
from abotn.geometry.frames import world_to_local
from abotn.rollout.memory import ShortMemory
from abotn.rollout.rules import RunRules
from abotn.rollout.scene_maps import SceneMaps
from abotn.rollout.walk import Walk

Images = Mapping[str, NDArray[np.uint8]]

HISTORY_FIELDS = ("history_images", "history_poses")
MAP_FIELDS = ("occ_map", "height_map")

_VIEWS = ("left", "right", "front")


class Observer:
    """Builds the observations of one attempt.

    Args:
        maps: The scene; the agent gets its own map, not the protocol's widened one.
        rules: What the agent may see.
    """

    def __init__(self, maps: SceneMaps, rules: RunRules) -> None:
        self._rules = rules
        self._static = _map_fields(maps, rules.provide)
        self._history = _History(rules)

    def observe(self, walk: Walk, images: Images) -> Observation:
        """Return the observation of the walk's last pose.

        Args:
            walk: The attempt so far.
            images: The views of that pose; empty without a renderer.
        """
        position, goal = walk.position, walk.plan.goal_xy
        fields: dict[str, Any] = {
            "images": {name: images[name] for name in sorted(images)},
            "target_position": world_to_local(goal, position[:2], walk.yaw),
            "distance_to_goal": walk.distance,
            "position": position,
            "rotation": walk.pose,
            "heading": walk.yaw,
            "step_count": walk.steps,
            **self._static,
            **self._history.before(images, walk.pose),
        }
        if isinstance(fields.get("meta_data"), dict):
            fields["meta_data"] = dict(fields["meta_data"])
        return self._shown(fields, walk)

    def _shown(self, fields: dict[str, Any], walk: Walk) -> Observation:
        if self._rules.task_type == "poi_goal":
            full: Observation = PoiGoalObservation(**fields, poi_name=walk.plan.goal_label)
        else:
            full = Observation(**fields, goal_world=walk.plan.goal_xy.copy())
        exposed = self._rules.expose
        if exposed is None:
            return full
        return limited_observation(vars(full), exposed, self._rules.task_type)


class _History:
    """Earlier front views and their poses; poses alone where nothing is rendered."""

    def __init__(self, rules: RunRules) -> None:
        self._wanted = [name for name in HISTORY_FIELDS if name in rules.provide]
        self._memory = ShortMemory(
            rules.max_history_frames, resize_ratio=rules.history_resize_ratio
        )
        self._poses: list[NDArray[np.float64]] = []

    def before(self, images: Images, pose: NDArray[np.float64]) -> dict[str, Any]:
        """Return what lies before this frame, and remember this frame."""
        if not self._wanted:
            return {}
        shown = self._with_images(images, pose) if images else self._without_images(pose)
        return {name: shown[name] for name in self._wanted}

    def _with_images(self, images: Images, pose: NDArray[np.float64]) -> dict[str, Any]:
        views = [images[name] for name in _VIEWS if name in images]
        self._memory.add_frame(views, pose, num_current_image=len(views))
        fronts = [{"front": np.array(image)} for image in self._memory.get_history_images()]
        poses = [known.copy() for known in self._memory.get_history_poses()]
        return dict(zip(HISTORY_FIELDS, (fronts, poses), strict=True))

    def _without_images(self, pose: NDArray[np.float64]) -> dict[str, Any]:
        poses = [known.copy() for known in self._poses]
        kept = self._memory.max_history_frames
        self._poses = [*self._poses, pose][-kept:] if kept else []
        return dict(zip(HISTORY_FIELDS, ([], poses), strict=True))


def _map_fields(maps: SceneMaps, provide: frozenset[str]) -> dict[str, Any]:
    episode = maps.episode
    fields = {name: getattr(episode, name) for name in MAP_FIELDS if name in provide}
    if episode.meta_data is not None and (fields or "meta_data" in provide):
        fields["meta_data"] = episode.meta_data
    return fields
