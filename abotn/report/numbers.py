"""Rounding numbers for showing, and ranking them as they are shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

from abotn.report.options import MOST_DIGITS
from abotn.report.table import MISSING, Cell
from abotn.units import Direction

_INFINITY = "∞"
_HUGE = 1e9
_POWERS = {"^2": "²", "^3": "³", "^4": "⁴", "^5": "⁵", "^6": "⁶"}
_DIGITS_OF_UNIT = {"": 3, "%": 1, "count": 2, "m": 2, "s": 2, "px": 2}


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of one metric are shown.

    Attributes:
        digits: Decimals.
        percent: Times 100.

    Example:
        >>> NumberFormat(1, percent=True).show(0.9285)
        '92.9'
    """

    digits: int
    percent: bool = False

    def show(self, value: float | None) -> str:
        """Return ``value`` rounded half away from zero; an en dash for None or NaN.

        The decimal digits that Python prints for the number are rounded, not its binary value,
        so that 0.575 becomes 0.58 as a reader expects.
        """
        if value is None or math.isnan(value):
            return MISSING
        if math.isinf(value):
            return _INFINITY if value > 0 else f"-{_INFINITY}"
        exact = Decimal(repr(float(value))).scaleb(2 if self.percent else 0)
        if abs(exact) >= _HUGE:
            return f"{exact:.{self.digits}e}"
        text = f"{exact.quantize(Decimal(1).scaleb(-self.digits), ROUND_HALF_UP):f}"
        return text.lstrip("-") if float(text) == 0 else text

    def show_interval(
        self, value: float, lower: float | None, upper: float | None, style: str
    ) -> str:
        """Return an interval as ``"[0.81, 0.94]"``, or ``"± 0.06"`` where it is symmetric as shown.

        Args:
            value: The value it belongs to.
            lower: Lower end.
            upper: Upper end.
            style: ``"brackets"``, ``"plus-minus"`` or ``"none"``.
        """
        if style == "none" or lower is None or upper is None or math.isnan(lower + upper):
            return ""
        if style == "plus-minus" and math.isfinite(value + lower + upper):
            below, above = self.show(value - lower), self.show(upper - value)
            if below == above and not below.startswith("-"):
                return f"± {below}"
        return f"[{self.show(lower)}, {self.show(upper)}]"


def shown_unit(unit: str, *, percent: bool = False) -> str:
    """Return a unit with raised powers; ``"%"`` for a number without a unit shown in percent."""
    if percent and not unit:
        return "%"
    for plain, raised in _POWERS.items():
        unit = unit.replace(plain, raised)
    return unit


def number_format(
    unit: str, values: Iterable[float | None], *, digits: int | None = None, percent: bool = False
) -> NumberFormat:
    """Return the format for a metric's values.

    Without ``digits`` the unit decides (fractions 3, percent 1, others 2), and more are shown
    when the largest value would keep fewer than two significant digits, unless 12 do not do.

    Args:
        unit: Unit of the values.
        values: All values to be shown under one head.
        digits: Decimals.
        percent: Whether numbers without a unit are shown in percent.
    """
    percent = percent and not unit
    if digits is not None:
        return NumberFormat(digits, percent)
    base = _DIGITS_OF_UNIT.get("%" if percent else unit, 3)
    sizes = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = max(sizes, default=0.0) * (100 if percent else 1)
    if largest == 0:
        return NumberFormat(base, percent)
    needed = 1 - math.floor(math.log10(largest))
    return NumberFormat(base if needed > MOST_DIGITS else max(base, needed), percent)


def ranked(cells: Sequence[Cell], direction: str, *, second: bool = False) -> list[Cell]:
    """Return the cells with the best marked, by the value shown.

    Nothing is marked unless at least two cells have a value; the second best needs three. Equal
    texts are equal values: ties are all marked. A missing value is never marked.

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
    runner_up = order[1] if second and len(present) > 2 and len(order) > 1 else None
    return [
        replace(cell, best=key == order[0], second=key is not None and key == runner_up)
        for cell, key in zip(cells, keys, strict=True)
    ]


def _key(cell: Cell) -> float | None:
    if cell.is_label or cell.value is None:
        return None
    return float(cell.text.replace(_INFINITY, "inf"))
