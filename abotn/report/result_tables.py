"""The tables of values over all records: agents as rows, or metrics as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from abotn.report.cells import absent, complete_metrics, label, metric_cell, metric_column
from abotn.report.comparability import difference_notes, modified_notes
from abotn.report.notes import count_notes, interval_notes, value_notes
from abotn.report.numbers import NumberFormat, ranked
from abotn.report.options import ReportOptions
from abotn.report.published import PublishedFigures, published_notes
from abotn.report.runs import Run, metrics_by_name, run_label
from abotn.report.significance import TableMarks
from abotn.report.table import MISSING, Cell, Column, Row, Table
from abotn.results.types import MetricResult

MAIN_KEY = "results"
_PUBLISHED_FRACTION_DIGITS = 3
_PUBLISHED_PERCENT_DIGITS = 1


def agent_table(
    runs: Sequence[Run],
    names: Sequence[str],
    options: ReportOptions,
    published: PublishedFigures | None = None,
) -> Table:
    """Return the table with a row per run and a column per metric.

    Args:
        runs: Runs in the order of the rows.
        names: Metrics in the order of the columns.
        options: Options of the report.
        published: Figures to add as muted rows below.
    """
    heads, columns = [Column("agent")], []
    marks = table_marks(runs, names, options)
    formats: dict[str, NumberFormat] = {}
    for name in names:
        results = [metrics_by_name(result).get(name) for _, result in runs]
        head, formats[name] = metric_column(name, results, options)
        heads.append(head)
        columns.append(ranked_cells(runs, results, head, formats[name], options, marks))
    labels = [label(run_label(*run)) for run in runs]
    rows = [Row(cells) for cells in zip(labels, *columns, strict=True)]
    notes = table_notes(runs, names, options)
    if published is not None:
        rows += _published_rows(published, formats)
        notes += published_notes(published, runs)
    caption = _caption(options, marks)
    return Table(MAIN_KEY, "Results", caption, tuple(heads), tuple(rows), tuple(notes))


def metric_table(
    runs: Sequence[Run], names: Sequence[str], options: ReportOptions, *, key: str, title: str
) -> Table:
    """Return the table with a row per metric and a column per run.

    Args:
        runs: Runs in the order of the columns.
        names: Metrics in the order of the rows.
        options: Options of the report.
        key: Short name of the table.
        title: Heading of the table.
    """
    rows, marks = [], table_marks(runs, names, options)
    for name in names:
        results = [metrics_by_name(result).get(name) for _, result in runs]
        head, shown = metric_column(name, results, options)
        cells = ranked_cells(runs, results, head, shown, options, marks)
        rows.append(Row((label(head.label), *cells)))
    heads = (Column("metric"), *(Column(run_label(*run)) for run in runs))
    notes = table_notes(runs, names, options, remarks=key == MAIN_KEY)
    return Table(key, title, _caption(options, marks), heads, tuple(rows), tuple(notes))


def ranked_cells(
    runs: Sequence[Run],
    results: Sequence[MetricResult | None],
    head: Column,
    shown: NumberFormat,
    options: ReportOptions,
    marks: TableMarks | None = None,
) -> list[Cell]:
    """Return one cell per run for one metric, the best marked.

    Args:
        runs: The runs.
        results: The metric's result per run; None where a run has none.
        head: Head of the metric's column.
        shown: How its numbers are shown.
        options: Options of the report.
        marks: Marks against a baseline.
    """
    known = next(metric for metric in results if metric is not None)
    cells = [
        metric_cell(
            metric or absent(result, known),
            shown,
            options,
            mark=marks.mark(name, head.metric) if marks else "",
        )
        for (name, result), metric in zip(runs, results, strict=True)
    ]
    return ranked(cells, head.direction, second=options.second)


def table_marks(
    runs: Sequence[Run], names: Sequence[str], options: ReportOptions
) -> TableMarks | None:
    """Return the marks of a table of these runs and metrics, None without a baseline."""
    if options.significance is None:
        return None
    return options.significance.over([run for run, _ in runs], names)


def table_notes(
    runs: Sequence[Run], names: Sequence[str], options: ReportOptions, *, remarks: bool = True
) -> list[str]:
    """Return the notes on the shown metrics over all records.

    Args:
        runs: The runs.
        names: The metrics shown.
        options: Options of the report.
        remarks: Whether to say what each interval's own note says.
    """
    metrics = complete_metrics(runs, names)
    shown = [(run, found) for (run, _), found in zip(runs, metrics, strict=True)]
    marks = table_marks(runs, names, options)
    return [
        *interval_notes(shown, options, remarks=remarks),
        *value_notes(shown, options),
        *count_notes(shown, options),
        *(marks.notes(options.display_names) if marks else ()),
        *modified_notes(runs),
        *difference_notes(runs, names),
    ]


def _caption(options: ReportOptions, marks: TableMarks | None) -> str:
    text = "Values over all records"
    if options.intervals != "none":
        text += ", with confidence intervals"
    return f"{text}. {marks.caption}" if marks else f"{text}."


def _published_rows(figures: PublishedFigures, formats: dict[str, NumberFormat]) -> list[Row]:
    rows = []
    for agent in figures.percentages:
        values = figures.values(agent)
        cells = [_published_cell(values.get(name), shown) for name, shown in formats.items()]
        rows.append(Row((label(f"{agent} (published)"), *cells), muted=True))
    return rows


def _published_cell(value: float | None, shown: NumberFormat) -> Cell:
    """Return a published figure, never with more decimals than were printed."""
    if value is None:
        return Cell(MISSING, reason="not published")
    printed = _PUBLISHED_PERCENT_DIGITS if shown.percent else _PUBLISHED_FRACTION_DIGITS
    return Cell(replace(shown, digits=min(shown.digits, printed)).show(value), value=value)
