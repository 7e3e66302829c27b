"""Keeping the views of an attempt: ``render_images/{step}_{view}.jpg``."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError
from abotn.json_files import write_bytes

IMAGES_NAME = "render_images"

_QUALITY = 95


def save_images(folder: Path, step: int, images: Mapping[str, NDArray[np.uint8]]) -> None:
    """Write the views of one step.

    Args:
        folder: Where to; made when it does not exist.
        step: Number of steps taken before.
        images: RGB (height, width, 3) by view.

    Raises:
        DataError: an image cannot be encoded, or the file system refused.
    """
    import cv2

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot write: {error.strerror or error}", where=folder) from error
    for view, image in images.items():
        bgr = np.ascontiguousarray(image[..., ::-1])
        done, encoded = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
        if not done:
            raise DataError("the view cannot be encoded as JPEG", where=f"{step}_{view}")
        write_bytes(folder / f"{step}_{view}.jpg", encoded.tobytes())


def remove_images(folder: Path) -> None:
    """Remove what an earlier attempt left."""
    shutil.rmtree(folder, ignore_errors=True)
