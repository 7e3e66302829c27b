"""The runs of a report: their names, and what their protocols say."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from abotn.errors import EvaluationInputError
from abotn.results.types import EvaluationResult, MetricResult

Run = tuple[str, EvaluationResult]
MODIFIED_MARK = "†"


def check_runs(runs: Sequence[Run]) -> None:
    """Refuse runs that one table cannot show.

    Raises:
        EvaluationInputError: there is no run, two have one name, or a metric has different
            units or directions in two of them.
    """
    if not runs:
        raise EvaluationInputError("a report needs at least one run", where="runs")
    doubled = [name for name, count in Counter(name for name, _ in runs).items() if count > 1]
    if doubled:
        raise EvaluationInputError(
            f"two runs are named {doubled[0]!r}", where="runs", hint="give each its own name"
        )
    _check_units(runs)


def unique_names(names: Sequence[str], paths: Sequence[PurePath]) -> list[str]:
    """Return the names, those that occur twice followed by as much of the path as tells them apart.

    Args:
        names: Name of each run.
        paths: Folder or file of each run.

    Raises:
        EvaluationInputError: one path is given twice.

    Example:
        >>> unique_names(["a", "a", "b"], [PurePath("x/1"), PurePath("x/2"), PurePath("x/3")])
        ['a (1)', 'a (2)', 'b']
    """
    twice = [str(path) for path, count in Counter(paths).items() if count > 1]
    if twice:
        raise EvaluationInputError("the same run is given twice", where=twice[0])
    for depth in range(1, max(len(path.parts) for path in paths) + 1):
        shown = _with_paths(names, paths, depth)
        if len(set(shown)) == len(shown):
            break
    return shown


def metrics_by_name(result: EvaluationResult) -> dict[str, MetricResult]:
    """Return the metrics over all records by name."""
    return {metric.name: metric for metric in result.metrics}


def protocol_of(result: EvaluationResult) -> Mapping[str, Any]:
    """Return the ``protocol`` of a result's provenance, empty where none is known."""
    return result.provenance.get("protocol") or {}


def run_facts(result: EvaluationResult) -> Mapping[str, Any]:
    """Return the ``run`` of a result's provenance, empty where none is known."""
    return result.provenance.get("run") or {}


def modifications(result: EvaluationResult) -> dict[str, Any]:
    """Return what a run did otherwise than the named protocol, by parameter, with its value.

    Overridden parameters, and ``max_steps`` where it is not the protocol's ``default_max_steps``:
    with fewer steps a task is harder.
    """
    protocol = protocol_of(result)
    values = protocol.get("values") or {}
    changed = {key: values.get(key) for key in protocol.get("modified") or ()}
    steps, usual = run_facts(result).get("max_steps"), values.get("default_max_steps")
    if None not in (steps, usual) and steps != usual:
        changed["max_steps"] = f"{steps} instead of {usual}"
    return changed


def is_modified(result: EvaluationResult) -> bool:
    """Whether a run did anything otherwise than the named protocol."""
    return bool(modifications(result))


def run_label(name: str, result: EvaluationResult) -> str:
    """Return a run's name, marked when its protocol was modified."""
    return f"{name}{MODIFIED_MARK}" if is_modified(result) else name


def isolated(text: str) -> str:
    """Return text that keeps its writing direction to itself inside a sentence.

    Right-to-left letters or direction marks are put between the isolating marks of Unicode;
    other text is returned as it is.
    """
    if any(unicodedata.bidirectional(letter) in _DIRECTED for letter in text):
        return f"\u2068{text}\u2069"
    return text


_DIRECTED = {"R", "AL", "RLE", "LRE", "RLO", "LRO", "PDF", "RLI", "LRI", "FSI", "PDI"}


def _check_units(runs: Sequence[Run]) -> None:
    seen: dict[str, tuple[str, MetricResult]] = {}
    for name, result in runs:
        for metric in result.metrics:
            first, other = seen.setdefault(metric.name, (name, metric))
            if (other.unit, other.direction) != (metric.unit, metric.direction):
                raise EvaluationInputError(
                    f"{_described(other)} in {first!r}, but {_described(metric)} in {name!r}",
                    where=metric.name,
                    hint="evaluate both runs with one version of the metric",
                )


def _described(metric: MetricResult) -> str:
    return f"unit {metric.unit!r} with {metric.direction} better"


def _with_paths(names: Sequence[str], paths: Sequence[PurePath], depth: int) -> list[str]:
    counts = Counter(names)
    return [
        f"{name} ({'/'.join(path.parts[-depth:])})" if counts[name] > 1 else name
        for name, path in zip(names, paths, strict=True)
    ]
