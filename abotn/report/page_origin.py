"""The end of a page: under which rules it was made, on what, and by which commands."""

from __future__ import annotations

import html
from collections.abc import Iterator

from abotn.report.html_tables import escape
from abotn.report.page_commands import commands
from abotn.report.page_parts import titled_table
from abotn.report.page_protocol import origin_tables, protocol_tables
from abotn.report.page_sources import ReportSources


def origin(sources: ReportSources) -> Iterator[str]:
    """Yield protocol, data set and commands of the runs; nothing where there is no run."""
    if not sources.runs:
        return
    for tables in (origin_tables(sources.runs), protocol_tables(sources.runs)):
        for number, table in enumerate(tables):
            notes = table.notes if number == len(tables) - 1 else ()
            yield from titled_table(table, notes, closed=False, bare=number > 0)
    found = commands(sources)
    if found:
        yield "<h3>Commands</h3>"
    for what, lines in found:
        text = "\n".join(html.escape(line) for line in lines)
        yield f"<h4>{escape(what)}</h4>"
        yield f'<pre tabindex="0"><code>{text}</code></pre>'
