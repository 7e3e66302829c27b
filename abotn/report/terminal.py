"""Reports on a terminal: as wide as it is, and nothing cut off."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from abotn.report.document import Report
from abotn.report.runs import isolated
from abotn.report.table import Cell, Row, Table
from abotn.report.terminal_layout import Layout, choose_layout, full_head, wrapped
from abotn.report.texts import inert, legend

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

_HEAD, _SMALL, _GAP = "bold", "dim", "   "


def draw_report(report: Report, console: Console, *, spare: Collection[str] = ()) -> None:
    """Print a report.

    Values, marks and notes are those of every other format. Where a table is too wide, heads and
    labels are wrapped, then intervals move below their values, then the ``spare`` columns are left
    out with a line that says so, and last the columns of each row become lines.

    Args:
        report: The report.
        console: Where to print; it knows the width and whether colours are wanted.
        spare: Heads of columns that can be done without.
    """
    console.print(_text(report.title, _HEAD))
    explained = False
    for table, notes in report.tables_with_new_notes():
        signs = [] if explained else legend(table)
        explained = explained or bool(signs)
        console.print()
        console.print(_text(table.title, _HEAD))
        console.print(_text(table.caption, _SMALL))
        left_out = draw_table(table, console, spare=spare)
        _print_notes([*left_out, *signs, *notes], console)
    if report.notes:
        console.print()
        _print_notes(report.notes, console)


def draw_table(table: Table, console: Console, *, spare: Collection[str] = ()) -> list[str]:
    """Print one table, and return a line on the columns left out, none where all are shown."""
    layout = choose_layout(table, console.width, spare)
    if layout is None:
        for block in _blocks(table, console.width):
            console.print(block)
        return []
    console.print(_grid(table, layout))
    dropped = [full_head(c) for i, c in enumerate(table.columns) if i not in layout.columns]
    return [f"Left out for want of room: {', '.join(dropped)}."] if dropped else []


def _text(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(inert(text), style=style, overflow="fold")


def _print_notes(notes: Sequence[str], console: Console) -> None:
    from rich.table import Table as Grid

    if not notes:
        return
    grid = Grid.grid(padding=(0, 1, 0, 0))
    for note in notes:
        grid.add_row(_text("-", _SMALL), _text(note, _SMALL))
    console.print(grid)


def _grid(table: Table, layout: Layout) -> Grid:
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for index, width in zip(layout.columns, layout.widths, strict=True):
        head = Text(wrapped(full_head(table.columns[index]), width), _HEAD)
        right = not all(row.cells[index].is_label for row in table.rows)
        grid.add_column(
            head, width=width, justify="right" if right else "left", overflow="fold", vertical="top"
        )
    grouped = any(spans[0] > 1 for _, spans in table.label_spans())
    for row, spans in table.label_spans():
        if grouped and spans[0] and grid.rows:
            grid.add_section()
        cells = zip(layout.columns, layout.widths, strict=True)
        shown = (_shown(row.cells[i], row, layout, w) if spans[i] else "" for i, w in cells)
        grid.add_row(*shown)
    return grid


def _shown(cell: Cell, row: Row, layout: Layout, width: int) -> Text:
    text = _value(cell, row, width)
    if cell.interval:
        text.append("\n" if layout.stacked else " ")
        text.append(cell.interval, style=_SMALL)
    return text


def _value(cell: Cell, row: Row, width: int) -> Text:
    from rich.text import Text

    style = "italic" if row.muted else ""
    if cell.best:
        style = "bold green"
    elif cell.second:
        style = "underline"
    shown = wrapped(isolated(cell.text), width) if cell.is_label else cell.text
    return Text(shown, style, overflow="fold").append(cell.mark)


def _blocks(table: Table, width: int) -> Iterator[Text]:
    """Yield each row as its label and, below, its other cells with their heads."""
    from rich.text import Text

    for row in table.rows:
        labels = 2 if len(row.cells) > 1 and row.cells[1].is_label and table.columns[0].merge else 1
        named = [_value(cell, row, width) for cell in row.cells[:labels]]
        yield Text(" · ").join(one for one in named if one.plain)
        rest = range(labels, len(table.columns))
        yield from _packed([_parts(table, row, i, width) for i in rest], width)


def _parts(table: Table, row: Row, index: int, width: int) -> list[Text]:
    """Return head, value and interval of one cell, none of which is broken unless it must be.

    The head that spans neighbouring columns stands before the first of them.
    """
    cell = row.cells[index]
    head, before = table.columns[index], table.columns[index - 1]
    shown = head.label if head.block and head.block == before.block else full_head(head)
    parts = [_text(shown, _SMALL), _value(cell, row, width)]
    return [*parts, _text(cell.interval, _SMALL)] if cell.interval else parts


def _packed(cells: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    """Yield lines of cells, as many on each as fit; a cell too wide for one takes several."""
    from rich.text import Text

    line = Text()
    for parts in cells:
        whole = Text(" ").join(parts)
        if line and line.cell_len + len(_GAP) + whole.cell_len <= width:
            line.append(_GAP).append_text(whole)
            continue
        if line:
            yield line
        line = Text("  ", overflow="fold").append_text(parts[0])
        for part in parts[1:]:
            if line.cell_len + 1 + part.cell_len <= width:
                line.append(" ").append_text(part)
                continue
            yield line
            line = Text("    ", overflow="fold").append_text(part)
    if line:
        yield line
