"""The ``occ_map_meta.txt`` files: the corners of a map in the world, and its size in pixels."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from abotn.errors import DataError, hinted
from abotn.geometry.map_geometry import FARTHEST, MOST_PIXELS, MapGeometry
from abotn.scenes.layout import TAKE_ANEW

_CORNERS = {
    "top left": "TOP_LEFT",
    "top right": "TOP_RIGHT",
    "bottom left": "BOTTOM_LEFT",
    "bottom right": "BOTTOM_RIGHT",
}
_SPANNING = ("TOP_LEFT", "TOP_RIGHT", "BOTTOM_LEFT")
_SIZE = "image size in pixels"
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PAIR = re.compile(rf"[\[(]?\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[\])]?")
_DIGITS = 20
_INTEGERS = re.compile(r"[\[(]?\s*(\d+)\s*,\s*(\d+)\s*[\])]?")


@hinted(TAKE_ANEW)
def read_meta(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a meta file into its published keys.

    Returns:
        ``TOP_LEFT_X``, ``TOP_LEFT_Y`` and so on for the four corners (metres),
        ``COORDINATE_RANGE_X`` = ``|BR - BL|`` and ``COORDINATE_RANGE_Y`` = ``|BL - TL|``
        (metres), ``IMAGE_WIDTH`` and ``IMAGE_HEIGHT`` (pixels).

    Raises:
        DataError: a line is missing, repeated or unreadable, or the corners span no area.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read as text: {error}", where=path) from error
    return parse_meta(text, path)


def parse_meta(text: str, where: str | os.PathLike[str]) -> dict[str, Any]:
    """Parse the text of a meta file; ``where`` names the file in errors. See :func:`read_meta`."""
    lines = _known_lines(text, where)
    missing = [name for name in (*_CORNERS, _SIZE) if name not in lines]
    if missing:
        raise DataError(f"line '{_title(missing[0])}: ...' is missing", where=where)
    meta: dict[str, Any] = {}
    for name, key in _CORNERS.items():
        meta[f"{key}_X"], meta[f"{key}_Y"] = _corner(name, *lines[name], where)
    meta["IMAGE_WIDTH"], meta["IMAGE_HEIGHT"] = _size(*lines[_SIZE], where)
    meta["COORDINATE_RANGE_X"] = _distance(meta, "BOTTOM_RIGHT", "BOTTOM_LEFT")
    meta["COORDINATE_RANGE_Y"] = _distance(meta, "BOTTOM_LEFT", "TOP_LEFT")
    _check_parallelogram(meta, where)
    geometry_of(meta, where)
    return meta


def geometry_of(meta: dict[str, Any], where: str | os.PathLike[str]) -> MapGeometry:
    """Return the map geometry that a meta dict describes.

    Raises:
        DataError: a key is missing, or the corners span no area.
    """
    try:
        top_left, top_right, bottom_left = (
            (meta[f"{key}_X"], meta[f"{key}_Y"]) for key in _SPANNING
        )
        size = meta["IMAGE_WIDTH"], meta["IMAGE_HEIGHT"]
    except KeyError as error:
        raise DataError(f"map metadata has no key {error}", where=where) from error
    try:
        return MapGeometry.from_corners(top_left, top_right, bottom_left, *size)
    except DataError as error:
        raise DataError(error.message, where=where, hint=error.hint) from error


def meta_text(geometry: MapGeometry, notes: Iterable[str] = ()) -> str:
    """Return the text of a meta file; reading it back gives the same corners, bit for bit.

    Args:
        geometry: Where the map lies.
        notes: Further lines ``Key: value``, which readers ignore.
    """
    corners = (
        geometry.top_left,
        geometry.top_right,
        geometry.bottom_left,
        geometry.bottom_right,
    )
    lines = [
        f"{_title(name)}: ({float(corner[0]) + 0.0!r}, {float(corner[1]) + 0.0!r})"
        for name, corner in zip(_CORNERS, corners, strict=True)
    ]
    lines.append(f"{_title(_SIZE)}: {geometry.width}, {geometry.height}")
    return "\n".join([*lines, *notes]) + "\n"


def _known_lines(text: str, where: str | os.PathLike[str]) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        name, colon, value = line.partition(":")
        key = " ".join(name.lower().split())
        if not colon or (key not in _CORNERS and key != _SIZE):
            continue
        if key in found:
            first = found[key][0]
            raise DataError(
                f"line {number}: '{_title(key)}' was already given in line {first}", where=where
            )
        found[key] = (number, value.strip())
    return found


def _corner(
    name: str, number: int, value: str, where: str | os.PathLike[str]
) -> tuple[float, float]:
    match = _PAIR.fullmatch(value)
    pair = (float(match[1]), float(match[2])) if match else (math.nan, math.nan)
    if not all(abs(part) <= FARTHEST for part in pair):
        raise DataError(
            f"line {number}: expected '{_title(name)}: (x, y)' in metres, at most {FARTHEST:g}, "
            f"got {_shown(value)}",
            where=where,
        )
    return pair


def _size(number: int, value: str, where: str | os.PathLike[str]) -> tuple[int, int]:
    match = _INTEGERS.fullmatch(value)
    short = match is not None and max(map(len, match.groups())) <= _DIGITS
    size = (int(match[1]), int(match[2])) if match and short else (0, 0)
    if not 1 <= min(size) <= max(size) <= MOST_PIXELS:
        raise DataError(
            f"line {number}: expected '{_title(_SIZE)}: width, height' as positive integers of at "
            f"most {MOST_PIXELS}, got {_shown(value)}",
            where=where,
        )
    return size


def _shown(value: str) -> str:
    return repr(value) if len(value) <= 60 else f"{value[:60]!r}... ({len(value)} characters)"


def _check_parallelogram(meta: dict[str, Any], where: str | os.PathLike[str]) -> None:
    offset = [
        meta[f"BOTTOM_RIGHT_{axis}"]
        - meta[f"TOP_RIGHT_{axis}"]
        - meta[f"BOTTOM_LEFT_{axis}"]
        + meta[f"TOP_LEFT_{axis}"]
        for axis in "XY"
    ]
    pixel = max(
        meta["COORDINATE_RANGE_X"] / meta["IMAGE_WIDTH"],
        meta["COORDINATE_RANGE_Y"] / meta["IMAGE_HEIGHT"],
    )
    if math.hypot(*offset) > pixel:
        raise DataError(
            f"the four corners are no parallelogram: 'Bottom Right' is off by "
            f"{math.hypot(*offset):.3g} m, more than one pixel ({pixel:.3g} m)",
            where=where,
        )


def _distance(meta: dict[str, Any], left: str, right: str) -> float:
    return math.hypot(
        meta[f"{left}_X"] - meta[f"{right}_X"], meta[f"{left}_Y"] - meta[f"{right}_Y"]
    )


def _title(name: str) -> str:
    return "Image size in pixels" if name == _SIZE else name.title()
