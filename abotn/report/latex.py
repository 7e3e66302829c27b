"""Reports as LaTeX tables with booktabs, to be put into a paper by ``\\input``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abotn.report.document import Report
from abotn.report.table import Cell, Row, Table
from abotn.report.texts import flat, legend

_WIDE = 4
_HEAD = "% Needs \\usepackage{booktabs}. Names outside Latin need XeLaTeX or LuaLaTeX and a font.\n"


def write_latex(report: Report) -> str:
    """Return a float per table, each with its notes below, then the notes on the report."""
    parts = [latex_table(table) for table in report.tables]
    if report.notes:
        parts.append(f"\\noindent{_small_print(report.notes)}\n")
    return _HEAD + "\n" + "\n".join(parts)


def latex_table(table: Table) -> str:
    """Return one table as a float; one of more than four columns spans both columns of a page."""
    environment = "table*" if len(table.columns) > _WIDE else "table"
    notes = [*legend(table), *table.notes]
    lines = [
        f"\\begin{{{environment}}}",
        "  \\centering",
        f"  \\caption{{{escape(f'{table.title}. {table.caption}')}}}",
        f"  \\label{{tab:{table.key}}}",
        f"  \\begin{{tabular}}{{{_alignment(table)}}}",
        *(f"    {line}" for line in _body(table)),
        "  \\end{tabular}",
        *([f"  \\par\\smallskip{_small_print(notes)}"] if notes else []),
        f"\\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Return text that LaTeX typesets as it is: every letter escaped once, on one line."""
    text = flat(text).translate(_ESCAPES)
    return re.sub(r"-(?=-)|,(?=,)|'(?=')", r"\g<0>{}", text)


_ESCAPES = str.maketrans(
    {
        "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "%": "\\%",
        "#": "\\#", "_": "\\_", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
        "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", '"': "\\symbol{34}",
        "`": "\\textasciigrave{}", "[": "{[}", "]": "{]}", "*": "{*}", "–": "\\textendash{}",
        "↑": "$\\uparrow$", "↓": "$\\downarrow$", "±": "$\\pm$", "∞": "$\\infty$",
        "†": "$\\dagger$", "‡": "$\\ddagger$", "\u00a0": "~",
        "²": "\\textsuperscript{2}", "³": "\\textsuperscript{3}", "⁴": "\\textsuperscript{4}",
        "⁵": "\\textsuperscript{5}", "⁶": "\\textsuperscript{6}", "\u2068": "", "\u2069": "",
    }
)  # fmt: skip


def _alignment(table: Table) -> str:
    labels = [all(row.cells[i].is_label for row in table.rows) for i in range(len(table.columns))]
    return "".join("l" if is_label else "r" for is_label in labels)


def _body(table: Table) -> Iterator[str]:
    yield "\\toprule"
    yield from _block_heads(table)
    yield _line([escape(column.label) for column in table.columns])
    previous: Row | None = None
    for row, spans in table.label_spans():
        starts_block = table.columns[0].merge and spans[0] > 0
        if previous is None or starts_block or row.muted != previous.muted:
            yield "\\midrule"
        cells = zip(row.cells, spans, strict=True)
        yield _line([_shown(cell, row) if span else "" for cell, span in cells])
        previous = row
    yield "\\bottomrule"


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


def _shown(cell: Cell, row: Row) -> str:
    text = escape(cell.text) if cell.is_label else _number(cell.text)
    if cell.best:
        text = f"\\textbf{{{text}}}"
    elif cell.second:
        text = f"\\underline{{{text}}}"
    elif row.muted and text:
        text = f"\\textit{{{text}}}"
    mark = f"\\textsuperscript{{{escape(cell.mark)}}}" if cell.mark else ""
    interval = f" {{\\scriptsize {_number(cell.interval)}}}" if cell.interval else ""
    return f"{text}{mark}{interval}"


def _number(text: str) -> str:
    """Return a shown number or interval with proper minus signs."""
    return re.sub(r"-(?=[\d.]|\$)", "$-$", escape(text))


def _small_print(lines: Sequence[str]) -> str:
    return "{\\footnotesize\\raggedright " + " ".join(escape(line) for line in lines) + "\\par}"
