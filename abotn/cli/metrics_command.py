"""``abotn metrics``: what can be measured, and how records can be grouped."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from abotn.errors import UnknownNameError

if TYPE_CHECKING:
    from abotn.evaluation.grouping import Grouping
    from abotn.metrics.spec import MetricSpec


@click.group()
def metrics() -> None:
    """List and describe metrics and groupings."""


@metrics.command("list")
@click.option("--category", help="Only this category.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(category: str | None, *, as_json: bool) -> None:
    """List all metrics and groupings, those of plugins included."""
    from abotn.evaluation.grouping import known_groupings
    from abotn.evaluation.selection import select
    from abotn.plugins.manager import default_registry, plugin_manager

    registry = default_registry()
    specs = select(registry, None, category).specs
    groupings = known_groupings(plugin_manager())
    said = {refusal.name for refusal in registry.refusals}
    for name, reason in registry.conflicts.items():
        if name not in said:
            click.echo(f"warning: {name}: {reason}", err=True)
    if as_json:
        rows = {"metrics": [describe_metric(s) for s in specs], "groupings": sorted(groupings)}
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    rows_of = [
        (s.name, s.unit.value, s.direction.arrow, s.category, _origin(s), s.description)
        for s in specs
    ]
    _print_rows(("metric", "unit", "better", "category", "from", "what"), rows_of)
    if category is None:
        click.echo()
        _print_rows(
            ("grouping", "from", "what"),
            [(g.name, f"{g.distribution} {g.version}", g.description) for g in groupings.values()],
        )


@metrics.command("describe")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def describe_command(name: str, *, as_json: bool) -> None:
    """Describe one metric or grouping: definition, inputs, parameters, unit, source."""
    import inspect

    found = _named(name)
    described = found.described
    if as_json:
        click.echo(json.dumps(described, indent=2, ensure_ascii=False, default=str))
        return
    click.echo(f"{found.signature}\n\n{inspect.getdoc(found.function) or ''}\n")
    for key, value in described.items():
        if key not in ("name", "description") and value not in (None, "", [], {}):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            click.echo(f"{key:16}{shown}")


class _Described(NamedTuple):
    signature: str
    function: Callable[..., Any]
    described: dict[str, Any]


def _named(name: str) -> _Described:
    """Return the metric of that name, else the grouping.

    Raises:
        UnknownNameError: there is neither; gives the nearest names of both.
    """
    from abotn.evaluation.grouping import known_groupings
    from abotn.plugins.manager import default_registry, plugin_manager

    registry = default_registry()
    if name in registry:
        spec = registry.get(name)
        return _Described(spec.signature, spec.function, describe_metric(spec))
    groupings = known_groupings(plugin_manager())
    if name not in groupings:
        names = [alias for spec in registry for alias in (spec.name, *spec.aliases)]
        raise UnknownNameError("metric or grouping", name, [*names, *groupings])
    grouping = groupings[name]
    signature = f"{grouping.name}({', '.join(grouping.inputs)})"
    return _Described(signature, grouping.function, describe_grouping(grouping))


def describe_grouping(grouping: Grouping) -> dict[str, Any]:
    """Return what is known of a grouping, as plain values."""
    return {
        "name": grouping.name,
        "description": grouping.description,
        "kind": "grouping",
        "inputs": list(grouping.inputs),
        "order": list(grouping.order),
        "distribution": grouping.distribution,
        "version": grouping.version,
    }


def describe_metric(spec: MetricSpec) -> dict[str, Any]:
    """Return what is known of a metric, as plain values."""
    return {
        "name": spec.name,
        "description": spec.description,
        "aliases": list(spec.aliases),
        "category": spec.category,
        "unit": spec.unit.value,
        "better": spec.direction.value,
        "inputs": list(spec.inputs),
        "parameters": dict(spec.parameters),
        "allowed": {name: _allowed(value) for name, value in spec.allowed.items()},
        "failure_value": spec.failure_value,
        "bounds": None if spec.bounds is None else list(spec.bounds),
        "threshold": spec.threshold,
        "ratio_of_sums": spec.ratio,
        "task_types": list(spec.task_types),
        "reference": spec.reference,
        "distribution": spec.distribution,
        "version": spec.version,
        "overrides": spec.overrides,
    }


def _allowed(value: Any) -> str | list[Any]:
    return value if isinstance(value, str) else list(value)


def _origin(spec: MetricSpec) -> str:
    mark = f" (replaces {spec.overrides})" if spec.overrides else ""
    return f"{spec.distribution} {spec.version}{mark}"


def _print_rows(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in (header, *rows):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo(line.rstrip())
