"""A ROS map turned into a dataset of one scene."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from abotn.records.files import check_scene_id
from abotn.scenes.limits import check_whole
from abotn.scenes.ros_map import RosMap, load_ros_map
from abotn.scenes.tasks import sample_tasks
from abotn.scenes.writer import new_dataset, new_scene, write_scene


def scene_from_ros(
    yaml_path: str | os.PathLike[str],
    *,
    tasks: int,
    seed: int,
    out: str | os.PathLike[str],
    min_length: float = 2.0,
    max_length: float = 40.0,
    clearance: float = 0.3,
    unknown_is_obstacle: bool = True,
    scene_id: str | None = None,
    overwrite: bool = False,
    progress: Callable[[], None] | None = None,
) -> Path:
    """Write a scene from a ROS ``map_server`` map, on flat ground, into a dataset.

    The dataset is made, or the scene is added to the ones that are there.
    What was done with unknown cells, the mode, the seed and the clearance are noted in the
    scene's meta file.

    Args:
        yaml_path: The map's YAML file.
        tasks: Number of tasks.
        seed: Any whole number from 0.
        out: Folder of the dataset; made when it does not exist.
        min_length: Least length of a reference path, metres.
        max_length: Greatest length, metres.
        clearance: Least distance of a reference path from obstacles, metres.
        unknown_is_obstacle: Whether cells that are not known to be free are obstacles.
        scene_id: Name of the scene; the YAML's name without its ending when None.
        overwrite: Whether to replace the whole dataset in ``out`` by this scene.
        progress: Called after each task.

    Returns:
        The scene's folder.

    Raises:
        ConfigError: a number is out of range, ``out`` is no dataset, or it holds a scene of that
            name.
        DataError: the map cannot be read, or has no such tasks, or the file system refused.
    """
    check_whole(tasks, "tasks", least=1)
    check_whole(seed, "seed", least=0)
    name = check_scene_id(Path(yaml_path).stem if scene_id is None else scene_id)
    place = new_dataset(out, overwrite=True) if overwrite else new_scene(out, name)
    with place as folder:
        ros_map = load_ros_map(yaml_path)
        grid = ros_map.grid(unknown_is_obstacle=unknown_is_obstacle)
        made = sample_tasks(
            grid,
            tasks,
            seed=seed,
            min_length=min_length,
            max_length=max_length,
            clearance=clearance,
            progress=progress,
        )
        write_scene(
            folder / name,
            tasks=made,
            free=grid.free,
            geometry=grid.geometry,
            height_map=np.zeros(grid.shape, dtype=np.float32),
            notes=_notes(ros_map, Path(yaml_path).name, seed, clearance, unknown_is_obstacle),
        )
    return Path(out) / name


def _notes(
    ros_map: RosMap,
    name: str,
    seed: int,
    clearance: float,
    unknown_is_obstacle: bool,  # noqa: FBT001
) -> list[str]:
    unknown = "obstacle" if unknown_is_obstacle else "free"
    printable = "".join(character if character.isprintable() else "?" for character in name)
    return [
        f"Source: ROS map {printable}",
        f"Mode: {ros_map.mode}",
        f"Unknown cells: {unknown}, {int(np.count_nonzero(ros_map.unknown))} of them",
        f"Task seed: {seed}",
        f"Task clearance: {clearance:g}",
    ]
