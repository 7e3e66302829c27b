"""Under which rules the numbers of a page were made, and on what."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from abotn.report.cells import label
from abotn.report.comparability import dataset_name
from abotn.report.page_sources import RunSource
from abotn.report.runs import MODIFIED_MARK, is_modified
from abotn.report.table import MISSING, Column, Row, Table
from abotn.units import counted

_LOGIN = re.compile(r"://[^/@\s]+@")


def setting(runs: Sequence[RunSource]) -> list[str]:
    """Return under the title: how many runs, their protocols, data sets and records."""
    if not runs:
        return []
    results = [run.result for run in runs]
    protocols = dict.fromkeys(_protocol(run) for run in runs)
    data_sets = dict.fromkeys(filter(None, map(dataset_name, results)))
    scored = sum(result.counts.get("scored", 0) for result in results)
    parts = [
        counted(len(runs), "runs"),
        f"protocol {' and '.join(filter(None, protocols))}" if any(protocols) else "",
        f"data set {' and '.join(data_sets)}" if data_sets else "",
        f"{counted(scored, 'records')} scored",
    ]
    return [" · ".join(filter(None, parts))]


def protocol_tables(runs: Sequence[RunSource]) -> list[Table]:
    """Return the protocol of the runs: what they share in one table, what differs in another."""
    protocols = [run.manifest.get("protocol") or {} for run in runs]
    facts = {"name": [said(one.get("name")) for one in protocols]}
    for key in dict.fromkeys(key for one in protocols for key in one.get("values") or {}):
        facts[key] = [_value(one, key) for one in protocols]
    marked = any(one.get("modified") for one in protocols)
    notes = [f"{MODIFIED_MARK} differs from the named protocol."] if marked else []
    return _tables("protocol", "Protocol", runs, facts, notes)


def origin_tables(runs: Sequence[RunSource]) -> list[Table]:
    """Return what each run was made of: agent, data set, renderer, seed, versions."""
    manifests = [run.manifest for run in runs]
    facts = {head: [said(fact(one)) for one in manifests] for head, fact in _FACTS.items()}
    return _tables("origin", "Runs and data set", runs, facts, [])


def said(value: object) -> str:
    """Return a value of a manifest in words; an en dash for none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {said(one)}" for key, one in value.items()) or MISSING
    if isinstance(value, list | tuple):
        return ", ".join(map(said, value)) or "none"
    return MISSING if value is None or value == "" else without_login(str(value))


def without_login(text: str) -> str:
    """Return text with the user and password of any address in it left out.

    Example:
        >>> without_login("http://me:secret@host/render")
        'http://host/render'
    """
    return _LOGIN.sub("://", text)


def _tables(
    key: str,
    title: str,
    runs: Sequence[RunSource],
    facts: Mapping[str, Sequence[str]],
    notes: Sequence[str],
) -> list[Table]:
    """Return a table with a column per run, and one of the facts that all runs share.

    A fact that no run knows is left out.
    """
    known = {head: texts for head, texts in facts.items() if set(texts) != {MISSING}}
    own = {head: texts for head, texts in known.items() if len(runs) == 1 or len(set(texts)) > 1}
    shared = {head: texts[:1] for head, texts in known.items() if head not in own}
    found = []
    if own:
        heads = (Column("parameter"), *(Column(run.name) for run in runs))
        caption = "A column per run."
        found.append(Table(key, title, caption, heads, _rows(own), tuple(notes)))
    if shared:
        heads = (Column("parameter"), Column("every run"))
        caption = "The same in every run."
        found.append(Table(f"{key}-shared", title, caption, heads, _rows(shared), tuple(notes)))
    return found


def _rows(facts: Mapping[str, Sequence[str]]) -> tuple[Row, ...]:
    return tuple(Row((label(head), *map(label, texts))) for head, texts in facts.items())


def _protocol(run: RunSource) -> str:
    name = str((run.manifest.get("protocol") or {}).get("name") or "")
    return f"{name} (modified)" if is_modified(run.result) else name


def _value(protocol: Mapping[str, Any], key: str) -> str:
    text = said((protocol.get("values") or {}).get(key))
    return f"{text} {MODIFIED_MARK}" if key in (protocol.get("modified") or ()) else text


def _of(*keys: str) -> Callable[[Mapping[str, Any]], Any]:
    def fact(manifest: Mapping[str, Any]) -> Any:
        value: Any = manifest
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    return fact


_FACTS = {
    "run": _of("run_id"),
    "started": _of("created"),
    "agent": _of("agent", "class"),
    "agent config": _of("agent", "config"),
    "task type": _of("task_type"),
    "data set fingerprint": _of("dataset", "fingerprint"),
    "scenes": _of("dataset", "scenes"),
    "tasks": _of("dataset", "tasks"),
    "scenes in": _of("dataset", "data_dir"),
    "maps in": _of("dataset", "map_dir"),
    "renderer": _of("renderer"),
    "optional observations": _of("provide"),
    "max steps": _of("max_steps"),
    "attempts per task": _of("attempts"),
    "seed": _of("seed"),
    "versions": _of("versions"),
}
