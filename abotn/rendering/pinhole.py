"""The rays of a level pinhole camera, computed once per camera."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abotn.rendering.camera import CameraConfig
from abotn.rendering.textures import SKY_COLUMNS, SKY_ROWS


@dataclass(frozen=True)
class PixelRays:
    """Where the pixels of a level camera look.

    Args:
        camera: The camera.
        slopes: (width,) metres to the left per metre of depth, at the pixel centres.
        rows: (height,) pixel centres, pixels from the top edge.
        columns: (height, width) float32, the index of each pixel's column.
        sky: (height / 2, width / 2, 2) int16 column and row in the sky panorama of every block of
            2 by 2 pixels, for a camera that looks at column ``sky_margin``.
        sky_margin: Columns of the panorama left of the middle of the view.
        sky_width: Columns of the panorama that the view spans.
    """

    camera: CameraConfig
    slopes: NDArray[np.float64]
    rows: NDArray[np.float64]
    columns: NDArray[np.float32]
    sky: NDArray[np.int16]
    sky_margin: int
    sky_width: int


def pixel_rays(camera: CameraConfig) -> PixelRays:
    """The pixel rays of a camera."""
    slopes = (camera.cx - (np.arange(camera.width, dtype=np.float64) + 0.5)) / camera.fx
    rows = np.arange(camera.height, dtype=np.float64) + 0.5
    columns = np.tile(np.arange(camera.width, dtype=np.float32), (camera.height, 1))
    sky, margin = _sky(camera)
    return PixelRays(camera, slopes, rows, columns, sky, margin, int(sky[..., 0].max()) + 1)


def _sky(camera: CameraConfig) -> tuple[NDArray[np.int16], int]:
    slopes = (camera.cx - (np.arange(0, camera.width, 2) + 1.0)) / camera.fx
    rise = (camera.cy - (np.arange(0, camera.height, 2) + 1.0)) / camera.fy
    clockwise = -np.arctan(slopes) * (SKY_COLUMNS / (2.0 * np.pi))
    margin = math.ceil(-clockwise[0])
    elevation = np.arctan2(rise[:, None], np.hypot(1.0, slopes))
    down = 1.0 - np.maximum(elevation, 0.0) / (np.pi / 2.0)
    sky = np.empty((rise.size, slopes.size, 2), dtype=np.int16)
    sky[..., 0] = np.rint(clockwise + margin)
    sky[..., 1] = np.rint(down * (SKY_ROWS - 1))
    return sky, margin
