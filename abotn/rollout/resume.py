"""Which attempts of a run are done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from abotn.errors import ConfigError, DataError
from abotn.json_files import read_json
from abotn.records.files import MANIFEST_NAME, RESULT_NAME, read_manifest, record_folder
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

    A record is good when it validates, belongs to the attempt, and its status is not ``"error"``.
    """
    return [unit for unit in units if not _is_done(run_dir, unit)]


def _is_done(run_dir: str | os.PathLike[str], unit: Unit) -> bool:
    path = record_folder(run_dir, *unit) / RESULT_NAME
    if not path.is_file():
        return False
    try:
        document = read_json(path, schema="result.v1")
    except DataError:
        return False
    identity = (document["episode_id"], document["task_id"], document.get("attempt", 0))
    return identity == tuple(unit) and document["status"] != "error"
