"""A metric over the evaluations of a folder, in the order of their runs."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from abotn.errors import ConfigError, DataError, UnknownMetricError
from abotn.json_files import read_json
from abotn.results.files import read_evaluation
from abotn.results.types import EvaluationResult, MetricResult
from abotn.units import Direction

MANIFEST_NAME = "run.json"


@dataclass(frozen=True)
class HistoryEntry:
    """One evaluation.

    Attributes:
        path: The evaluation file.
        name: What was evaluated, such as the agent.
        created: When the run was made, ISO 8601.
        dated_by: ``"run"`` for the manifest's time, ``"file"`` for that of the evaluation file.
        value: The metric's value, which may be infinite; None where there is none.
        lower: Lower end of its interval.
        upper: Upper end.
        change: Value minus that of the last entry before with a value; None for the first, and
            where one of the two is infinite.
        verdict: ``"better"``, ``"worse"`` or ``"same"`` by the metric's direction.
        reason: Why there is no value.
        notes: What makes the change hard to read, such as another protocol.
    """

    path: str
    name: str
    created: str
    dated_by: str
    value: float | None
    lower: float | None = None
    upper: float | None = None
    change: float | None = None
    verdict: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class History:
    """All evaluations of a folder, oldest first.

    Attributes:
        metric: The metric.
        unit: Its unit.
        direction: ``"higher"`` or ``"lower"`` is better.
        entries: One per evaluation.
        unreadable: Reason by path of each file that could not be read.
    """

    metric: str
    unit: str
    direction: str
    entries: tuple[HistoryEntry, ...]
    unreadable: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "metric": self.metric,
            "unit": self.unit,
            "direction": self.direction,
            "entries": [asdict(entry) for entry in self.entries],
            "unreadable": dict(self.unreadable),
        }


def read_history(folder: str | os.PathLike[str], metric: str) -> History:
    """Return a metric over the evaluations below a folder.

    Evaluations are the files called ``evaluation*.json`` anywhere below the folder, and any
    evaluation directly in it. They are ordered by the ``created`` time of the ``run.json`` beside
    them, else by their own time.

    Args:
        folder: Where to look.
        metric: Name of the metric.

    Raises:
        ConfigError: no such folder.
        DataError: no evaluation in it, or none that can be read.
        UnknownMetricError: no evaluation has the metric.
    """
    found, unreadable = _read_all(Path(folder))
    present = [result[metric] for _, result in found if metric in result]
    if not present:
        names = {one.name for _, result in found for one in result.metrics}
        raise UnknownMetricError(metric, names)
    dated = sorted(((*_created(path), path, result) for path, result in found), key=_by_time)
    entries = [_entry(path, result, metric, when, by) for when, by, path, result in dated]
    results = [result for _, _, _, result in dated]
    return History(
        metric=metric,
        unit=present[-1].unit,
        direction=present[-1].direction,
        entries=tuple(_with_changes(entries, results, metric)),
        unreadable=unreadable,
    )


def _read_all(folder: Path) -> tuple[list[tuple[Path, EvaluationResult]], dict[str, str]]:
    if not folder.is_dir():
        raise ConfigError("no such folder", where=folder)
    found: list[tuple[Path, EvaluationResult]] = []
    unreadable: dict[str, str] = {}
    for path in _candidates(folder):
        try:
            found.append((path, read_evaluation(path)))
        except DataError as error:
            unreadable[str(path)] = error.message
    if not found:
        first = next(iter(unreadable.items()), None)
        why = f"; {first[0]}: {first[1]}" if first else ""
        raise DataError(f"no evaluation in this folder{why}", where=folder)
    return found, unreadable


def _candidates(folder: Path) -> Iterator[Path]:
    """Yield the files that should be evaluations, and those directly in the folder that are."""
    named = sorted(folder.rglob("evaluation*.json"))
    yield from named
    for path in sorted(folder.glob("*.json")):
        if path not in named and _is_evaluation(path):
            yield path


def _is_evaluation(path: Path) -> bool:
    try:
        document = read_json(path)
    except DataError:
        return False
    return {"schema_version", "metrics", "groups", "counts", "provenance"} <= document.keys()


def _created(path: Path) -> tuple[datetime, str]:
    manifest = path.parent / MANIFEST_NAME
    try:
        made = datetime.fromisoformat(str(read_json(manifest)["created"]).replace("Z", "+00:00"))
        return (made if made.tzinfo else made.replace(tzinfo=timezone.utc)), "run"
    except (DataError, KeyError, ValueError):
        return datetime.fromtimestamp(path.stat().st_mtime, timezone.utc), "file"


def _by_time(item: tuple[datetime, str, Path, EvaluationResult]) -> tuple[datetime, str]:
    return item[0], str(item[2])


def _entry(
    path: Path, result: EvaluationResult, metric: str, when: datetime, dated_by: str
) -> HistoryEntry:
    entry = HistoryEntry(str(path), result.name, when.isoformat(timespec="seconds"), dated_by, None)
    if metric not in result:
        return replace(entry, reason=result.skipped.get(metric, "not evaluated"))
    found = result[metric]
    if math.isnan(found.value):
        return replace(
            entry, reason=str(found.metadata.get("error") or found.reason or "undefined")
        )
    lower, upper = (None, None) if found.ci is None else (found.ci.lower, found.ci.upper)
    return replace(entry, value=found.value, lower=lower, upper=upper)


def _with_changes(
    entries: list[HistoryEntry], results: list[EvaluationResult], metric: str
) -> Iterator[HistoryEntry]:
    last: tuple[HistoryEntry, EvaluationResult] | None = None
    for entry, result in zip(entries, results, strict=True):
        if entry.value is None:
            yield entry
            continue
        yield entry if last is None else _changed(entry, result, *last, metric)
        last = entry, result


def _changed(
    entry: HistoryEntry,
    result: EvaluationResult,
    before: HistoryEntry,
    earlier: EvaluationResult,
    metric: str,
) -> HistoryEntry:
    now, then = result[metric], earlier[metric]
    if (now.unit, now.direction) != (then.unit, then.direction):
        return replace(entry, notes=("another unit or direction than before",))
    assert entry.value is not None
    assert before.value is not None
    difference = entry.value - before.value
    better = Direction(now.direction).better(entry.value, before.value)
    verdict = "same" if entry.value == before.value else ("better" if better else "worse")
    change = difference if math.isfinite(difference) else None
    return replace(
        entry, change=change, verdict=verdict, notes=tuple(_differences(result, earlier, now, then))
    )


def _differences(
    result: EvaluationResult, earlier: EvaluationResult, now: MetricResult, then: MetricResult
) -> Iterator[str]:
    facts = {"protocol": _protocol, "data set": _fingerprint, "error policy": _policy}
    for what, of in facts.items():
        if of(result) != of(earlier):
            yield f"another {what} than before"
    if dict(now.parameters) != dict(then.parameters):
        yield "other parameters than before"


def _protocol(result: EvaluationResult) -> tuple[object, object]:
    protocol = result.provenance.get("protocol") or {}
    return protocol.get("name"), protocol.get("values")


def _fingerprint(result: EvaluationResult) -> object:
    return (result.provenance.get("dataset") or {}).get("fingerprint")


def _policy(result: EvaluationResult) -> object:
    return result.provenance.get("on_error")
