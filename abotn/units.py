"""Units and directions that every metric declares."""

from __future__ import annotations

from enum import Enum


class Unit(str, Enum):
    """Unit of a metric's value; the value of each member is its printed symbol."""

    NONE = ""
    COUNT = "count"
    METRE = "m"
    SECOND = "s"
    RADIAN = "rad"
    PIXEL = "px"
    PER_METRE = "1/m"
    RADIAN_PER_METRE = "rad/m"
    METRE_PER_SECOND = "m/s"
    METRE_PER_SECOND2 = "m/s^2"
    METRE_PER_SECOND3 = "m/s^3"
    METRE2_PER_SECOND5 = "m^2/s^5"
    METRE2_PER_SECOND6 = "m^2/s^6"
    NAT = "nat"
    ARBITRARY = "a.u."

    def __str__(self) -> str:
        return self.value


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the singular for one.

    Args:
        number: How many.
        noun: The noun in the plural form, which ends in ``s``.

    Example:
        >>> counted(1, "records"), counted(0, "records")
        ('1 record', '0 records')
    """
    return f"{number} {noun.removesuffix('s') if number == 1 else noun}"


class Direction(str, Enum):
    """Which way is better."""

    HIGHER = "higher"
    LOWER = "lower"

    def __str__(self) -> str:
        return self.value

    @property
    def arrow(self) -> str:
        """An arrow that points to the better end."""
        return "↑" if self is Direction.HIGHER else "↓"

    def better(self, left: float, right: float) -> bool:
        """Whether ``left`` is strictly better than ``right``."""
        return left > right if self is Direction.HIGHER else left < right

    def meets(self, value: float, threshold: float) -> bool:
        """Whether ``value`` passes ``threshold``: at least it, or at most it."""
        return value >= threshold if self is Direction.HIGHER else value <= threshold
