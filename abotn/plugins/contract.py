"""What hooks must return, checked when they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from abotn.metrics.spec import MetricSpec


@dataclass(frozen=True)
class Kind:
    """What the things that a hook returns must be.

    Attributes:
        name: What to call them, such as ``"a protocol"``.
        attributes: Attributes each of them has.
        way_out: How an author makes one.
    """

    name: str
    attributes: tuple[str, ...]
    way_out: str


KINDS = {
    "abotn_metrics": Kind("a metric", (), "decorate it with @metric"),
    "abotn_groupings": Kind("a grouping", (), "return functions"),
    "abotn_record_readers": Kind(
        "a record reader",
        ("name", "recognises", "read"),
        "see abotn.records.readers.RecordReader",
    ),
    "abotn_renderers": Kind(
        "a renderer factory",
        ("name", "recognises", "create"),
        "see abotn.rendering.factory.RendererFactory",
    ),
    "abotn_visualization_handlers": Kind(
        "a visualization handler",
        ("name", "draw"),
        "see abotn.rendering.visualization.VisualizationHandler",
    ),
    "abotn_protocols": Kind(
        "a protocol",
        ("name", "task_type", "override", "to_values", "to_manifest"),
        "see abotn.rollout.protocol.Protocol",
    ),
    "abotn_report_formats": Kind(
        "a report format",
        ("name", "suffix", "description", "content"),
        "see abotn.report.formats.ReportFormat",
    ),
}


def usable_values(hook: str, returned: Any) -> tuple[list[Any], list[str]]:
    """Return the entries of a hook's list that keep the contract, and what is wrong with the rest.

    Args:
        hook: Name of the hook.
        returned: What the plugin returned from it.
    """
    if not isinstance(returned, list | tuple):
        return [], [f"{hook} returned {_a(returned)}, expected a list"]
    problems = list(_problems(hook, returned))
    wrong = {place for place, _ in problems}
    kept = [value for place, value in enumerate(returned) if place not in wrong]
    return kept, [problem for _, problem in problems]


def _problems(hook: str, values: list[Any] | tuple[Any, ...]) -> Iterator[tuple[int, str]]:
    kind = KINDS[hook]
    for place, value in enumerate(values):
        lacking = _lacking(hook, kind, value)
        if lacking is not None:
            found = f"{hook} returned {_a(value)}{lacking}, expected {kind.name}"
            yield place, f"{found} ({kind.way_out})"


def _lacking(hook: str, kind: Kind, value: Any) -> str | None:
    if hook == "abotn_metrics":
        return None if isinstance(value, MetricSpec) else ""
    missing = [name for name in kind.attributes if not _has(value, name)]
    if len(missing) == len(kind.attributes):
        return "" if missing else None
    if missing:
        return f" without {', '.join(missing)}"
    name = getattr(value, "name", None)
    return None if isinstance(name, str) and name else f" with the name {name!r}"


def _has(value: Any, name: str) -> bool:
    try:
        return hasattr(value, name)
    except Exception:
        return False


def _a(value: Any) -> str:
    kind = type(value).__name__
    if value is None:
        return "None"
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"
