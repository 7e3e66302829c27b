"""Putting data, styles and scripts into a page so that nothing in the data can become live."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from abotn.report.palette import palette_style

_ASSETS = Path(__file__).parent / "page_assets"
STYLES = ("page.css", "plots.css", "records.css", "viewer.css", "print.css")
SCRIPTS = (
    "dom.js", "model.js", "map.js", "table.js", "steps.js", "viewer.js", "print.js", "start.js",
)  # fmt: skip
_ESCAPED = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def json_block(key: str, data: Any) -> str:
    """Return data as a ``<script>`` element that holds JSON and is never run.

    ``<``, ``>`` and ``&`` are written as escapes, so no text in the data can end the element.

    Args:
        key: Id of the element.
        data: What ``json.dumps`` takes, without NaN.
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter, escape in _ESCAPED.items():
        text = text.replace(letter, escape)
    return f'<script type="application/json" id="{key}">{text}</script>'


def styles(names: Iterable[str] = STYLES) -> str:
    """Return the style sheet of a page, the report's unless other files are named."""
    return f"\n{palette_style()}{''.join(_read(names))}"


def script(names: Iterable[str] = SCRIPTS) -> str:
    """Return the script of a page, in a function of its own; the report's as for styles."""
    return '\n(() => {\n"use strict";\n' + "".join(_read(names)) + "})();\n"


def policy(style: str, code: str) -> str:
    """Return the content security policy under which only these two texts are live.

    Args:
        style: Content of the ``<style>`` element.
        code: Content of the ``<script>`` element.
    """
    return "; ".join(
        (
            "default-src 'none'",
            "img-src data:",
            f"style-src '{_digest(style)}'",
            f"script-src '{_digest(code)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _read(names: Iterable[str]) -> Iterable[str]:
    return ((_ASSETS / name).read_text(encoding="utf-8") for name in names)


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
