"""Whether the runs of a report may be compared, and what their numbers leave out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from abotn.report.notes import listed
from abotn.report.runs import (
    MODIFIED_MARK,
    Run,
    is_modified,
    isolated,
    modifications,
    protocol_of,
    run_facts,
)
from abotn.results.types import EvaluationResult
from abotn.units import counted

_SHOWN_DAMAGED = 5
_SHOWN_SKIPPED = 8
_FINGERPRINT_LETTERS = 12
_RUN_FACTS = {
    "values of max_steps": "max_steps",
    "numbers of attempts per task": "attempts",
    "renderers": "renderer",
}


def modified_notes(runs: Sequence[Run]) -> list[str]:
    """Return a line per modified protocol, with what was modified and in which runs."""
    members: dict[str, list[str]] = {}
    for name, result in runs:
        if is_modified(result):
            what = f"modified protocol {_protocol_name(result)} ({_changes(result)})"
            members.setdefault(what, []).append(name)
    return [f"{MODIFIED_MARK} {listed(names)}: {what}." for what, names in members.items()]


def difference_notes(runs: Sequence[Run], metrics: Collection[str]) -> list[str]:
    """Return a line per thing that makes the runs hard to compare.

    Args:
        runs: The runs.
        metrics: Metrics whose parameters are looked at.
    """
    differences = {
        "protocols": _protocol_name,
        "data sets": dataset_name,
        "treatments of records that ended as errors": _error_policy,
    }
    lines = [
        line
        for what, of in differences.items()
        for line in _differing(what, {name: of(result) for name, result in runs})
    ]
    lines += [*_differing_values(runs), *_differing_runs(runs)]
    return [*lines, *_differing_parameters(runs, metrics)]


def left_out_notes(runs: Sequence[Run]) -> list[str]:
    """Return a line for each kind of record that the numbers do not contain."""
    return [
        *_shared(runs, "Scenes left out", _scenes),
        *_shared(runs, "Records that ended as errors, left out", _errors),
        *_shared(runs, "Damaged records, left out", _damage),
        *_shared(runs, "Not complete", _incomplete),
    ]


def warning_notes(runs: Sequence[Run]) -> list[str]:
    """Return a line for each warning that an evaluation of streamed scores carries."""
    return _shared(runs, "Warning", _warnings)


def skipped_notes(runs: Sequence[Run]) -> list[str]:
    """Return a line on the metrics that an automatic selection left out."""
    return _shared(runs, "Metrics that cannot be computed", _skipped)


def dataset_name(result: EvaluationResult) -> str:
    """Return the start of the data set's fingerprint, empty where none is known."""
    dataset = result.provenance.get("dataset") or {}
    return str(dataset.get("fingerprint", ""))[:_FINGERPRINT_LETTERS]


def _protocol_name(result: EvaluationResult) -> str:
    return str(protocol_of(result).get("name", ""))


def _error_policy(result: EvaluationResult) -> str:
    return str(result.provenance.get("on_error", ""))


def _changes(result: EvaluationResult) -> str:
    return ", ".join(f"{key} = {_said(value)}" for key, value in modifications(result).items())


def _differing_runs(runs: Sequence[Run]) -> list[str]:
    """Return a line per fact in which runs differ that are known to have it."""
    lines = []
    for what, key in _RUN_FACTS.items():
        said = {name: run_facts(result).get(key) for name, result in runs}
        kinds = {n: v.get("kind") if isinstance(v, Mapping) else v for n, v in said.items()}
        lines += _differing(what, {n: _said(v) for n, v in kinds.items() if v is not None})
    return lines


def _differing(what: str, values: Mapping[str, str]) -> list[str]:
    """Return a line when the runs differ in something; an unknown one differs from a known one.

    Args:
        what: What they differ in.
        values: Its value by name of run; empty where not known.
    """
    members: dict[str, list[str]] = {}
    for name, value in values.items():
        members.setdefault(value or "unknown", []).append(name)
    if len(members) < 2:
        return []
    shown = "; ".join(f"{value} ({listed(names)})" for value, names in members.items())
    return [f"Compare with care, the runs have different {what}: {shown}."]


def _differing_values(runs: Sequence[Run]) -> list[str]:
    """Return a line per protocol parameter in which runs of one protocol's name differ."""
    lines = []
    for protocol in dict.fromkeys(_protocol_name(result) for _, result in runs):
        values = {
            name: protocol_of(result).get("values", {})
            for name, result in runs
            if _protocol_name(result) == protocol
        }
        for key in dict.fromkeys(key for one in values.values() for key in one):
            said = {name: _said(one.get(key)) for name, one in values.items()}
            lines += _differing(f"values of {key} under {protocol}", said)
    return lines


def _differing_parameters(runs: Sequence[Run], metrics: Collection[str]) -> list[str]:
    lines = []
    for metric in metrics:
        said = {name: _parameters(result, metric) for name, result in runs if metric in result}
        lines += _differing(f"parameters of {metric}", said)
    return lines


def _parameters(result: EvaluationResult, metric: str) -> str:
    items = sorted(result[metric].parameters.items())
    return ", ".join(f"{key} = {_said(value)}" for key, value in items) or "none"


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value)) or "none"
    return "none" if value is None else str(value)


def _shared(
    runs: Sequence[Run], subject: str, fact: Callable[[EvaluationResult], str]
) -> list[str]:
    """Return a line per fact, naming the runs unless it holds for all of them."""
    members: dict[str, list[str]] = {}
    for name, result in runs:
        members.setdefault(fact(result), []).append(name)
    members.pop("", None)
    return [
        f"{subject}{f' ({listed(names)})' if len(names) < len(runs) else ''}: {text}."
        for text, names in members.items()
    ]


def _warnings(result: EvaluationResult) -> str:
    streaming = result.provenance.get("streaming") or {}
    return "; ".join(streaming.get("warnings", ()))


def _scenes(result: EvaluationResult) -> str:
    scenes = result.provenance.get("excluded_scenes") or {}
    return ", ".join(
        f"{isolated(scene)} ({counted(count, 'records')})" for scene, count in scenes.items()
    )


def _incomplete(result: EvaluationResult) -> str:
    return "; ".join(result.provenance.get("notes", ()))


def _errors(result: EvaluationResult) -> str:
    count = result.counts.get("errors", 0)
    return str(count) if count and _error_policy(result) == "exclude" else ""


def _skipped(result: EvaluationResult) -> str:
    if len(result.skipped) > _SHOWN_SKIPPED:
        return f"{len(result.skipped)}, each with its reason in the evaluation's skipped"
    by_reason: dict[str, list[str]] = {}
    for metric, reason in result.skipped.items():
        by_reason.setdefault(reason, []).append(metric)
    return "; ".join(f"{', '.join(names)} ({reason})" for reason, names in by_reason.items())


def _damage(result: EvaluationResult) -> str:
    shown = [f"{one['path']}: {one['reason']}" for one in result.damaged[:_SHOWN_DAMAGED]]
    more = len(result.damaged) - len(shown)
    return "; ".join([*shown, f"and {more} more"] if more else shown)
