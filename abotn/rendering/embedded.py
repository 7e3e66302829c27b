"""The embedded renderer: three views of a scene from its occupancy and height maps alone."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator
from functools import lru_cache
from itertools import repeat
from types import TracebackType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import ConfigError, UnknownNameError
from abotn.geometry.map_geometry import MapGeometry
from abotn.rendering.camera import VIEW_ORDER, VIEW_YAWS, CameraConfig, checked_pose, view_pose
from abotn.rendering.level_view import LevelView, level_views
from abotn.rendering.pinhole import PixelRays, pixel_rays
from abotn.rendering.scene_map import SceneMap
from abotn.rendering.scene_source import SceneSource
from abotn.rendering.textures import Textures, make_textures
from abotn.rendering.tilt import Tilt, is_level, tilt_of

_SCENES_KEPT = 8


class EmbeddedRenderer:
    """A 2.5-D ray caster: obstacles are walls of one height, the ground follows the height map.

    A wall stands where a ray enters its first obstacle cell, exactly; outside the map is an
    obstacle. What a place looks like depends on where it is, the scene's id and the seed, and on
    nothing else: the same pose gives the same bytes.

    The pose is the camera's own: its z is the ground height plus ``extrinsic_height``. A camera in
    an obstacle or outside the map does not see what it stands in, and sees the obstacles beyond
    the free ground in front of it. A camera below the ground is drawn just above it. Pitch and
    roll are exact up to about 15 degrees and cost more time; beyond, rendering is refused. Only
    the first obstacle on a ray is drawn, so a camera above the walls does not see the next one.

    Args:
        camera: Intrinsics.
        wall_height: Metres from the ground to the top of every obstacle.
        num_views: 3 for left, right and front; 1 for front only.
        seed: Of colours and textures.
        scene_source: Called with a scene id that was not added; returns what ``add_scene`` takes.

    Raises:
        ConfigError: An argument is out of range.

    Example:
        >>> geometry = MapGeometry.from_corners((0, 5), (5, 5), (0, 0), 50, 50)
        >>> renderer = EmbeddedRenderer()
        >>> renderer.add_scene("room", np.ones((50, 50), dtype=bool), geometry)
        >>> pose = np.eye(4)
        >>> pose[:3, 3] = 2.5, 2.5, 0.55
        >>> {name: image.shape for name, image in renderer.render(pose, "room").items()}
        {'left': (640, 720, 3), 'right': (640, 720, 3), 'front': (640, 720, 3)}
        >>> float(round(renderer.render_depth(pose, "room")["front"][320, 360], 3))
        2.5
    """

    def __init__(
        self,
        camera: CameraConfig | None = None,
        *,
        wall_height: float = 2.5,
        num_views: int = 3,
        seed: int = 0,
        scene_source: SceneSource | None = None,
    ) -> None:
        if not (math.isfinite(wall_height) and wall_height > 0.0):
            raise ConfigError(f"expected metres above 0, got {wall_height!r}", where="wall_height")
        if num_views not in (1, 3):
            raise ConfigError(f"expected 1 or 3, got {num_views!r}", where="num_views")
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ConfigError(f"expected an integer of 0 or more, got {seed!r}", where="seed")
        self.camera = CameraConfig() if camera is None else camera
        self.wall_height = float(wall_height)
        self.views = VIEW_ORDER if num_views == 3 else ("front",)
        self.seed = seed
        self._source = scene_source
        self._added: dict[str, SceneMap] = {}
        self._sourced: OrderedDict[str, SceneMap] = OrderedDict()
        self._rays: PixelRays | None = None

    def add_scene(
        self,
        scene_id: str,
        free: ArrayLike,
        geometry: MapGeometry,
        height: ArrayLike | None = None,
    ) -> None:
        """Make a scene known; the arrays are copied, and an earlier scene of that id replaced.

        Args:
            scene_id: The name to render it by.
            free: (rows, columns) bool, True where a robot may be.
            geometry: Where the cells lie in the world.
            height: (rows, columns) ground height, metres; None for -0.1 everywhere.

        Raises:
            DataError: A shape differs from the geometry's.
        """
        self._added[scene_id] = SceneMap(scene_id, free, geometry, height, seed=self.seed)

    def render(self, pose: ArrayLike, scene_id: str) -> dict[str, NDArray[np.uint8]]:
        """What the cameras see.

        Args:
            pose: (4, 4) camera-to-world transform; x forward, y left, z up; metres.
            scene_id: An added scene, or one that the scene source knows.

        Returns:
            RGB images, (height, width, 3) uint8, C-contiguous, by view name.

        Raises:
            RenderFailureError: The pose is not finite, not rigid, or tilted too far.
            UnknownNameError: No such scene.
        """
        scene, textures = self._scene(scene_id), _textures(self.seed)
        images = {}
        for name, view, tilt in self._looks(pose, scene):
            image = view.image(textures, scene.offset)
            images[name] = image if tilt is None else tilt.picture(image)
        return images

    def render_depth(self, pose: ArrayLike, scene_id: str) -> dict[str, NDArray[np.float32]]:
        """How far what the cameras see is.

        Args:
            pose: As for ``render``.
            scene_id: As for ``render``.

        Returns:
            (height, width) float32 metres along each view's optical axis, by view name; inf where
            only sky is seen.

        Raises:
            RenderFailureError: As for ``render``.
            UnknownNameError: As for ``render``.
        """
        depths = {}
        for name, view, tilt in self._looks(pose, self._scene(scene_id)):
            depth = view.depth()
            depths[name] = depth if tilt is None else tilt.depth(depth)
        return depths

    def close(self) -> None:
        """Forget all scenes."""
        self._added.clear()
        self._sourced.clear()

    def __enter__(self) -> EmbeddedRenderer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _looks(
        self, pose: ArrayLike, scene: SceneMap
    ) -> Iterator[tuple[str, LevelView, Tilt | None]]:
        agent = checked_pose(pose)
        if is_level(agent[:3, :3]):
            heading = math.atan2(agent[1, 0], agent[0, 0])
            yaws = [heading + math.radians(VIEW_YAWS[name]) for name in self.views]
            views = self._level(scene, self._own_rays(), agent, yaws)
            yield from zip(self.views, views, repeat(None), strict=False)
            return
        for name in self.views:
            tilt = tilt_of(view_pose(agent, VIEW_YAWS[name])[:3, :3], self.camera)
            (view,) = self._level(scene, pixel_rays(tilt.camera), agent, [tilt.yaw])
            yield name, view, tilt

    def _level(
        self, scene: SceneMap, rays: PixelRays, agent: NDArray[np.float64], yaws: list[float]
    ) -> list[LevelView]:
        textures = _textures(self.seed)
        return level_views(scene, rays, textures, agent[:3, 3], yaws, wall_height=self.wall_height)

    def _own_rays(self) -> PixelRays:
        if self._rays is None:
            self._rays = pixel_rays(self.camera)
        return self._rays

    def _scene(self, scene_id: str) -> SceneMap:
        if scene_id in self._added:
            return self._added[scene_id]
        if scene_id in self._sourced:
            self._sourced.move_to_end(scene_id)
            return self._sourced[scene_id]
        if self._source is None:
            raise UnknownNameError("scene", scene_id, self._added)
        scene = SceneMap(scene_id, *self._source(scene_id), seed=self.seed)
        self._sourced[scene_id] = scene
        while len(self._sourced) > _SCENES_KEPT:
            self._sourced.popitem(last=False)
        return scene


@lru_cache(maxsize=2)
def _textures(seed: int) -> Textures:
    return make_textures(seed)
