"""The tasks of a run: a dataset, checked before anything is written, as a list of attempts."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from abotn.errors import ConfigError, DataError, UnknownNameError
from abotn.records.files import record_folder
from abotn.rollout.rules import Unit
from abotn.scenes.fingerprint import dataset_fingerprint
from abotn.scenes.gaussian_scene import GaussianScene


@dataclass(frozen=True)
class Dataset:
    """What is rolled out over.

    Attributes:
        data_dir: Absolute path of the scenes' folder.
        map_dir: Absolute path of the maps' folder, or None.
        fingerprint: SHA-256 over names and contents.
        tasks: ``(scene id, task id)`` of every task, in natural order.
        without_map: Ids of the scenes that have no map.
        nameless: ``(scene id, task id)`` of the tasks whose goal has no name.
    """

    data_dir: str
    map_dir: str | None
    fingerprint: str
    tasks: tuple[tuple[str, str], ...]
    without_map: frozenset[str] = frozenset()
    nameless: frozenset[tuple[str, str]] = frozenset()

    @property
    def scene_count(self) -> int:
        """Number of scenes with a task."""
        return len({scene for scene, _ in self.tasks})


def read_dataset(
    data_dir: str | os.PathLike[str], map_dir: str | os.PathLike[str] | None = None
) -> Dataset:
    """Read a dataset once from end to end, its map images too, and forget it again.

    Raises:
        DataError: a folder is missing or empty, a file is damaged, there is no task, or an id
            cannot be part of a run folder.
    """
    scenes = GaussianScene(data_dir, map_dir)
    tasks = tuple((episode.episode_id, task.task_id) for episode, task in scenes.iter_tasks())
    if not tasks:
        raise DataError("the scenes have no traj_*.json file", where=data_dir)
    for scene_id, task_id in tasks:
        record_folder("run", scene_id, task_id)
    for episode in scenes:
        # A shallow copy reads the images and drops them, instead of keeping all scenes' maps.
        copy.copy(episode).load_maps()
    return Dataset(
        str(Path(data_dir).resolve()),
        None if map_dir is None else str(Path(map_dir).resolve()),
        dataset_fingerprint(data_dir, map_dir),
        tasks,
        frozenset(episode.episode_id for episode in scenes if not episode.has_grid()),
        frozenset((e.episode_id, t.task_id) for e, t in scenes.iter_tasks() if not t.goal_label),
    )


def plan_units(
    dataset: Dataset, attempts: int, scenes: Iterable[str] = (), tasks: Iterable[str] = ()
) -> list[Unit]:
    """Return the attempts to make: scene by scene, task by task, attempt by attempt.

    Args:
        dataset: The dataset.
        attempts: Attempts per task.
        scenes: Names or patterns such as ``"park*"``; none means all scenes.
        tasks: Names or patterns; none means all tasks.

    Raises:
        UnknownNameError: a name or pattern fits nothing.
        ConfigError: nothing is left.
    """
    wanted_scenes = _chosen("scene", [scene for scene, _ in dataset.tasks], scenes)
    wanted_tasks = _chosen("task", [task for _, task in dataset.tasks], tasks)
    chosen = [
        (scene, task)
        for scene, task in dataset.tasks
        if scene in wanted_scenes and task in wanted_tasks
    ]
    if not chosen:
        raise ConfigError(
            "no task has both a chosen scene and a chosen name", where="scenes, tasks"
        )
    return [Unit(scene, task, attempt) for scene, task in chosen for attempt in range(attempts)]


def _chosen(kind: str, names: list[str], patterns: Iterable[str]) -> set[str]:
    known = set(names)
    wanted = list(patterns)
    found: set[str] = set()
    for pattern in wanted:
        fitting = {name for name in known if fnmatchcase(name, pattern)}
        if not fitting:
            raise UnknownNameError(kind, pattern, known)
        found |= fitting
    return found if wanted else known
