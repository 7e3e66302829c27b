"""Text that LaTeX typesets as it is, and what it asks of the engine that does so."""

from __future__ import annotations

import re
import unicodedata

from abotn.report.texts import flat

_PACKAGES = "% Needs \\usepackage{booktabs,graphicx}.\n"
_MORE_LATIN = "% Some letters need \\usepackage[T1]{fontenc}, or XeLaTeX or LuaLaTeX.\n"
_OTHERS = (
    "% Names outside Latin need XeLaTeX or LuaLaTeX and, by fontspec, a font that has them.\n"
    "\\ifdefined\\pdftexversion\\errmessage{This file has names that pdflatex cannot set "
    "(LETTERS): use XeLaTeX or LuaLaTeX and a font that has them}\\expandafter\\endinput\\fi\n"
)
_TURNED = (
    "\\DeclareRobustCommand\\abotnrtl[1]{{\\ifdefined\\textdirection\\textdirection1 #1\\else"
    "\\TeXXeTstate=1 \\beginR#1\\endR\\fi}}\n"
)
_MOST_NAMED = 6


def escape(text: str) -> str:
    """Return text that LaTeX typesets as it is: every letter escaped once, on one line.

    What is written from right to left is set so, by a command that :func:`preamble` defines.
    """
    text = unicodedata.normalize("NFC", flat(text))
    text = _LONE_QUOTE.sub("\0", text).translate(_ESCAPES)
    text = re.sub(r"-(?=-)|,(?=,)|'(?=')", r"\g<0>{}", text)
    return _RIGHT_TO_LEFT.sub(r"\\abotnrtl{\g<0>}", text)


def preamble(body: str) -> str:
    """Return the lines that go before escaped text: what it needs, and what it may not be set by.

    Args:
        body: LaTeX made with :func:`escape`.
    """
    found = _PACKAGES
    if _LATIN_OF_T1.search(body):
        found += _MORE_LATIN
    others = dict.fromkeys(_NOT_LATIN.findall(body))
    if others:
        named = [f"U+{ord(letter):04X}" for letter in list(others)[:_MOST_NAMED]]
        more = ", and more" if len(others) > len(named) else ""
        found += _OTHERS.replace("LETTERS", ", ".join(named) + more)
    return found + (_TURNED if "\\abotnrtl{" in body else "")


_ESCAPES = str.maketrans(
    {
        "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "%": "\\%",
        "#": "\\#", "_": "\\_", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
        "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
        # Straight in the typewriter fonts of every encoding, unlike in OT1's others.
        '"': "\\texttt{\\symbol{34}}", "\0": "\\textquotesingle{}",
        "`": "\\textasciigrave{}", "[": "{[}", "]": "{]}", "*": "{*}", "–": "\\textendash{}",
        "↑": "$\\uparrow$", "↓": "$\\downarrow$", "±": "$\\pm$", "∞": "$\\infty$", "−": "$-$",
        "≤": "$\\leq$", "≥": "$\\geq$", "×": "$\\times$", "≈": "$\\approx$",
        "†": "$\\dagger$", "‡": "$\\ddagger$", "\u00a0": "~",
        "²": "\\textsuperscript{2}", "³": "\\textsuperscript{3}", "⁴": "\\textsuperscript{4}",
        "⁵": "\\textsuperscript{5}", "⁶": "\\textsuperscript{6}", "\u2066": "", "\u2067": "",
        "\u2068": "", "\u2069": "", "\u200e": "", "\u200f": "", "\ufeff": "",
    }
)  # fmt: skip
_LONE_QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")
_LATIN_OF_T1 = re.compile("[ĄąĐđĘęĮįŊŋÐðÞþŲų«»‹›‚„]")
_NOT_LATIN = re.compile(
    "[^\\0-\u017f\u0218-\u021b\u2010-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]"
)
_HEBREW_TO_ARABIC = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe"
_RIGHT_TO_LEFT = re.compile(
    f"[{_HEBREW_TO_ARABIC}](?:[{_HEBREW_TO_ARABIC}\\s]*[{_HEBREW_TO_ARABIC}])?"
)
