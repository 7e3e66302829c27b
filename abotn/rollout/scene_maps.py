"""What a protocol makes of one scene's map: grids, clearances and ground, computed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abotn.collision import (
    SAMPLINGS,
    OccupancyGrid,
    dilate_free,
    disc_collisions,
    line_collisions,
    obstacle_mask,
)
from abotn.errors import DataError
from abotn.rollout.protocol import Protocol

if TYPE_CHECKING:
    from abotn.rendering.scene_source import SceneParts
    from abotn.scenes.episode import Episode

FloatArray = NDArray[np.float64]

_SQUARE_COSINE = 1e-3


@dataclass(frozen=True)
class StepCollisions:
    """Collisions of T steps under one sampling.

    Attributes:
        hit: (T,) whether the step's line hit an obstacle.
        length: (T,) metres inside obstacles by the sampling's own rule for lengths. Under
            `published` the two rules look at different samples, so a step that did not hit
            may have a length, and one that hit may have none.
    """

    hit: NDArray[np.bool_]
    length: FloatArray


class SceneMaps:
    """One scene under one protocol; the scene's own map stays as it is.

    Args:
        episode: The scene.
        protocol: The protocol.
    """

    def __init__(self, episode: Episode, protocol: Protocol) -> None:
        self.episode = episode
        self._protocol = protocol

    @property
    def has_map(self) -> bool:
        """Whether there is a map to collide with."""
        return self.episode.has_grid()

    @cached_property
    def grid(self) -> OccupancyGrid:
        """The map whose free space is widened by the protocol's distance."""
        return dilate_free(self.episode.grid, self._protocol.occ_dilation_meters)

    def step_collisions(self, positions: FloatArray) -> dict[str, StepCollisions]:
        """Return the collisions of a path under every sampling.

        Args:
            positions: (T + 1, 2) world metres.
        """
        return {name: self._collisions(positions, name) for name in SAMPLINGS}

    def pose_collides(self, xy: FloatArray) -> bool:
        """Whether the robot's disc at (2,) world metres holds an obstacle; outside is free."""
        hit = disc_collisions(
            self._pose_obstacles,
            self.episode.geometry,
            xy[np.newaxis],
            self._protocol.robot_radius,
            outside_free=True,
        )
        return bool(hit[0])

    def least_clearance(self, positions: FloatArray) -> float | None:
        """Return the least distance from positions (N, 2) to an obstacle of the scene's own map.

        None where the map's axes are not perpendicular, so that distances on it are undefined.
        """
        from abotn.collision import clearance

        geometry = self.episode.geometry
        if not _perpendicular(geometry.column_step, geometry.row_step):
            return None
        return float(clearance(self.episode.grid, positions).min())

    def geodesic(self, start_xy: FloatArray, goal_xy: FloatArray) -> FloatArray | None:
        """Return the shortest path (K, 2) on the protocol's map, None where there is none."""
        from abotn.collision import shortest_path

        path = shortest_path(self.grid, start_xy, goal_xy)
        return None if path is None else np.asarray(path.points, dtype=np.float64)

    def ground(self, xy: FloatArray) -> float:
        """Return the ground height under a position (2,), metres."""
        return float(self.episode.ground_height(xy))

    def _collisions(self, positions: FloatArray, sampling: str) -> StepCollisions:
        if len(positions) < 2:
            return StepCollisions(np.zeros(0, dtype=bool), np.zeros(0))
        return StepCollisions(*line_collisions(self.grid, positions[:-1], positions[1:], sampling))

    @cached_property
    def _pose_obstacles(self) -> NDArray[np.bool_]:
        protocol, grey = self._protocol, self.episode.occ_map
        if grey is None:
            raise DataError("the scene has no map", where=self.episode.scene_path or None)
        mask = obstacle_mask(grey, protocol.occ_obstacle_polarity, protocol.occ_dark_threshold)
        free = OccupancyGrid(~mask, self.episode.geometry)
        return ~dilate_free(free, protocol.occ_dilation_meters).free


def scene_source(find: Callable[[str], Episode]) -> Callable[[str], SceneParts]:
    """Return the function through which a renderer gets a scene's own map by id.

    Args:
        find: From a scene id to the scene.
    """

    def parts(scene_id: str) -> SceneParts:
        episode = find(scene_id)
        return episode.grid.free, episode.geometry, episode.height_map

    return parts


def _perpendicular(column_step: tuple[float, float], row_step: tuple[float, float]) -> bool:
    first, second = np.array(column_step), np.array(row_step)
    cosine = first @ second / (np.hypot(*first) * np.hypot(*second))
    return bool(abs(cosine) < _SQUARE_COSINE)
