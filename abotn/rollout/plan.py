"""What an attempt starts from: start, goal and reference path of its task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError
from abotn.geometry.paths import path_length
from abotn.rollout.protocol import Protocol
from abotn.rollout.scene_maps import SceneMaps
from abotn.scenes.task import Task

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """Start, goal and reference of one task.

    Attributes:
        start_xy: (2,) world metres.
        start_yaw: Radians; the start looks level whatever the task's roll and pitch.
        goal_xy: (2,) world metres.
        reference: (R, 2) reference path, world metres; empty where there is none.
        reference_length: Its length, metres; None where there is none.
        goal_label: Name of the goal, empty when the task has none.
    """

    start_xy: FloatArray
    start_yaw: float
    goal_xy: FloatArray
    reference: FloatArray
    reference_length: float | None
    goal_label: str


def make_plan(maps: SceneMaps, task: Task, protocol: Protocol) -> Plan:
    """Return the plan of a task.

    Raises:
        DataError: the task has no pose, or the protocol needs a map that the scene lacks.
    """
    start = task.start_pose
    if start is None:
        raise DataError("the task has no pose", where=task.task_id)
    _check_map(maps, protocol)
    path = task.positions[:, :2]
    reference = path if protocol.reference == "task" else maps.geodesic(path[0], path[-1])
    return Plan(
        start_xy=path[0],
        start_yaw=float(start.get("yaw", 0.0)),
        goal_xy=path[-1],
        reference=np.empty((0, 2)) if reference is None else reference,
        reference_length=None if reference is None else path_length(reference),
        goal_label=task.goal_label,
    )


def _check_map(maps: SceneMaps, protocol: Protocol) -> None:
    if maps.has_map:
        return
    scene = maps.episode.episode_id
    if protocol.collision_mode in ("soft", "hard"):
        raise DataError(
            f"scene {scene!r} has no map, which collision mode {protocol.collision_mode!r} needs",
            hint="give the folder of the maps, or collision mode 'off'",
        )
    if protocol.reference == "geodesic":
        raise DataError(
            f"scene {scene!r} has no map, which a geodesic reference needs",
            hint="give the folder of the maps, or reference 'task'",
        )
