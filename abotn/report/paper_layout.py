"""How a table fits a page of a paper: what is broken into lines, and where it is divided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from abotn.report.table import Cell, Column, Row, Table
from abotn.report.terminal_layout import longest_part, wrapped
from abotn.report.texts import inert, width

# Points: a column of two-column paper, the text of one-column paper (both of LaTeX's `article`),
# and the widest table that is still legible when it is scaled down to the latter.
NARROW, PAGE, WIDEST = 229.0, 345.0, 450.0
# Lines of a page that heads and rules leave; at least so many go to rows, however long the notes.
TALLEST, SHORTEST = 37.0, 16.0
_CAPTION_LETTERS, _NOTE_LETTERS, _NOTE_LINE, _RULE = 75, 95, 0.8, 0.5
_GAP, CLOSE_GAP = 12.0, 8.0
_STEP = 10.0
_NARROW_NOTES = 600
_ROOMS = (48, 32, 24, 16, 12)
_LONGEST_PART = 24
_SMALL = 0.72
_SLIM = frozenset("[](){}.,:;'!|ijltfrI /-")


@dataclass(frozen=True)
class Part:
    """A table, or one of the parts of a table that no page could hold.

    Attributes:
        table: What it shows.
        room: Letters on a line of a label; 0 where nothing is broken into lines. Otherwise heads
            are broken too, and intervals stand below their values.
        wide: Whether it is wider than a column of a paper set in two.
    """

    table: Table
    room: int
    wide: bool


def parts(table: Table) -> list[Part]:
    """Return the table in as few parts as pages of a paper can hold, left to right, then down.

    Args:
        table: The table; its notes stay with the last part, and titles count the parts.
    """
    room = next((room for room in (0, *_ROOMS) if _total(table, room) <= PAGE), _ROOMS[-1])
    pieces = [
        piece
        for across in (_across(table, room) if room else [table])
        for piece in _down(across, room)
    ]
    return [_part(piece, place, len(pieces), room) for place, piece in enumerate(pieces, 1)]


def head_lines(text: str, cells: Sequence[Cell], room: int) -> list[str]:
    """Return a head in the lines it is shown in, as wide as the cells below it."""
    if not room:
        return [text]
    widths = [max(width(c.text), int(width(c.interval) * _SMALL)) for c in cells if not c.is_label]
    return wrapped(text, max([_least(text), *widths])).split("\n")


def label_lines(text: str, room: int) -> list[str]:
    """Return a label in the lines it is shown in."""
    return wrapped(text, max(room, _least(text))).split("\n") if room else [text]


def _least(text: str) -> int:
    return min(longest_part(text), _LONGEST_PART)


def _part(table: Table, place: int, count: int, room: int) -> Part:
    wide = _total(table, room) > NARROW or sum(map(len, table.notes)) > _NARROW_NOTES
    if count == 1:
        return Part(table, room, wide)
    named = replace(
        table,
        key=table.key if place == 1 else f"{table.key}-part-{place}",
        title=f"{table.title} (part {place} of {count})",
        notes=table.notes if place == count else (),
    )
    return Part(named, room, wide)


def _across(table: Table, broken: int) -> Iterator[Table]:
    """Yield the table in even groups of columns after the labels; a block stays whole if it can."""
    widths = _widths(table, broken)
    lead = next((i for i, c in enumerate(table.columns) if not _is_label(table, i)), 0)
    blocks = list(_blocks(table.columns, lead))
    room = WIDEST - sum(widths[:lead])
    groups = _filled(blocks, widths, room)
    while room > _STEP and len(even := _filled(blocks, widths, room - _STEP)) == len(groups):
        groups, room = even, room - _STEP
    for group in groups:
        yield _chosen(table, [*range(lead), *group])


def _filled(
    blocks: Sequence[Sequence[int]], widths: Sequence[float], room: float
) -> list[list[int]]:
    """Return groups of columns, each filled up before the next; at least one."""
    groups: list[list[int]] = [[]]
    for block in blocks:
        fits = sum(widths[i] for i in block) <= room
        for some in [list(block)] if fits else [[i] for i in block]:
            if groups[-1] and sum(widths[i] for i in (*groups[-1], *some)) > room:
                groups.append([])
            groups[-1] += some
    return groups


def _blocks(columns: Sequence[Column], lead: int) -> Iterator[list[int]]:
    block: list[int] = []
    for index in range(lead, len(columns)):
        head = columns[index].block
        if block and not (head and head == columns[block[-1]].block):
            yield block
            block = []
        block.append(index)
    if block:
        yield block


def _chosen(table: Table, columns: Sequence[int]) -> Table:
    return replace(
        table,
        columns=tuple(table.columns[i] for i in columns),
        rows=tuple(replace(row, cells=tuple(row.cells[i] for i in columns)) for row in table.rows),
    )


def _down(table: Table, room: int) -> Iterator[Table]:
    """Yield the table in groups of rows that fit a page."""
    tallest = _lines_for_rows(table)
    rows: list[Row] = []
    height = 0.0
    for row, spans in table.label_spans():
        lines = _height(row, room) + _RULE * (table.columns[0].merge and spans[0] > 0)
        if rows and height + lines > tallest:
            yield replace(table, rows=tuple(rows))
            rows, height = [], 0.0
        rows.append(row)
        height += lines
    yield replace(table, rows=tuple(rows))


def _lines_for_rows(table: Table) -> float:
    """Return about how many lines a page has for rows, beside the caption and the notes."""
    caption = len(f"{table.title}. {table.caption}") // _CAPTION_LETTERS
    notes = sum(map(len, table.notes)) / _NOTE_LETTERS * _NOTE_LINE
    return max(TALLEST - caption - notes, SHORTEST)


def _height(row: Row, room: int) -> int:
    if not room:
        return 1
    labels = [len(label_lines(cell.text, room)) for cell in row.cells if cell.is_label]
    return max([1 + any(cell.interval for cell in row.cells), *labels])


def _is_label(table: Table, index: int) -> bool:
    return all(row.cells[index].is_label for row in table.rows)


def _total(table: Table, room: int) -> float:
    return sum(_widths(table, room))


def _widths(table: Table, room: int) -> list[float]:
    """Return about how wide each column is set in letters of 10 points, with its gap."""
    found = []
    for index, column in enumerate(table.columns):
        cells = [row.cells[index] for row in table.rows]
        head = head_lines(column.label, cells, room)
        widths = [*map(_points, head), *(_cell_points(cell, room) for cell in cells)]
        found.append(max(widths) + (CLOSE_GAP if room else _GAP))
    return found


def _cell_points(cell: Cell, room: int) -> float:
    if cell.is_label:
        return max(map(_points, label_lines(cell.text, room)))
    value, interval = _points(cell.text + cell.mark), _points(cell.interval) * _SMALL
    return max(value, interval) if room else value + interval + 3.0 * bool(interval)


def _points(text: str) -> float:
    return sum(_letter_points(letter) for letter in inert(text))


def _letter_points(letter: str) -> float:
    if letter in _SLIM:
        return 3.2
    return 7.2 if letter.isupper() or letter in "mw—−" else 5.1 * width(letter)
