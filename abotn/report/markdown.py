"""Reports in GitHub-flavoured markdown, lined up for reading in a terminal too."""

from __future__ import annotations

import re
from collections.abc import Sequence

from abotn.report.document import Report
from abotn.report.table import Cell, Column, Row, Table
from abotn.report.texts import flat, legend, padded, width


def write_markdown(report: Report) -> str:
    """Return a report as markdown; a note that several tables share stands under the first."""
    parts = [f"# {escape(report.title)}"]
    explained = False
    for table, notes in report.tables_with_new_notes():
        parts += [f"## {escape(table.title)}", escape(table.caption)]
        parts.append(markdown_table(table).rstrip("\n"))
        signs = [] if explained else legend(table)
        explained = explained or bool(signs)
        parts += _bullets([*signs, *notes])
    if report.notes:
        parts += ["## Notes", *_bullets(report.notes)]
    return "\n\n".join(parts) + "\n"


def markdown_table(table: Table) -> str:
    """Return one table, its columns lined up; spanning heads are put before those they span."""
    header = [escape(_head(column)) for column in table.columns]
    body = [
        [_shown(cell, row) if span else "" for cell, span in zip(row.cells, spans, strict=True)]
        for row, spans in table.label_spans()
    ]
    right = [_is_right(table, column) for column in range(len(header))]
    widths = [max(3, *map(width, column)) for column in zip(header, *body, strict=True)]
    rule = [f"{'-' * (w - 1)}:" if r else "-" * w for w, r in zip(widths, right, strict=True)]
    lines = [
        [padded(text, w, right=r) for text, w, r in zip(line, widths, right, strict=True)]
        for line in (header, *body)
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in (lines[0], rule, *lines[1:]))


def escape(text: str) -> str:
    """Return text that markdown shows as it is, on one line, with as few signs as that takes."""
    text = re.sub(r"&(?=#?\w+;)", "&amp;", flat(text))
    text = re.sub(r"[\\`*~#|[\]]", r"\\\g<0>", text)
    text = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)
    text = re.sub(r"^(?:[-+=]|\d+(?=[.)](?:\s|$)))", _escaped_start, text)
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("$", "&#36;")


def _escaped_start(found: re.Match[str]) -> str:
    start = found.group()
    return f"&#{ord(start[0])};{start[1:]}" if start[0].isdigit() else f"\\{start}"


def _head(column: Column) -> str:
    return f"{column.block}: {column.label}" if column.block else column.label


def _shown(cell: Cell, row: Row) -> str:
    text = escape(cell.text) if cell.is_label else cell.text
    if cell.best:
        text = f"**{text}**"
    elif cell.second:
        text = f"<ins>{text}</ins>"
    elif row.muted and text:
        text = f"*{text}*"
    return f"{text}{escape(cell.mark)} {cell.interval}".rstrip()


def _is_right(table: Table, column: int) -> bool:
    return not all(row.cells[column].is_label for row in table.rows)


def _bullets(lines: Sequence[str]) -> list[str]:
    return ["\n".join(f"- {escape(line)}" for line in lines)] if lines else []
