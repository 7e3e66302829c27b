"""Which attempts of a run are done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from abotn.errors import ConfigError, DataError
from abotn.json_files import read_json
from abotn.records.files import (
    MANIFEST_NAME,
    RESULT_NAME,
    TRAJECTORY_NAME,
    read_manifest,
    read_trajectory,
    record_folder,
)
from abotn.records.places import stranger
from abotn.rollout.rules import Unit


def read_old_manifest(run_dir: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the manifest of the run to go on with.

    Raises:
        ConfigError: the folder holds no run.
        DataError: its manifest is damaged.
    """
    if not (Path(run_dir) / MANIFEST_NAME).is_file():
        raise ConfigError(
            f"there is no {MANIFEST_NAME}, so there is no run to resume", where=run_dir
        )
    return read_manifest(run_dir)


def pending_units(run_dir: str | os.PathLike[str], units: Iterable[Unit]) -> list[Unit]:
    """Return the attempts that have no good record, in order.

    A record is its result and its trajectory. It is good when both validate and belong to the
    attempt and to each other, and its status is not ``"error"``.

    Raises:
        DataError: there is a folder where a file of a record belongs, or the other way round, so
            that the attempt could not be written.
    """
    return [unit for unit in units if not _is_done(record_folder(run_dir, *unit), unit)]


def _is_done(folder: Path, unit: Unit) -> bool:
    if not folder.is_dir():
        _refuse(folder, os.path.lexists(folder), "something that is no folder")
        return False
    for name in (RESULT_NAME, TRAJECTORY_NAME):
        path = folder / name
        _refuse(path, path.is_dir() and not path.is_symlink(), "a folder")
    try:
        record = read_json(folder / RESULT_NAME, schema="result.v1")
        if _key(record) != tuple(unit) or record["status"] == "error":
            return False
        trajectory = read_trajectory(folder / TRAJECTORY_NAME)
    except DataError:
        return False
    return stranger(trajectory.extra, len(trajectory.waypoint), record) is None


def _key(record: dict[str, Any]) -> tuple[str, str, int]:
    return record["episode_id"], record["task_id"], record.get("attempt", 0)


def _refuse(path: Path, in_the_way: bool, what: str) -> None:  # noqa: FBT001
    if in_the_way:
        raise DataError(
            f"{what} is where a record of this run belongs",
            where=path,
            hint="move it away or remove it, then go on",
        )
