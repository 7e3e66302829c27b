"""What level cameras at one place see of a scene: geometry first, pixels on request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from abotn.rendering.camera import CameraConfig
from abotn.rendering.ground import GroundProfile, group_centres, profile
from abotn.rendering.painting import ViewWalls, faded_rows, paint_ground, paint_sky, paint_walls
from abotn.rendering.pinhole import PixelRays
from abotn.rendering.scene_map import SceneMap
from abotn.rendering.textures import HAZE, Picture, Textures
from abotn.rendering.wall_strips import wall_strips

FloatArray = NDArray[np.float64]

# A camera nearer to a wall, or to the ground under it, is drawn as if at this distance.
NEAREST_METRES = 0.02
LOWEST_METRES = 0.05

_HAZE = np.append(HAZE, 0.0).astype(np.uint8)


@dataclass(frozen=True)
class LevelView:
    """One view of a level camera.

    Args:
        rays: The camera's pixel rays.
        yaw: Direction of the optical axis, radians, world.
        start: (2,) world position of the camera, metres.
        directions: (width, 2) world metres per metre of depth.
        walls: The walls it sees.
        strips: (width + 1, WALL_TEXELS, 4) uint8, the walls' pictures by column.
        height: Of the camera above the ground it stands on, metres.
        terrain: The ground it sees, None where that is one level.
    """

    rays: PixelRays
    yaw: float
    start: FloatArray
    directions: FloatArray
    walls: ViewWalls
    strips: Picture
    height: float
    terrain: GroundProfile | None

    def image(self, textures: Textures, offset: FloatArray) -> Picture:
        """(height, width, 3) uint8 RGB."""
        camera = self.rays.camera
        horizon = int(np.clip(np.ceil(camera.cy), 0, camera.height))
        picture = np.empty((camera.height, camera.width, 4), dtype=np.uint8)
        sky_end = min(horizon, self.walls.open_above(camera.height))
        first = self._first_ground_row()
        seen = self._inverse_depth(first)
        faded = faded_rows(seen)
        picture[sky_end : first + faded] = np.full((camera.width, 4), _HAZE, dtype=np.uint8)
        paint_sky(picture, self.rays, textures, self.yaw, sky_end)
        if first < camera.height:
            start = self.start + offset
            paint_ground(picture[first:], seen, faded, textures, start, self.directions)
        paint_walls(picture, self.walls, self.rays, self.strips)
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGBA2RGB), dtype=np.uint8)

    def depth(self) -> NDArray[np.float32]:
        """(height, width) float32 metres along the optical axis; inf where only sky is seen."""
        camera = self.rays.camera
        metres = np.full((camera.height, camera.width), np.inf, dtype=np.float32)
        first = self._first_ground_row(behind_walls=True)
        with np.errstate(divide="ignore"):
            metres[first:] = np.float32(1.0) / self._inverse_depth(first)
        heights = self.walls.heights(self.rays.rows, slice(None))
        on_wall = (heights >= 0.0) & (heights <= 1.0)
        return np.where(on_wall, self.walls.depth.astype(np.float32), metres)

    def _first_ground_row(self, *, behind_walls: bool = False) -> int:
        camera = self.rays.camera
        if self.terrain is None:
            horizon = np.floor(camera.cy + 0.5)
        else:
            horizon = np.floor(self.terrain.top_row.min())
        first = int(np.clip(horizon, 0, camera.height))
        return first if behind_walls else max(first, self.walls.open_below(camera.height))

    def _inverse_depth(self, first: int) -> NDArray[np.float32]:
        camera, rows = self.rays.camera, self.rays.rows[first:]
        if self.terrain is None or not rows.size:
            inverse = (rows - camera.cy) / (camera.fy * self.height)
            return inverse.astype(np.float32)[:, None]
        seen = self.terrain.inverse_depth(rows)
        wide = cv2.resize(seen, (camera.width, rows.size), interpolation=cv2.INTER_LINEAR)
        return np.asarray(wide, dtype=np.float32).reshape(rows.size, camera.width)


def level_views(
    scene: SceneMap,
    rays: PixelRays,
    textures: Textures,
    position: FloatArray,
    yaws: Sequence[float],
    *,
    wall_height: float,
) -> list[LevelView]:
    """The views of level cameras that stand at one point.

    Args:
        scene: Where they stand.
        rays: Of the camera.
        textures: What the walls are painted from.
        position: (3,) world metres.
        yaws: V directions of the optical axes, radians.
        wall_height: Metres.
    """
    camera = rays.camera
    directions = _directions(np.asarray(yaws, dtype=np.float64), rays.slopes)
    flat = directions.reshape(-1, 2)
    origin = scene.geometry.to_map(position[:2])
    standing = float(scene.ground.at(*np.floor(origin).astype(np.int64)))
    eye_z = max(float(position[2]), standing + LOWEST_METRES)
    hits = scene.grid.cast(origin, scene.to_map(flat))
    pictures = wall_strips(scene, hits, origin, flat, textures, focal=camera.fx)
    views = []
    for view, yaw in enumerate(yaws):
        columns = slice(view * camera.width, (view + 1) * camera.width)
        terrain = _terrain(scene, rays, origin, yaw, eye_z)
        foot = _feet(scene, origin, directions[view], hits.distance[columns])
        walls = _walls(hits.distance[columns], foot, camera, eye_z, wall_height, terrain)
        strips = pictures[columns.start : columns.stop + 1]
        views.append(
            LevelView(
                rays, yaw, position[:2], directions[view], walls, strips, eye_z - standing, terrain
            )
        )
    return views


def _directions(yaws: FloatArray, slopes: FloatArray) -> FloatArray:
    """(V, W, 2) world metres per metre of depth."""
    forward = np.stack([np.cos(yaws), np.sin(yaws)], axis=-1)[:, None]
    left = np.stack([-np.sin(yaws), np.cos(yaws)], axis=-1)[:, None]
    return np.asarray(forward + slopes[:, None] * left)


def _terrain(
    scene: SceneMap, rays: PixelRays, origin: FloatArray, yaw: float, eye_z: float
) -> GroundProfile | None:
    if scene.ground.flat:
        return None
    camera = rays.camera
    slopes = (camera.cx - group_centres(camera.width)) / camera.fx
    directions = scene.to_map(_directions(np.array([yaw]), slopes)[0])
    return profile(
        scene.ground, origin, directions, camera_z=eye_z, focal=camera.fy, centre=camera.cy
    )


def _feet(
    scene: SceneMap, origin: FloatArray, directions: FloatArray, depth: FloatArray
) -> FloatArray:
    """(W,) height of the ground at the walls, metres."""
    reach = np.where(np.isfinite(depth), depth, 0.0)
    points = (origin + scene.to_map(directions) * reach[:, None])[None]
    return np.asarray(scene.ground.between(points)[0])


def _walls(
    distance: FloatArray,
    foot: FloatArray,
    camera: CameraConfig,
    eye_z: float,
    wall_height: float,
    terrain: GroundProfile | None,
) -> ViewWalls:
    depth = np.maximum(distance, NEAREST_METRES)
    top = camera.cy + camera.fy * (eye_z - foot - wall_height) / depth
    bottom = camera.cy + camera.fy * (eye_z - foot) / depth
    if terrain is None:
        return ViewWalls.between(depth, top, bottom, np.full(camera.width, np.inf))
    groups = np.arange(camera.width) * terrain.top_row.shape[0] // camera.width
    return ViewWalls.between(depth, top, bottom, terrain.hides_below(groups, depth))
