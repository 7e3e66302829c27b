"""An evaluation as a small markdown table and as a DataFrame."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from abotn.results.types import EvaluationResult, MetricResult

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "grouping", "group", "metric", "value", "ci_lower", "ci_upper", "ci_level", "ci_method",
    "unit", "direction", "passed", "threshold", "sample_count", "finite_count", "error_count",
    "undefined_count", "minimum", "maximum", "std", "reason", "error", "distribution",
)  # fmt: skip


def pipe_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a GitHub-flavoured markdown table; cells are escaped, the first column is text."""
    escaped = [[escape_cell(cell) for cell in row] for row in (header, *rows)]
    rule = [":---", *["---:"] * (len(header) - 1)]
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
    """Return a table with a row per metric: value, interval, unit, verdict, counts."""
    header = ("metric", "value", "interval", "unit", "better", "passed", "n", "errors")
    return pipe_table(header, [_row(metric) for metric in result.metrics])


def dataframe(result: EvaluationResult) -> pd.DataFrame:
    """Return a row per metric, overall first, then per grouping and group."""
    import pandas as pd

    frame: pd.DataFrame = pd.DataFrame(list(_records(result)), columns=list(COLUMNS))
    return frame


def _row(metric: MetricResult) -> tuple[str, ...]:
    ci = metric.ci
    interval = "–" if ci is None else f"[{shown_number(ci.lower)}, {shown_number(ci.upper)}]"
    passed = {True: "yes", False: "no", None: "–"}[metric.passed]
    counts = (str(metric.finite_count), str(metric.error_count))
    return (
        metric.name,
        shown_number(metric.value),
        interval,
        metric.unit,
        metric.direction,
        passed,
        *counts,
    )


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
