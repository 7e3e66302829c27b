"""The images of a map: occupancy as a grey PNG, ground height as a TIFF in metres."""

from __future__ import annotations

import io
import logging
import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError, hinted
from abotn.scenes.layout import TAKE_ANEW

FREE_GREY = 128
_PNG_LEVEL = 6

# Metres beyond which nothing stands; floats read as whole numbers nearly always lie there.
_HIGHEST = 1_000_000


@contextmanager
def opened_image(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Open an image with Pillow; whatever fails inside the block is an error of that file.

    Raises:
        DataError: not a whole image.
    """
    from PIL import Image

    try:
        with warnings.catch_warnings():
            # A map of a hundred million cells is large, not an attack.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(Path(path)) as image:
                yield image
    except DataError:
        raise
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise DataError(f"not a readable image: {_reason(error)}", where=path) from error


@contextmanager
def verified_image(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Open an image as :func:`opened_image` does, after a look at the checksums it carries.

    A PNG has one in every part of the file, so a flipped bit is found. Decoding does not look at
    them, and would give another map.

    Raises:
        DataError: not a whole image, or a checksum is wrong.
    """
    with opened_image(path) as image:
        image.verify()
    with opened_image(path) as image:
        yield image


@hinted(TAKE_ANEW)
def read_occupancy(
    path: str | os.PathLike[str], shape: tuple[int, int] | None = None
) -> NDArray[np.uint8]:
    """Read an occupancy map as grey values.

    A colour image is turned grey with the usual luma weights, transparency is ignored, and 16-bit
    grey keeps its upper byte.

    Args:
        path: An image file.
        shape: (rows, columns) that the meta file promises; None accepts any.

    Returns:
        uint8 array (rows, columns), read-only; ``>= 128`` is free.

    Raises:
        DataError: not a whole image, of another size, or with a wrong checksum.
    """
    with verified_image(path) as image:
        _check_shape((image.height, image.width), shape, path)
        grey = _grey(image)
    grey.setflags(write=False)
    return grey


@hinted(TAKE_ANEW)
def read_height(
    path: str | os.PathLike[str], shape: tuple[int, int] | None = None
) -> NDArray[np.float32]:
    """Read a height map: float32 array (rows, columns) in metres, read-only.

    Raises:
        DataError: not a whole TIFF with one plane of numbers, or of another size.
    """
    with _opened_tiff(path) as file:
        # Before anything is decoded: the file may ask for more memory than there is.
        _check_shape(tuple(file.series[0].shape), shape, path)
        _check_segments(file.series[0].pages[0], file.filehandle.size, path)
        loaded = np.asarray(file.asarray())
    if loaded.ndim != 2 or loaded.dtype.kind not in "fiu":
        raise DataError(
            f"expected one plane of real numbers, got shape {loaded.shape} of {loaded.dtype}",
            where=path,
        )
    _check_heights(loaded, path)
    height = np.array(loaded, dtype=np.float32)
    height.setflags(write=False)
    return height


@hinted(TAKE_ANEW)
def check_occupancy_size(path: str | os.PathLike[str], shape: tuple[int, int]) -> None:
    """Compare an occupancy map's size with the meta file's without decoding it.

    Raises:
        DataError: not an image, or of another size.
    """
    with opened_image(path) as image:
        _check_shape((image.height, image.width), shape, path)


@hinted(TAKE_ANEW)
def check_height_size(path: str | os.PathLike[str], shape: tuple[int, int]) -> None:
    """Compare a height map's size with the meta file's without decoding it.

    Raises:
        DataError: not a TIFF, or of another size.
    """
    with _opened_tiff(path) as file:
        found = tuple(file.series[0].shape)
    _check_shape(found, shape, path)


def occupancy_bytes(grey: NDArray[np.uint8]) -> bytes:
    """Encode grey values (rows, columns) as PNG, the same bytes for the same values."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(grey)).save(buffer, "PNG", compress_level=_PNG_LEVEL)
    return buffer.getvalue()


def height_bytes(height: NDArray[Any]) -> bytes:
    """Encode metres (rows, columns) as float32 TIFF, without a time or a maker in it."""
    import tifffile

    buffer = io.BytesIO()
    tifffile.imwrite(
        buffer,
        np.ascontiguousarray(height, dtype=np.float32),
        photometric="minisblack",
        compression="zlib",
        metadata=None,
        software="abotn",
    )
    return buffer.getvalue()


@contextmanager
def _opened_tiff(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Open a TIFF file; whatever fails inside the block is an error of that file."""
    import tifffile

    # Its reader logs what it then raises, or what it found no image for.
    logger = logging.getLogger("tifffile")
    quiet = logger.disabled
    logger.disabled = True
    try:
        with tifffile.TiffFile(Path(path)) as file:
            if not file.series:
                raise DataError("not a readable TIFF image: it holds no image", where=path)
            yield file
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"not a readable TIFF image: {_reason(error)}", where=path) from error
    finally:
        logger.disabled = quiet


def _check_segments(page: Any, file_bytes: int, path: str | os.PathLike[str]) -> None:
    """Refuse a TIFF whose parts are missing, lie outside the file or have another length.

    The decoder would leave zeros where they should be.
    """
    segments = list(zip(page.dataoffsets, page.databytecounts, strict=True))
    whole = len(segments) == math.prod(page.chunked)
    inside = all(at >= 0 and size >= 0 and at + size <= file_bytes for at, size in segments)
    stored = sum(size for _, size in segments)
    plain = page.compression == 1 and not page.is_tiled
    if not whole or not inside or (plain and stored != page.nbytes):
        raise DataError(
            f"not a readable TIFF image: its {len(segments)} parts do not make up the image",
            where=path,
        )


def _check_heights(loaded: NDArray[Any], path: str | os.PathLike[str]) -> None:
    """Refuse whole numbers that can only be floats whose kind the file does not say any more."""
    if loaded.dtype.kind == "f" or loaded.dtype.itemsize < 4:
        return
    # Its least and greatest number may mark holes.
    limits = np.iinfo(loaded.dtype)
    marks = (loaded == limits.min) | (loaded == limits.max)
    far = ~marks & ((loaded > _HIGHEST) | (loaded.astype(np.int64) < -_HIGHEST))
    if far.any():
        raise DataError(
            f"expected heights in metres, got {loaded[far][0]} as {loaded.dtype}", where=path
        )


def _grey(image: Any) -> NDArray[np.uint8]:
    if image.mode == "L":
        return np.array(image)
    if image.mode.startswith("I"):
        return (np.array(image).astype(np.uint32) >> 8).astype(np.uint8)
    import cv2

    # By way of RGBA, because a palette with transparency cannot be turned to RGB directly.
    colour = np.array(image.convert("RGBA").convert("RGB"))
    return np.asarray(cv2.cvtColor(colour, cv2.COLOR_RGB2GRAY))


def _check_shape(
    found: tuple[int, ...], expected: tuple[int, int] | None, path: str | os.PathLike[str]
) -> None:
    if expected is None or found == expected:
        return
    shown = " x ".join(str(size) for size in reversed(found))
    raise DataError(
        f"the image is {shown} pixels, the meta file says {expected[1]} x {expected[0]}",
        where=path,
        hint="correct 'Image size in pixels' or the image",
    )


def _reason(error: Exception) -> str:
    # Messages of the image libraries repeat the path, which the error already names.
    return str(error).split(" '")[0] or type(error).__name__
