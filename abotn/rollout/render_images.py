"""Keeping the views of an attempt: ``render_images/{step}_{view}.jpg``."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError, RenderFailureError, name_of, text_of
from abotn.json_files import write_bytes

IMAGES_NAME = "render_images"

_QUALITY = 95
_FIT_VIEW = re.compile(r"[A-Za-z0-9_-]{1,40}")


def checked_views(images: Any) -> dict[str, NDArray[np.uint8]]:
    """Return what a renderer gave when it is views: uint8 (height, width, 3) by name.

    Raises:
        RenderFailureError: it is something else.
    """
    if not isinstance(images, Mapping):
        raise RenderFailureError(
            f"the renderer returned a {name_of(images)}, expected images by view"
        )
    for view, image in images.items():
        if not (_is_image(image) and isinstance(view, str) and _FIT_VIEW.fullmatch(view)):
            raise RenderFailureError(
                f"view {text_of(view, 40)!r} of the renderer is no uint8 image (height, width, 3)"
            )
    return dict(images)


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
        write_bytes(folder / f"{step}_{view}.jpg", encoded.tobytes(), through=False)


def remove_images(folder: Path) -> None:
    """Remove what an earlier attempt left."""
    shutil.rmtree(folder, ignore_errors=True)


def _is_image(image: Any) -> bool:
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8 or image.ndim != 3:
        return False
    return image.shape[2] == 3 and image.size > 0
