"""Reports as Typst figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abotn.report.document import Report
from abotn.report.paper_layout import Part, head_lines, label_lines, parts
from abotn.report.table import Cell, Row, Table
from abotn.report.texts import flat, legend


def write_typst(report: Report) -> str:
    """Return a figure per table, each with its notes below, then the notes on the report."""
    parts = [typst_table(table) for table in report.tables]
    if report.notes:
        parts.append(_small_print(report.notes))
    return "\n".join(parts)


def typst_table(table: Table) -> str:
    """Return one table as a figure; group labels and spanning heads span what they name.

    A table that is wider or taller than a page becomes several figures, as in LaTeX.
    """
    notes = [*legend(table), *table.notes]
    figures = "\n".join(_figure(part) for part in parts(table))
    return figures + (_small_print(notes) if notes else "")


def _figure(part: Part) -> str:
    table = part.table
    lines = [
        "#figure(",
        f"  caption: [{escape(f'{table.title}. {table.caption}')}],",
        "  table(",
        f"    columns: {len(table.columns)},",
        f"    align: ({', '.join(_alignment(table))},),",
        *(["    inset: (x: 3pt),"] if part.room else []),
        "    stroke: none,",
        "    table.hline(),",
        f"    table.header({', '.join(_heads(table, part.room))}),",
        *(f"    {line}" for line in _body(table, part.room)),
        "    table.hline(),",
        "  ),",
        f") <tab-{table.key}>",
    ]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Return text that Typst shows as it is, on one line."""
    text = re.sub(_SPECIAL, r"\\\g<0>", flat(text))
    return re.sub(r"^(\d+)\.(?=\s|$)", r"\1\\.", text)


_LINE_END = " \\ "
_SPECIAL = r"[\\#$*_`<@~\[\]\"']|/(?=[/*])|^[-+=/]|-(?=[-?\d])|(?<=-)-|\.(?=\.\.)"


def _alignment(table: Table) -> Iterator[str]:
    for index in range(len(table.columns)):
        yield "left" if all(row.cells[index].is_label for row in table.rows) else "right"


def _heads(table: Table, room: int) -> Iterator[str]:
    blocks = table.blocks()
    if any(head for head, _ in blocks):
        for head, span in blocks:
            yield f"table.cell(colspan: {span}, align: center)[{escape(head)}]"
    for index, column in enumerate(table.columns):
        cells = [row.cells[index] for row in table.rows]
        yield f"[{_LINE_END.join(map(escape, head_lines(column.label, cells, room)))}]"


def _body(table: Table, room: int) -> Iterator[str]:
    previous: Row | None = None
    for row, spans in table.label_spans():
        starts_block = table.columns[0].merge and spans[0] > 0
        if previous is None or starts_block or row.muted != previous.muted:
            yield "table.hline(stroke: 0.5pt),"
        cells = zip(row.cells, spans, strict=True)
        yield ", ".join(_spanned(cell, row, span, room) for cell, span in cells if span) + ","
        previous = row


def _spanned(cell: Cell, row: Row, span: int, room: int) -> str:
    content = f"[{_shown(cell, row, room)}]"
    return f"table.cell(rowspan: {span}){content}" if span > 1 else content


def _shown(cell: Cell, row: Row, room: int) -> str:
    text = _number(cell.text)
    if cell.is_label:
        text = _LINE_END.join(map(escape, label_lines(cell.text, room)))
    if cell.best:
        text = f"#strong[{text}]"
    elif cell.second:
        text = f"#underline[{text}]"
    elif row.muted and text:
        text = f"#emph[{text}]"
    mark = f"#super[{escape(cell.mark)}]" if cell.mark else ""
    if not cell.interval:
        return f"{text}{mark}"
    interval = f"#text(0.8em)[{_number(cell.interval)}]"
    return f"{text}{mark}{_LINE_END if room else ' '}{interval}"


def _number(text: str) -> str:
    """Return a shown number or interval with proper minus signs."""
    return escape(text.replace("-", "−"))


def _small_print(lines: Sequence[str]) -> str:
    return f"#text(0.8em)[{' '.join(escape(line) for line in lines)}]\n"
