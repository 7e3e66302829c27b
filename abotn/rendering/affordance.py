"""Pixels that an agent points at in its views: reading them, and drawing them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import AbotnError, DataError, UnknownNameError

Image = NDArray[np.uint8]
FloatArray = NDArray[np.float64]

FORMAT_KEY = "pixel_format"
FORMATS = ("normalised", "pixels", "thousandths")
_FORMAT_WORDS = {
    "normalised": "normalised", "normalized": "normalised", "relative": "normalised",
    "0-1": "normalised", "unit": "normalised",
    "pixels": "pixels", "pixel": "pixels", "absolute": "pixels", "px": "pixels",
    "thousandths": "thousandths", "thousand": "thousandths", "0-1000": "thousandths",
    "1000": "thousandths", "qwen": "thousandths", "qwen-style": "thousandths",
}  # fmt: skip
_VIEW_WORDS = {
    "front": ("front", "f", "forward", "centre", "center", "middle"),
    "left": ("left", "l"),
    "right": ("right", "r"),
}
_VIEWS = {word: view for view, words in _VIEW_WORDS.items() for word in words}
_NOISE = re.compile(r"^(cam|camera|view|image|img|rgb)|(cam|camera|view|image|img|rgb)$")
_MARK, _RIM = (255, 64, 0), (255, 255, 255)


def view_name(name: object) -> str:
    """Return the view that a name means, whatever its case: ``"Front"``, ``"LEFT"``, ``"cam_r"``.

    Raises:
        UnknownNameError: it means none.

    Example:
        >>> view_name("Left View"), view_name("CAM_FRONT")
        ('left', 'front')
    """
    plain = re.sub(r"[^a-z]", "", str(name).lower())
    found = _VIEWS.get(plain) or _VIEWS.get(_NOISE.sub("", plain))
    if found is None:
        raise UnknownNameError("view", name, _VIEW_WORDS)
    return found


def pixel_format(name: object) -> str:
    """Return the pixel format that a name means: one of :data:`FORMATS`.

    Raises:
        UnknownNameError: it means none.

    Example:
        >>> pixel_format("Normalized"), pixel_format("qwen")
        ('normalised', 'thousandths')
    """
    found = _FORMAT_WORDS.get(str(name).strip().lower().replace("_", "-"))
    if found is None:
        raise UnknownNameError("pixel format", name, FORMATS)
    return found


def guess_format(points: Mapping[str, FloatArray], sizes: Mapping[str, tuple[int, int]]) -> str:
    """Return the format that coordinates are most likely in, all views taken together.

    At most 1: a share of the image. Else whole numbers within the image: pixels. Else: 0..1000.

    Args:
        points: (N, 2) coordinates ``(x, y)`` by view.
        sizes: (width, height) of each view.

    Example:
        >>> sizes = {"front": (720, 640)}
        >>> places = ([0.5, 1.0], [360, 320], [900, 500])
        >>> [guess_format({"front": np.array([place])}, sizes) for place in places]
        ['normalised', 'pixels', 'thousandths']
    """
    if all((places <= 1.0).all() for places in points.values()):
        return "normalised"
    fits = all(_are_pixels(places, *sizes[view]) for view, places in points.items())
    return "pixels" if fits else "thousandths"


def to_pixels(points: FloatArray, style: str, width: int, height: int) -> NDArray[np.int64]:
    """Return coordinates (N, 2) as pixels ``(column, row)``; the far edge is the last pixel.

    Raises:
        DataError: a coordinate lies outside the image.
    """
    most = {"normalised": (1.0, 1.0), "thousandths": (1000.0, 1000.0)}.get(
        style, (width - 1.0, height - 1.0)
    )
    if (points < 0).any() or (points > most).any():
        worst = points[((points < 0) | (points > most)).any(axis=1)][0]
        raise DataError(
            f"expected {style} from 0 to {most[0]:g} and {most[1]:g}, got {worst.tolist()}"
        )
    if style == "pixels":
        return np.rint(points).astype(np.int64)
    return np.rint(points / most * (width - 1, height - 1)).astype(np.int64)


def read_affordances(
    entry: Any, sizes: Mapping[str, tuple[int, int]], *, pixel_format: object = None
) -> tuple[dict[str, NDArray[np.int64]], list[str]]:
    """Return the pixels an agent points at, by view, and what could not be read.

    The entry is ``{view: [x, y]}`` or ``{view: [[x, y], ...]}``, its views in any case and under
    their usual other names. Its format is the one it names under ``pixel_format``, else the one
    given, else guessed from all its points together: a single agent writes in a single format.

    Args:
        entry: What the agent gave.
        sizes: (width, height) of each view.
        pixel_format: Format for an entry that names none; None guesses.
    """
    if not isinstance(entry, Mapping):
        return {}, [f"expected points by view, got a {type(entry).__name__}"]
    found, problems = _points_by_view(entry, sizes)
    try:
        named = _named_format(entry.get(FORMAT_KEY), pixel_format)
    except UnknownNameError as error:
        return {}, [*problems, str(error)]
    style = named or guess_format(found, sizes)
    pixels: dict[str, NDArray[np.int64]] = {}
    for view, points in found.items():
        try:
            pixels[view] = to_pixels(points, style, *sizes[view])
        except DataError as error:
            problems.append(f"{view}: {error}")
    return pixels, problems


def draw_affordances(
    images: Mapping[str, Image], entry: Any, *, pixel_format: object = None
) -> tuple[dict[str, Image], list[str]]:
    """Return new images of the views pointed at, with the points marked, and the problems met.

    Args:
        images: uint8 RGB (height, width, 3) by view.
        entry: What the agent gave; see :func:`read_affordances`.
        pixel_format: Format for an entry that names none.
    """
    sizes = {view: (image.shape[1], image.shape[0]) for view, image in images.items()}
    pixels, problems = read_affordances(entry, sizes, pixel_format=pixel_format)
    marked = {view: mark_pixels(images[view], at) for view, at in pixels.items() if len(at)}
    return marked, problems


def mark_pixels(image: Image, pixels: NDArray[np.int64]) -> Image:
    """Return a copy of an RGB image with a ring and a dot at each pixel (N, 2)."""
    import cv2

    marked: Image = np.array(image, order="C")
    radius = max(4, round(min(image.shape[:2]) / 50))
    for column, row in pixels.tolist():
        for colour, thickness in ((_RIM, max(3, radius // 2)), (_MARK, max(1, radius // 4))):
            cv2.circle(marked, (column, row), radius, colour, thickness, cv2.LINE_AA)
        cv2.circle(marked, (column, row), max(1, radius // 4), _MARK, -1)
    return marked


def _points_by_view(
    entry: Mapping[Any, Any], sizes: Mapping[str, tuple[int, int]]
) -> tuple[dict[str, FloatArray], list[str]]:
    found: dict[str, FloatArray] = {}
    problems: list[str] = []
    for name, value in entry.items():
        if name == FORMAT_KEY:
            continue
        try:
            view = view_name(name)
            if view not in sizes:
                raise DataError(f"there is no {view} image")
            points = _points(value)
        except AbotnError as error:
            problems.append(f"{name}: {error}")
            continue
        found[view] = np.concatenate([found[view], points]) if view in found else points
    return found, problems


def _points(value: Any) -> FloatArray:
    try:
        given = np.asarray(value)
    except (TypeError, ValueError):
        given = np.empty((0, 0))
    if given.shape == (0,):
        return np.empty((0, 2))
    points = given[np.newaxis] if given.shape == (2,) else given
    numbers = points.dtype.kind in "iuf" and points.ndim == 2 and points.shape[1] == 2
    if not numbers or not np.isfinite(points).all():
        shown = repr(value)
        shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
        raise DataError(f"expected [x, y] or [[x, y], ...] with finite numbers, got {shown}")
    return points.astype(np.float64)


def _named_format(own: object, given: object) -> str | None:
    for name in (own, given):
        if name is not None:
            return pixel_format(name)
    return None


def _are_pixels(points: FloatArray, width: int, height: int) -> bool:
    whole = bool((points == np.rint(points)).all())
    return whole and bool((points < (width, height)).all())
