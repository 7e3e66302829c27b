"""The folder of a run: where each file lies, and how records are written and read back.

::

    {run}/run.json                                  manifest
    {run}/{scene_id}/{task_id}/result.json          attempt k > 0 in {task_id}@{k}/
    {run}/{scene_id}/{task_id}/trajectory.json
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from abotn.errors import ConfigError, DataError
from abotn.json_files import read_json, write_json
from abotn.records.types import ResultRecord, Trajectory

MANIFEST_NAME = "run.json"
RESULT_NAME = "result.json"
TRAJECTORY_NAME = "trajectory.json"
SCHEMA_VERSION = "1"

_UNSAFE = re.compile(r'[/\\:\x00-\x1f\x7f<>"|?*]|^\.|[. ]$|^$')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


def check_id(value: object, kind: str = "scene id") -> str:
    """Return ``value`` when it can be a folder name on every system.

    Raises:
        DataError: it is not a string, is empty or longer than 200 bytes, has a path separator, a
            leading dot, a drive, a control character or another character that a file system
            refuses.
    """
    if not isinstance(value, str):
        raise DataError(f"{kind} must be a string, got {type(value).__name__}")
    if _UNSAFE.search(value) or _RESERVED.fullmatch(value) or len(value.encode()) > 200:
        raise DataError(
            f"{kind} {value[:80]!r} cannot be a folder name",
            hint="use a name without separators, leading dots, drives or control characters",
        )
    return value


def record_folder(
    run: str | os.PathLike[str], scene_id: str, task_id: str, attempt: int = 0
) -> Path:
    """Return the folder of one attempt inside a run folder.

    Raises:
        DataError: an id would leave the run folder, or carries the attempt mark ``@``.
    """
    check_id(scene_id, "scene id")
    check_id(task_id, "task id")
    if "@" in task_id:
        raise DataError(f"task id {task_id!r} has an '@', which marks attempts", hint="rename it")
    name = f"{task_id}@{attempt}" if attempt else task_id
    return Path(run) / scene_id / name


def write_result(folder: str | os.PathLike[str], record: ResultRecord) -> None:
    """Write ``result.json`` into an existing attempt folder, checked against its schema."""
    document = {"schema_version": SCHEMA_VERSION, **record.to_dict()}
    write_json(Path(folder) / RESULT_NAME, document, schema="result.v1")


def write_trajectory(
    folder: str | os.PathLike[str], trajectory: Trajectory, identity: Mapping[str, Any]
) -> None:
    """Write ``trajectory.json`` into an existing attempt folder.

    Args:
        folder: The attempt's folder.
        trajectory: What to write.
        identity: ``episode_id``, ``task_id`` and ``attempt`` of the attempt.
    """
    arrays = {name: getattr(trajectory, name) for name in _DTYPES}
    document = {"schema_version": SCHEMA_VERSION, **identity, **arrays, **trajectory.extra}
    write_json(Path(folder) / TRAJECTORY_NAME, document, schema="trajectory.v1")


def read_trajectory(path: str | os.PathLike[str]) -> Trajectory:
    """Read a ``trajectory.json``.

    Raises:
        DataError: unreadable, or arrays whose lengths do not belong together.
        SchemaError: it breaks ``trajectory.v1``.
    """
    document = read_json(path, schema="trajectory.v1")
    arrays = {name: np.array(document.pop(name), dtype=kind) for name, kind in _DTYPES.items()}
    _check_lengths(arrays, path)
    for array in arrays.values():
        array.setflags(write=False)
    for key in ("schema_version", "value_serialization"):
        document.pop(key, None)
    return Trajectory(**arrays, extra=document)


def read_manifest(run: str | os.PathLike[str]) -> dict[str, Any]:
    """Read and check ``run.json`` of a run folder."""
    return read_json(Path(run) / MANIFEST_NAME, schema="run.v1")


def write_manifest(run: str | os.PathLike[str], manifest: Mapping[str, Any]) -> None:
    """Write ``run.json`` of a run folder, checked against its schema."""
    write_json(Path(run) / MANIFEST_NAME, manifest, schema="run.v1")


def read_result_bytes(folder: str | os.PathLike[str]) -> Iterator[tuple[str, bytes | OSError]]:
    """Yield path and content of every ``result.json`` below ``folder``, in no particular order.

    An attempt's folder is opened directly and not listed, as most of a run's folders are such;
    what lies below one is not looked at. Hidden folders are passed over and linked ones not
    searched. A file that cannot be read comes with its error.

    Raises:
        ConfigError: there is no such folder.
    """
    if not Path(folder).is_dir():
        raise ConfigError("no such run folder", where=folder)
    waiting = [os.fspath(folder)]
    while waiting:
        place = waiting.pop()
        path = f"{place}{os.sep}{RESULT_NAME}"
        content = _content(path)
        if content is None:
            waiting.extend(_inside(place))
        else:
            yield path, content


def _content(path: str) -> bytes | OSError | None:
    try:
        handle = os.open(path, _OPEN_FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return error
    try:
        content = os.read(handle, _READ_SIZE)
        while len(content) % _READ_SIZE == 0 and (more := os.read(handle, _READ_SIZE)):
            content += more
        return content
    except OSError as error:
        return error
    finally:
        os.close(handle)


def _inside(place: str) -> list[str]:
    if Path(place).is_symlink() or not Path(place).is_dir():
        return []
    names = os.listdir(place)  # noqa: PTH208 - names are all that is needed
    return [f"{place}{os.sep}{name}" for name in names if name[0] != "."]


_READ_SIZE = 1 << 16
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_DTYPES: dict[str, Any] = {
    "position": np.float64,
    "yaw": np.float64,
    "waypoint": np.float64,
    "executed_index": np.int64,
    "distance_to_goal": np.float64,
    "collided": np.bool_,
    "collision_length": np.float64,
    "agent_seconds": np.float64,
    "render_seconds": np.float64,
    "reference": np.float64,
    "goal": np.float64,
}
_PER_POSE = ("position", "yaw", "distance_to_goal")
_PER_STEP = (
    "waypoint",
    "executed_index",
    "collided",
    "collision_length",
    "agent_seconds",
    "render_seconds",
)


def _check_lengths(arrays: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    poses = len(arrays["position"])
    for name in _PER_POSE:
        if len(arrays[name]) != poses:
            raise DataError(f"{name} has {len(arrays[name])} rows, position {poses}", where=path)
    for name in _PER_STEP:
        if len(arrays[name]) != max(poses - 1, 0):
            raise DataError(
                f"{name} has {len(arrays[name])} rows for {max(poses - 1, 0)} steps", where=path
            )
