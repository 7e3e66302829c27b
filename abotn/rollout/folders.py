"""Making the folder of a run."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from abotn.errors import ConfigError, DataError
from abotn.records.files import MANIFEST_NAME

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def new_run_folder(output_dir: str | os.PathLike[str], label: str) -> Path:
    """Make ``{output_dir}/{local time}-{label}``, a folder that nobody else has.

    Two runs that start in the same second get different folders.

    Args:
        output_dir: Made when it does not exist.
        label: Further part of the name, such as the agent's.

    Raises:
        DataError: the file system refused.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S")
    name = f"{stamp}-{_UNSAFE.sub('_', label).strip('._-')[:60]}".rstrip("-")
    base = Path(output_dir)
    try:
        base.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            folder = base / (name if number == 1 else f"{name}-{number}")
            try:
                folder.mkdir()
            except FileExistsError:
                number += 1
            else:
                return folder
    except OSError as error:
        raise _cannot_make(base, error) from error


def exact_run_folder(run_dir: str | os.PathLike[str]) -> Path:
    """Make ``run_dir``, which must be new or empty.

    Raises:
        ConfigError: it is a file, or something is in it.
        DataError: the file system refused.
    """
    folder = check_exact_folder(run_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_make(folder, error) from error
    return folder


def check_exact_folder(run_dir: str | os.PathLike[str]) -> Path:
    """Return ``run_dir`` when it can become a run folder; nothing is made.

    Raises:
        ConfigError: it is a file, or something is in it.
    """
    folder = Path(run_dir)
    if folder.exists() and not folder.is_dir():
        raise ConfigError("the run folder must be a folder, got a file", where=folder)
    inside = next(iter(folder.iterdir()), None) if folder.exists() else None
    if inside is not None:
        if (folder / MANIFEST_NAME).is_file():
            raise already_a_run(folder)
        raise ConfigError("the folder is not empty", where=folder, hint="choose a new one")
    return folder


def already_a_run(folder: Path) -> ConfigError:
    """Return the error that says that a folder is another run's."""
    return ConfigError(
        "the folder already holds a run",
        where=folder,
        hint="go on with it by --resume-dir, or choose another --run-dir",
    )


def _cannot_make(folder: Path, error: OSError) -> DataError:
    return DataError(f"cannot make the folder: {error.strerror or error}", where=folder)
