"""Find, load and apply the JSON Schemas, from the wheel or from a checkout."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent


def schema_folder() -> Path:
    """Return the folder that holds the schemas.

    A wheel carries them inside the package; an editable install runs from the checkout, where
    they lie beside it.

    Raises:
        FileNotFoundError: neither folder exists, so the installation is broken.
    """
    for folder in (_PACKAGE / "schemas", _PACKAGE.parent / "schemas"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"no schemas folder in {_PACKAGE} or beside it; reinstall abotn")


def schema_names() -> list[str]:
    """Return the names of all schemas, such as ``"result.v1"``."""
    suffix = ".schema.json"
    return sorted(path.name[: -len(suffix)] for path in schema_folder().glob(f"*{suffix}"))


@cache
def load_schema(name: str) -> dict[str, Any]:
    """Return the parsed schema called ``name``, such as ``"result.v1"``.

    Raises:
        FileNotFoundError: there is no such schema.
    """
    path = schema_folder() / f"{name}.schema.json"
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def complaint(name: str, document: object) -> str | None:
    """Return why ``document`` breaks schema ``name``, as ``"key: reason"``, or None if it fits.

    A newer minor version, such as ``schema_version`` 1.2, adds fields and is read as its major
    version.
    """
    if accepts_all(load_schema(name), [document]):
        return None
    document = _as_major(document)
    foreign = _foreign_version(name, document)
    if foreign is not None:
        return f"schema_version: {foreign!r} is unknown here (use a newer abotn)"
    errors = sorted(_validator(name).iter_errors(document), key=lambda error: list(error.path))
    if not errors:
        return None
    first = errors[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first.path)
    message = first.message if len(first.message) < 300 else first.message[:297] + "..."
    return f"{place.lstrip('.') or 'document'}: {message}"


def accepts_all(schema: dict[str, Any], values: Sequence[object]) -> bool:
    """Return True when every one of ``values`` certainly fits ``schema``.

    Works on all values at once, key by key, so that a run's records or a trajectory's steps cost
    a few set operations. False means "ask jsonschema": a keyword outside the small set handled
    here, or a value that may break the schema.
    """
    if not set(schema) <= _HANDLED:
        return False
    kinds = set(map(type, values))
    if not _types_fit(schema, kinds):
        return False
    if "enum" in schema and not all(value in schema["enum"] for value in _distinct(values)):
        return False
    if not _sizes_fit(schema, values, kinds):
        return False
    return _objects_fit(schema, values, kinds) and _arrays_fit(schema, values, kinds)


_HANDLED = {
    "$schema", "$id", "title", "description", "type", "enum", "minimum", "maximum",
    "properties", "required", "additionalProperties", "items", "minItems", "maxItems",
}  # fmt: skip
_PYTHON_TYPES: dict[str, set[type]] = {
    "string": {str}, "integer": {int}, "number": {int, float}, "boolean": {bool},
    "null": {type(None)}, "object": {dict}, "array": {list},
}  # fmt: skip


def _types_fit(schema: dict[str, Any], kinds: set[type]) -> bool:
    if "type" not in schema:
        return True
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return kinds <= set().union(*(_PYTHON_TYPES[name] for name in names))


def _sizes_fit(schema: dict[str, Any], values: Sequence[object], kinds: set[type]) -> bool:
    if not ("minimum" in schema or "maximum" in schema) or not kinds & {int, float}:
        return True
    numbers: Any = values
    if not kinds <= {int, float}:
        numbers = [value for value in values if type(value) in (int, float)]
    low, high = schema.get("minimum"), schema.get("maximum")
    return (low is None or min(numbers) >= low) and (high is None or max(numbers) <= high)


def _distinct(values: Sequence[object]) -> list[object]:
    try:
        return list(set(values))
    except TypeError:
        return list(values)


def _objects_fit(schema: dict[str, Any], values: Sequence[object], kinds: set[type]) -> bool:
    if dict not in kinds:
        return True
    objects: Any = values
    if kinds != {dict}:
        objects = [value for value in values if type(value) is dict]
    known = schema.get("properties", {})
    required = set(schema.get("required", ()))
    if not required <= known.keys():
        return False
    columns = _columns(objects)
    for key, inner in known.items():
        present = columns.get(key, ())
        if key in required and len(present) < len(objects):
            return False
        if present and not accepts_all(inner, present):
            return False
    others = chain.from_iterable(values for key, values in columns.items() if key not in known)
    return _others_fit(schema.get("additionalProperties", True), others)


def _columns(objects: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the values of each key, over the objects that have it."""
    shapes = set(map(tuple, objects))
    if len(shapes) == 1:
        keys = shapes.pop()
        values = list(chain.from_iterable(map(dict.values, objects)))
        return {key: values[place :: len(keys)] for place, key in enumerate(keys)}
    return {key: _values_at(objects, key) for key in dict.fromkeys(chain.from_iterable(shapes))}


def _values_at(objects: Sequence[dict[str, Any]], key: str) -> list[Any]:
    try:
        return list(map(itemgetter(key), objects))
    except KeyError:
        return [value[key] for value in objects if key in value]


def _others_fit(rule: Any, others: Iterable[Any]) -> bool:
    if rule is True:
        return True
    values = list(others)
    return not values or (rule is not False and accepts_all(rule, values))


def _arrays_fit(schema: dict[str, Any], values: Sequence[object], kinds: set[type]) -> bool:
    if list not in kinds:
        return True
    arrays = [value for value in values if type(value) is list]
    lengths = [len(array) for array in arrays]
    if min(lengths) < schema.get("minItems", 0) or max(lengths) > schema.get("maxItems", 2**62):
        return False
    items = list(chain.from_iterable(arrays))
    return "items" not in schema or not items or accepts_all(schema["items"], items)


def _as_major(document: object) -> object:
    version = document.get("schema_version") if isinstance(document, dict) else None
    if not isinstance(version, str) or not isinstance(document, dict):
        return document
    major, dot, minor = version.partition(".")
    return {**document, "schema_version": major} if dot and minor.isdigit() else document


def _foreign_version(name: str, document: object) -> object:
    """Return the version of a document of another major version, None for one of this."""
    known = load_schema(name).get("properties", {}).get("schema_version", {}).get("enum")
    if known is None or not isinstance(document, dict) or "schema_version" not in document:
        return None
    version: object = document["schema_version"]
    return None if version in known else version


@cache
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(load_schema(name))
