"""What every text format needs of a text before it escapes it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from abotn.report.table import Table


def flat(text: str) -> str:
    """Return text on one line: control characters and runs of white space become one space."""
    spaced = "".join(" " if unicodedata.category(letter) in _BREAKS else letter for letter in text)
    return " ".join(spaced.split())


def inert(text: str) -> str:
    """Return text on one line that can steer neither a terminal nor the text around it.

    Control characters become spaces, marks that override the writing direction are dropped, and
    isolating ones that were left open are closed.
    """
    kept = "".join(
        letter for letter in flat(text) if unicodedata.bidirectional(letter) not in _OVERRIDES
    )
    opened = sum(letter in _OPENING for letter in kept)
    return kept + "\u2069" * max(opened - kept.count("\u2069"), 0)


def slug(text: str) -> str:
    """Return the ASCII letters and digits of text, joined by hyphens, for anchors and labels."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower() or "table"


def width(text: str) -> int:
    """Return the number of terminal columns that text takes: wide letters two, marks none."""
    return sum(_letter_width(letter) for letter in text)


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """Return text filled with spaces to a number of terminal columns."""
    space = " " * (columns - width(text))
    return f"{space}{text}" if right else f"{text}{space}"


def with_ranges(texts: Iterable[str]) -> dict[str, str]:
    """Return for each text the one that stands for all which differ from it in numbers only.

    Example:
        >>> with_ranges(["5 of 9", "too few", "3 of 9"])
        {'5 of 9': '3 to 5 of 9', 'too few': 'too few', '3 of 9': '3 to 5 of 9'}
    """
    found = {text: _NUMBER.findall(text) for text in texts}
    alike: dict[tuple[str, ...], list[list[str]]] = {}
    for text, numbers in found.items():
        alike.setdefault(tuple(_NUMBER.split(text)), []).append(numbers)
    return {text: _ranged(alike, tuple(_NUMBER.split(text))) for text in found}


def legend(table: Table, *, best: str = "Bold", second: str = "underlined") -> list[str]:
    """Return the line that says how the best values are marked, none where none is.

    Args:
        table: The table.
        best: How the format shows the best.
        second: How it shows the second best.
    """
    if not table.has_best:
        return []
    also = f"; {second}: second best" if table.has_second else ""
    return [f"{best}: best as shown, ties included{also}."]


_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)")
_OVERRIDES = {"LRE", "RLE", "LRO", "RLO", "PDF"}
_OPENING = "\u2066\u2067\u2068"
_BREAKS = {"Cc", "Zl", "Zp", "Cs"}


def _letter_width(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1


def _ranged(alike: Mapping[tuple[str, ...], list[list[str]]], parts: tuple[str, ...]) -> str:
    ranges = [_range(numbers) for numbers in zip(*alike[parts], strict=True)]
    return "".join(part + number for part, number in zip(parts, [*ranges, ""], strict=True))


def _range(numbers: Iterable[str]) -> str:
    ordered = sorted(set(numbers), key=float)
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"
