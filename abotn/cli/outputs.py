"""The files that commands write: where they go, and what they never write over."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable
from pathlib import Path

import click

from abotn.errors import ConfigError

_RUN_FILES = ("run.json", "evaluation.json")
_RECORD_FILES = ("result.json", "trajectory.json")
_MANIFEST_KEYS = frozenset({"dataset", "protocol"})
_RECORD_KEYS = frozenset({"episode_id", "task_id"})
_SCENE_FILES = ("occ_map.png", "occ_map_meta.txt", "occ_map_height.tiff")


def output_file(given: str, inputs: Collection[str] = (), *, allowed: Path | None = None) -> str:
    """Return the absolute path of a file to write, before any code of others runs.

    Args:
        given: The file as the user named it.
        inputs: Runs, files and folders that the command reads.
        allowed: The one document of a run that this command may write.

    Raises:
        ConfigError: its folder does not exist, or there is an input or a document of a run at it.
    """
    target = Path(given).absolute()
    if not target.parent.is_dir():
        raise ConfigError("no such folder", where=Path(given).parent, hint="make it first")
    if not is_stream(given) and not (allowed and _same(target, allowed)):
        folders = [Path(one) for one in inputs]
        reason = _reason(target, folders) if target.is_file() else _free_place(target, folders)
        if reason is not None and not (allowed and target == allowed.absolute()):
            raise ConfigError(
                f"{reason}, which this command never writes over",
                where=given,
                hint="name another file",
            )
    return os.fspath(target)


def is_stream(path: str) -> bool:
    """Whether a path is no place for a file: a device, a pipe or an open file of this process."""
    from abotn.json_files import descriptor_of

    if descriptor_of(path) is not None:
        return True
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def say_written(path: str) -> None:
    """Print the path of a file that was written, unless it went to standard output itself."""
    from abotn.json_files import descriptor_of

    if descriptor_of(path) != 1:
        click.echo(path)


def _reason(target: Path, inputs: list[Path]) -> str | None:
    """Return what a file is that must stay; None for one that may be written over."""
    if any(_same(target, one) for one in inputs):
        return "is an input"
    # A link is written through, so what counts is the file it leads to.
    place = Path(os.path.realpath(target))
    folder = place.parent
    if _is_one_of(place, _RECORD_FILES) and _is_of_record(place, inputs):
        return "is a record of a run"
    if _is_one_of(place, _RUN_FILES) and (_is_in(folder, inputs) or _is_run(folder)):
        return "is a document of a run"
    if _is_one_of(place, _SCENE_FILES) and (folder / "occ_map_meta.txt").is_file():
        return "is a file of a scene"
    return None


def _free_place(target: Path, inputs: list[Path]) -> str | None:
    """Return why no file may be made where there is none yet: a run would take it for its own."""
    if target.name in _RUN_FILES and _is_in(target.parent, inputs):
        return "is the place of a document of a run"
    return None


def _is_of_record(place: Path, inputs: list[Path]) -> bool:
    """Whether a file lies in a run's attempt or in an input, or holds a record."""
    folders = list(place.parents)[:3]
    if all((folders[0] / name).is_file() for name in _RECORD_FILES):
        return True
    if any(_is_in(one, inputs) or _has_keys(one / "run.json", _MANIFEST_KEYS) for one in folders):
        return True
    return _has_keys(place, _RECORD_KEYS)


def _is_in(folder: Path, inputs: list[Path]) -> bool:
    return any(one.is_dir() and _same(folder, one) for one in inputs)


def _is_run(folder: Path) -> bool:
    if _has_keys(folder / "run.json", _MANIFEST_KEYS):
        return True
    return next(folder.glob("*/*/result.json"), None) is not None


def _has_keys(path: Path, keys: frozenset[str]) -> bool:
    from abotn.errors import DataError
    from abotn.json_files import read_json

    try:
        return keys <= read_json(path).keys()
    except DataError:
        return False


def _is_one_of(place: Path, names: Iterable[str]) -> bool:
    """Whether a file has one of these names, in capitals too where the file system folds them."""
    return any(_same(place, place.with_name(name)) for name in names)


def _same(first: Path, second: Path) -> bool:
    try:
        return first.samefile(second)
    except OSError:
        return False
