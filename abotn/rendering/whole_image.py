"""Pictures that arrived whole, or an error: never half a frame."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from abotn.errors import RenderFailureError

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("JPEG", "PNG", "WEBP")

_EIGHT_BIT_MODES = ("RGB", "RGBA", "L", "LA", "P", "CMYK")
_JPEG_START, _JPEG_END = b"\xff\xd8", b"\xff\xd9"
_PNG_START, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
_RIFF_HEADER = 8


def whole_rgb(content: bytes, width: int, height: int) -> Image:
    """Decode a rendered view.

    Args:
        content: An encoded image, 8 bits a channel.
        width: Expected width, pixels.
        height: Expected height, pixels.

    Returns:
        An RGB image in memory, of exactly that size.

    Raises:
        RenderFailureError: As for :func:`whole_image`, or more than 8 bits a channel.
    """
    image = whole_image(content, width, height)
    if image.mode not in _EIGHT_BIT_MODES:
        raise RenderFailureError(f"expected an image of 8 bits a channel, got mode {image.mode}")
    return image if image.mode == "RGB" else image.convert("RGB")


def whole_image(content: bytes, width: int, height: int) -> Image:
    """Decode an image of any mode.

    Whether the bytes reach the end that their format promises is checked here, because decoders
    fill up what is missing when the process told them to.

    Args:
        content: An encoded image in one of ``FORMATS``.
        width: Expected width, pixels.
        height: Expected height, pixels.

    Returns:
        The image in memory, of exactly that size.

    Raises:
        RenderFailureError: No bytes, not an image, cut short, damaged, or of another size.
    """
    if not content:
        raise RenderFailureError("expected an image, got no bytes")
    if not _reaches_its_end(content):
        raise RenderFailureError(f"the image is cut short after {len(content)} bytes")
    try:
        return _decoded(content, width, height)
    except RenderFailureError:
        raise
    except Exception as error:
        # Decoders meet damaged bytes with almost any exception.
        raise RenderFailureError(f"not a whole image: {_reason(error)}") from error


def _reaches_its_end(content: bytes) -> bool:
    if content.startswith(_JPEG_START):
        return content.rstrip(b"\0").endswith(_JPEG_END)
    if content.startswith(_PNG_START):
        return content.endswith(_PNG_END)
    if content.startswith(b"RIFF"):
        promised = int.from_bytes(content[4:_RIFF_HEADER], "little") + _RIFF_HEADER
        return len(content) >= promised
    return True


def _decoded(content: bytes, width: int, height: int) -> Image:
    from PIL import Image as ImageModule

    image: Image = ImageModule.open(io.BytesIO(content), formats=FORMATS)
    if image.size != (width, height):
        found = " x ".join(map(str, image.size))
        raise RenderFailureError(f"expected {width} x {height} pixels, got {found}")
    if image.format == "PNG":
        # Loading skips the checksums of the pixels, and what was verified can no longer be loaded.
        image.verify()
        image = ImageModule.open(io.BytesIO(content), formats=FORMATS)
    image.load()
    return image


def _reason(error: Exception) -> str:
    from PIL import UnidentifiedImageError

    if isinstance(error, UnidentifiedImageError):
        return f"the bytes are none of {', '.join(FORMATS)}"
    return str(error) or type(error).__name__
