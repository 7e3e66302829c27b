"""The image of a ROS map as grey values and opacity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.scenes.map_images import verified_image

# Rec. 709 luma, which ImageMagick, the reader inside map_server, uses to turn colour grey.
_LUMA = (0.212656, 0.715158, 0.072186)


def read_ros_image(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Read a map's image: PGM, PNG, BMP or whatever else is readable.

    Args:
        path: The image file.

    Returns:
        Grey values, uint8 (rows, columns), and which pixels are wholly opaque, bool of the same
        shape. Images of more than 8 bits are scaled to 0..255.

    Raises:
        DataError: not a whole image.
    """
    with verified_image(path) as image:
        if _has_transparency(image):
            rgba = np.array(image.convert("RGBA"))
            return _luma(rgba), rgba[..., 3] == 255
        grey = _opaque_grey(image)
    return grey, np.ones(grey.shape, dtype=np.bool_)


def _opaque_grey(image: Any) -> NDArray[np.uint8]:
    if image.mode in ("L", "1"):
        return np.array(image.convert("L"))
    if image.mode.startswith("I"):
        return np.rint(np.array(image) / 257.0).clip(0, 255).astype(np.uint8)
    return _luma(np.array(image.convert("RGB")))


def _has_transparency(image: Any) -> bool:
    return "A" in image.getbands() or "a" in image.getbands() or "transparency" in image.info


def _luma(colour: NDArray[np.uint8]) -> NDArray[np.uint8]:
    red, green, blue = (colour[..., index].astype(np.float64) for index in range(3))
    grey = np.rint(_LUMA[0] * red + _LUMA[1] * green + _LUMA[2] * blue)
    return np.asarray(grey.astype(np.uint8))
