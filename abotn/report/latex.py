"""Reports as LaTeX tables with booktabs, to be put into a paper by ``\\input``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abotn.report.document import Report
from abotn.report.latex_text import escape, preamble
from abotn.report.paper_layout import CLOSE_GAP, Part, head_lines, label_lines, parts
from abotn.report.table import Cell, Column, Row, Table
from abotn.report.texts import legend


def write_latex(report: Report) -> str:
    """Return a float per table, each with its notes below, then the notes on the report.

    What no engine but XeLaTeX and LuaLaTeX can set stops the others with one plain message.
    """
    tables = [latex_table(table) for table in report.tables]
    if report.notes:
        tables.append(f"\\noindent{_small_print(report.notes)}\n")
    body = "\n".join(tables)
    return f"{preamble(body)}\n{body}"


def latex_table(table: Table) -> str:
    """Return one table as a float, as wide as the text at most.

    One that is wider than a column of a paper set in two spans both. Where it is wider than a page,
    heads and labels are broken, intervals move below their values, and what is still too wide is
    scaled down by ``graphicx``; a table that would be too small to read then, or taller than a
    page, becomes several floats.
    """
    found = parts(table)
    notes = [*legend(table), *table.notes]
    return "\n".join(_float(part, notes if part is found[-1] else []) for part in found)


def _float(part: Part, notes: Sequence[str]) -> str:
    table = part.table
    environment = "table*" if part.wide else "table"
    lines = [
        f"\\begin{{{environment}}}",
        "  \\centering",
        f"  \\caption{{{escape(f'{table.title}. {table.caption}')}}}",
        f"  \\label{{tab:{table.key}}}",
        *([f"  \\setlength{{\\tabcolsep}}{{{CLOSE_GAP / 2:g}pt}}"] if part.room else []),
        "  \\sbox0{%",
        f"  \\begin{{tabular}}{{{_alignment(table)}}}",
        *(f"    {line}" for line in _body(table, part.room)),
        "  \\end{tabular}}%",
        "  \\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi",
        *([f"  \\par\\smallskip{_small_print(notes)}"] if notes else []),
        f"\\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def _alignment(table: Table) -> str:
    labels = [all(row.cells[i].is_label for row in table.rows) for i in range(len(table.columns))]
    return "".join("l" if is_label else "r" for is_label in labels)


def _body(table: Table, room: int) -> Iterator[str]:
    yield "\\toprule"
    yield from _block_heads(table)
    sides = zip(table.columns, _alignment(table), range(len(table.columns)), strict=True)
    yield _line([_head(column, side, table, i, room) for column, side, i in sides])
    previous: Row | None = None
    for row, spans in table.label_spans():
        starts_block = table.columns[0].merge and spans[0] > 0
        if previous is None or starts_block or row.muted != previous.muted:
            yield "\\midrule"
        cells = zip(row.cells, spans, strict=True)
        yield _line([_shown(cell, row, room) if span else "" for cell, span in cells])
        previous = row
    yield "\\bottomrule"


def _head(column: Column, side: str, table: Table, index: int, room: int) -> str:
    cells = [row.cells[index] for row in table.rows]
    return _lines(map(escape, head_lines(column.label, cells, room)), "b", side)


def _block_heads(table: Table) -> Iterator[str]:
    blocks = table.blocks()
    if not any(head for head, _ in blocks):
        return
    yield _line([_spanning(head, span) for head, span in blocks])
    first = 1
    for head, span in blocks:
        if head:
            yield f"\\cmidrule(lr){{{first}-{first + span - 1}}}"
        first += span


def _spanning(head: str, span: int) -> str:
    return f"\\multicolumn{{{span}}}{{c}}{{{escape(head)}}}" if head else "&" * (span - 1)


def _line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\".lstrip()


def _lines(texts: Iterator[str], place: str, side: str) -> str:
    """Return lines that stand below each other in one cell."""
    found = list(texts)
    if len(found) == 1:
        return found[0]
    joined = "\\\\".join(found)
    return f"\\begin{{tabular}}[{place}]{{@{{}}{side}@{{}}}}{joined}\\end{{tabular}}"


def _shown(cell: Cell, row: Row, room: int) -> str:
    if cell.is_label:
        lines = label_lines(cell.text, room)
        shown = (_marked(escape(line), cell, row) for line in lines)
        return _lines(shown, "t", "l") + _mark(cell)
    value = _marked(_number(cell.text), cell, row) + _mark(cell)
    if not cell.interval:
        return value
    interval = f"{{\\scriptsize {_number(cell.interval)}}}"
    return _lines(iter((value, interval)), "t", "r") if room else f"{value} {interval}"


def _marked(text: str, cell: Cell, row: Row) -> str:
    if cell.best:
        return f"\\textbf{{{text}}}"
    if cell.second:
        return f"\\underline{{{text}}}"
    return f"\\textit{{{text}}}" if row.muted and text else text


def _mark(cell: Cell) -> str:
    return f"\\textsuperscript{{{escape(cell.mark)}}}" if cell.mark else ""


def _number(text: str) -> str:
    """Return a shown number or interval with proper minus signs."""
    return re.sub(r"-(?=[\d.]|\$)", "$-$", escape(text))


def _small_print(lines: Sequence[str]) -> str:
    return "{\\footnotesize\\raggedright " + " ".join(escape(line) for line in lines) + "\\par}"
