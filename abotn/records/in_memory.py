"""Documents that a caller holds in memory: made plain, and checked by the rules of files.

What differs from a file: a key may be absent or None, a metric may stand among the top-level keys,
an id may be a number, and numbers may be numpy's or pandas'.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from abotn import schema_files
from abotn.records.published import FLAG_KEYS, normalise
from abotn.records.types import DamagedRecord
from abotn.records.values import as_flag, plain_value, text_of_id

Documents = list[Mapping[str, Any]]

_SCHEMA = "result.v1"
_LEAST: dict[str, Any] = {
    "schema_version": "1",
    "episode_id": "",
    "task_id": "",
    "status": "stop",
    "steps": 0,
    "success": False,
    "metrics": {},
}
_TEXTS = ("episode_id", "task_id", "schema_version")
_WHOLE = ("steps", "attempt")


def sound_documents(
    documents: Sequence[Mapping[str, Any]],
) -> tuple[Documents, list[DamagedRecord]]:
    """Return the usable documents in this layout, and the damaged ones.

    A document that a file could not hold, because a number is written as a text say, is damaged
    and named by its position.
    """
    found: Documents = [normalise(document) for document in documents]
    everyone = list(range(len(found)))
    if schema_files.accepts_all(lenient_schema(), found):
        return found, []
    found = [normalise(plain_document(document)) for document in documents]
    if schema_files.accepts_all(lenient_schema(), found):
        return found, []
    reasons = {row: reason for row in everyone if (reason := complaint(found[row])) is not None}
    damaged = [DamagedRecord(place_of(row), reason) for row, reason in reasons.items()]
    return [found[row] for row in everyone if row not in reasons], damaged


def complaint(document: Mapping[str, Any]) -> str | None:
    """Return why a plain document breaks this layout, apart from absent keys; None if it fits."""
    if schema_files.accepts_all(lenient_schema(), [document]):
        return None
    present = {key: value for key, value in document.items() if value is not None}
    moved = {key: present[key] for key in metric_schemas().keys() & present.keys()}
    metrics = present.get("metrics", {})
    if moved and isinstance(metrics, Mapping):
        present["metrics"] = {**metrics, **moved}
    reason = schema_files.complaint(_SCHEMA, {**_LEAST, **present})
    return None if reason is None else f"breaks {_SCHEMA}: {reason}"


def place_of(position: int) -> str:
    """Return how a record in memory is named."""
    return f"results[{position}]"


def plain_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of plain values; what is missing is None."""
    plain: dict[str, Any] = plain_value(document)
    for key in _TEXTS:
        if plain.get(key) is not None:
            plain[key] = text_of_id(plain[key])
    for key in _WHOLE:
        value = plain.get(key)
        plain.update({key: int(value)} if isinstance(value, float) and value % 1 == 0 else {})
    for key in FLAG_KEYS & plain.keys():
        plain[key] = as_flag(plain[key])
    for key in ("error", "value_serialization"):
        if isinstance(plain.get(key), dict):
            # Columns of mappings have every key in every row.
            plain[key] = {k: v for k, v in plain[key].items() if v is not None}
    return plain


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep the cyclic collector from scanning thousands of new dicts over and over for nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            _let_new_objects_be_old()
            gc.enable()


def _let_new_objects_be_old() -> None:
    # Else the collector's next look, at what is new, goes over all of them at once.
    if hasattr(gc, "get_freeze_count") and gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()


@cache
def lenient_schema() -> dict[str, Any]:
    """Return the schema of a result in memory, where every key may be absent or None."""
    schema = schema_files.load_schema(_SCHEMA)
    known = {key: _or_null(inner) for key, inner in schema["properties"].items()}
    return {**schema, "required": [], "properties": {**metric_schemas(), **known}}


def metric_schemas() -> dict[str, Any]:
    """Return the schema of each metric that this layout knows."""
    schemas: dict[str, Any] = schema_files.load_schema(_SCHEMA)["properties"]["metrics"]
    known: dict[str, Any] = schemas["properties"]
    return known


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    changed = {**schema, "type": [*dict.fromkeys([*types, "null"])]}
    if "enum" in schema:
        changed["enum"] = [*schema["enum"], None]
    return changed
