"""Reports as Typst figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abotn.report.document import Report
from abotn.report.table import Cell, Row, Table
from abotn.report.texts import flat, legend


def write_typst(report: Report) -> str:
    """Return a figure per table, each with its notes below, then the notes on the report."""
    parts = [typst_table(table) for table in report.tables]
    if report.notes:
        parts.append(_small_print(report.notes))
    return "\n".join(parts)


def typst_table(table: Table) -> str:
    """Return one table as a figure; group labels and spanning heads span what they name."""
    lines = [
        "#figure(",
        f"  caption: [{escape(f'{table.title}. {table.caption}')}],",
        "  table(",
        f"    columns: {len(table.columns)},",
        f"    align: ({', '.join(_alignment(table))},),",
        "    stroke: none,",
        "    table.hline(),",
        f"    table.header({', '.join(_heads(table))}),",
        *(f"    {line}" for line in _body(table)),
        "    table.hline(),",
        "  ),",
        f") <tab-{table.key}>",
    ]
    notes = [*legend(table), *table.notes]
    return "\n".join(lines) + "\n" + (_small_print(notes) if notes else "")


def escape(text: str) -> str:
    """Return text that Typst shows as it is, on one line."""
    text = re.sub(_SPECIAL, r"\\\g<0>", flat(text))
    return re.sub(r"^(\d+)\.(?=\s|$)", r"\1\\.", text)


_SPECIAL = r"[\\#$*_`<@~\[\]\"']|/(?=[/*])|^[-+=/]|-(?=[-?\d])|(?<=-)-|\.(?=\.\.)"


def _alignment(table: Table) -> Iterator[str]:
    for index in range(len(table.columns)):
        yield "left" if all(row.cells[index].is_label for row in table.rows) else "right"


def _heads(table: Table) -> Iterator[str]:
    blocks = table.blocks()
    if any(head for head, _ in blocks):
        for head, span in blocks:
            yield f"table.cell(colspan: {span}, align: center)[{escape(head)}]"
    for column in table.columns:
        yield f"[{escape(column.label)}]"


def _body(table: Table) -> Iterator[str]:
    previous: Row | None = None
    for row, spans in table.label_spans():
        starts_block = table.columns[0].merge and spans[0] > 0
        if previous is None or starts_block or row.muted != previous.muted:
            yield "table.hline(stroke: 0.5pt),"
        cells = zip(row.cells, spans, strict=True)
        yield ", ".join(_spanned(cell, row, span) for cell, span in cells if span) + ","
        previous = row


def _spanned(cell: Cell, row: Row, span: int) -> str:
    content = f"[{_shown(cell, row)}]"
    return f"table.cell(rowspan: {span}){content}" if span > 1 else content


def _shown(cell: Cell, row: Row) -> str:
    text = escape(cell.text) if cell.is_label else _number(cell.text)
    if cell.best:
        text = f"#strong[{text}]"
    elif cell.second:
        text = f"#underline[{text}]"
    elif row.muted and text:
        text = f"#emph[{text}]"
    mark = f"#super[{escape(cell.mark)}]" if cell.mark else ""
    interval = f" #text(0.8em)[{_number(cell.interval)}]" if cell.interval else ""
    return f"{text}{mark}{interval}"


def _number(text: str) -> str:
    """Return a shown number or interval with proper minus signs."""
    return escape(text.replace("-", "−"))


def _small_print(lines: Sequence[str]) -> str:
    return f"#text(0.8em)[{' '.join(escape(line) for line in lines)}]\n"
