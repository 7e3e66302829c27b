"""The frame of the table of records, which the page's script fills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abotn.report.html_tables import escape
from abotn.report.page_causes import CAUSES
from abotn.report.page_data import PageData

_NO_SCRIPT = "This table and the task viewer need scripts, which are switched off here."


def records_section(data: PageData, runs: Sequence[str]) -> Iterator[str]:
    """Yield the filters and the empty table of records; nothing where there are no records."""
    if not data.records:
        return
    present = {record.cause for record in data.records}
    yield f"<noscript><p>{_NO_SCRIPT}</p></noscript>"
    yield '<form id="filters" class="filters" role="search" aria-label="Filter the records">'
    yield '<label>Name contains <input id="filter-text" type="search" autocomplete="off"></label>'
    if len(runs) > 1:
        yield from _choice("run", "Run", list(enumerate(runs)))
    yield from _choice(
        "outcome", "Outcome", [(i, name) for i, name in enumerate(CAUSES) if name in present]
    )
    yield '<button type="reset">Clear</button>'
    yield '<p id="shown" role="status"></p>'
    yield "</form>"
    yield '<div class="scroll" role="group" tabindex="0" aria-labelledby="h-records">'
    yield '<table id="record-table"><caption>Choose a task to step through it.</caption>'
    yield "<thead></thead><tbody></tbody></table>"
    yield "</div>"
    yield '<p><button type="button" id="more" hidden>Show all</button></p>'


def _choice(key: str, head: str, options: Sequence[tuple[int, str]]) -> Iterator[str]:
    yield f'<label>{head} <select id="filter-{key}"><option value="">all</option>'
    for value, name in options:
        yield f'<option value="{value}" dir="auto">{escape(name)}</option>'
    yield "</select></label>"
