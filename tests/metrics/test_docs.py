"""The metrics page lists every metric with its signature, unit and direction."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from abotn.metrics.plugin import abotn_metrics

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
FORMS = [form for spec in abotn_metrics() for form in (spec, *spec.variants)]


OF_RECORDS = {"agent_seconds": "mean of the attempt's `agent_seconds`"}


def call_of(form) -> str:
    arguments = list(form.inputs)
    if form.parameters:
        arguments += ["*", *(f"{name}={value!r}" for name, value in form.parameters.items())]
    return f"{form.name}({', '.join(arguments)})"


def formula_of(form) -> str:
    """The formula of a metric of records: the second paragraph of its docstring."""
    paragraphs = inspect.getdoc(form.function).split("\n\n")
    if paragraphs[1].startswith("Args:"):
        return OF_RECORDS.get(form.name, "as recorded")
    return " ".join(paragraphs[1].split()).replace("``", "`").rstrip(".")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.category}-{form.name}")
def test_the_page_has_its_row(form):
    section = PAGE.read_text().split(f"### {form.category}\n")[1].split("\n#")[0]
    row = next(line for line in section.splitlines() if f"`{call_of(form)}`" in line)
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("|"))]
    assert cells[1] == form.description.rstrip(".")
    if not form.sample:
        assert cells.pop(2).replace("\\|", "|") == formula_of(form)
    assert cells[2:4] == [str(form.direction), str(form.unit)]
    if not form.sample:
        expected = "left out" if form.failure_value is None else f"{form.failure_value:g}"
        assert cells[4] == expected
    assert all(f"`{alias}`" in cells[0] for alias in form.aliases)


def test_the_page_has_no_row_too_many():
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `") and ")`" in
            line.split("|")[1]]  # fmt: skip
    assert len(rows) == len(FORMS)


def test_signatures_are_those_of_the_functions():
    for form in FORMS:
        names = list(inspect.signature(form.function).parameters)
        assert names == [*form.inputs, *form.parameters]
