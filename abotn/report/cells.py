"""From metric results to cells and column heads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from abotn.report.numbers import NumberFormat, number_format, shown_unit
from abotn.report.options import ReportOptions
from abotn.report.runs import Run, metrics_by_name
from abotn.report.table import MISSING, Cell, Column
from abotn.results.types import EvaluationResult, MetricResult

DEGENERATE_MARK = "‡"
EVALUATE_AGAIN = "evaluate it again"


def label(text: str) -> Cell:
    """Return a cell that names something."""
    return Cell(text, is_label=True)


def count(number: int | None, *, reason: str = "not known") -> Cell:
    """Return a cell with a whole number that is not ranked; None needs a reason."""
    if number is None:
        return Cell(MISSING, reason=reason)
    return Cell(str(number), value=number)


def metric_cell(
    metric: MetricResult | None, shown: NumberFormat, options: ReportOptions, *, mark: str = ""
) -> Cell:
    """Return the cell of one metric of one run or group.

    Args:
        metric: The result; None where the run has none.
        shown: How its numbers are shown.
        options: Options of the report.
        mark: A sign to put after the value.
    """
    if metric is None or math.isnan(metric.value):
        return Cell(MISSING, reason=absence(metric))
    lower, upper = interval_ends(metric)
    interval = shown.show_interval(metric.value, lower, upper, options.intervals)
    if interval and metric.ci is not None and metric.ci.degenerate:
        interval += DEGENERATE_MARK
    text = shown.show(metric.value)
    return Cell(text, interval, metric.value, lower=lower, upper=upper, mark=mark)


def metric_column(
    name: str, results: Sequence[MetricResult | None], options: ReportOptions, *, block: str = ""
) -> tuple[Column, NumberFormat]:
    """Return the head of a metric's column and how its numbers are shown.

    Args:
        name: The metric.
        results: Every result shown under this head; at least one is not None.
        options: Options of the report.
        block: Head above it, for groups side by side.
    """
    first = next(metric for metric in results if metric is not None)
    shown = metric_format(results, options)
    head = Column(
        options.shown_name(name),
        unit=shown_unit(first.unit, percent=shown.percent),
        direction=first.direction,
        digits=shown.digits,
        metric=name,
        block=block,
    )
    return head, shown


def metric_format(results: Iterable[MetricResult | None], options: ReportOptions) -> NumberFormat:
    """Return how the numbers of one metric are shown."""
    present = [metric for metric in results if metric is not None]
    return number_format(
        present[0].unit,
        [metric.value for metric in present],
        digits=options.digits,
        percent=options.percent,
    )


def interval_ends(metric: MetricResult) -> tuple[float | None, float | None]:
    """Return both ends of a metric's interval, or None twice."""
    ci = metric.ci
    if ci is None or ci.lower is None or ci.upper is None:
        return None, None
    return ci.lower, ci.upper


def absent(result: EvaluationResult, like: MetricResult) -> MetricResult:
    """Return a metric that an evaluation lacks: without a value, and with the reason.

    Args:
        result: The evaluation.
        like: The metric in another evaluation, for its name, unit and direction.
    """
    reason = result.skipped.get(like.name) or f"not in this run's evaluation; {EVALUATE_AGAIN}"
    return MetricResult(like.name, math.nan, like.unit, like.direction, reason=reason)


def complete_metrics(runs: Sequence[Run], names: Sequence[str]) -> list[list[MetricResult]]:
    """Return for each run the metrics ``names`` over all records, those it lacks without a value.

    A metric that no run has is left out.
    """
    known = {metric.name: metric for _, result in reversed(runs) for metric in result.metrics}
    return [
        [
            metrics_by_name(result).get(name) or absent(result, known[name])
            for name in names
            if name in known
        ]
        for _, result in runs
    ]


def absence(metric: MetricResult | None) -> str:
    """Return why there is no value."""
    if metric is None:
        return "not evaluated"
    return str(metric.metadata.get("error") or metric.reason or "undefined for every record")
