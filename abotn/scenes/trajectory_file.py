"""The ``traj_*.json`` files: a reference path, its label and its instruction."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

from abotn.errors import DataError, hinted
from abotn.json_files import read_json
from abotn.scenes.layout import TAKE_ANEW

POSE_KEYS = ("x", "y", "z", "roll", "pitch", "yaw")
_REQUIRED = 2
_DECIMALS = 4


@hinted(TAKE_ANEW)
def read_trajectory(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read one task file.

    Points may be objects, or lists ``[x, y]``, ``[x, y, z]`` and so on in the order of
    ``POSE_KEYS``; a missing height or angle is 0.

    Args:
        path: A ``traj_*.json`` file.

    Returns:
        A dict with ``trajectory`` (list of dicts with all of ``POSE_KEYS``, metres and radians),
        ``label`` (dict) and ``instruction`` (str, empty when absent).

    Raises:
        DataError: not JSON, cut short, no points, or a coordinate that is no finite number.
    """
    document = read_json(path)
    points = document.get("trajectory")
    if not isinstance(points, list) or not points:
        raise DataError(
            f"key 'trajectory' must be a list with at least one point, got {_shown(points)}",
            where=path,
        )
    return {
        "trajectory": [_pose(point, f"trajectory[{i}]", path) for i, point in enumerate(points)],
        "label": _mapping(document.get("label"), "label", path),
        "instruction": _text(document.get("instruction"), "instruction", path),
    }


def trajectory_bytes(
    trajectory: Sequence[Mapping[str, float]],
    label: Mapping[str, Any] | None = None,
    instruction: str = "",
) -> bytes:
    """Serialise one task, the same bytes for the same values.

    Numbers are rounded to a tenth of a millimetre or of a milliradian, keys are sorted, and each
    point stands on its own line.
    """
    parts = []
    if instruction:
        parts.append(f'"instruction": {_dumped(instruction)}')
    parts.append(f'"label": {_dumped(label or {})}')
    lines = ",\n".join(_dumped(_rounded(point)) for point in trajectory)
    parts.append(f'"trajectory": [\n{lines}\n]')
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def _pose(point: Any, key: str, path: str | os.PathLike[str]) -> dict[str, float]:
    if isinstance(point, list) and _REQUIRED <= len(point) <= len(POSE_KEYS):
        point = dict(zip(POSE_KEYS, point, strict=False))
    if not isinstance(point, dict):
        raise DataError(
            f"key '{key}' must be an object with x and y, or a list [x, y, z?], "
            f"got {_shown(point)}",
            where=path,
        )
    pose = dict(point)
    for index, name in enumerate(POSE_KEYS):
        value = point.get(name, None if index < _REQUIRED else 0.0)
        pose[name] = _finite(value, f"{key}.{name}", path)
    return pose


def _finite(value: Any, key: str, path: str | os.PathLike[str]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        raise DataError(f"key '{key}' must be a finite number, got {_shown(value)}", where=path)
    return float(value)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _mapping(value: Any, key: str, path: str | os.PathLike[str]) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise DataError(f"key '{key}' must be an object, got {_shown(value)}", where=path)
    return value


def _text(value: Any, key: str, path: str | os.PathLike[str]) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DataError(f"key '{key}' must be a string, got {_shown(value)}", where=path)
    return value


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    return "an empty list" if value == [] else repr(value)[:60]


def _rounded(point: Mapping[str, float]) -> dict[str, float]:
    # Adding zero turns -0.0 into 0.0, so that equal poses have equal bytes.
    return {key: round(float(value), _DECIMALS) + 0.0 for key, value in point.items()}


def _dumped(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
