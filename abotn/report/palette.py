"""One colour per agent, the same in every picture and on every page.

Seven colours that can be told apart with each common kind of colour blindness, after the hues of
Okabe and Ito's palette without its yellow; dark enough for white paper, with a lighter set of the
same hues for dark screens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

LIGHT = ("#2e4c8e", "#b14200", "#007d57", "#a56289", "#db6d00", "#0097c2", "#000000")
DARK = ("#007fb7", "#f06b4a", "#42be89", "#dd92b9", "#e7d051", "#aed5ff", "#ffffff")


def places(names: Iterable[str]) -> dict[str, int]:
    """Return the place of each agent in the order of the names' letters.

    The order in which runs are given does not matter, so an agent keeps its colour from picture to
    picture as long as the same agents are shown.

    Example:
        >>> places(["planner", "copycat"])
        {'copycat': 0, 'planner': 1}
    """
    return {name: place for place, name in enumerate(sorted(set(names)))}


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
