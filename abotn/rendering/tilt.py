"""Cameras that are not level: seen through a larger level one, turned exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from abotn.errors import RenderFailureError
from abotn.rendering.camera import CameraConfig

FloatArray = NDArray[np.float64]

_LEVEL_WITHIN = 1e-7
_LARGEST = 4.0


@dataclass(frozen=True)
class Tilt:
    """How the pixels of a tilted camera lie in the image of a level one at the same place.

    Args:
        camera: The level camera, large enough to see all that the tilted one sees.
        yaw: Direction of the level camera's optical axis, radians, world.
        columns: (height, width) float32 pixel column of the level image for each tilted pixel.
        rows: (height, width) float32 pixel row.
        stretch: (height, width) float32; depth along the tilted axis over depth along the level
            one.
    """

    camera: CameraConfig
    yaw: float
    columns: NDArray[np.float32]
    rows: NDArray[np.float32]
    stretch: NDArray[np.float32]

    def picture(self, level: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The tilted camera's picture from the level one's."""
        border = cv2.BORDER_REPLICATE
        seen = cv2.remap(level, self.columns, self.rows, cv2.INTER_LINEAR, borderMode=border)
        return np.asarray(seen, dtype=np.uint8)

    def depth(self, level: NDArray[np.float32]) -> NDArray[np.float32]:
        """Depth along the tilted axis from depth along the level one."""
        border = cv2.BORDER_REPLICATE
        seen = cv2.remap(level, self.columns, self.rows, cv2.INTER_NEAREST, borderMode=border)
        return np.asarray(seen * self.stretch, dtype=np.float32)


def is_level(rotation: FloatArray) -> bool:
    """Whether a camera's up axis points straight up."""
    return bool(np.hypot(rotation[0, 2], rotation[1, 2]) < _LEVEL_WITHIN and rotation[2, 2] > 0.0)


def tilt_of(rotation: FloatArray, camera: CameraConfig) -> Tilt:
    """How to see through a tilted camera.

    Args:
        rotation: (3, 3) camera to world; x forward, y left, z up.
        camera: The tilted camera.

    Raises:
        RenderFailureError: It is tilted so far that a level camera would not see the same.
    """
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    cosine, sine = math.cos(yaw), math.sin(yaw)
    from_world = np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    rays = _pixel_directions(camera) @ (from_world @ rotation).T
    ahead = rays[..., 0]
    if ahead.min() <= 1.0 / _LARGEST**2:
        raise _too_tilted()
    columns = camera.cx - camera.fx * rays[..., 1] / ahead
    rows = camera.cy - camera.fy * rays[..., 2] / ahead
    left, top = math.ceil(-min(columns.min(), 0.0)), math.ceil(-min(rows.min(), 0.0))
    width = left + max(math.ceil(columns.max()), camera.width)
    height = top + max(math.ceil(rows.max()), camera.height)
    if width > _LARGEST * camera.width or height > _LARGEST * camera.height:
        raise _too_tilted()
    level = replace(camera, width=width, height=height, cx=camera.cx + left, cy=camera.cy + top)
    return Tilt(
        level,
        yaw,
        (columns + (left - 0.5)).astype(np.float32),
        (rows + (top - 0.5)).astype(np.float32),
        (1.0 / ahead).astype(np.float32),
    )


def _pixel_directions(camera: CameraConfig) -> FloatArray:
    """(height, width, 3) forward, left, up of each pixel's centre; forward is 1."""
    left = (camera.cx - (np.arange(camera.width) + 0.5)) / camera.fx
    up = (camera.cy - (np.arange(camera.height) + 0.5)) / camera.fy
    ones = np.ones((camera.height, camera.width))
    return np.stack([ones, ones * left, ones * up[:, None]], axis=-1)


def _too_tilted() -> RenderFailureError:
    return RenderFailureError(
        "expected a camera that is level or slightly tilted, got one whose view reaches too far "
        "above, below or beside what a level camera sees",
        where="pose",
        hint="keep pitch and roll within about 15 degrees",
    )
