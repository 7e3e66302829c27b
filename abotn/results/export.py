"""An evaluation as a small markdown table and as a DataFrame."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from abotn.results.number_format import MISSING, number_format, shown_unit
from abotn.results.types import EvaluationResult, GroupResult, MetricResult

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "grouping", "group", "metric", "value", "ci_lower", "ci_upper", "ci_level", "ci_method",
    "unit", "direction", "passed", "threshold", "sample_count", "finite_count", "error_count",
    "undefined_count", "minimum", "maximum", "std", "reason", "error", "distribution",
)  # fmt: skip
_FLAT = "‡"


def pipe_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, texts: Collection[int] = (0,)
) -> str:
    """Return a GitHub-flavoured markdown table; cells are escaped.

    Args:
        header: Heads of the columns.
        rows: A text per column.
        texts: Columns that hold text; the others hold numbers and stand on the right.
    """
    escaped = [[escape_cell(cell) for cell in row] for row in (header, *rows)]
    rule = [":---" if place in texts else "---:" for place in range(len(header))]
    lines = [escaped[0], rule, *escaped[1:]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def escape_cell(text: str) -> str:
    """Return text that a markdown table cell shows as it is, apart from emphasis marks."""
    flat = " ".join(text.split())
    for mark, safe in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "\\|")):
        flat = flat.replace(mark, safe)
    return flat


def shown_number(value: float | None) -> str:
    """Return a number in four significant digits: an en dash for none, ``∞`` for an infinite one.

    Example:
        >>> shown_number(0.123456), shown_number(float("-inf")), shown_number(float("nan"))
        ('0.1235', '-∞', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.4g}"


def markdown_table(result: EvaluationResult) -> str:
    """Return a table with a row per metric, and one per grouping with a row per group.

    Numbers are rounded as in a report; below stand the reasons of missing values.
    """
    header = ("metric", "value", "interval", "unit", "better", "passed", "n", "errors")
    rows = [_row(metric) for metric in result.metrics]
    parts = [pipe_table(header, rows, texts=(0, 3, 4, 5)), *_notes(result)]
    for grouping, groups in result.groups.items():
        parts += [f"\nBy {escape_cell(grouping)}:\n\n", _group_table(grouping, groups)]
    return "".join(parts)


def dataframe(result: EvaluationResult) -> pd.DataFrame:
    """Return a row per metric, overall first, then per grouping and group."""
    import pandas as pd

    frame: pd.DataFrame = pd.DataFrame(list(_records(result)), columns=list(COLUMNS))
    return frame


def _row(metric: MetricResult) -> tuple[str, ...]:
    shown = number_format(metric.unit, [metric.value])
    ci = metric.ci
    interval = "" if ci is None else shown.show_interval(metric.value, ci.lower, ci.upper, "")
    interval += _FLAT if interval and ci is not None and ci.degenerate else ""
    passed = {True: "yes", False: "no", None: "–"}[metric.passed]
    counts = (str(metric.finite_count), str(metric.error_count))
    return (
        metric.name,
        shown.show(metric.value),
        interval or MISSING,
        shown_unit(metric.unit),
        metric.direction,
        passed,
        *counts,
    )


def _notes(result: EvaluationResult) -> Iterator[str]:
    lines = [
        f"No value of {metric.name}: {metric.metadata.get('error') or metric.reason}"
        for metric in result.metrics
        if math.isnan(metric.value) and (metric.reason or "error" in metric.metadata)
    ]
    if any(metric.ci is not None and metric.ci.degenerate for metric in result.metrics):
        lines.append(f"{_FLAT} All values are equal, so the records say little about the spread.")
    if lines:
        yield "\n"
        yield from (f"- {escape_cell(line)}\n" for line in lines)


def _group_table(grouping: str, groups: Sequence[GroupResult]) -> str:
    """Return a row per group and a column per metric that has a value in some group."""
    found = {name: [_value(group, name) for group in groups] for name in _names(groups)}
    valued = [name for name, values in found.items() if not all(map(math.isnan, values))]
    units = {metric.name: metric.unit for group in groups for metric in group.metrics}
    shown = {name: number_format(units[name], found[name]) for name in valued}
    heads = [f"{name} ({shown_unit(units[name])})" if units[name] else name for name in valued]
    rows = [
        [group.label, str(group.count), *(shown[name].show(found[name][at]) for name in valued)]
        for at, group in enumerate(groups)
    ]
    return pipe_table([grouping, "records", *heads], rows)


def _names(groups: Sequence[GroupResult]) -> list[str]:
    return list(dict.fromkeys(metric.name for group in groups for metric in group.metrics))


def _value(group: GroupResult, name: str) -> float:
    return next((metric.value for metric in group.metrics if metric.name == name), math.nan)


def _records(result: EvaluationResult) -> Iterator[dict[str, Any]]:
    for metric in result.metrics:
        yield {"grouping": "", "group": "", **_flat(metric)}
    for grouping, groups in result.groups.items():
        for group in groups:
            for metric in group.metrics:
                yield {"grouping": grouping, "group": group.label, **_flat(metric)}


def _flat(metric: MetricResult) -> dict[str, Any]:
    ci = metric.ci
    named = {name: getattr(metric, name) for name in COLUMNS if hasattr(metric, name)}
    return {
        "metric": metric.name,
        **named,
        "ci_lower": None if ci is None else ci.lower,
        "ci_upper": None if ci is None else ci.upper,
        "ci_level": None if ci is None else ci.level,
        "ci_method": None if ci is None else ci.method,
        "error": metric.metadata.get("error"),
        "distribution": metric.source.get("distribution", ""),
    }
