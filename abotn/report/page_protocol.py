"""Under which rules the numbers of a page were made, on what, and with which commands."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from abotn.report.cells import label
from abotn.report.comparability import dataset_name
from abotn.report.page_sources import ReportSources, RunSource
from abotn.report.runs import MODIFIED_MARK, is_modified, isolated
from abotn.report.table import MISSING, Column, Row, Table
from abotn.report.texts import flat

_PROVIDED = {
    "history_images": "--provide-history",
    "occ_map": "--provide-occ-map",
    "height_map": "--provide-height-map",
}
_COLUMNS = 50
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


def setting(runs: Sequence[RunSource]) -> list[str]:
    """Return under the title: how many runs, their protocols, data sets and records."""
    if not runs:
        return []
    results = [run.result for run in runs]
    protocols = dict.fromkeys(_protocol(run) for run in runs)
    data_sets = dict.fromkeys(filter(None, map(dataset_name, results)))
    scored = sum(result.counts.get("scored", 0) for result in results)
    parts = [
        f"{len(runs)} {'run' if len(runs) == 1 else 'runs'}",
        f"protocol {' and '.join(filter(None, protocols))}" if any(protocols) else "",
        f"data set {' and '.join(data_sets)}" if data_sets else "",
        f"{scored} records scored",
    ]
    return [" · ".join(filter(None, parts))]


def protocol_tables(runs: Sequence[RunSource]) -> list[Table]:
    """Return the protocol of the runs: what they share in one table, what differs in another."""
    protocols = [run.manifest.get("protocol") or {} for run in runs]
    facts = {"name": [_said(one.get("name")) for one in protocols]}
    for key in dict.fromkeys(key for one in protocols for key in one.get("values") or {}):
        facts[key] = [_value(one, key) for one in protocols]
    marked = any(one.get("modified") for one in protocols)
    notes = [f"{MODIFIED_MARK} differs from the named protocol."] if marked else []
    return _tables("protocol", "Protocol", runs, facts, notes)


def origin_tables(runs: Sequence[RunSource]) -> list[Table]:
    """Return what each run was made of: agent, data set, renderer, seed, versions."""
    manifests = [run.manifest for run in runs]
    facts = {head: [_said(fact(one)) for one in manifests] for head, fact in _FACTS.items()}
    known = {head: texts for head, texts in facts.items() if set(texts) != {MISSING}}
    return _tables("origin", "Runs and data set", runs, known, [])


def commands(sources: ReportSources) -> list[tuple[str, list[str]]]:
    """Return (what it does, lines of the command) for rolling out, scoring and reporting.

    Commands of a run are written from its manifest and its evaluation; options at their
    defaults are written out where the manifest keeps them.
    """
    found = []
    for run in sources.runs:
        name = isolated(flat(run.name))
        if run.manifest.get("agent"):
            found.append((f"Roll out {name}{_beyond(run)}", _lines(_run_command(run))))
        if run.path:
            found.append((f"Score {name}", _lines(_evaluate_command(run))))
    if sources.command:
        found.append(("Write this page", _lines(sources.command)))
    return found


def _tables(
    key: str,
    title: str,
    runs: Sequence[RunSource],
    facts: Mapping[str, Sequence[str]],
    notes: Sequence[str],
) -> list[Table]:
    """Return a table with a column per run, and one of the facts that all runs share."""
    own = {head: texts for head, texts in facts.items() if len(runs) == 1 or len(set(texts)) > 1}
    shared = {head: texts[:1] for head, texts in facts.items() if head not in own}
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


def _lines(words: Sequence[str]) -> list[str]:
    """Return a command in lines that a shell reads as one, broken before options."""
    lines = [""]
    for word in words:
        quoted = flat(shlex.quote(word))
        if word.startswith("--") and len(lines[-1]) > _COLUMNS:
            lines[-1] += " \\"
            lines.append("    " + quoted)
        else:
            lines[-1] += f" {quoted}" if lines[-1] else quoted
    return lines
