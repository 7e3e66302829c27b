"""A report on compared runs: differences with intervals, tests, and the tasks behind them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from abotn.report.cells import DEGENERATE_MARK, count, label
from abotn.report.comparison_entries import comparison_entries
from abotn.report.comparison_lists import (
    alone_tables,
    damaged_tables,
    solved_sentence,
    solved_tables,
)
from abotn.report.comparison_notes import (
    SIGNIFICANT,
    chosen_metrics,
    comparison_notes,
    pair_notes,
    significance_notes,
)
from abotn.report.comparison_sources import ComparisonSources
from abotn.report.comparison_tasks import SplitTasks, split_tasks
from abotn.report.document import Report
from abotn.report.numbers import NumberFormat, number_format, shown_unit
from abotn.report.options import ReportOptions
from abotn.report.runs import isolated
from abotn.report.significance import TEST_NAMES
from abotn.report.table import MISSING, Cell, Column, Row, Table
from abotn.results.comparison import Comparison, MetricComparison, PairComparison


def comparison_report(
    comparison: Comparison,
    options: ReportOptions | None = None,
    sources: ComparisonSources | None = None,
) -> Report:
    """Return the tables of a comparison.

    Each pair has a table with a row per metric, then a list of the tasks that the first run alone
    solves, one of those that the second alone solves, and those that only one run has. With
    several pairs, a table of all differences comes first; damaged files come last.

    Args:
        comparison: What ``compare`` returned.
        options: Title, digits, percent, display names and the way to show intervals; ``metrics``
            chooses and orders the rows.
        sources: The records of the runs; with them the lists say what each run did at a task.

    Raises:
        UnknownMetricError: no pair has a metric that was asked for.
    """
    options = options or ReportOptions(title="Comparison of runs")
    sources = sources or ComparisonSources()
    names = metric_names(comparison, options)
    alpha = alpha_of(comparison)
    tables: list[Table] = []
    if len(comparison.pairs) > 1:
        tables.append(_overview(comparison, names, options, alpha))
    for number, pair in enumerate(comparison.pairs, start=1):
        tables.append(pair_table(pair, number, names, options, alpha))
        tables += solved_tables(pair, number, pair_tasks(comparison, pair, sources))
        tables += alone_tables(pair, number)
    tables += damaged_tables(sources)
    entries = tuple(comparison_entries(comparison, names))
    return Report(options.title, tuple(tables), tuple(comparison_notes(comparison, names)), entries)


def metric_names(comparison: Comparison, options: ReportOptions) -> list[str]:
    """Return the metrics that are shown, in their order.

    Raises:
        UnknownMetricError: no pair has a metric that was asked for.
    """
    from abotn.errors import UnknownMetricError

    present = dict.fromkeys(m.name for pair in comparison.pairs for m in pair.metrics)
    for name in options.metrics:
        if name not in present:
            raise UnknownMetricError(name, present)
    return list(options.metrics) or list(present)


def alpha_of(comparison: Comparison) -> float:
    """Return the level below which a corrected p value counts."""
    level = comparison.provenance.get("statistics", {}).get("level", 0.95)
    return round(1.0 - float(level), 12)


def pair_tasks(
    comparison: Comparison, pair: PairComparison, sources: ComparisonSources
) -> SplitTasks:
    """Return the tasks that only one run of a pair solves, with what both did; read once."""
    key = (pair.run_a, pair.run_b, pair.solved_by, pair.solved_only_by_a, pair.solved_only_by_b)
    if key not in sources.known_tasks:
        on_error = comparison.provenance.get("on_error")
        sources.known_tasks[key] = split_tasks(pair, sources, on_error=on_error)
    found: SplitTasks = sources.known_tasks[key]
    return found


def pair_table(
    pair: PairComparison,
    number: int,
    names: Sequence[str],
    options: ReportOptions,
    alpha: float,
    *,
    with_methods: bool = False,
) -> Table:
    """Return the table of one pair, with a row per metric.

    Args:
        pair: The pair.
        number: Its place in the comparison, from 1, for the key.
        names: Metrics in order.
        options: Digits, percent, display names and the way to show intervals.
        alpha: A difference is marked when its corrected p value is below this.
        with_methods: Add columns with the number of pairs, the interval's method and the test.
    """
    heads = ["metric", pair.run_a, pair.run_b, "difference", "p", "p (Holm)", "better"]
    heads += ["pairs", "interval", "test"] if with_methods else []
    return Table(
        key=f"pair-{number}",
        title=f"{isolated(pair.run_a)} against {isolated(pair.run_b)}",
        caption=_caption(pair),
        columns=tuple(Column(head) for head in heads),
        rows=tuple(
            Row((*_row(metric, options, alpha), *(_methods(metric) if with_methods else ())))
            for metric in chosen_metrics(pair, names)
        ),
        notes=tuple(pair_notes(pair, names, alpha)),
    )


def _overview(
    comparison: Comparison, names: Sequence[str], options: ReportOptions, alpha: float
) -> Table:
    pairs = comparison.pairs
    heads = [Column("metric"), *(Column(f"{pair.run_a} − {pair.run_b}") for pair in pairs)]
    rows = []
    for name in names:
        found = [next(iter(chosen_metrics(pair, [name])), None) for pair in pairs]
        first = next(metric for metric in found if metric is not None)
        shown = _format([metric for metric in found if metric], options)
        cells = [_difference_cell(metric, shown, options, alpha) for metric in found]
        rows.append(Row((label(_head(first, shown, options)), *cells)))
    return Table(
        key="differences",
        title="Differences",
        caption="Paired differences with their intervals, first run minus second.",
        columns=tuple(heads),
        rows=tuple(rows),
        notes=tuple(significance_notes(pairs, alpha)),
    )


def _caption(pair: PairComparison) -> str:
    a, b = isolated(pair.run_a), isolated(pair.run_b)
    units = "scenarios" if pair.resampled == "scenario_id" else "tasks"
    text = f"{pair.n_pairs} {units} that both have; difference is {a} minus {b}."
    split = pair.solved_only_by_a or pair.solved_only_by_b or pair.solved_unknown
    if split or pair.solved_by_both is not None:
        text += f" {solved_sentence(pair)}"
    return text


def _row(metric: MetricComparison, options: ReportOptions, alpha: float) -> tuple[Cell, ...]:
    shown = _format([metric], options)
    return (
        label(_head(metric, shown, options)),
        _value_cell(metric.value_a, shown),
        _value_cell(metric.value_b, shown),
        _difference_cell(metric, shown, options, alpha),
        _p_cell(metric.p_value),
        _p_cell(metric.p_adjusted),
        label(metric.winner),
    )


def _methods(metric: MetricComparison) -> tuple[Cell, ...]:
    interval = metric.ci_reason or "none" if metric.ci is None else metric.ci.method
    return count(metric.n_pairs), label(interval), label(TEST_NAMES.get(metric.test, metric.test))


def _head(metric: MetricComparison, shown: NumberFormat, options: ReportOptions) -> str:
    unit = shown_unit(metric.unit, percent=shown.percent)
    return Column(options.shown_name(metric.name), unit=unit, direction=metric.direction).label


def _format(metrics: Sequence[MetricComparison], options: ReportOptions) -> NumberFormat:
    values = [value for m in metrics for value in (m.value_a, m.value_b, m.difference)]
    return number_format(metrics[0].unit, values, digits=options.digits, percent=options.percent)


def _value_cell(value: float, shown: NumberFormat) -> Cell:
    if math.isnan(value):
        return Cell(MISSING, reason="undefined for every pair")
    return Cell(shown.show(value), value=value)


def _difference_cell(
    metric: MetricComparison | None, shown: NumberFormat, options: ReportOptions, alpha: float
) -> Cell:
    if metric is None or math.isnan(metric.difference):
        return Cell(MISSING, reason="not compared" if metric is None else "no pair has both values")
    ci = metric.ci
    lower, upper = (None, None) if ci is None else (ci.lower, ci.upper)
    interval = shown.show_interval(metric.difference, lower, upper, options.intervals)
    if interval and ci is not None and ci.degenerate:
        interval += DEGENERATE_MARK
    mark = SIGNIFICANT if metric.p_adjusted < alpha else ""
    text = shown.show(metric.difference)
    return Cell(text, interval, metric.difference, lower=lower, upper=upper, mark=mark)


def _p_cell(p_value: float) -> Cell:
    if math.isnan(p_value):
        return Cell(MISSING, reason="no test was made")
    return Cell("< 0.0001" if p_value < 0.0001 else f"{p_value:.4f}", value=p_value)
