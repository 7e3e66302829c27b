"""One evaluation as a report: a row per metric, and a table per grouping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from abotn.report.build import HEADLINE
from abotn.report.cells import count, label, metric_cell, metric_column
from abotn.report.comparability import modified_notes, skipped_notes, warning_notes
from abotn.report.document import Report
from abotn.report.group_tables import group_tables
from abotn.report.notes import interval_notes, value_notes
from abotn.report.options import ReportOptions
from abotn.report.runs import Run, run_label
from abotn.report.table import Column, Row, Table
from abotn.results.types import EvaluationResult, MetricResult
from abotn.units import counted

_Item = TypeVar("_Item")
_GROUP_METRICS = 6
_VERDICTS = {True: "yes", False: "no", None: "–"}


def evaluation_report(
    result: EvaluationResult, name: str = "", *, every_metric: bool = False
) -> Report:
    """Return the tables that ``abotn evaluate`` prints.

    The first has a row per metric with its interval and the records it rests on, and columns for
    errors counted as failures and for verdicts where there are any. Then comes a table per
    grouping, with the first headline metrics and without intervals.

    Args:
        result: The evaluation.
        name: Name to show; the evaluation's own by default.
        every_metric: Show every metric in the tables of groups: they were asked for by name.
    """
    run = (name or result.name or "Evaluation", result)
    tables = [_metric_table(run)] if result.metrics else []
    notes = [*warning_notes([run]), *_raised(result), *skipped_notes([run])]
    return Report(
        run_label(*run),
        (*tables, *_group_tables(run, _group_metrics(result, every=every_metric))),
        tuple(notes),
    )


def _metric_table(run: Run) -> Table:
    _, result = run
    shown = [(run[0], list(result.metrics))]
    options = ReportOptions()
    heads = [Column("metric"), Column("value"), Column("n")]
    failed = any(metric.error_count for metric in result.metrics)
    judged = any(metric.passed is not None for metric in result.metrics)
    heads += [Column("failed")] * failed + [Column("passed")] * judged
    rows = [_row(metric, options, failed=failed, judged=judged) for metric in result.metrics]
    notes = (
        *interval_notes(shown, options, remarks=False),
        *value_notes(shown, options),
        *modified_notes([run]),
    )
    return Table("metrics", "Metrics", _counts(result), tuple(heads), tuple(rows), notes)


def _row(metric: MetricResult, options: ReportOptions, *, failed: bool, judged: bool) -> Row:
    head, form = metric_column(metric.name, [metric], options)
    cells = [label(head.label), metric_cell(metric, form, options), count(metric.finite_count)]
    cells += [count(metric.error_count)] * failed
    cells += [label(_VERDICTS[metric.passed])] * judged
    return Row(tuple(cells))


def _counts(result: EvaluationResult) -> str:
    counts = result.counts
    parts = [f"{counted(counts.get('scored', 0), 'records')} scored"]
    parts.append(counted(counts.get("errors", 0), "errors"))
    parts += [f"{counts.get(name, 0)} {name}" for name in ("damaged", "excluded")]
    if counts.get("missing"):
        parts.append(f"{counts['missing']} without a result")
    if counts.get("sample_errors"):
        parts.append(f"{counts['sample_errors']} on which a metric raised")
    return f"{', '.join(parts)}."


def _raised(result: EvaluationResult) -> Iterator[str]:
    for metric in result.metrics:
        raised = metric.metadata.get("sample_error_count")
        if raised:
            total = counted(metric.sample_count, "records")
            yield f"{metric.name} raised on {raised} of {total}."


def _group_metrics(result: EvaluationResult, *, every: bool) -> list[str]:
    if every:
        return [metric.name for metric in result.metrics]
    valued = [metric.name for metric in result.metrics if metric.reason is None]
    return ([name for name in HEADLINE if name in valued] or valued)[:_GROUP_METRICS]


def _group_tables(run: Run, names: Sequence[str]) -> Iterator[Table]:
    options = ReportOptions(intervals="none")
    for table in group_tables([run], names, options):
        yield _without_agent(table)


def _without_agent(table: Table) -> Table:
    """Return a table of groups without the column that names the only run."""
    rows = tuple(replace(row, cells=_others(row.cells)) for row in table.rows)
    return replace(table, columns=_others(table.columns), rows=rows)


def _others(items: tuple[_Item, ...]) -> tuple[_Item, ...]:
    return (items[0], *items[2:])
