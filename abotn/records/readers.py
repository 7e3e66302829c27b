"""From a run folder, paths, documents, records or a DataFrame to one table of records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import orjson

from abotn import schema_files
from abotn.errors import ConfigError, DataError, EvaluationInputError
from abotn.foreign_code import foreign_code
from abotn.json_files import parse_json
from abotn.records.files import (
    MANIFEST_NAME,
    RESULT_NAME,
    TRAJECTORY_NAME,
    read_manifest,
    read_result_bytes,
    read_trajectory,
)
from abotn.records.frames import read_frame
from abotn.records.in_memory import place_of, sound_documents, without_collection
from abotn.records.places import (
    MissingRecords,
    joined,
    misplaced,
    missing_records,
    run_above,
    stranger,
)
from abotn.records.published import normalise
from abotn.records.table import KEY_COLUMNS, Column, RecordTable, as_column
from abotn.records.types import DamagedRecord, ResultRecord, Trajectory, nothing_usable

PathLike = str | os.PathLike[str]

_AT_ONCE = 256


@dataclass(frozen=True)
class RecordSource:
    """A table of records, what could not be read, and the manifest of the run if there is one.

    ``late_damage`` fills up as further files of a record, such as trajectories, are read, and
    ``pathless`` with the records of a run, as ``scene/task``, that should have one and have none;
    ``missing`` are records that were to be made and are not there.
    """

    table: RecordTable
    damaged: tuple[DamagedRecord, ...] = ()
    manifest: Mapping[str, Any] | None = None
    name: str = ""
    folder: str | None = None
    late_damage: list[DamagedRecord] = field(default_factory=list)
    pathless: dict[str, None] = field(default_factory=dict)
    missing: MissingRecords = field(default_factory=MissingRecords)

    @property
    def all_damaged(self) -> list[DamagedRecord]:
        """Everything unusable met so far, trajectories read on demand included."""
        return [*self.damaged, *self.late_damage]


class RecordReader(Protocol):
    """Reads records from a kind of file or folder; plugins bring further ones."""

    @property
    def name(self) -> str:
        """Unique name of the reader."""
        ...

    def recognises(self, path: Path) -> bool:
        """Whether this reader can read ``path``."""
        ...

    def read(self, path: Path) -> RecordSource:
        """Read it."""
        ...


@dataclass(frozen=True)
class RunFolderReader:
    """Reads a run folder, or a single ``result.json``."""

    name: str = "run-folder"
    description: str = field(default="a run folder or a result.json", compare=False)

    def recognises(self, path: Path) -> bool:
        """A folder, or a file called ``result.json``."""
        return path.is_dir() or path.name == RESULT_NAME

    def read(self, path: Path) -> RecordSource:
        """Read every record below ``path``; damaged ones are named and left out."""
        if not path.is_dir():
            run = run_above(path)
            manifest = None if run is None else read_manifest(run)
            parsed, damaged = parse_results(read_result_bytes(path.parent))
            return _source_of_files(parsed, damaged, manifest, path.parent.name, run)
        manifest = read_manifest(path) if _has_manifest(path) else None
        unfinished: list[str] = []
        with without_collection():
            parsed, damaged = parse_results(read_result_bytes(path, unfinished))
            if not parsed and not damaged:
                message = f"no {RESULT_NAME} below this folder"
                raise DataError(message, where=path, hint="give a run's folder")
            name, run = _run_name(path, manifest), None if manifest is None else os.fspath(path)
            source = _source_of_files(parsed, damaged, manifest, name, run)
        strays = sum(one.is_stray for one in source.damaged)
        found = len(parsed) + len(damaged) - strays
        missing = missing_records(os.fspath(path), manifest, found, unfinished)
        return replace(source, folder=os.fspath(path), missing=missing)


def read_records(results: Any, *, readers: Sequence[RecordReader] = ()) -> RecordSource:
    """Read records from whatever a caller has.

    Args:
        results: A run folder, a list of paths, a list of ``result.json`` documents, a list of
            :class:`ResultRecord`, a pandas DataFrame, a :class:`RecordTable` or a
            :class:`RecordSource`.
        readers: Further readers, tried before the built-in one.

    Raises:
        EvaluationInputError: none of these, or empty.
        DataError: a path cannot be read, or every record is damaged.
    """
    if isinstance(results, RecordSource):
        return results
    if isinstance(results, RecordTable):
        return RecordSource(results)
    if isinstance(results, str | os.PathLike):
        return _read_path(Path(results), readers)
    if hasattr(results, "columns") and hasattr(results, "iloc"):
        with without_collection():
            table, damaged = read_frame(results)
        return RecordSource(table, tuple(damaged))
    return _read_items(_as_list(results), readers)


def parse_results(
    contents: Iterable[tuple[str, bytes | OSError]],
) -> tuple[list[tuple[str, dict[str, Any]]], list[DamagedRecord]]:
    """Return the documents of ``result.json`` files with their paths, and the damaged files.

    Args:
        contents: Path and content of each file, or why it could not be read; as given by
            :func:`abotn.records.files.read_result_bytes`.
    """
    parsed: list[tuple[str, dict[str, Any]]] = []
    damaged: list[DamagedRecord] = []
    waiting = iter(contents)
    # Some at a time, so that what is parsed and checked is still in the processor's cache.
    while some := list(islice(waiting, _AT_ONCE)):
        sound, broken = _parse_some(some)
        parsed += sound
        damaged += broken
    return parsed, sorted(damaged, key=lambda one: one.path)


def _has_manifest(folder: Path) -> bool:
    """Whether there is a ``run.json`` of any kind; one that cannot be read is then an error."""
    return os.path.lexists(folder / MANIFEST_NAME)


def _run_name(path: Path, manifest: Mapping[str, Any] | None) -> str:
    return str(manifest["agent"]["name"]) if manifest else path.resolve().name


def _read_path(path: Path, readers: Sequence[RecordReader]) -> RecordSource:
    if not path.exists():
        raise ConfigError("no such run folder or file", where=path)
    known: list[RecordReader] = [*readers, RunFolderReader()]
    for reader in known:
        with foreign_code():
            if reader.recognises(path):
                return reader.read(path)
    raise DataError(
        "no reader knows this kind of file", where=path, hint=f"give a run folder or {RESULT_NAME}"
    )


def _as_list(results: Any) -> list[Any]:
    if isinstance(results, Mapping) or not isinstance(results, Iterable):
        raise EvaluationInputError(
            f"cannot evaluate a {type(results).__name__}",
            where="results",
            hint="give a run folder, paths, result dicts, records or a DataFrame",
        )
    items = list(results)
    if not items:
        raise EvaluationInputError("no records", where="results", hint="the list is empty")
    return items


def _read_items(items: list[Any], readers: Sequence[RecordReader]) -> RecordSource:
    if all(isinstance(item, ResultRecord) for item in items):
        with without_collection():
            return _read_documents([item.to_dict() for item in items])
    if all(isinstance(item, Mapping) for item in items):
        with without_collection():
            return _read_documents(items)
    if all(isinstance(item, str | os.PathLike) for item in items):
        return _joined(*_read_paths(items, readers))
    kinds = sorted({type(item).__name__ for item in items})
    raise EvaluationInputError(f"cannot evaluate a list of {', '.join(kinds)}", where="results")


def _read_paths(
    items: list[Any], readers: Sequence[RecordReader]
) -> tuple[list[RecordSource], list[DamagedRecord]]:
    sources: list[RecordSource] = []
    damaged: list[DamagedRecord] = []
    for item in items:
        try:
            sources.append(_read_path(Path(item), readers))
        except DataError as error:
            damaged.append(DamagedRecord(os.fspath(item), error.message))
            if len(damaged) == len(items):
                raise
    return sources, damaged


def _read_documents(items: list[Any]) -> RecordSource:
    for position, item in enumerate(items):
        if "status" not in item and "success" not in item:
            raise EvaluationInputError(
                "neither 'status' nor 'success' is there", where=place_of(position)
            )
    documents, damaged = sound_documents(items)
    if not documents:
        raise nothing_usable(damaged)
    return RecordSource(RecordTable.from_dicts(documents), tuple(damaged))


def _joined(sources: list[RecordSource], unreadable: list[DamagedRecord]) -> RecordSource:
    if len(sources) == 1 and not unreadable:
        return sources[0]
    names = {name for source in sources for name in source.table.names}
    columns, astray = _settled({name: _stack(name, sources) for name in names})
    known = (one for source in sources for one in source.all_damaged)
    manifests = [source.manifest for source in sources]
    same = all(manifest == manifests[0] for manifest in manifests)
    return RecordSource(
        RecordTable(columns),
        (*unreadable, *known, *astray),
        manifests[0] if same else None,
        pathless={name: None for source in sources for name in source.pathless},
        missing=joined([source.missing for source in sources]),
    )


def _settled(columns: dict[str, Column]) -> tuple[dict[str, Column], list[DamagedRecord]]:
    """Leave out records that lie in another task's folder."""
    paths = columns.get("result_path", np.array([None]))
    if any(path is None for path in paths):
        return columns, []
    keys = zip(*(columns[name].tolist() for name in KEY_COLUMNS), strict=True)
    reasons = misplaced(list(paths), [(s, t, int(k)) for s, t, k in keys], None)
    keep = np.ones(len(paths), dtype=bool)
    keep[list(reasons)] = False
    astray = [DamagedRecord(paths[row], reason, is_stray=True) for row, reason in reasons.items()]
    return {name: column[keep] for name, column in columns.items()}, astray


def _stack(name: str, sources: list[RecordSource]) -> Column:
    parts = [
        source.table.column(name)
        if name in source.table
        else np.full(len(source.table), np.nan, dtype=object)
        for source in sources
    ]
    if any(part.dtype == object for part in parts):
        values = [None if value != value else value for part in parts for value in part.tolist()]
        return as_column(name, values)
    return np.concatenate(parts)


def _source_of_files(
    parsed: list[tuple[str, dict[str, Any]]],
    damaged: list[DamagedRecord],
    manifest: Mapping[str, Any] | None,
    name: str,
    run: str | None,
) -> RecordSource:
    reasons = misplaced([path for path, _ in parsed], _keys([one for _, one in parsed]), run)
    astray = [DamagedRecord(parsed[row][0], text, is_stray=True) for row, text in reasons.items()]
    damaged = sorted([*damaged, *astray], key=lambda one: one.path)
    parsed = [one for row, one in enumerate(parsed) if row not in reasons] if reasons else parsed
    if not parsed:
        raise nothing_usable(damaged)
    paths = np.empty(len(parsed), dtype=object)
    paths[:] = [path for path, _ in parsed]
    late: list[DamagedRecord] = []
    pathless: dict[str, None] = {}
    # Other tools' results come without trajectories.
    of_run = None if manifest is None else pathless
    table = RecordTable.from_dicts(
        [document for _, document in parsed],
        columns={"result_path": paths},
        lazy={"trajectory": partial(_load_trajectories, damaged=late, pathless=of_run)},
    )
    return RecordSource(table, tuple(damaged), manifest, name, None, late, pathless)


def _keys(documents: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, int]]:
    scenes, tasks = (map(itemgetter(name), documents) for name in KEY_COLUMNS[:2])
    attempts = (int(document.get("attempt", 0)) for document in documents)
    return list(zip(scenes, tasks, attempts, strict=True))


def _parse_some(
    contents: Sequence[tuple[str, bytes | OSError]],
) -> tuple[list[tuple[str, dict[str, Any]]], list[DamagedRecord]]:
    try:
        # Nearly always every file is sound and of this layout, which needs no look at each.
        documents = [orjson.loads(content) for _, content in contents]  # type: ignore[arg-type]
    except (orjson.JSONDecodeError, TypeError):
        return _parse_each(contents)
    if not schema_files.accepts_all(schema_files.load_schema("result.v1"), documents):
        return _parse_each(contents)
    return [(path, doc) for (path, _), doc in zip(contents, documents, strict=True)], []


def _parse_each(
    contents: Sequence[tuple[str, bytes | OSError]],
) -> tuple[list[tuple[str, dict[str, Any]]], list[DamagedRecord]]:
    parsed: list[tuple[str, dict[str, Any]]] = []
    damaged: list[DamagedRecord] = []
    for path, content in contents:
        if isinstance(content, OSError):
            damaged.append(DamagedRecord(path, content.strerror or str(content)))
            continue
        try:
            parsed.append((path, normalise(parse_json(content, path))))
        except DataError as error:
            damaged.append(DamagedRecord(path, error.message))
    schema = schema_files.load_schema("result.v1")
    if schema_files.accepts_all(schema, [document for _, document in parsed]):
        return parsed, damaged
    return _valid_ones(parsed, damaged)


def _valid_ones(
    parsed: list[tuple[str, dict[str, Any]]], damaged: list[DamagedRecord]
) -> tuple[list[tuple[str, dict[str, Any]]], list[DamagedRecord]]:
    valid = []
    for path, document in parsed:
        reason = schema_files.complaint("result.v1", document)
        if reason is None:
            valid.append((path, document))
        else:
            damaged.append(DamagedRecord(path, f"breaks result.v1: {reason}"))
    return valid, damaged


def _load_trajectories(
    table: RecordTable, *, damaged: list[DamagedRecord], pathless: dict[str, None] | None
) -> Column:
    loaded = np.empty(len(table), dtype=object)
    for row, result_path in enumerate(table.column("result_path")):
        path = Path(result_path).parent / TRAJECTORY_NAME
        if not os.path.lexists(path):
            _note_pathless(table, row, pathless)
            continue
        try:
            loaded[row] = _trajectory_of(table, row, path)
        except DataError as error:
            if all(one.path != str(path) for one in damaged):
                damaged.append(DamagedRecord(str(path), error.message))
    return loaded


def _note_pathless(table: RecordTable, row: int, pathless: dict[str, None] | None) -> None:
    """Note a record without trajectory; one that ended as an error may never have got so far."""
    if pathless is None or table.column("status")[row] == "error":
        return
    pathless[table.label(row)] = None


def _trajectory_of(table: RecordTable, row: int, path: Path) -> Trajectory:
    """Read a trajectory and check that it is the one of its record.

    Raises:
        DataError: it cannot be used, or belongs to another attempt.
    """
    trajectory = read_trajectory(path)
    names = [*KEY_COLUMNS, *(["steps"] if "steps" in table else [])]
    record = {name: table.column(name)[row] for name in names}
    reason = stranger(trajectory.extra, len(trajectory.waypoint), record)
    if reason is not None:
        raise DataError(reason, where=path)
    return trajectory
