"""Rounding numbers for showing: as many decimals as their unit and size call for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

MISSING = "–"
MOST_DIGITS = 12

_INFINITY = "∞"
_HUGE = 1e9
_MOST_OF_TIMES = 6
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
    when the largest value would keep fewer than two significant digits, unless 12 do not do. Times
    reach over many sizes, so more are shown, up to 6, until the least keeps two as well.

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
    needed = _decimals(largest)
    base = base if needed > MOST_DIGITS else max(base, needed)
    if unit == "s":
        least = _decimals(min(size for size in sizes if size))
        base = max(base, min(least, _MOST_OF_TIMES))
    return NumberFormat(base, percent)


def _decimals(size: float) -> int:
    """Return how many decimals two significant digits of a positive number take."""
    return 1 - math.floor(math.log10(size))
