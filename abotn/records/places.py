"""Whether a record lies in the folder of its own task, and which tasks have no record at all."""

from __future__ import annotations

import os
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abotn.records.files import MANIFEST_NAME, RESULT_NAME

Key = tuple[str, str, int]

_SHOWN = 10


@dataclass(frozen=True)
class MissingRecords:
    """Attempts of a run that were to be made and have no ``result.json``.

    Attributes:
        count: How many.
        planned: Attempts that were to be made; None when nobody knows.
        what: What is counted: ``"tasks"``, or ``"attempts"`` where tasks have several.
        of_dataset: The run does not say what was planned, so all of its dataset's tasks count.
        names: Those that left a folder behind, as ``scene/task``.
    """

    count: int = 0
    planned: int | None = None
    what: str = "tasks"
    of_dataset: bool = False
    names: tuple[str, ...] = ()

    def note(self) -> str | None:
        """Return what to say about it; None when nothing is missing."""
        if not self.count:
            return None
        of = "" if self.planned is None else f" of {self.planned}"
        whose = " in the run's dataset" if self.of_dataset else ""
        shown = ", ".join(self.names[:_SHOWN]) + (", ..." if len(self.names) > _SHOWN else "")
        known = f"; begun and not ended: {shown}" if shown else ""
        verb = "has" if self.count == 1 else "have"
        what = self.what.removesuffix("s") if max(self.count, self.planned or 0) == 1 else self.what
        return f"{self.count}{of} {what}{whose} {verb} no result{known}"


def joined(parts: Sequence[MissingRecords]) -> MissingRecords:
    """Return what several folders lack together."""
    planned = [part.planned for part in parts]
    kinds = {part.what for part in parts}
    return MissingRecords(
        sum(part.count for part in parts),
        None if None in planned else sum(number or 0 for number in planned),
        kinds.pop() if len(kinds) == 1 else "attempts",
        any(part.of_dataset for part in parts),
        tuple(name for part in parts for name in part.names),
    )


def missing_records(
    folder: str, manifest: Mapping[str, Any] | None, found: int, unfinished: Sequence[str]
) -> MissingRecords:
    """Return what a run folder lacks.

    Args:
        folder: The run folder.
        manifest: Its manifest; None where it has none.
        found: Number of ``result.json`` files in their places, damaged ones too.
        unfinished: Folders in it that hold a trajectory without a result.
    """
    names = tuple(
        sorted(os.path.relpath(place, folder).replace(os.sep, "/") for place in unfinished)
    )
    if manifest is None:
        return MissingRecords(len(names), names=names)
    attempts = int(manifest.get("attempts", 1))
    dataset = int(manifest["dataset"]["tasks"]) * attempts
    planned = int(manifest.get("planned_attempts", dataset))
    return MissingRecords(
        max(planned - found, len(names)),
        max(planned, found),
        "tasks" if attempts == 1 else "attempts",
        "planned_attempts" not in manifest,
        names,
    )


def misplaced(
    paths: Sequence[str], keys: Sequence[Key], run: str | os.PathLike[str] | None
) -> dict[int, str]:
    """Return which records do not count because they lie in another task's folder, and why.

    In a run with a manifest, a record lies in ``{scene}/{task}`` or ``{task}@{attempt}``. Results
    of other tools may lie anywhere; but where most of them lie in such folders, one that does not
    is out of place, and of several records of one task those in its own folder count.

    Args:
        paths: (N,) path of each ``result.json``.
        keys: (N,) scene, task and attempt that each of them names.
        run: The run folder with a manifest, which the paths begin with; None without one.

    Returns:
        Reason by index.
    """
    if _all_in_place(paths, keys, run):
        return {}
    if run is not None:
        start = os.fspath(run)
        away = [not _is_at(path, start, key) for path, key in zip(paths, keys, strict=True)]
        strangers = [row for row, is_away in enumerate(away) if is_away]
    else:
        away = [not _is_below(path, key) for path, key in zip(paths, keys, strict=True)]
        strangers = [row for row, is_away in enumerate(away) if is_away]
        if 2 * len(strangers) >= len(paths):
            strangers = _doubles(keys, away)
    return {row: _reason(keys[row]) for row in strangers}


def run_above(path: str | os.PathLike[str]) -> str | None:
    """Return the folder, with a manifest, of the run that a file of an attempt lies in."""
    folders = list(Path(os.path.normpath(Path(path).absolute())).parents)[1:3]
    found = (str(one) for one in folders if os.path.lexists(one / MANIFEST_NAME))
    return next(found, None)


def stranger(trajectory: Mapping[str, Any], steps: int, record: Mapping[str, Any]) -> str | None:
    """Return why a trajectory is not the one of the record beside it; None where it is.

    Args:
        trajectory: Its ``episode_id``, ``task_id`` and ``attempt``.
        steps: Its number of steps.
        record: The same of the record, and its ``steps`` where it has any.
    """
    own, other = _key_of(record), _key_of(trajectory)
    if own != other:
        return f"is of {'/'.join(_folders(other))}, its record is of {'/'.join(_folders(own))}"
    if record.get("steps") not in (None, steps):
        return f"has {steps} steps, its record {record['steps']:g}"
    return None


def _key_of(document: Mapping[str, Any]) -> Key:
    return document["episode_id"], document["task_id"], int(document.get("attempt") or 0)


def _doubles(keys: Sequence[Key], away: Sequence[bool]) -> list[int]:
    """Return the records out of place of which there is one in its place."""
    rows_of: dict[Key, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        rows_of[key].append(row)
    several = (rows for rows in rows_of.values() if len(rows) > 1)
    settled = (rows for rows in several if not all(away[row] for row in rows))
    return sorted(row for rows in settled for row in rows if away[row])


def _all_in_place(
    paths: Sequence[str], keys: Sequence[Key], run: str | os.PathLike[str] | None
) -> bool:
    """Whether every path, letter by letter, is where its record belongs, as nearly always."""
    start = "" if run is None else os.fspath(run)
    ends = [
        f"{start}{os.sep}{scene}{os.sep}{task}@{attempt}{os.sep}{RESULT_NAME}"
        if attempt
        else f"{start}{os.sep}{scene}{os.sep}{task}{os.sep}{RESULT_NAME}"
        for scene, task, attempt in keys
    ]
    return all(map(str.endswith if run is None else str.__eq__, paths, ends))


def _is_at(path: str, run: str, key: Key) -> bool:
    scene, name = _folders(key)
    expected = f"{run}{os.sep}{scene}{os.sep}{name}{os.sep}{RESULT_NAME}"
    return path == expected or _spelled(path) == _spelled(expected)


def _is_below(path: str, key: Key) -> bool:
    scene, name = _folders(key)
    if path.endswith(f"{os.sep}{scene}{os.sep}{name}{os.sep}{RESULT_NAME}"):
        return True
    return Path(_spelled(path)).parts[-3:-1] == (_composed(scene), _composed(name))


def _spelled(path: str) -> str:
    """Return an absolute path, with accents in one form whichever way they were written."""
    return _composed(os.path.normpath(Path(path).absolute()))


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _folders(key: Key) -> tuple[str, str]:
    scene, task, attempt = key
    return scene, f"{task}@{attempt}" if attempt else task


def _reason(key: Key) -> str:
    return f"is the record of {'/'.join(_folders(key))}, so it lies in the wrong folder"
