"""All scenes of a dataset, and the per-pose operations on one of them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.collision import OccupancyGrid, square_collisions
from abotn.collision.published import METRES_PER_SAMPLE, published_hits, published_lengths
from abotn.errors import ConfigError, DataError
from abotn.geometry.frames import pose_from_xyz_rpy
from abotn.scenes.episode import Episode
from abotn.scenes.layout import overlooked, require_folder, scene_folders
from abotn.scenes.task import Task

Pose = NDArray[Any] | Mapping[str, float]


class GaussianScene:
    """The scenes of a data folder, in natural order.

    A folder that looks like a scene and is passed over, because its name begins with a dot, is
    named in a warning.

    Args:
        local_data_path: Folder with one folder per scene.
        local_map_path: Folder of the maps, when they are kept apart:
            ``{local_map_path}/{episode_id}/map`` or ``{local_map_path}/{episode_id}``. A scene
            that has no map there uses the one in its own folder.

    Raises:
        DataError: a folder is missing or empty, or a task or map file is damaged.
    """

    def __init__(
        self,
        local_data_path: str | os.PathLike[str],
        local_map_path: str | os.PathLike[str] | None = None,
    ) -> None:
        if local_map_path is not None:
            require_folder(local_map_path, "map")
        self.local_data_path = os.fspath(local_data_path)
        self.local_map_path = None if local_map_path is None else os.fspath(local_map_path)
        self.episodes = [
            Episode.from_scene_dir(folder, local_map_path)
            for folder in scene_folders(local_data_path)
        ]
        for path, reason in overlooked(local_data_path):
            warnings.warn(f"{path}: {reason}", UserWarning, stacklevel=2)

    @property
    def total_tasks(self) -> int:
        """Number of tasks in all scenes."""
        return sum(episode.num_tasks for episode in self.episodes)

    def iter_tasks(self) -> Iterator[tuple[Episode, Task]]:
        """Yield every ``(episode, task)`` pair, scene by scene."""
        for episode in self.episodes:
            for task in episode.tasks:
                yield episode, task

    def get_episode(self, idx: int) -> Episode:
        """Return the scene at a position; raises IndexError outside the list."""
        return self.episodes[idx]

    def get_episode_by_id(self, episode_id: str) -> Episode | None:
        """Return the scene of that name, or None."""
        return next((ep for ep in self.episodes if ep.episode_id == episode_id), None)

    def summary(self) -> dict[str, Any]:
        """Return ``num_episodes``, ``total_tasks`` and ``episode_ids``."""
        return {
            "num_episodes": len(self),
            "total_tasks": self.total_tasks,
            "episode_ids": [episode.episode_id for episode in self.episodes],
        }

    def __len__(self) -> int:
        return len(self.episodes)

    def __iter__(self) -> Iterator[Episode]:
        return iter(self.episodes)

    def __repr__(self) -> str:
        return f"GaussianScene({self.local_data_path!r}, {len(self)} scenes)"

    @classmethod
    def check_point_collision_status(
        cls, pose: Pose, episode: Episode, robot_radius_pixel: int = 2
    ) -> bool:
        """Whether a square around a pose touches an obstacle, or the pose lies outside the map.

        Args:
            pose: A 4x4 pose, or a dict with ``x`` and ``y``; metres, world frame.
            episode: The scene.
            robot_radius_pixel: Half the side of the square in pixels; 0 is the pose's own pixel.

        Raises:
            DataError: the scene has no map, or the pose is neither form.
        """
        point = _xy(pose)[np.newaxis]
        return bool(square_collisions(episode.grid, point, robot_radius_pixel)[0])

    @classmethod
    def check_line_collision_fast(
        cls, pose_start: Pose, pose_end: Pose, episode: Episode, step_size_pixel: float = 2.0
    ) -> bool:
        """Whether samples along the line between two poses hit an obstacle or leave the map.

        The ``published`` sampling: obstacles thinner than the step may be missed;
        :func:`abotn.collision.line_collisions` with ``sampling="exact"`` never does.

        Args:
            pose_start: A 4x4 pose, or a dict with ``x`` and ``y``; metres, world frame.
            pose_end: The other end.
            episode: The scene.
            step_size_pixel: Distance between samples in pixels.

        Raises:
            DataError: the scene has no map, or a pose is neither form.
            ConfigError: the step is not positive.
        """
        _check_step(step_size_pixel, "step_size_pixel")
        ends = _xy(pose_start)[np.newaxis], _xy(pose_end)[np.newaxis]
        return bool(published_hits(episode.grid, *ends, step_size_pixel)[0])

    @classmethod
    def compute_line_collision_length(
        cls, pose_start: Pose, pose_end: Pose, episode: Episode, sample_step_meter: float = 0.05
    ) -> float:
        """Length in metres of the line between two poses that lies inside obstacles.

        The ``published`` sampling; outside the map is an obstacle.

        Args:
            pose_start: A 4x4 pose, or a dict with ``x`` and ``y``; metres, world frame.
            pose_end: The other end.
            episode: The scene.
            sample_step_meter: Distance between samples in metres.

        Raises:
            DataError: the scene has no map, or a pose is neither form.
            ConfigError: the step is not positive.
        """
        _check_step(sample_step_meter, "sample_step_meter")
        start, end = _xy(pose_start), _xy(pose_end)
        if sample_step_meter == METRES_PER_SAMPLE:
            return float(published_lengths(episode.grid, start[None], end[None])[0])
        return _sampled_length(episode.grid, start, end, sample_step_meter)

    @staticmethod
    def convert_actual_to_pixel(
        x_actual: float, y_actual: float, episode: Episode
    ) -> tuple[int, int]:
        """Return the pixel (column, row) of a world point in metres, truncated toward zero."""
        column, row = episode.geometry.published_pixel((x_actual, y_actual))
        return int(column), int(row)

    @staticmethod
    def convert_pixel_to_actual(
        x_pixel: float, y_pixel: float, episode: Episode
    ) -> tuple[float, float]:
        """Return the world point (x, y) in metres of a pixel's top-left corner."""
        x, y = episode.geometry.to_world((x_pixel, y_pixel))
        return float(x), float(y)

    @staticmethod
    def get_gaussian_pose(cur_info: Mapping[str, float]) -> NDArray[np.float64]:
        """Return the 4x4 camera-to-world transform of a pose dict.

        Args:
            cur_info: ``x``, ``y``, ``z`` in metres and ``roll``, ``pitch``, ``yaw`` in radians;
                the Euler angles are taken about the fixed axes x, y, z in that order.

        Raises:
            DataError: a key is missing or not finite.
        """
        try:
            values = [cur_info[key] for key in ("x", "y", "z", "roll", "pitch", "yaw")]
        except KeyError as error:
            raise DataError(f"the pose has no key {error}") from error
        return pose_from_xyz_rpy(*values)


def _xy(pose: Pose) -> NDArray[np.float64]:
    if isinstance(pose, Mapping) and "x" in pose and "y" in pose:
        return np.array([pose["x"], pose["y"]], dtype=np.float64)
    if isinstance(pose, np.ndarray) and pose.shape == (4, 4):
        return np.asarray(pose[:2, 3], dtype=np.float64)
    raise DataError(f"a pose must be a 4x4 array or a dict with x and y, got {str(pose)[:60]!r}")


def _sampled_length(
    grid: OccupancyGrid, start: NDArray[np.float64], end: NDArray[np.float64], step: float
) -> float:
    """The published rule for a step other than its own: every obstacle sample but the last
    stands for one interval."""
    distance = float(np.hypot(*(end - start)))
    count = max(2, int(distance / step))
    pixels = grid.geometry.published_pixel(np.linspace(start, end, count))
    inside = grid.is_obstacle(pixels[:, 0], pixels[:, 1])
    return float(np.count_nonzero(inside[:-1])) * distance / (count - 1)


def _check_step(step: float, name: str) -> None:
    if not step > 0:
        raise ConfigError(f"{name} must be positive, got {step}", where=name)
