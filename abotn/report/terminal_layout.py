"""How a table fits a terminal: which columns, how wide, and where its intervals stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from abotn.report.table import Cell, Column, Table
from abotn.report.texts import inert

GAP = 2
_WORDS = re.compile(r"\S+(?: [↑↓])?")
_PARTS = re.compile(r"[^\s_/-]+?(?:[_/-]+|(?<=[a-z])(?=[A-Z])|(?=\s)|\Z)|[_/-]+")
_LONGEST_PART = 24


@dataclass(frozen=True)
class Layout:
    """A way to draw a table.

    Attributes:
        columns: Positions of the columns shown.
        widths: Their widths, in terminal columns.
        stacked: Whether intervals stand below their values.
    """

    columns: tuple[int, ...]
    widths: tuple[int, ...]
    stacked: bool


def choose_layout(table: Table, width: int, spare: Collection[str] = ()) -> Layout | None:
    """Return the first way to draw a table within ``width``, None where there is none.

    Heads and labels are broken at spaces first, then within words; then intervals move below their
    values; then the spare columns are left out.

    Args:
        table: The table.
        width: Of the terminal.
        spare: Heads of columns that are left out rather than turning columns into lines.
    """
    everything = tuple(range(len(table.columns)))
    needed = tuple(i for i in everything if table.columns[i].header not in spare)
    for columns in dict.fromkeys((everything, needed)):
        for stacked in (False, True):
            for least in (_longest_word, longest_part):
                layout = _fitted(table, columns, width, least, stacked=stacked)
                if layout is not None:
                    return layout
    return None


def full_head(column: Column) -> str:
    """Return the head of a column, after the one that spans it."""
    return f"{column.block}: {column.label}" if column.block else column.label


def wrapped(text: str, width: int) -> str:
    """Return text in lines of at most ``width``, broken at spaces, else within words.

    A word is broken after ``_``, ``-`` and ``/``, and before a capital in ``wordsLikeThis``. An
    arrow stands alone on a line only where there is no room for it.
    """
    lines = [""]
    for word in _WORDS.findall(inert(text)):
        if lines[-1] and cell_width(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
            continue
        lines.append("")
        for part in [word] if cell_width(word) <= width else _pieces(word):
            if cell_width(lines[-1] + part) > width:
                lines.append("")
            lines[-1] += part.lstrip() if not lines[-1] else part
    return "\n".join(line for line in lines if line)


def cell_width(text: str) -> int:
    """Return the number of terminal columns that text takes once it is inert."""
    from rich.cells import cell_len

    return cell_len(inert(text))


def longest_part(text: str) -> int:
    """Return the width of the longest part of a word; one that is very long may be broken."""
    return min(max(map(cell_width, _PARTS.findall(inert(text))), default=0), _LONGEST_PART)


def _fitted(
    table: Table,
    columns: tuple[int, ...],
    width: int,
    least_of: Callable[[str], int],
    *,
    stacked: bool,
) -> Layout | None:
    """Return the layout with as little wrapping as the width allows; None when it is too narrow."""
    room = width - GAP * (len(columns) - 1)
    least = [_width(table, i, least_of, stacked=stacked) for i in columns]
    most = [_width(table, i, cell_width, stacked=stacked) for i in columns]
    if sum(least) > room:
        return None
    return Layout(columns, tuple(_grown(least, most, room)), stacked)


def _grown(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """Return widths from ``least`` to ``most`` within the room, small needs met first."""
    widths = list(least)
    spare = room - sum(widths)
    for index in sorted(range(len(widths)), key=lambda i: most[i] - least[i]):
        more = min(most[index] - least[index], spare)
        widths[index] += more
        spare -= more
    return widths


def _width(table: Table, index: int, of: Callable[[str], int], *, stacked: bool) -> int:
    """Return the width of a column whose head and labels are as wide as ``of`` says."""
    column = table.columns[index]
    cells = [row.cells[index] for row in table.rows]
    labels = [of(cell.text) for cell in cells if cell.is_label]
    numbers = [_number_width(cell, stacked=stacked) for cell in cells if not cell.is_label]
    return max([1, of(full_head(column)), *labels, *numbers])


def _number_width(cell: Cell, *, stacked: bool) -> int:
    value, interval = cell_width(f"{cell.text}{cell.mark}"), cell_width(cell.interval)
    if stacked or not interval:
        return max(value, interval)
    return value + 1 + interval


def _longest_word(text: str) -> int:
    return max(map(cell_width, inert(text).split()), default=0)


def _pieces(word: str) -> list[str]:
    """Return the parts of a word after which it may be broken, with its arrow."""
    head, space, arrow = word.partition(" ")
    return [*_PARTS.findall(head), *([space + arrow] if arrow else [])]
