"""Which of several runs a baseline is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from abotn.errors import UnknownNameError


def chosen_baseline(given: str, names: Sequence[str], folders: Sequence[Path]) -> str:
    """Return the name of the run that is meant.

    Args:
        given: Its name, the path of its folder, or as much of the end of that path as no other
            run's folder has.
        names: Names of the runs.
        folders: Folder of each run.

    Raises:
        UnknownNameError: none of the runs is meant, or several are.
    """
    if given in names:
        return given
    places = [_absolute(folder) for folder in folders]
    if _absolute(Path(given)) in places:
        return names[places.index(_absolute(Path(given)))]
    end = Path(os.path.normpath(given)).parts
    meant = [n for n, at in zip(names, places, strict=True) if end and at.parts[-len(end) :] == end]
    if len(meant) == 1:
        return meant[0]
    raise UnknownNameError("baseline", given, names)


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))
