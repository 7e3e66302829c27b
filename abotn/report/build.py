"""Building a report from evaluations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from abotn.errors import UnknownMetricError
from abotn.report.comparability import left_out_notes, skipped_notes, warning_notes
from abotn.report.document import Entry, Report
from abotn.report.entries import run_entries
from abotn.report.group_tables import group_tables
from abotn.report.options import ReportOptions
from abotn.report.published import chosen_figures
from abotn.report.result_tables import MAIN_KEY, agent_table, metric_table, table_marks
from abotn.report.run_table import run_table
from abotn.report.runs import Run, check_runs
from abotn.report.significance import with_tests
from abotn.report.table import Table

HEADLINE = (
    "success",
    "success_new",
    "spl_new",
    "poi_spl",
    "tcr_new",
    "dcr_new",
    "collision_length",
    "collision_rate",
)
MOST_COLUMNS = 8


def build_report(runs: Sequence[Run], options: ReportOptions | None = None) -> Report:
    """Return the tables of several evaluations side by side.

    The first table has a row per run and a column per metric; with more than
    :data:`MOST_COLUMNS` metrics asked for it has a row per metric instead. When none were asked
    for, the headline ones that have a value come first and the others in a table of their own.
    Then come a table per grouping, and the runs with their counts.

    Args:
        runs: (name, evaluation) in the order of showing; the names are distinct.
        options: What to show.

    Raises:
        EvaluationInputError: no run, two runs of one name, or metrics whose units contradict.
        UnknownMetricError: no run has a metric that was asked for.
        UnknownNameError: unknown published figures.
        ConfigError: published figures for none of the metrics shown.
    """
    options = options or ReportOptions()
    check_runs(runs)
    shown, further = _metrics(runs, options)
    figures = chosen_figures(shown, options)
    tables: list[Table] = []
    if shown and (len(shown) <= MOST_COLUMNS or figures):
        tables.append(agent_table(runs, shown, options, figures))
    elif shown:
        tables.append(metric_table(runs, shown, options, key=MAIN_KEY, title="Results"))
    if further:
        tables.append(metric_table(runs, further, options, key="further", title="Further metrics"))
    tables += group_tables(runs, shown, options)
    tables.append(run_table(runs))
    entries = _entries(runs, shown, further, options)
    if figures:
        entries += figures.entries(shown)
    notes = [*warning_notes(runs), *left_out_notes(runs)]
    if not options.metrics:
        notes += skipped_notes(runs)
    return Report(options.title, _unique_keys(tables), tuple(notes), tuple(entries))


def _metrics(runs: Sequence[Run], options: ReportOptions) -> tuple[list[str], list[str]]:
    """Return the metrics of the first table, and those of the second."""
    present = list(dict.fromkeys(metric.name for _, result in runs for metric in result.metrics))
    for name in options.metrics:
        if name not in present:
            raise UnknownMetricError(name, present)
    if options.metrics:
        return list(options.metrics), []
    valued = [name for name in present if _has_value(runs, name)]
    headline = [name for name in HEADLINE if name in valued] or (valued or present)[:MOST_COLUMNS]
    return headline, [name for name in present if name not in headline]


def _entries(
    runs: Sequence[Run], shown: Sequence[str], further: Sequence[str], options: ReportOptions
) -> list[Entry]:
    marks = [table_marks(runs, names, options) for names in (shown, further)]
    made = [one for one in marks if one is not None]
    return list(with_tests(run_entries(runs, [*shown, *further], options), made))


def _has_value(runs: Sequence[Run], name: str) -> bool:
    return any(name in result and not math.isnan(result[name].value) for _, result in runs)


def _unique_keys(tables: Sequence[Table]) -> tuple[Table, ...]:
    taken: dict[str, Table] = {}
    for table in tables:
        key, number = table.key, 2
        while key in taken:
            key, number = f"{table.key}-{number}", number + 1
        taken[key] = replace(table, key=key)
    return tuple(taken.values())
