"""Writing scenes in the published layout, whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import ConfigError, DataError
from abotn.geometry.map_geometry import MapGeometry
from abotn.records.files import check_scene_id, check_task_id
from abotn.scenes.layout import HEIGHT_NAME, MAP_FOLDER, META_NAME, OCCUPANCY_NAME
from abotn.scenes.map_images import height_bytes, occupancy_bytes
from abotn.scenes.meta_text import meta_text
from abotn.scenes.targets import check_addition, check_replacement
from abotn.scenes.task import Task
from abotn.scenes.trajectory_file import trajectory_bytes

PathLike = str | os.PathLike[str]


def write_scene(
    folder: PathLike,
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
        DataError: an id cannot be a file name, two tasks share one, or the file system refused;
            nothing is left behind.
    """
    target = Path(folder)
    check_scene_id(target.name)
    contents = _task_contents(tasks)
    contents[f"{MAP_FOLDER}/{META_NAME}"] = meta_text(geometry, notes).encode()
    contents[f"{MAP_FOLDER}/{OCCUPANCY_NAME}"] = occupancy_bytes(
        np.where(free, np.uint8(255), np.uint8(0))
    )
    if height_map is not None:
        contents[f"{MAP_FOLDER}/{HEIGHT_NAME}"] = height_bytes(height_map)
    try:
        with _made(target):
            (target / MAP_FOLDER).mkdir()
            for name, content in contents.items():
                (target / name).write_bytes(content)
    except OSError as error:
        raise DataError(f"cannot write: {error.strerror or error}", where=target) from error
    return target


@contextmanager
def new_dataset(out: PathLike, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder beside ``out`` that becomes ``out`` when the block ends well.

    Args:
        out: The dataset's folder.
        overwrite: Whether a dataset that is already there may be replaced.

    Raises:
        ConfigError: ``out`` is not empty and may not be replaced, is a file, or holds anything
            that is not a scene.
        DataError: the file system refused; ``out`` is then as it was.
    """
    with new_folder(out, partial(check_replacement, shown=out, overwrite=overwrite)) as folder:
        yield folder


@contextmanager
def new_folder(out: PathLike, check: Callable[[Path], None]) -> Iterator[Path]:
    """Give a temporary folder beside ``out`` that takes its place when the block ends well.

    Args:
        out: The folder.
        check: Refuses a folder that must not be replaced.

    Raises:
        DataError: the file system refused; ``out`` is then as it was.
    """
    target = _target(out)
    staging = target.parent / f".{secrets.token_hex(6)}.tmp"
    with _told_of(out, staging):
        check(target)
        with _made(staging):
            yield staging
            _replace(target, staging)


@contextmanager
def new_scene(out: PathLike, scene_id: str) -> Iterator[Path]:
    """Give a temporary folder whose scene is added to a dataset when the block ends well.

    Args:
        out: The dataset's folder; made when it does not exist.
        scene_id: The scene that the block writes, as ``{folder}/{scene_id}``.

    Raises:
        ConfigError: ``out`` is a file or no dataset, or holds a scene of that name, or of one that
            some file systems take for the same.
        DataError: the id cannot name a scene, or the file system refused; ``out`` is then as it
            was.
    """
    check_scene_id(scene_id)
    target = _target(out)
    staging = target / f".{secrets.token_hex(6)}.tmp"
    with _told_of(out, staging):
        filled = target.is_dir() and any(target.iterdir())
    if not filled:
        with new_dataset(out) as folder:
            yield folder
        return
    with _told_of(out, staging):
        check_addition(target, out, scene_id)
        with _made(staging):
            yield staging
            # Whoever added the same scene meanwhile wins: a folder with files is not replaced.
            (staging / scene_id).rename(target / scene_id)
            staging.rmdir()


def _task_contents(tasks: Sequence[Task]) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    for task in tasks:
        name = f"{check_task_id(task.task_id)}.json"
        if name in contents:
            raise DataError(f"two tasks have the id {task.task_id!r}")
        contents[name] = trajectory_bytes(task.trajectory, task.label, task.instruction)
    return contents


def _target(out: PathLike) -> Path:
    if not os.fspath(out):
        raise ConfigError("the output folder has no name", where="--out")
    # A link to a folder stays; what it leads to is filled.
    return Path(os.path.realpath(out))


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make a folder and those above it; remove what was made when the block fails."""
    above = [path for path in (folder.parent, *folder.parent.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True)
        try:
            yield
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    except BaseException:
        for path in above:
            with suppress(OSError):
                path.rmdir()
        raise


@contextmanager
def _told_of(out: PathLike, staging: Path) -> Iterator[None]:
    """Turn what the file system refuses into an error of ``out``, whatever the temporary name."""
    try:
        yield
    except OSError as error:
        raise DataError(f"cannot write: {error.strerror or error}", where=out) from error
    except DataError as error:
        if error.where is None or not Path(error.where).is_relative_to(staging):
            raise
        place = Path(out) / Path(error.where).relative_to(staging)
        raise DataError(error.message, where=place, hint=error.hint) from error


def _replace(target: Path, staging: Path) -> None:
    if not target.exists():
        staging.rename(target)
        return
    retired = target.parent / f".{secrets.token_hex(6)}.old"
    target.rename(retired)
    try:
        staging.rename(target)
    except OSError:
        retired.rename(target)
        raise
    shutil.rmtree(retired, ignore_errors=True)
