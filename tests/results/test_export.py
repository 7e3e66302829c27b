"""The small markdown table of an evaluation."""

import math

import pytest

from abotn.results.export import markdown_table, shown_number
from abotn.results.types import ConfidenceInterval, EvaluationResult, MetricResult


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
    assert "| ttc | ∞ | [1.5, ∞] | s |" in markdown_table(result)
