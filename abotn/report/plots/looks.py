"""How each agent looks: a colour that colour-blind readers can tell apart, a marker, a line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from abotn.report.palette import LIGHT, places

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
Line = Literal["-", "--", "-.", ":"]
LINES: tuple[Line, ...] = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Look:
    """How one agent is drawn.

    Attributes:
        colour: Hexadecimal colour.
        marker: Marker of its points.
        line: Style of its lines.
    """

    colour: str
    marker: str
    line: Line


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return the look of each agent, by its place in the palette.

    A look belongs to a name: an agent keeps it from picture to picture, whoever else is shown,
    unless two that are shown prefer one place (see :func:`~abotn.report.palette.places`). Markers
    and colours have lengths without a common divisor: 63 agents all look different.

    Example:
        >>> looks(["planner", "copycat"])["copycat"].colour
        '#b14200'
    """
    return {
        name: Look(
            LIGHT[index % len(LIGHT)],
            MARKERS[index % len(MARKERS)],
            LINES[index // len(LIGHT) % len(LINES)],
        )
        for name, index in places(names).items()
    }
