"""Reports in reStructuredText, as ``list-table`` directives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abotn.report.document import Report
from abotn.report.table import Cell, Column, Row, Table
from abotn.report.texts import flat, legend, width


def write_rst(report: Report) -> str:
    """Return a report as reStructuredText; a note that several tables share stands once."""
    parts = [_heading(report.title, "=")]
    explained = False
    for table, notes in report.tables_with_new_notes():
        parts += [_heading(table.title, "-"), rst_table(table)]
        signs = [] if explained else legend(table, second="emphasised")
        explained = explained or bool(signs)
        parts += _bullets([*signs, *notes])
    if report.notes:
        parts += [_heading("Notes", "-"), *_bullets(report.notes)]
    return "\n".join(parts)


def rst_table(table: Table) -> str:
    """Return one table as a ``list-table``; spanning heads are put before those they span."""
    lines = [f".. list-table:: {escape(table.caption)}", "   :header-rows: 1", ""]
    lines += _row([escape(_head(column)) for column in table.columns])
    for row, spans in table.label_spans():
        cells = zip(row.cells, spans, strict=True)
        lines += _row([_shown(cell, row) if span else "" for cell, span in cells])
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Return text that reStructuredText shows as it is, on one line."""
    text = re.sub(r"[\\*`|]|:(?!\s)|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", flat(text))
    if text.startswith(r"\\"):
        return rf"\ {text}"
    return re.sub(r"^(?=[!-/:-@^{}~[\]•‣⁃]|\w+[.)](?:\s|$))", r"\\", text)


def _heading(text: str, line: str) -> str:
    shown = escape(text)
    return f"{shown}\n{line * max(width(shown), 3)}\n"


def _head(column: Column) -> str:
    return f"{column.block}: {column.label}" if column.block else column.label


def _row(cells: Sequence[str]) -> Iterator[str]:
    for index, cell in enumerate(cells):
        yield f"   {'* -' if index == 0 else '  -'} {cell}".rstrip()


def _shown(cell: Cell, row: Row) -> str:
    text = escape(cell.text)
    if cell.best:
        text = f"**{text}**"
    elif (cell.second or row.muted) and text:
        text = f"*{text}*"
    mark = f"\\ {escape(cell.mark)}" if cell.mark else ""
    interval = f" {cell.interval}" if cell.interval else ""
    return f"{text}{mark}{interval}"


def _bullets(lines: Sequence[str]) -> list[str]:
    return ["\n".join(f"- {escape(line)}" for line in lines) + "\n"] if lines else []
