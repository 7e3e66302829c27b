"""Reading results that the published tools wrote: their spellings, made into this layout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from abotn.json_files import NON_FINITE_TOKENS
from abotn.records.values import as_flag, is_token

POI_KEYS = ("gt_taget_instance", "gt_target_instance")
FLAG_KEYS = frozenset({"success", "render_error"})
NAME_KEYS = frozenset({"episode_id", "task_id", "poi_name", *POI_KEYS})
_AS_THEY_ARE = frozenset({bool, int, type(None)})
_FAILED = ("render_error", "error")
_SAYS_NO = frozenset({"", "0", "false", "no", "none", "null"})
_SAYS_YES = frozenset({"1", "true", "yes"})


def normalise(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ``result.json`` document of the published tools in this project's layout.

    Non-finite tokens become null and are named in ``value_serialization``; ``render_error``, as a
    status or as a flag, becomes an error of stage ``render``; the POI's name, under a misspelt key
    or among the metrics, gets its place. Numpy's numbers become plain ones. A document with a
    ``schema_version`` is returned as it is, not copied.
    """
    if document.get("schema_version") is not None:
        return document if isinstance(document, dict) else dict(document)
    lost: dict[str, str] = {}
    plain = _finite_values(document, "", lost)
    metrics = plain.get("metrics")
    if isinstance(metrics, Mapping):
        plain["metrics"] = _finite_values(metrics, "metrics.", lost)
    else:
        metrics = {}
    plain.update(poi_entry(plain, metrics))
    plain.update(error_entry(plain, metrics))
    for key in FLAG_KEYS & plain.keys():
        plain[key] = as_flag(plain[key])
    return {"metrics": {}, **plain, "schema_version": "1", **_named(lost)}


def poi_entry(document: Mapping[str, Any], metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``poi_name`` where a document says it in another place only, else nothing."""
    if document.get("poi_name") is not None:
        return {}
    if isinstance(metrics.get("poi_name"), str):
        return {"poi_name": metrics["poi_name"]}
    name = next((document[key] for key in POI_KEYS if document.get(key) is not None), None)
    return {} if name is None else {"poi_name": name}


def error_entry(document: Mapping[str, Any], metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``status`` and ``error`` of a document that ended as an error, else nothing.

    Args:
        document: Top-level keys. ``render_error`` may be a flag, or text that says what happened.
        metrics: Its metrics, which may hold the flag too.
    """
    status = document.get("status")
    flag = document.get("render_error")
    failed, said = _flagged(metrics.get("render_error") if flag is None else flag)
    if status not in _FAILED and not failed:
        return {}
    if isinstance(document.get("error"), Mapping):
        return {"status": "error"}
    kind = "render_error" if failed else str(status)
    message = document.get("error") or document.get("error_message") or said or kind
    stage = "render" if kind == "render_error" else "agent"
    return {
        "status": "error",
        "error": {"stage": stage, "type": kind, "message": str(message)},
    }


def _flagged(flag: Any) -> tuple[bool, str | None]:
    """Return whether a flag is set, and what it says when it is a text."""
    if not isinstance(flag, str):
        return as_flag(flag) is True, None
    word = flag.strip().lower()
    if word in _SAYS_NO or word in _SAYS_YES:
        return word in _SAYS_YES, None
    return True, flag


def _finite_values(values: Mapping[str, Any], prefix: str, lost: dict[str, str]) -> dict[str, Any]:
    plain = dict(values)
    for key, value in plain.items():
        kind = type(value)
        # Nearly all values are such, and a call for each takes most of the time.
        if kind in _AS_THEY_ARE or (kind is float and value - value == 0):
            continue
        plain[key] = _finite(value, f"{prefix}{key}", lost)
    return plain


def _finite(value: Any, path: str, lost: dict[str, str]) -> Any:
    kind = type(value)
    if kind is str:
        if not is_token(value) or path.removeprefix("metrics.") in NAME_KEYS:
            return value
        value = NON_FINITE_TOKENS[value.strip().lower()]
    elif kind is not float:
        return _finite(value.item(), path, lost) if isinstance(value, np.generic) else value
    if value - value == 0:
        return value
    lost[path] = "nan" if value != value else ("inf" if value > 0 else "-inf")
    return None


def _named(lost: dict[str, str]) -> dict[str, Any]:
    return {"value_serialization": lost} if lost else {}
