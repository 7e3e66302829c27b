"""What a render server answers, encoded there and decoded here, whole or refused."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError, RenderFailureError
from abotn.json_files import dump_json, parse_json
from abotn.rendering.request import RenderRequest
from abotn.rendering.whole_image import whole_image, whole_rgb

if TYPE_CHECKING:
    from PIL.Image import Image

JSON_TYPE = "application/json"
IMAGE_TYPE = "image/jpeg"

_UNSAID_TYPES = ("", "application/octet-stream", "binary/octet-stream")
_QUALITY = 95
_MILLIMETRES = 1000.0
_FARTHEST = 65535


@dataclass(frozen=True)
class RenderAnswer:
    """One view, whole.

    Attributes:
        image: RGB, of the camera's size.
        encoded: The image as it was sent.
        depth_img: Picture of the depth as the server draws it, when it was asked for.
        depth: (height, width) float32 metres along the optical axis, when it was asked for.
    """

    image: Image
    encoded: bytes
    depth_img: Image | None = None
    depth: NDArray[np.float32] | None = None


def write_answer(
    request: RenderRequest, image: NDArray[np.uint8], depth: NDArray[np.float32] | None
) -> tuple[str, bytes]:
    """Encode an answer.

    The depth picture is a 16-bit grey PNG in millimetres, 0 where there is no depth and 65535
    from 65.535 m on.

    Args:
        request: What was asked for.
        image: RGB (height, width, 3).
        depth: (height, width) metres, inf where only sky is seen; needed when depth is wanted.

    Returns:
        Content type and body.
    """
    picture = _jpeg(image)
    if not request.wants_depth:
        return IMAGE_TYPE, picture
    if depth is None:
        raise ValueError("expected the depth that the request asks for, got None")
    document = {"image": _base64(picture)}
    if request.depth_img:
        document["depth_img"] = _base64(_depth_png(depth))
    if request.depth_npz:
        document["depth_npz"] = _base64(_npz(depth))
    return JSON_TYPE, dump_json(document)


def read_answer(request: RenderRequest, content_type: str, content: bytes) -> RenderAnswer:
    """Decode an answer and check that it is all of what was asked for.

    Args:
        request: What was asked for.
        content_type: Header of that name, empty where there was none.
        content: Body.

    Raises:
        RenderFailureError: Another content type, no bytes, not an image, cut short, or of another
            size.
    """
    camera = request.camera()
    kind = content_type.partition(";")[0].strip().lower()
    if not request.wants_depth:
        _check_image_type(kind, content)
        return RenderAnswer(whole_rgb(content, camera.width, camera.height), content)
    document = _document(kind, content)
    picture = _bytes_of(document, "image")
    depth_img = depth = None
    if request.depth_img:
        drawn = _bytes_of(document, "depth_img")
        depth_img = whole_image(drawn, camera.width, camera.height)
    if request.depth_npz:
        depth = _depth_of(_bytes_of(document, "depth_npz"), (camera.height, camera.width))
    image = whole_rgb(picture, camera.width, camera.height)
    return RenderAnswer(image, picture, depth_img, depth)


def excerpt(content: bytes) -> str:
    """One line that says what a body holds that should have been something else."""
    try:
        text = str(parse_json(content, "answer")["error"])
    except (DataError, KeyError):
        text = content[:400].decode("utf-8", "replace")
    return " ".join(text.split())[:200] or "no bytes"


def _check_image_type(kind: str, content: bytes) -> None:
    # Some servers do not say what they send; then the bytes alone must show that it is an image.
    if not kind.startswith("image/") and kind not in _UNSAID_TYPES:
        raise RenderFailureError(
            f"expected an image, got content type {kind!r}: {excerpt(content)}"
        )


def _document(kind: str, content: bytes) -> dict[str, Any]:
    if kind != JSON_TYPE:
        raise RenderFailureError(f"expected JSON, got content type {kind!r}: {excerpt(content)}")
    try:
        return parse_json(content, "answer")
    except DataError as error:
        raise RenderFailureError(error.message) from error


def _bytes_of(document: Mapping[str, Any], key: str) -> bytes:
    value = document.get(key)
    if not isinstance(value, str):
        raise RenderFailureError(f"expected base64 text in {key!r}, got {type(value).__name__}")
    try:
        return base64.b64decode(value, validate=True)
    except ValueError as error:
        raise RenderFailureError(f"expected base64 text in {key!r}: {error}") from error


def _depth_of(content: bytes, shape: tuple[int, int]) -> NDArray[np.float32]:
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            found = np.asarray(arrays["depth"])
            plane = found if found.ndim == 2 else found.squeeze()
    except Exception as error:
        # Cut archives, missing arrays and text in the place of one fail in as many ways.
        raise RenderFailureError(f"depth_npz holds no array 'depth': {error}") from error
    if plane.shape != shape or plane.dtype.kind not in "fiu":
        raise RenderFailureError(
            f"expected depth of shape {shape}, got {found.shape} of {found.dtype}"
        )
    return np.ascontiguousarray(plane, dtype=np.float32)


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _jpeg(image: NDArray[np.uint8]) -> bytes:
    import cv2

    options = [
        cv2.IMWRITE_JPEG_QUALITY, _QUALITY,
        cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444,
    ]  # fmt: skip
    return _encoded(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), options)


def _depth_png(depth: NDArray[np.float32]) -> bytes:
    import cv2

    millimetres = np.where(np.isfinite(depth), depth * np.float32(_MILLIMETRES), 0.0)
    grey = np.clip(np.rint(millimetres), 0, _FARTHEST).astype(np.uint16)
    return _encoded(".png", grey, [cv2.IMWRITE_PNG_COMPRESSION, 1])


def _encoded(suffix: str, picture: Any, options: list[int]) -> bytes:
    import cv2

    done, content = cv2.imencode(suffix, picture, options)
    if not done:
        raise RenderFailureError(f"the view cannot be encoded as {suffix}")
    return bytes(content.tobytes())


def _npz(depth: NDArray[np.float32]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, depth=depth)
    return buffer.getvalue()
