"""Reports as HTML tables: one page without scripts or outside requests."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from abotn.report.document import Report
from abotn.report.table import Cell, Column, Row, Table
from abotn.report.texts import flat, legend

STYLE = """\
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { caption-side: top; text-align: start; }
th, td { padding: 0.25rem 0.75rem; text-align: end; white-space: nowrap; }
th[scope=row], th[scope=rowgroup], .label { text-align: start; }
th { font-weight: 600; vertical-align: bottom; }
th[scope=rowgroup] { vertical-align: top; }
thead, tbody + tbody { border-top: 1px solid; }
table { border-bottom: 1px solid; }
.interval, .muted { opacity: 0.75; }
.muted { font-style: italic; }
@media print { .scroll { overflow: visible; } }
"""


def write_html(report: Report) -> str:
    """Return a report as one page that opens from disk."""
    title = escape(report.title)
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>\n{STYLE}</style>",
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{title}</h1>",
        *_sections(report),
        "</main>",
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def html_table(table: Table, *, described_by: str = "") -> str:
    """Return one table as a ``<table>`` element; group labels span the rows they name.

    Args:
        table: The table.
        described_by: Id of the element that shows the caption, when the table is not to.
    """
    caption = [f"<caption>{escape(table.caption)}</caption>"]
    lines = [
        f'<table aria-describedby="{described_by}">' if described_by else "<table>",
        *([] if described_by else caption),
        "<thead>",
        *_heads(table),
        "</thead>",
        *_bodies(table),
        "</table>",
    ]
    return "\n".join(lines)


def escape(text: str) -> str:
    """Return text that is only text in HTML, also inside an attribute."""
    return html.escape(flat(text), quote=True)


def _sections(report: Report) -> Iterator[str]:
    for table, notes in report.tables_with_new_notes():
        heading = f"h-{table.key}"
        yield f'<section aria-labelledby="{heading}">'
        yield f'<h2 id="{heading}">{_isolated(table.title)}</h2>'
        yield f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{heading}">'
        yield html_table(table)
        yield "</div>"
        yield from _list([*legend(table), *notes])
        yield "</section>"
    if report.notes:
        yield '<section aria-labelledby="h-notes">'
        yield '<h2 id="h-notes">Notes</h2>'
        yield from _list(report.notes)
        yield "</section>"


def _heads(table: Table) -> Iterator[str]:
    blocks = table.blocks()
    if any(head for head, _ in blocks):
        yield f"<tr>{''.join(_block(head, span) for head, span in blocks)}</tr>"
    yield f"<tr>{''.join(_head(column, table, i) for i, column in enumerate(table.columns))}</tr>"


def _block(head: str, span: int) -> str:
    if not head:
        return f'<td colspan="{span}"></td>'
    return f'<th scope="colgroup" colspan="{span}">{_isolated(head)}</th>'


def _head(column: Column, table: Table, index: int) -> str:
    named = all(row.cells[index].is_label for row in table.rows)
    style = ' class="label"' if named else ""
    return f'<th scope="col"{style}><bdi>{_breakable(column.label)}</bdi></th>'


def _bodies(table: Table) -> Iterator[str]:
    """Yield the rows, in a ``<tbody>`` per group and one for the muted ones."""
    previous: Row | None = None
    for row, spans in table.label_spans():
        starts_block = table.columns[0].merge and spans[0] > 0
        if previous is None or starts_block or row.muted != previous.muted:
            yield "<tbody>" if previous is None else "</tbody>\n<tbody>"
        style = ' class="muted"' if row.muted else ""
        yield f"<tr{style}>{''.join(_cells(row, spans, table))}</tr>"
        previous = row
    if previous is not None:
        yield "</tbody>"


def _cells(row: Row, spans: Sequence[int], table: Table) -> Iterator[str]:
    heads = 2 if table.columns[0].merge else 1
    for index, (cell, span) in enumerate(zip(row.cells, spans, strict=True)):
        if span == 0:
            continue
        if index < heads:
            scope = "rowgroup" if table.columns[index].merge else "row"
            rows = f' rowspan="{span}"' if span > 1 else ""
            yield f'<th scope="{scope}"{rows}>{_isolated(cell.text)}</th>'
        elif cell.is_label:
            yield f'<td class="label">{_isolated(cell.text)}</td>'
        else:
            yield f"<td>{_number(cell)}</td>"


def _number(cell: Cell) -> str:
    text = escape(cell.text)
    if cell.best:
        text = f"<strong>{text}</strong>"
    elif cell.second:
        text = f"<u>{text}</u>"
    mark = f"<sup>{escape(cell.mark)}</sup>" if cell.mark else ""
    interval = f' <span class="interval">{escape(cell.interval)}</span>' if cell.interval else ""
    return f"{text}{mark}{interval}"


def _isolated(text: str) -> str:
    return f"<bdi>{escape(text)}</bdi>"


def _breakable(text: str) -> str:
    """Return text that may be broken after ``_`` and ``-``, and before a capital in a word."""
    return "<wbr>".join(map(escape, _BREAKS.split(flat(text))))


_BREAKS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=\w[_-])(?=\w)")


def _list(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield "<ul>"
        yield from (f"<li>{escape(line)}</li>" for line in lines)
        yield "</ul>"
