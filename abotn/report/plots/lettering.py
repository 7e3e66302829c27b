"""Names in pictures: on one line, not too long, and in letters that an installed font has."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from abotn.report.texts import flat, width

FAMILY = "DejaVu Sans"
NO_GLYPH = "□"
_LAST_RESORT = "Last Resort"


def readable(text: str, most: int = 40) -> str:
    """Return text on one line of at most ``most`` columns, unknown letters shown as ``□``.

    Letters that draw nothing, such as a byte order mark, are left out, and a text of nothing else
    is ``□``. A longer text loses its middle, as names of runs differ at both ends.

    Args:
        text: Any text.
        most: Columns; wide letters take two.

    Example:
        >>> readable("a very long name of an agent", 11)
        'a ver…agent'
    """
    known = "".join(letter if font_of(letter) else NO_GLYPH for letter in _drawn(text))
    known = known or (NO_GLYPH if text.strip() else "")
    if width(known) <= most:
        return known
    head, tail = known[: max(most // 2, 1)], known[len(known) - max((most - 1) // 2, 0) :]
    while width(head) > most // 2:
        head = head[:-1]
    while width(tail) > (most - 1) // 2:
        tail = tail[1:]
    return f"{head.rstrip()}…{tail.lstrip()}"


def readable_names(names: Sequence[str], most: int = 40) -> dict[str, str]:
    """Return :func:`readable` names, numbered where two would look the same.

    Example:
        >>> readable_names(["a\\nb", "a b"])
        {'a\\nb': 'a b (1)', 'a b': 'a b (2)'}
    """
    shown = [readable(name, most) for name in names]
    numbered, seen = {}, dict.fromkeys(shown, 0)
    for name, text in zip(names, shown, strict=True):
        seen[text] += 1
        numbered[name] = f"{text} ({seen[text]})" if shown.count(text) > 1 else text
    return numbered


def families(texts: Iterable[str]) -> list[str]:
    """Return the font families that hold all letters of the texts, the usual one first."""
    letters = sorted({letter for text in texts for letter in text})
    found = dict.fromkeys(font_of(letter) for letter in letters)
    return [FAMILY, *(family for family in found if family is not None and family != FAMILY)]


def unknown_letters(texts: Iterable[str]) -> str:
    """Return the letters that no installed font has, each once."""
    letters = {letter for text in texts for letter in _drawn(text)}
    return "".join(sorted(letter for letter in letters if font_of(letter) is None))


@cache
def font_of(letter: str) -> str | None:
    """Return the family of an installed font that has a letter, or None."""
    if ord(letter) < 0x7F or ord(letter) in _letters_of(_usual_file()):
        return FAMILY
    for family, file in _other_fonts():
        if ord(letter) in _letters_of(file):
            return family
    return None


# What Unicode calls ignorable besides its format characters: joiners, fillers, selectors.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2060-\u206f\u3164\ufe00-\ufe0f\uffa0"
    "\ufff0-\ufff8\U000e0000-\U000e0fff]"
)


def _drawn(text: str) -> str:
    """Return text on one line without the letters that draw nothing.

    Fonts hold some of them as empty glyphs, which the writer of PDF cannot take.
    """
    kept = (letter for letter in flat(text) if unicodedata.category(letter) != "Cf")
    return " ".join(_IGNORABLE.sub("", "".join(kept)).split())


def _usual_file() -> str:
    from matplotlib import font_manager

    return str(font_manager.findfont(FAMILY))


@cache
def _other_fonts() -> tuple[tuple[str, str], ...]:
    """Return family and file of the upright fonts, sans-serif and TrueType ones first."""
    from matplotlib import font_manager

    fonts = {
        (entry.name, entry.fname)
        for entry in font_manager.fontManager.ttflist
        if entry.style == "normal" and entry.weight in (400, "normal", "regular")
        if not entry.name.startswith(_LAST_RESORT) and Path(entry.fname).is_file()
    }
    return tuple(sorted(fonts, key=_preference))


def _preference(font: tuple[str, str]) -> tuple[bool, bool, tuple[str, str]]:
    family, file = font
    return "Sans" not in family, not file.endswith(".ttf"), font


@cache
def _letters_of(file: str) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(file).get_charmap())
    except (OSError, RuntimeError):
        return frozenset()
