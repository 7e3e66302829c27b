"""What walls look like: one vertical strip of picture for each ray that hits one."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from abotn.rendering.raycast import RayHits
from abotn.rendering.scene_map import SceneMap
from abotn.rendering.textures import (
    HAZE,
    WALL_LEVELS,
    WALL_TEXEL_METRES,
    Picture,
    Textures,
    clearness,
)

FloatArray = NDArray[np.float64]

_STEEPEST = 0.2
# So few that what is made of them stays in the processor's cache.
_STRIPS_AT_ONCE = 360


def wall_strips(
    scene: SceneMap,
    hits: RayHits,
    origin: FloatArray,
    directions: FloatArray,
    textures: Textures,
    *,
    focal: float,
) -> Picture:
    """Pictures of the walls that were hit, shaded by sun and distance.

    Args:
        scene: Where the walls stand.
        hits: N hits; the distance is the depth along the optical axis.
        origin: (2,) the camera, map coordinates.
        directions: (N, 2) world metres per metre of depth.
        textures: What to paint from.
        focal: Focal length along the columns, pixels.

    Returns:
        (N + 1, WALL_TEXELS, 4) uint8 RGB and a filler, from the foot of the wall to its top; any
        where nothing was hit. The last strip is empty: interpolation wants one more than it sees.
    """
    depth = np.where(np.isfinite(hits.distance), hits.distance, 0.0)
    normals = scene.wall_normals(hits)
    points = origin + scene.to_map(directions) * depth[:, None]
    along = scene.wall_positions(points, normals) / WALL_TEXEL_METRES
    colours, variants = scene.wall_looks(hits, normals, textures.walls.shape[0])
    level = _levels(depth, normals, directions, focal)
    brightness = _brightness(textures, variants, level, along)
    share = clearness(depth).astype(np.float64)
    return _coloured(brightness, colours * share[:, None], np.outer(1.0 - share, HAZE))


def _levels(
    depth: FloatArray, normals: FloatArray, directions: FloatArray, focal: float
) -> NDArray[np.int64]:
    """The blur at which a texel is about as wide as what one pixel sees of the wall."""
    facing = np.abs((normals * directions).sum(axis=1)) / np.hypot(*directions.T)
    seen = depth / (focal * np.maximum(facing, _STEEPEST))
    level = np.rint(np.log2(np.maximum(seen / WALL_TEXEL_METRES, 1.0)))
    return np.asarray(np.minimum(level, WALL_LEVELS - 1), dtype=np.int64)


def _brightness(
    textures: Textures,
    variants: NDArray[np.int64],
    level: NDArray[np.int64],
    along: FloatArray,
) -> NDArray[np.float32]:
    column = np.floor(along)
    share = (along - column).astype(np.float32)[:, None]
    _, levels, width, texels = textures.walls.shape
    strips = textures.walls.reshape(-1, texels)
    first = (variants * levels + level) * width
    this, following = (first + ((column + step) % width).astype(np.int64) for step in (0.0, 1.0))
    brightness = strips.take(this, axis=0)
    change = strips.take(following, axis=0)
    change -= brightness
    change *= share
    brightness += change
    return np.asarray(brightness, dtype=np.float32)


def _coloured(brightness: NDArray[np.float32], colours: FloatArray, haze: FloatArray) -> Picture:
    count, texels = brightness.shape
    strips = np.empty((count + 1, texels, 4), dtype=np.uint8)
    strips[count] = 0
    scale, shift = colours.astype(np.float32), haze.astype(np.float32)
    for begin in range(0, count, _STRIPS_AT_ONCE):
        some = slice(begin, min(begin + _STRIPS_AT_ONCE, count))
        channels = []
        for channel in range(3):
            shade = brightness[some] * scale[some, channel, None]
            shade += shift[some, channel, None]
            channels.append(cv2.convertScaleAbs(shade))
        cv2.merge([*channels, channels[0]], dst=strips[some])
    return strips
