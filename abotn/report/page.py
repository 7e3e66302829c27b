"""The interactive page: one HTML file that opens from disk and asks nothing of the network."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from abotn.report.document import Entry, Report
from abotn.report.html_tables import escape, html_table
from abotn.report.page_commands import commands
from abotn.report.page_data import PageData, page_data
from abotn.report.page_embed import json_block, policy, script, styles
from abotn.report.page_failures import cause_table, example_sections
from abotn.report.page_plots import metric_plots
from abotn.report.page_protocol import origin_tables, protocol_tables, setting
from abotn.report.page_records_section import records_section
from abotn.report.page_sources import ReportSources
from abotn.report.page_viewer import viewer
from abotn.report.table import Table
from abotn.report.texts import legend, slug

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
    style, code = styles(), script()
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy(style, code)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(report.title)}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        *_header(report, setting(sources.runs), sections),
        "<main>",
        *(line for section in sections for line in _section(*section)),
        "</main>",
        *(_scripted(data) if data.records else ()),
        f"<script>{code}</script>",
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


Section = tuple[str, str, list[str]]


def _header(report: Report, lines: Sequence[str], sections: Sequence[Section]) -> Iterator[str]:
    yield "<header>"
    yield f"<h1><bdi>{escape(report.title)}</bdi></h1>"
    yield from (f'<p class="setting">{escape(line)}</p>' for line in lines)
    yield '<nav aria-label="Sections"><ul>'
    yield from (f'<li><a href="#{key}">{escape(title)}</a></li>' for key, title, _ in sections)
    yield "</ul></nav>"
    yield "</header>"


def _section(key: str, title: str, content: Sequence[str]) -> Iterator[str]:
    yield f'<section id="{key}" aria-labelledby="h-{key}">'
    yield f'<h2 id="h-{key}">{escape(title)}</h2>'
    yield from content
    yield "</section>"


def _sections(report: Report, sources: ReportSources, data: PageData) -> Iterator[Section]:
    """Yield key, title and content of each section; one without content is left out."""
    groups = [table for table in report.tables if table.key.startswith("by-")]
    runs = [run.name for run in sources.runs]
    yield "summary", "Summary", list(_summary(report, sources, groups))
    yield "groups", "Groups", list(_groups(report, sources, groups))
    yield "outcomes", "Failures", list(_outcomes(data, runs))
    yield "records", "Records", list(records_section(data, runs))
    yield "origin", "Protocol, data set and commands", list(_origin(sources))
    yield "notes", "Notes", list(_list([*report.notes, *data.notes]))


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
        yield from _table(table, [*legend(table), *notes], closed=number > 0)


def _groups(report: Report, sources: ReportSources, groups: Sequence[Table]) -> Iterator[str]:
    names, metrics = _run_names(report), _main_metrics(report)
    groupings = list(dict.fromkeys(entry.grouping for entry in report.entries if entry.grouping))
    known = {note for table in report.tables if table not in groups for note in table.notes}
    for grouping, table in zip(groupings, groups, strict=False):
        entries = _by_group([one for one in report.entries if one.grouping == grouping])
        many = len({(entry.run, entry.group) for entry in entries}) > _MANY_LINES
        notes = [note for note in table.notes if note not in known]
        known.update(table.notes)
        yield f'<details class="grouping"{"" if many else " open"}>'
        yield f"<summary><h3>By <bdi>{escape(grouping)}</bdi></h3></summary>"
        yield '<div class="plots">'
        yield from metric_plots(entries, metrics, names, sources.options)
        yield "</div>"
        yield from _table(table, [*legend(table), *notes], closed=True, title="Numbers")
        yield "</details>"


def _by_group(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries with those of one group together, groups in the order they first come."""
    groups = {group: number for number, group in enumerate(dict.fromkeys(e.group for e in entries))}
    return sorted(entries, key=lambda entry: groups[entry.group])


def _outcomes(data: PageData, runs: Sequence[str]) -> Iterator[str]:
    if data.records:
        yield from _table(cause_table(data.records, runs), [], closed=False)
        yield from example_sections(data, runs)


def _origin(sources: ReportSources) -> Iterator[str]:
    if not sources.runs:
        return
    for tables in (origin_tables(sources.runs), protocol_tables(sources.runs)):
        for number, table in enumerate(tables):
            notes = table.notes if number == len(tables) - 1 else ()
            yield from _table(table, notes, closed=False, bare=number > 0)
    found = commands(sources)
    if found:
        yield "<h3>Commands</h3>"
    for what, lines in found:
        text = "\n".join(html.escape(line) for line in lines)
        yield f"<h4>{escape(what)}</h4>"
        yield f'<pre tabindex="0"><code>{text}</code></pre>'


def _table(
    table: Table,
    notes: Sequence[str],
    *,
    closed: bool,
    bare: bool = False,
    title: str | None = None,
) -> Iterator[str]:
    """Yield a table with its notes, under its title or, when ``closed``, behind it.

    A ``bare`` one follows another under the same title.
    """
    key = f"t-{slug(table.key)}"
    head = escape(title or table.title)
    if closed:
        yield f'<details><summary id="{key}">{head}</summary>'
    else:
        yield f'<h3 id="{key}"{" hidden" if bare else ""}>{head}</h3>'
    yield f'<div class="scroll" role="group" tabindex="0" aria-labelledby="{key}">'
    yield html_table(table)
    yield "</div>"
    yield from _list(notes)
    if closed:
        yield "</details>"


def _list(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield '<ul class="notes">'
        yield from (f"<li>{escape(line)}</li>" for line in lines)
        yield "</ul>"


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
