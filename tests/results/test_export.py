"""The small markdown table of an evaluation."""

import math

import pytest

from abotn.report.evaluation_tables import evaluation_report
from abotn.results.export import markdown_table, shown_number
from abotn.results.types import (
    ConfidenceInterval,
    EvaluationResult,
    GroupResult,
    MetricResult,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.123456, "0.1235"), (12.0, "12"), (math.inf, "∞"), (-math.inf, "-∞"), (math.nan, "–"),
     (None, "–"), (0.0, "0")],
)  # fmt: skip
def test_numbers_are_short_and_infinite_ones_are_not_missing(value, text):
    assert shown_number(value) == text


def test_infinite_values_and_ends_are_shown():
    ci = ConfidenceInterval(1.5, math.inf, 0.95, "percentile")
    result = EvaluationResult(
        (MetricResult("ttc", math.inf, "s", "higher", ci=ci, sample_count=3),)
    )
    assert "| ttc | ∞ | [1.50, ∞] | s |" in markdown_table(result)


def small():
    flat = ConfidenceInterval(0.79, 1.0, 0.95, "wilson", degenerate=True)
    success = MetricResult("success", 1.0, ci=flat, finite_count=15)
    length = MetricResult("length|m", 1 / 3, "m", "lower", finite_count=15)
    slow = MetricResult("agent_seconds", 0.00001, "s", "lower", finite_count=15)
    none = MetricResult("ndtw", math.nan, reason="needs trajectory")
    part = (MetricResult("success", 0.5), MetricResult("length|m", 0.25, "m", "lower"), none)
    groups = {"scene": (GroupResult("a|b", 10, (success, length)), GroupResult("c", 5, part))}
    return EvaluationResult((success, length, slow, none), groups)


def test_markdown_has_texts_on_the_left_groups_and_reasons():
    assert (
        markdown_table(small())
        == """\
| metric | value | interval | unit | better | passed | n | errors |
| :--- | ---: | ---: | :--- | :--- | :--- | ---: | ---: |
| success | 1.000 | [0.790, 1.000]‡ |  | higher | – | 15 | 0 |
| length\\|m | 0.33 | – | m | lower | – | 15 | 0 |
| agent_seconds | 0.000010 | – | s | lower | – | 15 | 0 |
| ndtw | – | – |  | higher | – | 0 | 0 |

- No value of ndtw: needs trajectory
- ‡ All values are equal, so the records say little about the spread.

By scene:

| scene | records | success | length\\|m (m) |
| :--- | ---: | ---: | ---: |
| a\\|b | 10 | 1.000 | 0.33 |
| c | 5 | 0.500 | 0.25 |
"""
    )


def test_numbers_are_those_that_evaluate_prints():
    lines = markdown_table(small()).splitlines()[2:6]
    values = [line.replace("\\|", "").split("|")[2].strip() for line in lines]
    rows = evaluation_report(small()).tables[0].rows
    assert values == [row.cells[1].text for row in rows]
