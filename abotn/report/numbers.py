"""Rounding numbers for showing, and ranking them as they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from abotn.report.table import Cell
from abotn.results.number_format import NumberFormat, number_format, shown_unit
from abotn.units import Direction

__all__ = ["NumberFormat", "number_format", "ranked", "shown_unit"]

_INFINITY = "∞"


def ranked(cells: Sequence[Cell], direction: str, *, second: bool = False) -> list[Cell]:
    """Return the cells with the best marked, by the value shown.

    Nothing is marked unless at least two cells have a value; the second best needs three. Equal
    texts are equal values: ties are all marked. Where several share the first place there is no
    second. A missing value is never marked.

    Args:
        cells: Cells that compete with each other.
        direction: ``"higher"`` or ``"lower"`` is better.
        second: Whether to mark the second best too.
    """
    keys = [_key(cell) for cell in cells]
    present = [key for key in keys if key is not None]
    if len(present) < 2:
        return list(cells)
    order = sorted(set(present), reverse=Direction(direction) is Direction.HIGHER)
    alone = present.count(order[0]) == 1
    runner_up = order[1] if second and alone and len(present) > 2 else None
    return [
        replace(cell, best=key == order[0], second=key is not None and key == runner_up)
        for cell, key in zip(cells, keys, strict=True)
    ]


def _key(cell: Cell) -> float | None:
    if cell.is_label or cell.value is None:
        return None
    return float(cell.text.replace(_INFINITY, "inf"))
