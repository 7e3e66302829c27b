"""Under which rules the numbers of a page were made, on what, and with which commands."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from abotn.report.cells import label
from abotn.report.page_sources import ReportSources, RunSource
from abotn.report.runs import MODIFIED_MARK, isolated
from abotn.report.table import MISSING, Column, Row, Table
from abotn.report.texts import flat

_PROVIDED = {
    "history_images": "--provide-history",
    "occ_map": "--provide-occ-map",
    "height_map": "--provide-height-map",
}
_OVERRIDES = (
    "arrive_threshold",
    "collision_threshold",
    "collision_mode",
    "occ_dilation_meters",
    "collision_sampling",
    "execute_waypoint",
    "waypoint_frame",
    "reference",
)


def protocol_table(runs: Sequence[RunSource]) -> Table:
    """Return the protocol of each run: a row per parameter, a column per run."""
    protocols = [run.manifest.get("protocol") or {} for run in runs]
    rows = [_row("name", [_said(one.get("name")) for one in protocols])]
    values = [one.get("values") or {} for one in protocols]
    for key in dict.fromkeys(key for one in values for key in one):
        rows.append(_row(key, [_value(one, key) for one in protocols]))
    notes = [f"{MODIFIED_MARK} differs from the named protocol."]
    marked = any(one.get("modified") for one in protocols)
    return _table("protocol", "Protocol", runs, rows, notes if marked else [])


def origin_table(runs: Sequence[RunSource]) -> Table:
    """Return what each run was made of: agent, data set, renderer, seed, versions."""
    manifests = [run.manifest for run in runs]
    rows = [
        _row(head, [_said(fact(manifest)) for manifest in manifests])
        for head, fact in _FACTS.items()
    ]
    known = [row for row in rows if any(cell.text != MISSING for cell in row.cells[1:])]
    return _table("origin", "Runs and data set", runs, known, [])


def commands(sources: ReportSources) -> list[tuple[str, str]]:
    """Return (what it does, command line) for rolling out, scoring and reporting.

    Commands of a run are written from its manifest and its evaluation; options at their
    defaults are written out where the manifest keeps them.
    """
    found = []
    for run in sources.runs:
        name = isolated(flat(run.name))
        if run.manifest.get("agent"):
            found.append((f"Roll out {name}{_beyond(run)}", flat(shlex.join(_run_command(run)))))
        if run.path:
            found.append((f"Score {name}", flat(shlex.join(_evaluate_command(run)))))
    if sources.command:
        found.append(("Write this page", flat(sources.command)))
    return found


def _table(
    key: str, title: str, runs: Sequence[RunSource], rows: Sequence[Row], notes: Sequence[str]
) -> Table:
    heads = (Column("parameter" if key == "protocol" else ""), *(Column(run.name) for run in runs))
    return Table(key, title, "A column per run.", heads, tuple(rows), tuple(notes))


def _row(head: str, texts: Sequence[str]) -> Row:
    return Row((label(head), *(label(text) for text in texts)))


def _value(protocol: Mapping[str, Any], key: str) -> str:
    text = _said((protocol.get("values") or {}).get(key))
    return f"{text} {MODIFIED_MARK}" if key in (protocol.get("modified") or ()) else text


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_said(one)}" for key, one in value.items()) or MISSING
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value)) or "none"
    return MISSING if value is None or value == "" else str(value)


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


def _run_command(run: RunSource) -> list[str]:
    manifest = run.manifest
    protocol, dataset = manifest.get("protocol") or {}, manifest.get("dataset") or {}
    task_type = str(manifest.get("task_type", "point_goal")).replace("_", "-")
    words = ["abotn", "run", task_type, "--agent", str(manifest["agent"].get("class"))]
    options = {
        "--agent-name": manifest["agent"].get("name"),
        "--data-dir": dataset.get("data_dir"),
        "--map-dir": dataset.get("map_dir"),
        "--protocol": protocol.get("name"),
        "--render": _render(manifest.get("renderer") or {}),
        "--max-steps": manifest.get("max_steps"),
        "--attempts": manifest.get("attempts"),
        "--seed": manifest.get("seed"),
    }
    if manifest["agent"].get("config"):
        options["--agent-config"] = "agent.yaml"
    words += _options(options)
    return [*words, *_overrides(protocol), *_provided(manifest.get("provide") or ())]


def _render(renderer: Mapping[str, Any]) -> Any:
    return renderer.get("url") or renderer.get("kind")


def _overrides(protocol: Mapping[str, Any]) -> Iterator[str]:
    values = protocol.get("values") or {}
    for name in protocol.get("modified") or ():
        if name in _OVERRIDES:
            yield from (f"--{name.replace('_', '-')}", str(values.get(name)))


def _beyond(run: RunSource) -> str:
    """Return the overridden parameters that only Python can set, in brackets."""
    protocol = run.manifest.get("protocol") or {}
    values = protocol.get("values") or {}
    names = [name for name in protocol.get("modified") or () if name not in _OVERRIDES]
    shown = ", ".join(f"{name} = {_said(values.get(name))}" for name in names)
    return f" (in Python, with {shown})" if shown else ""


def _provided(fields: Sequence[str]) -> Iterator[str]:
    return (flag for field, flag in _PROVIDED.items() if field in fields)


def _evaluate_command(run: RunSource) -> list[str]:
    provenance = run.result.provenance
    used = provenance.get("statistics") or {}
    options = {
        "--bootstrap": used.get("bootstrap_ci") or 0,
        "--seed": used.get("bootstrap_seed"),
        "--ci-level": used.get("ci_level"),
        "--ci-method": used.get("ci_method"),
        "--cluster-by": used.get("cluster_by") or "none",
        "--on-error": provenance.get("on_error"),
    }
    return ["abotn", "evaluate", run.path, *_options(options)]


def _options(options: Mapping[str, Any]) -> list[str]:
    given = [(name, str(value)) for name, value in options.items() if value not in (None, "")]
    return [word for pair in given for word in pair]
