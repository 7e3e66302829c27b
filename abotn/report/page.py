"""The interactive page: one HTML file that opens from disk and asks nothing of the network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abotn.report.document import Entry, Report
from abotn.report.html_tables import escape
from abotn.report.page_data import PageData, page_data
from abotn.report.page_embed import json_block, script, styles
from abotn.report.page_failures import cause_table, example_sections
from abotn.report.page_origin import origin
from abotn.report.page_parts import Section, bullets, setting_lines, titled_table, whole_page
from abotn.report.page_plots import metric_plots
from abotn.report.page_protocol import setting
from abotn.report.page_records_section import records_section
from abotn.report.page_sources import ReportSources
from abotn.report.page_viewer import viewer
from abotn.report.table import Table
from abotn.report.texts import legend

_MOST_PLOTS = 12
_MANY_LINES = 12


def write_page(report: Report, sources: ReportSources | None = None) -> str:
    """Return a report as one page with pictures, a table of records and a viewer of tasks.

    Args:
        report: Its tables and numbers.
        sources: Records, maps and options behind it; without them the page holds what the
            report alone says.
    """
    sources = sources or ReportSources()
    data = page_data(sources.runs)
    sections = [section for section in _sections(report, sources, data) if section[2]]
    head = [f"<h1><bdi>{escape(report.title)}</bdi></h1>", *setting_lines(setting(sources.runs))]
    return whole_page(
        report.title,
        head,
        sections,
        list(_scripted(data) if data.records else ()),
        styles(),
        script(),
    )


def _sections(report: Report, sources: ReportSources, data: PageData) -> Iterator[Section]:
    """Yield key, title and content of each section; one without content is left out."""
    groups = [table for table in report.tables if table.key.startswith("by-")]
    runs = [run.name for run in sources.runs]
    yield "summary", "Summary", list(_summary(report, sources, groups))
    yield "groups", "Groups", list(_groups(report, sources, groups))
    yield "outcomes", "Failures", list(_outcomes(data, runs))
    yield "records", "Records", list(records_section(data, runs))
    yield "origin", "Protocol, data set and commands", list(origin(sources))
    yield "notes", "Notes", list(bullets([*report.notes, *data.notes]))


def _summary(report: Report, sources: ReportSources, groups: Sequence[Table]) -> Iterator[str]:
    overall = [entry for entry in report.entries if not entry.grouping]
    names = _run_names(report)
    yield '<div class="plots">'
    yield from metric_plots(overall, _main_metrics(report), names, sources.options)
    yield "</div>"
    seen: set[str] = set()
    for number, table in enumerate(one for one in report.tables if one not in groups):
        notes = [note for note in table.notes if note not in seen]
        seen.update(table.notes)
        yield from titled_table(table, [*legend(table), *notes], closed=number > 0)


def _groups(report: Report, sources: ReportSources, groups: Sequence[Table]) -> Iterator[str]:
    names, metrics = _run_names(report), _main_metrics(report)
    groupings = list(dict.fromkeys(entry.grouping for entry in report.entries if entry.grouping))
    known = {note for table in report.tables if table not in groups for note in table.notes}
    pairs = [
        (grouping, _by_group([one for one in report.entries if one.grouping == grouping]), table)
        for grouping, table in zip(groupings, groups, strict=False)
    ]
    for grouping, entries, table in sorted(pairs, key=lambda pair: _is_one_group(pair[1])):
        many = len({(entry.run, entry.group) for entry in entries}) > _MANY_LINES
        notes = [note for note in table.notes if note not in known]
        known.update(table.notes)
        yield f'<details class="grouping"{"" if many or _is_one_group(entries) else " open"}>'
        yield f"<summary><h3>By <bdi>{escape(grouping)}</bdi></h3></summary>"
        yield '<div class="plots">'
        yield from metric_plots(entries, metrics, names, sources.options)
        yield "</div>"
        yield from titled_table(table, [*legend(table), *notes], closed=True, title="Numbers")
        yield "</details>"


def _is_one_group(entries: Sequence[Entry]) -> bool:
    """Whether all records are in one group, such as "unknown", which tells nothing new."""
    return len({entry.group for entry in entries}) < 2


def _by_group(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries with those of one group together, groups in the order they first come."""
    groups = {group: number for number, group in enumerate(dict.fromkeys(e.group for e in entries))}
    return sorted(entries, key=lambda entry: groups[entry.group])


def _outcomes(data: PageData, runs: Sequence[str]) -> Iterator[str]:
    if data.records:
        yield from titled_table(cause_table(data.records, runs), [], closed=False)
        yield from example_sections(data, runs)


def _scripted(data: PageData) -> Iterator[str]:
    """Yield the viewer and the data that the script works on."""
    yield from viewer()
    yield json_block("data", data.index)
    yield json_block("paths", list(data.paths))
    for number, views in sorted(data.views.items()):
        yield json_block(f"views-{number}", views)


def _run_names(report: Report) -> list[str]:
    return list(dict.fromkeys(entry.run for entry in report.entries if not entry.source))


def _main_metrics(report: Report) -> list[str]:
    """Return the metrics of the main table, or the first ones where it has a row per metric."""
    named = [column.metric for column in report.tables[0].columns if column.metric]
    return named or list(dict.fromkeys(entry.metric for entry in report.entries))[:_MOST_PLOTS]
