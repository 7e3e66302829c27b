"""The folder of a run: where each file lies, and how records are written and read back.

::

    {run}/run.json                                  manifest
    {run}/{scene_id}/{task_id}/result.json          attempt k > 0 in {task_id}@{k}/
    {run}/{scene_id}/{task_id}/trajectory.json
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from abotn.errors import ConfigError, DataError, hinted
from abotn.json_files import read_json, read_regular, write_json
from abotn.records.sealed import sealed
from abotn.records.types import ResultRecord, Trajectory

MANIFEST_NAME = "run.json"
RESULT_NAME = "result.json"
TRAJECTORY_NAME = "trajectory.json"
SCHEMA_VERSION = "1"

# Files of a run, of an attempt and of the published summaries, whose names no folder may take.
_OWN_NAMES = {
    MANIFEST_NAME,
    RESULT_NAME,
    TRAJECTORY_NAME,
    "evaluation.json",
    "eval_summary.json",
    "poi_goal_analysis.json",
}

_UNSAFE = re.compile(r'[/\\:\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff<>"|?*]|^\.|[. ]$|^$')
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
            f"{kind} {value[:80]!r} cannot be a folder name{_why(value)}",
            hint="use a name without separators, leading dots, drives or control characters",
        )
    return value


def _why(name: str) -> str:
    """Return what is wrong with a name that is not obvious from looking at it."""
    if _UNSAFE.search(name) or _RESERVED.fullmatch(name):
        return ""
    return f", as it takes {len(name.encode())} bytes and may take 200"


def check_scene_id(value: object) -> str:
    """Return ``value`` when it can name a scene, in a dataset and in a run folder.

    Raises:
        DataError: it cannot be a folder name, or a run keeps a file of that name.
    """
    return _check_not_own(check_id(value, "scene id"), "scene id")


def check_task_id(value: object) -> str:
    """Return ``value`` when it can name a task, in a dataset and in a run folder.

    Raises:
        DataError: it cannot be a folder name, a run keeps a file of that name, or it carries the
            attempt mark ``@``.
    """
    name = _check_not_own(check_id(value, "task id"), "task id")
    if "@" in name:
        raise DataError(f"task id {name!r} has an '@', which marks attempts", hint="rename it")
    return name


def record_folder(
    run: str | os.PathLike[str], scene_id: str, task_id: str, attempt: int = 0
) -> Path:
    """Return the folder of one attempt inside a run folder.

    Raises:
        DataError: an id would leave the run folder, takes the name of a file in it, or carries
            the attempt mark ``@``.
    """
    check_scene_id(scene_id)
    check_task_id(task_id)
    name = f"{task_id}@{attempt}" if attempt else task_id
    return Path(run) / scene_id / name


def write_result(folder: str | os.PathLike[str], record: ResultRecord) -> None:
    """Write ``result.json`` into an existing attempt folder, checked against its schema."""
    document = {"schema_version": SCHEMA_VERSION, **record.to_dict()}
    write_json(Path(folder) / RESULT_NAME, document, schema="result.v1", through=False)


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
    write_json(Path(folder) / TRAJECTORY_NAME, document, schema="trajectory.v1", through=False)


@hinted("run the task again: take its folder away, then abotn run --resume-dir RUN")
def read_trajectory(path: str | os.PathLike[str]) -> Trajectory:
    """Read a ``trajectory.json``.

    Raises:
        DataError: unreadable, or arrays whose lengths do not belong together.
        SchemaError: it breaks ``trajectory.v1``.
    """
    document = read_json(path, schema="trajectory.v1")
    reason = length_complaint(document)
    if reason is not None:
        raise DataError(reason, where=path)
    try:
        arrays = {
            name: sealed(np.array(document.pop(name), dtype=kind)) for name, kind in _DTYPES.items()
        }
    except OverflowError:
        raise DataError("a number is too large", where=path) from None
    for key in ("schema_version", "value_serialization"):
        document.pop(key, None)
    return Trajectory(**arrays, extra=document)


def length_complaint(document: Mapping[str, Any]) -> str | None:
    """Return why the arrays of a ``trajectory.json`` do not belong together; None where they do.

    T steps lead from pose to pose, so there is one pose more than steps. A schema cannot say that.

    Args:
        document: Content that fits ``trajectory.v1``.
    """
    poses = len(document["position"])
    for name in _PER_POSE:
        if len(document[name]) != poses:
            return f"{name} has {len(document[name])} rows, position {poses}"
    for name in _PER_STEP:
        if len(document[name]) != poses - 1:
            return f"{name} has {len(document[name])} rows for {poses - 1} steps"
    return None


@hinted("take it from a copy of the run, or make the run again")
def read_manifest(run: str | os.PathLike[str]) -> dict[str, Any]:
    """Read and check ``run.json`` of a run folder."""
    return read_json(Path(run) / MANIFEST_NAME, schema="run.v1")


def write_manifest(run: str | os.PathLike[str], manifest: Mapping[str, Any]) -> None:
    """Write ``run.json`` of a run folder, checked against its schema."""
    write_json(Path(run) / MANIFEST_NAME, manifest, schema="run.v1", through=False)


def read_result_bytes(
    folder: str | os.PathLike[str], unfinished: list[str] | None = None
) -> Iterator[tuple[str, bytes | OSError]]:
    """Yield path and content of every ``result.json`` below ``folder``, in no particular order.

    An attempt's folder is opened directly and not listed, as most of a run's folders are such;
    what lies below one is not looked at. Hidden folders are passed over, and linked ones below
    ``folder`` not searched. What cannot be read, or is no regular file, comes with its error.

    Args:
        folder: Where to look.
        unfinished: Gets the folders that hold a ``trajectory.json`` but no result.

    Raises:
        ConfigError: there is no such folder.
    """
    if not Path(folder).is_dir():
        raise ConfigError("no such run folder", where=folder, hint="check the path")
    root = os.fspath(folder)
    waiting = [root]
    while waiting:
        place = waiting.pop()
        path = f"{place}{os.sep}{RESULT_NAME}"
        content = _content(path)
        if content is not None:
            yield path, content
            continue
        try:
            names = _inside(place, searched=place == root)
        except OSError as error:
            yield path, error
            continue
        if RESULT_NAME in names:
            yield path, OSError(errno.ENOENT, "a link to nothing", path)
        elif TRAJECTORY_NAME in names and unfinished is not None:
            unfinished.append(place)
        waiting.extend(f"{place}{os.sep}{name}" for name in names if name != RESULT_NAME)


def _check_not_own(name: str, kind: str) -> str:
    if name.casefold() in _OWN_NAMES:
        raise DataError(
            f"{kind} {name!r} is the name of a file that a run writes", hint="rename it"
        )
    return name


def _content(path: str) -> bytes | OSError | None:
    """Return a file's content, why it cannot be read, or None where there is no such file.

    A pipe, a socket and a folder cannot be read at a position, so what can and begins as a JSON
    object needs no look at its kind.
    """
    try:
        handle = os.open(path, _OPEN_FLAGS)
        try:
            content = _read_at(handle, _SMALL, 0)
        except OSError:
            content = b""
        finally:
            os.close(handle)
        if content.startswith(b"{") and len(content) < _SMALL:
            return content
        return read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return error


def _inside(place: str, *, searched: bool) -> list[str]:
    """Return the names in a folder; none of another thing, or of a link not ``searched``."""
    if (Path(place).is_symlink() and not searched) or not Path(place).is_dir():
        return []
    return [name for name in os.listdir(place) if name[0] != "."]  # noqa: PTH208 - names only


_SMALL = 1 << 12
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
# Windows has no such call; there the closer look is taken at once.
_read_at: Callable[[int, int, int], bytes] = getattr(os, "pread", lambda *_: b"")
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
