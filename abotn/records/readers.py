"""From a run folder, paths, documents, records or a DataFrame to one table of records."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import orjson

from abotn import schema_files
from abotn.errors import ConfigError, DataError, EvaluationInputError
from abotn.json_files import parse_json
from abotn.records.files import (
    MANIFEST_NAME,
    RESULT_NAME,
    TRAJECTORY_NAME,
    read_manifest,
    read_result_bytes,
    read_trajectory,
)
from abotn.records.published import normalise
from abotn.records.table import Column, RecordTable, as_column
from abotn.records.types import DamagedRecord, ResultRecord

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class RecordSource:
    """A table of records, what could not be read, and the manifest of the run if there is one.

    ``late_damage`` fills up as further files of a record, such as trajectories, are read.
    """

    table: RecordTable
    damaged: tuple[DamagedRecord, ...] = ()
    manifest: Mapping[str, Any] | None = None
    name: str = ""
    folder: str | None = None
    late_damage: list[DamagedRecord] = field(default_factory=list)

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
        if path.is_file():
            contents = list(read_result_bytes(path.parent))
            return _source_of_files(contents, _manifest_above(path), path.parent.name, None)
        manifest = read_manifest(path) if (path / MANIFEST_NAME).is_file() else None
        with _without_collection():
            contents = list(read_result_bytes(path))
            if not contents:
                raise DataError(f"no {RESULT_NAME} below this folder", where=path)
            name = _run_name(path, manifest)
            return _source_of_files(contents, manifest, name, os.fspath(path))


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
        return RecordSource(RecordTable.from_dataframe(results))
    return _read_items(_as_list(results), readers)


def _manifest_above(path: Path) -> Mapping[str, Any] | None:
    """Return the manifest of the run that a ``result.json`` lies in."""
    for folder in list(path.resolve().parents)[1:3]:
        if (folder / MANIFEST_NAME).is_file():
            return read_manifest(folder)
    return None


def _run_name(path: Path, manifest: Mapping[str, Any] | None) -> str:
    return str(manifest["agent"]["name"]) if manifest else path.resolve().name


def _read_path(path: Path, readers: Sequence[RecordReader]) -> RecordSource:
    if not path.exists():
        raise ConfigError("no such run folder or file", where=path)
    known: list[RecordReader] = [*readers, RunFolderReader()]
    for reader in known:
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
        return RecordSource(RecordTable.from_records(items))
    if all(isinstance(item, Mapping) for item in items):
        return RecordSource(RecordTable.from_dicts(_normalised(items)))
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


def _normalised(items: list[Any]) -> list[Mapping[str, Any]]:
    for position, item in enumerate(items):
        if "status" not in item and "success" not in item:
            raise EvaluationInputError(
                "neither 'status' nor 'success' is there", where=f"results[{position}]"
            )
    return [item if "schema_version" in item else normalise(item) for item in items]


def _joined(sources: list[RecordSource], unreadable: list[DamagedRecord]) -> RecordSource:
    if len(sources) == 1 and not unreadable:
        return sources[0]
    names = {name for source in sources for name in source.table.names}
    columns = {name: _stack(name, sources) for name in names}
    damaged = (*unreadable, *(one for source in sources for one in source.all_damaged))
    manifests = [source.manifest for source in sources]
    same = all(manifest == manifests[0] for manifest in manifests)
    return RecordSource(RecordTable(columns), damaged, manifests[0] if same else None)


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


@contextmanager
def _without_collection() -> Iterator[None]:
    # Thousands of new dicts make the cyclic collector scan them over and over for nothing.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _source_of_files(
    contents: Sequence[tuple[str, bytes | OSError]],
    manifest: Mapping[str, Any] | None,
    name: str,
    folder: str | None,
) -> RecordSource:
    documents, damaged = _parse_all(contents)
    if not documents:
        first = damaged[0]
        raise DataError(f"no usable record; {first.reason}", where=first.path)
    paths = np.empty(len(documents), dtype=object)
    paths[:] = [path for path, _ in documents]
    late: list[DamagedRecord] = []
    table = RecordTable.from_dicts(
        [document for _, document in documents],
        columns={"result_path": paths},
        lazy={"trajectory": partial(_load_trajectories, damaged=late)},
    )
    return RecordSource(table, tuple(damaged), manifest, name, folder, late)


def _parse_all(
    contents: Sequence[tuple[str, bytes | OSError]],
) -> tuple[list[tuple[str, dict[str, Any]]], list[DamagedRecord]]:
    schema = schema_files.load_schema("result.v1")
    try:
        # Nearly always every file is sound and of this layout, which needs no look at each.
        documents = [orjson.loads(content) for _, content in contents]  # type: ignore[arg-type]
    except (orjson.JSONDecodeError, TypeError):
        return _parse_each(contents)
    if not schema_files.accepts_all(schema, documents):
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
        return parsed, sorted(damaged, key=lambda one: one.path)
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
    return valid, sorted(damaged, key=lambda one: one.path)


def _load_trajectories(table: RecordTable, *, damaged: list[DamagedRecord]) -> Column:
    loaded = np.empty(len(table), dtype=object)
    for row, result_path in enumerate(table.column("result_path")):
        path = Path(result_path).parent / TRAJECTORY_NAME
        try:
            loaded[row] = read_trajectory(path) if path.is_file() else None
        except DataError as error:
            if all(one.path != str(path) for one in damaged):
                damaged.append(DamagedRecord(str(path), error.message))
    return loaded
