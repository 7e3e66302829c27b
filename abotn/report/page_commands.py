"""The commands that made the runs of a page, and the page."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from abotn.report.page_protocol import said, without_login
from abotn.report.page_sources import ReportSources, RunSource
from abotn.report.runs import isolated
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


def commands(sources: ReportSources) -> list[tuple[str, list[str]]]:
    """Return (what it does, lines of the command) for rolling out, scoring and reporting.

    A run's manifest keeps the command that was typed. Other commands are written from the manifest
    and the evaluation, which is said; options at their defaults are then written out where these
    keep them.
    """
    found = []
    for run in sources.runs:
        name = isolated(flat(run.name))
        typed = run.manifest.get("command")
        if typed:
            found.append((f"Roll out {name}, as it was typed", _lines(map(str, typed))))
        elif run.manifest.get("agent"):
            found.append((f"Roll out {name}{_remark(run)}", _lines(_run_command(run))))
        if run.path:
            what = f"Score {name} (written from its evaluation)"
            found.append((what, _lines(_evaluate_command(run))))
    if sources.command:
        found.append(("Write this page", _lines(sources.command)))
    return found


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
    url = renderer.get("url")
    return without_login(str(url)) if url else renderer.get("kind")


def _overrides(protocol: Mapping[str, Any]) -> Iterator[str]:
    values = protocol.get("values") or {}
    for name in protocol.get("modified") or ():
        if name in _OVERRIDES:
            yield from (f"--{name.replace('_', '-')}", str(values.get(name)))


def _remark(run: RunSource) -> str:
    """Return in brackets where a command comes from, and what it alone does not hold."""
    protocol = run.manifest.get("protocol") or {}
    values = protocol.get("values") or {}
    names = [name for name in protocol.get("modified") or () if name not in _OVERRIDES]
    remarks = ["written from its manifest"]
    remarks += [f"in Python, with {name} = {said(values.get(name))}" for name in names]
    if run.manifest["agent"].get("config"):
        remarks.append("agent.yaml holds the agent config above")
    return f" ({'; '.join(remarks)})"


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


def _lines(words: Iterable[str]) -> list[str]:
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
