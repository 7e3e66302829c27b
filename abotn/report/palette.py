"""One colour per agent, the same in every picture and on every page.

Seven colours that can be told apart with each common kind of colour blindness, after the hues of
Okabe and Ito's palette without its yellow; dark enough for white paper, with a lighter set of the
same hues for dark screens.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence

LIGHT = ("#2e4c8e", "#b14200", "#007d57", "#a56289", "#db6d00", "#0097c2", "#000000")
DARK = ("#007fb7", "#f06b4a", "#42be89", "#dd92b9", "#e7d051", "#aed5ff", "#ffffff")


def places(names: Iterable[str]) -> dict[str, int]:
    """Return the place of each agent: the colour of ``LIGHT`` it takes, and more after the last.

    A name prefers one place, by its checksum (CRC-32), whatever else is shown and in whatever
    order. Where several names prefer one place, the first by its letters has it, and the others
    take the next places that nobody shown prefers or has; so an agent's colour depends on other
    agents only where two prefer one place. Each further round of colours is given out likewise.

    Example:
        >>> places(["planner", "copycat"])
        {'copycat': 1, 'planner': 2}
    """
    rest = sorted(set(names))
    found: dict[str, int] = {}
    first = 0
    while rest:
        taken = _one_round(rest)
        found.update((name, first + place) for place, name in taken.items())
        rest = [name for name in rest if name not in found]
        first += len(LIGHT)
    return {name: found[name] for name in sorted(found)}


def preferred_place(name: str) -> int:
    """Return the place in the palette that an agent has wherever no other takes it first.

    Example:
        >>> preferred_place("planner")
        2
    """
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % len(LIGHT)


def _one_round(names: Sequence[str]) -> dict[int, str]:
    """Return who has each place of one round of colours; names for which none is left wait."""
    taken: dict[int, str] = {}
    for name in names:
        taken.setdefault(preferred_place(name), name)
    for name in names:
        if name in taken.values() or len(taken) == len(LIGHT):
            continue
        steps = (preferred_place(name) + step for step in range(len(LIGHT)))
        taken[next(place % len(LIGHT) for place in steps if place % len(LIGHT) not in taken)] = name
    return taken


def palette_style() -> str:
    """Return the style sheet that colours the classes ``run-0``, ``run-1``, ... of a page."""
    return "\n".join(
        [
            f":root {{ {_variables(LIGHT)} }}",
            "@media screen and (prefers-color-scheme: dark) {",
            f"  :root {{ {_variables(DARK)} }}",
            "}",
            *_classes(),
            "",
        ]
    )


def _variables(colours: Iterable[str]) -> str:
    return " ".join(f"--run-{number}: {colour};" for number, colour in enumerate(colours))


def _classes() -> Iterator[str]:
    return (f".run-{number} {{ --own: var(--run-{number}); }}" for number in range(len(LIGHT)))
