"""The published reference, taken apart: headings, tables and code blocks of its plain text.

The text has no marks for headings or code; a table is a run of lines with tabs, and the heading of
a table or a block is the nearest line above it that is a heading.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MISSING = object()
IMPORT = re.compile(r"^from (abotn_evaluator[\w.]*) import ([\w, ]+)$", re.MULTILINE)
MODULE = re.compile(r"python -m (abotn_evaluator[\w.]*)")


@dataclass(frozen=True)
class Table:
    """A table and the lines above it that name it."""

    above: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> list[str]:
        """Return the cells of a column without code marks."""
        place = self.header.index(name)
        return [row[place].strip("`") for row in self.rows]


def imports(text: str) -> list[tuple[str, str]]:
    """Return ``(module, name)`` of every import of the published package."""
    found = [(m[1], name.strip()) for m in IMPORT.finditer(text) for name in m[2].split(",")]
    return sorted(set(found))


def run_modules(text: str) -> list[str]:
    """Return the modules that are run by ``python -m``."""
    return sorted(set(MODULE.findall(text)))


def tables(text: str) -> list[Table]:
    """Return every table, in order."""
    found, lines = [], text.splitlines()
    for number, line in enumerate(lines):
        starts = "\t" in line and (number == 0 or "\t" not in lines[number - 1])
        if not starts:
            continue
        rows = []
        for row in lines[number:]:
            if "\t" not in row:
                break
            rows.append(tuple(cell.strip() for cell in row.split("\t")))
        above = [text for text in lines[max(0, number - 40) : number] if text.strip()]
        found.append(Table(tuple(above), rows[0], tuple(rows[1:])))
    return found


def table_after(text: str, heading: str, first: str | None = None) -> Table:
    """Return the first table after a heading line; ``first`` is its first column's name."""
    start = re.search(rf"^{re.escape(heading)}$", text, re.MULTILINE)
    assert start is not None, f"the reference has no heading {heading!r}"
    for table in tables(text[start.start() :]):
        if first is None or table.header[0] == first:
            return table
    raise AssertionError(f"no table after {heading!r}")


def calls(text: str) -> Iterator[ast.Call]:
    """Yield the calls in code blocks: ``name = Callee(`` up to the closing bracket."""
    for match in re.finditer(r"^(?:[\w, ]+ = )?[\w.]+\(.*$", text, re.MULTILINE):
        source = _balanced(text[match.start() :])
        if source is None:
            continue
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        yield from (
            node.value
            for node in tree.body
            if isinstance(node, ast.Assign | ast.Expr) and isinstance(node.value, ast.Call)
        )


def named_calls(text: str, callee: str) -> list[ast.Call]:
    """Return the calls of one callee, such as ``GaussianScene.convert_pixel_to_actual``."""
    return [call for call in calls(text) if ast.unparse(call.func) == callee]


def default(cell: str) -> Any:
    """Return what a cell of a column of defaults says; MISSING where there is none."""
    plain = cell.strip().strip("`")
    if plain in ("(required)", "", "--", "Auto", "Yes"):
        return MISSING
    try:
        return ast.literal_eval(plain)
    except (SyntaxError, ValueError):
        return plain


def read(path: Path) -> str:
    """Return the text of the reference."""
    return path.read_text(encoding="utf-8")


def _balanced(text: str) -> str | None:
    depth, started = 0, False
    for position, letter in enumerate(text[:2000]):
        depth += (letter in "([{") - (letter in ")]}")
        started = started or letter == "("
        if started and depth == 0:
            return text[: position + 1]
    return None
