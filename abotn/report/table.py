"""Tables as data: what every report format writes, and no format's syntax.

Texts are plain Unicode. A writer escapes each once and decides how bold or muted text looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abotn.results.number_format import MISSING
from abotn.units import Direction

__all__ = ["MISSING", "Cell", "Column", "Row", "Table"]


@dataclass(frozen=True)
class Column:
    """The head of a column.

    Attributes:
        header: Name shown.
        unit: Unit as shown, such as ``"m"`` or ``"%"``; empty for none.
        direction: ``"higher"`` or ``"lower"`` is better; empty where nothing is ranked.
        digits: Decimals shown; None for a column of texts or whole numbers.
        metric: Name of the metric the column holds; empty for other columns.
        block: Head that spans neighbouring columns with the same block; empty for none.
        merge: Neighbouring rows with the same text are one label, shown once.
    """

    header: str
    unit: str = ""
    direction: str = ""
    digits: int | None = None
    metric: str = ""
    block: str = ""
    merge: bool = False

    @property
    def label(self) -> str:
        """Header, unit and an arrow to the better end: ``"collision_length (m) ↓"``."""
        unit = f" ({self.unit})" if self.unit else ""
        arrow = f" {Direction(self.direction).arrow}" if self.direction else ""
        return f"{self.header}{unit}{arrow}"


@dataclass(frozen=True)
class Cell:
    """One cell, already rounded for showing.

    Attributes:
        text: What is shown: the rounded value, a label, or :data:`MISSING`.
        interval: The interval as shown, such as ``"[0.81, 0.94]"``; empty for none.
        value: The number behind the text, unrounded and never in percent; None for a label or a
            missing value.
        lower: Lower end of the interval, unrounded.
        upper: Upper end.
        best: No other cell it competes with shows a better value; ties are all best.
        second: It shows the second best value.
        mark: A sign after the value, such as ``"*"`` for a significant difference.
        reason: Why there is no value.
        is_label: It names something, rather than giving a number.
    """

    text: str
    interval: str = ""
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    best: bool = False
    second: bool = False
    mark: str = ""
    reason: str = ""
    is_label: bool = False

    @property
    def plain(self) -> str:
        """Value, mark and interval in one text, without emphasis."""
        return f"{self.text}{self.mark} {self.interval}".rstrip()


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes:
        cells: A cell per column.
        muted: It is shown for comparison and takes no part in the ranking.
    """

    cells: tuple[Cell, ...]
    muted: bool = False


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        key: Short name, unique in its report, for anchors and labels.
        title: Heading.
        caption: One sentence on what the cells are.
        columns: Heads of the columns.
        rows: Rows with a cell per column.
        notes: What a reader must know to read the numbers, a line each.
    """

    key: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(
                    f"table {self.key!r} has {len(self.columns)} columns, "
                    f"but a row of {len(row.cells)} cells"
                )

    @property
    def has_best(self) -> bool:
        """Whether any cell is marked best."""
        return any(cell.best for row in self.rows for cell in row.cells)

    @property
    def has_second(self) -> bool:
        """Whether any cell is marked second best."""
        return any(cell.second for row in self.rows for cell in row.cells)

    def blocks(self) -> list[tuple[str, int]]:
        """Return the spanning heads from left to right, each with how many columns it spans."""
        spans: list[tuple[str, int]] = []
        for column in self.columns:
            if spans and spans[-1][0] == column.block:
                spans[-1] = (column.block, spans[-1][1] + 1)
            else:
                spans.append((column.block, 1))
        return spans

    def label_spans(self) -> Iterator[tuple[Row, tuple[int, ...]]]:
        """Yield each row with the number of rows that each of its cells labels.

        1 is an ordinary cell, more the first cell of a merged label, and 0 a cell that an
        earlier row's label covers. A label never reaches past one to its left.
        """
        starts = [self._starts(row) for row in range(len(self.rows))]
        for index, row in enumerate(self.rows):
            yield (
                row,
                tuple(
                    _span(starts, index, column) if column in starts[index] else 0
                    for column in range(len(self.columns))
                ),
            )

    def _starts(self, row: int) -> set[int]:
        """Return the columns whose cell in ``row`` is not covered by a label above."""
        columns = range(len(self.columns))
        if row == 0:
            return set(columns)
        for column in columns:
            if not self.columns[column].merge:
                return set(columns[column:])
            here, above = self.rows[row].cells[column], self.rows[row - 1].cells[column]
            if here.text != above.text:
                return set(columns[column:])
        return set(columns)


def _span(starts: list[set[int]], row: int, column: int) -> int:
    below = row + 1
    while below < len(starts) and column not in starts[below]:
        below += 1
    return below - row
