"""Reading results that the published tools wrote: their spellings, made into this layout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abotn.json_files import NON_FINITE_TOKENS

_RENAMED = {"gt_taget_instance": "poi_name", "gt_target_instance": "poi_name"}


def normalise(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ``result.json`` document of the published tools in this project's layout.

    Non-finite tokens become null and are named in ``value_serialization``, ``render_error``
    becomes an error of stage ``render``, and the POI's name, under a misspelt key or among the
    metrics, gets its place. A document with a ``schema_version`` is returned as it is, not copied.
    """
    if "schema_version" in document:
        return document if isinstance(document, dict) else dict(document)
    lost: dict[str, str] = {}
    plain = {key: _finite(value, key, lost) for key, value in document.items()}
    metrics = plain.get("metrics")
    if isinstance(metrics, Mapping):
        plain["metrics"] = {k: _finite(v, f"metrics.{k}", lost) for k, v in metrics.items()}
        if isinstance(metrics.get("poi_name"), str):
            plain.setdefault("poi_name", metrics["poi_name"])
    for old, new in _RENAMED.items():
        if old in plain:
            plain.setdefault(new, plain[old])
    _name_error(plain)
    if isinstance(plain.get("success"), int | float):
        plain["success"] = bool(plain["success"])
    return {"schema_version": "1", "metrics": {}, **plain, **_named(lost)}


def _finite(value: Any, path: str, lost: dict[str, str]) -> Any:
    kind = type(value)
    if kind is str:
        number = NON_FINITE_TOKENS.get(value.strip().lower()) if len(value) < 12 else None
        if number is None or path in ("episode_id", "task_id", "poi_name"):
            return value
        value = number
    elif kind is not float:
        return value
    if value - value == 0:
        return value
    lost[path] = "nan" if value != value else ("inf" if value > 0 else "-inf")
    return None


def _name_error(plain: dict[str, Any]) -> None:
    status = plain.get("status")
    if status not in ("render_error", "error"):
        return
    plain["status"] = "error"
    if not isinstance(plain.get("error"), Mapping):
        stage = "render" if status == "render_error" else "agent"
        message = str(plain.get("error") or plain.get("error_message") or status)
        plain["error"] = {"stage": stage, "type": str(status), "message": message}


def _named(lost: dict[str, str]) -> dict[str, Any]:
    return {"value_serialization": lost} if lost else {}
