"""The views an agent saw, as one strip per step."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.report.page_maps import data_uri

FOLDER = "render_images"
ORDER = ("left", "front", "right")
MOST_BYTES = 7_000_000
MOST_STEPS = 24
MOST_ATTEMPTS = 16
HEIGHT = 240
_QUALITY = 55
_NAME = re.compile(r"(\d+)_(.+)\.jpg")


def encoded_views(
    folders: Iterable[tuple[int, Path]], most: int = MOST_BYTES
) -> dict[int, dict[str, Any]]:
    """Return the views of some attempts for the page: ``at`` steps, ``strips``, ``views``.

    Attempts are taken in order until :data:`MOST_ATTEMPTS` have views or the bytes are used up;
    of each, at most :data:`MOST_STEPS` steps spread evenly, the first and the last among them.

    Args:
        folders: (key, folder of the attempt) in order of interest.
        most: Bytes that all strips together may take.
    """
    encoded: dict[int, dict[str, Any]] = {}
    left = most
    for key, folder in folders:
        if len(encoded) == MOST_ATTEMPTS:
            break
        attempt = _attempt(folder / FOLDER)
        size = sum(map(len, attempt["strips"])) if attempt else 0
        if attempt is not None and size <= left:
            encoded[key] = attempt
            left -= size
    return encoded


def _attempt(folder: Path) -> dict[str, Any] | None:
    files = _files(folder)
    steps = _spread(sorted(files))
    strips = {step: _strip(files[step]) for step in steps}
    shown = [step for step in steps if strips[step]]
    if not shown:
        return None
    return {
        "at": shown,
        "strips": [strips[step] for step in shown],
        "views": _ordered(files[shown[0]]),
    }


def _files(folder: Path) -> dict[int, dict[str, Path]]:
    """Return the picture files by step and view."""
    found: dict[int, dict[str, Path]] = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        match = _NAME.fullmatch(path.name)
        if match:
            found.setdefault(int(match[1]), {})[match[2]] = path
    return found


def _spread(steps: Sequence[int]) -> list[int]:
    if len(steps) <= MOST_STEPS:
        return list(steps)
    places = np.rint(np.linspace(0, len(steps) - 1, MOST_STEPS)).astype(int)
    return [steps[place] for place in places]


def _ordered(views: Iterable[str]) -> list[str]:
    """Return view names from left to right, unknown ones last."""
    known = {name: place for place, name in enumerate(ORDER)}
    return sorted(views, key=lambda name: (known.get(name, len(known)), name))


def _strip(files: Mapping[str, Path]) -> str:
    """Return the views of one step side by side as a data URI, empty when none can be read."""
    import cv2

    pictures = [_picture(files[view]) for view in _ordered(files)]
    present = [picture for picture in pictures if picture is not None]
    if not present:
        return ""
    strip = np.hstack(present)
    _, content = cv2.imencode(".webp", strip, [cv2.IMWRITE_WEBP_QUALITY, _QUALITY])
    return data_uri(content.tobytes())


def _picture(path: Path) -> NDArray[np.uint8] | None:
    """Return a view at the height of the strip, or None when it is damaged."""
    import cv2

    content = np.frombuffer(path.read_bytes(), np.uint8)
    if not len(content):
        return None
    picture = cv2.imdecode(content, cv2.IMREAD_REDUCED_COLOR_2)
    if picture is None:
        return None
    width = max(1, round(picture.shape[1] * HEIGHT / picture.shape[0]))
    return np.asarray(cv2.resize(picture, (width, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
