"""The page and the docstrings of this room say what the code does."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
from pathlib import Path

import pytest

import abotn.statistics

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"
MODULES = [f"abotn.statistics.{m.name}" for m in pkgutil.iter_modules(abotn.statistics.__path__)]


def test_snippets_print_what_the_page_shows():
    text = PAGE.read_text(encoding="utf-8")
    snippets = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(snippets) >= 2
    scope: dict[str, object] = {}
    for code, expected in snippets:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, scope)
        assert printed.getvalue() == expected


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_method_is_described():
    text = PAGE.read_text(encoding="utf-8")
    for method in abotn.statistics.METHODS:
        assert f"`{method}`" in text
