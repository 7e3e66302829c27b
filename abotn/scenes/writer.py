"""Writing scenes in the published layout, whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import ConfigError, DataError
from abotn.geometry.map_geometry import MapGeometry
from abotn.records.files import check_id
from abotn.scenes.layout import HEIGHT_NAME, MAP_FOLDER, META_NAME, OCCUPANCY_NAME, TASK_PATTERN
from abotn.scenes.map_images import height_bytes, occupancy_bytes
from abotn.scenes.meta_text import meta_text
from abotn.scenes.task import Task
from abotn.scenes.trajectory_file import trajectory_bytes


def write_scene(
    folder: str | os.PathLike[str],
    *,
    tasks: Sequence[Task],
    free: NDArray[np.bool_],
    geometry: MapGeometry,
    height_map: NDArray[Any] | None = None,
    notes: Iterable[str] = (),
) -> Path:
    """Write one scene into a new folder, the same bytes for the same values.

    Args:
        folder: The scene's folder; its name is the scene id. It must not exist.
        tasks: The tasks; each is written to ``{task_id}.json``.
        free: bool (rows, columns), written as grey 255 and 0.
        geometry: Where the map lies.
        height_map: Metres (rows, columns), or None for no height file.
        notes: Further lines ``Key: value`` for the meta file.

    Raises:
        DataError: an id cannot be a file name, two tasks share one, or the file system refused.
    """
    target = Path(folder)
    check_id(target.name, "scene id")
    contents = _task_contents(tasks)
    contents[f"{MAP_FOLDER}/{META_NAME}"] = meta_text(geometry, notes).encode()
    contents[f"{MAP_FOLDER}/{OCCUPANCY_NAME}"] = occupancy_bytes(
        np.where(free, np.uint8(255), np.uint8(0))
    )
    if height_map is not None:
        contents[f"{MAP_FOLDER}/{HEIGHT_NAME}"] = height_bytes(height_map)
    try:
        (target / MAP_FOLDER).mkdir(parents=True)
        for name, content in contents.items():
            (target / name).write_bytes(content)
    except OSError as error:
        raise DataError(f"cannot write: {error.strerror or error}", where=target) from error
    return target


@contextmanager
def new_dataset(out: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder beside ``out`` that becomes ``out`` when the block ends well.

    Args:
        out: The dataset's folder.
        overwrite: Whether a dataset that is already there may be replaced.

    Raises:
        ConfigError: ``out`` is not empty and may not be replaced, is a file, or holds anything
            that is not a scene.
        DataError: the file system refused; ``out`` is then as it was.
    """
    target = Path(os.path.abspath(out))  # noqa: PTH100
    _check_target(target, overwrite=overwrite)
    staging = target.parent / f".{target.name}.{secrets.token_hex(4)}.tmp"
    try:
        staging.mkdir(parents=True)
        yield staging
        _replace(target, staging)
    except OSError as error:
        raise DataError(f"cannot write: {error.strerror or error}", where=target) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _task_contents(tasks: Sequence[Task]) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    for task in tasks:
        name = f"{check_id(task.task_id, 'task id')}.json"
        if name in contents:
            raise DataError(f"two tasks have the id {task.task_id!r}")
        contents[name] = trajectory_bytes(task.trajectory, task.label, task.instruction)
    return contents


def _check_target(target: Path, *, overwrite: bool) -> None:
    if target.exists() and not target.is_dir():
        raise ConfigError("the output must be a folder, got a file", where=target)
    inside = list(target.iterdir()) if target.is_dir() else []
    if inside and not overwrite:
        raise ConfigError(
            "the output folder is not empty",
            where=target,
            hint="choose another, or replace the dataset in it with --overwrite",
        )
    foreign = [path.name for path in inside if not _looks_like_scene(path)]
    if foreign:
        raise ConfigError(
            f"the output folder holds {sorted(foreign)[0]!r}, which is no scene, so it is not "
            "replaced",
            where=target,
            hint="choose another folder",
        )


def _looks_like_scene(path: Path) -> bool:
    if not path.is_dir() or path.is_symlink():
        return False
    return (path / MAP_FOLDER).is_dir() or next(path.glob(TASK_PATTERN), None) is not None


def _replace(target: Path, staging: Path) -> None:
    if not target.exists():
        staging.rename(target)
        return
    retired = target.parent / f".{target.name}.{secrets.token_hex(4)}.old"
    target.rename(retired)
    try:
        staging.rename(target)
    except OSError:
        retired.rename(target)
        raise
    shutil.rmtree(retired, ignore_errors=True)
