"""What a metric may return: one rule, the right reason, and its own bounds."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from abotn import Evaluator, metric
from abotn.errors import EvaluationInputError, PluginError
from abotn.metrics.bounds import interval, outside
from abotn.metrics.compute import compute_column
from abotn.metrics.reduce import reduce_value
from abotn.metrics.returned import real_numbers
from abotn.metrics.testing import check_metric
from abotn.records.table import RecordTable

TABLE = RecordTable({"steps": np.array([1.0, 2.0])})
ROWS = [
    {"episode_id": "hall", "task_id": f"t{i}", "status": "stop", "success": True, "steps": i}
    for i in range(3)
]


def returning(value, **options):
    def given(steps):
        """Returns what it is told."""
        return value

    return metric(**{"unit": "m", "better": "lower", **options})(given)


class Tensor:
    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return np.array([1.0, 0.0])


TAKEN = [
    [1.0, 0.0],
    (1, 0),
    [True, False],
    np.array([True, False]),
    np.array([1, 0], dtype=np.int8),
    np.array([1, 0], dtype=np.float16),
    np.array([1.0, 0], dtype=object),
    np.array([Fraction(1), Decimal(0)], dtype=object),
    pd.Series([1.0, 0.0], index=[7, 3]),
    pd.Series([1, 0], dtype="Int64"),
    range(1, -1, -1),
    Tensor(),
]


@pytest.mark.parametrize("value", TAKEN, ids=lambda v: type(v).__name__)
def test_numbers_are_taken_from_whatever_holds_them(value):
    assert compute_column(returning(value), TABLE).values.tolist() == [1.0, 0.0]
    assert reduce_value(value).value == 0.5


@pytest.mark.parametrize(
    "value", [np.ma.array([1.0, 9.0], mask=[False, True]), pd.Series([1.0, None], dtype="Float64")]
)
def test_a_masked_entry_is_undefined(value):
    column = compute_column(returning(value), TABLE)
    assert column.defined.tolist() == [True, False]
    assert column.values[0] == 1.0


def test_a_masked_number_is_undefined():
    column = compute_column(returning(np.ma.masked, per_record=True), TABLE)
    assert not column.defined.any()
    assert column.errors == {}


REFUSED = [
    (["1", "2"], "returned text, expected real numbers"),
    (np.array([b"1", b"2"]), "returned bytes"),
    (np.array([1 + 0j, 2]), "returned complex numbers"),
    (np.ma.array([1 + 0j, 2]), "returned complex numbers"),
    (np.array(["2020", "2021"], dtype="datetime64[Y]"), "returned dates"),
    (np.array([1, 2], dtype="timedelta64[s]"), "returned time spans"),
    ([1.0, None], r"returned None \(undefined is NaN\)"),
    ([1.0, object()], "returned object"),
    ({"a": 1}, "returned dict"),
    ({1.0, 2.0}, "returned set"),
    ((n for n in [1.0, 2.0]), "returned generator"),
    ([[1.0], [1.0, 2.0]], "lists of different lengths"),
    ([10**400, 1], "too large for float64"),
    (None, r"returned None \(undefined is NaN\)"),
    ("12", "returned text"),
    (1j, "returned complex numbers"),
]


@pytest.mark.parametrize(("value", "said"), REFUSED)
def test_anything_else_is_refused_with_what_was_found(value, said):
    with pytest.raises(EvaluationInputError, match=f"given: .*{said}"):
        compute_column(returning(value), TABLE)
    with pytest.raises((TypeError, ValueError), match=said):
        real_numbers(value)
    alone = compute_column(returning(value, per_record=True), TABLE)
    assert sorted(alone.errors) == [0, 1]
    ratio = returning((value, [1.0, 1.0]), ratio=True)
    with pytest.raises(EvaluationInputError, match=said):
        compute_column(ratio, TABLE)


@pytest.mark.parametrize(
    "value", [1.0, [1.0], [1.0, 2.0, 3.0], [[1.0], [2.0]], pd.DataFrame({"a": [1.0, 2.0]})]
)
def test_another_length_is_refused(value):
    with pytest.raises(EvaluationInputError, match=r"returned shape \(.*expected \(2,\)"):
        compute_column(returning(value), TABLE)


@pytest.mark.parametrize(
    ("value", "found"),
    [([1.0, 2.0, 3.0], "3 values"), (0.5, "float"), (None, "NoneType"), ({1: 2}, "dict")],
)
def test_a_ratio_is_a_pair(value, found):
    said = f"returned {found}, expected a pair"
    with pytest.raises(EvaluationInputError, match=said):
        compute_column(returning(value, ratio=True), TABLE)
    alone = compute_column(returning(value, ratio=True, per_record=True), TABLE)
    assert all(said in reason for reason in alone.errors.values())
    assert len(alone.errors) == 2


def test_the_parts_of_one_record_s_ratio_are_numbers():
    column = compute_column(returning(([1.0], 2.0), ratio=True, per_record=True), TABLE)
    assert "expected two numbers" in column.errors[0]


def test_a_batch_form_that_returns_one_number_for_all_is_not_spread_over_them():
    def reach(prediction):
        """Last X."""
        return prediction[-1, 0]

    samples = RecordTable({"prediction": _objects([np.full((2, 2), x) for x in (1.0, 2.0)])})
    spec = metric(
        unit="m", better="lower", sample=True, batch=lambda prediction: prediction[0, -1, 0]
    )(reach)
    assert compute_column(spec, samples).values.tolist() == [1.0, 2.0]


def _objects(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


@pytest.mark.parametrize(
    ("bounds", "value", "said"),
    [
        ((0, 1), 1.5, r"given: returned 1.5 for hall/t0 \(and 2 more\), outside its .*\[0, 1\]"),
        ((0, 1), -0.1, r"returned -0.1 for hall/t0 .*\[0, 1\]"),
        ((0, np.inf), -3.0, r"returned -3 for hall/t0 .*\[0, inf\)"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("options", [{}, {"per_record": True}, {"ratio": True}])
def test_values_outside_the_declared_bounds_are_an_error_of_that_metric(
    bounds, value, said, options
):
    def given(steps):
        """Outside."""
        spread = steps * 0 + value
        return (spread, steps * 0 + 1) if options.get("ratio") else spread

    spec = metric(unit="", better="lower", bounds=bounds, **options)(given)
    result = Evaluator().evaluate_dataset(ROWS, metrics=["success", spec, "steps"])
    assert result["success"].value == result["steps"].value == 1.0
    assert result["given"].is_error
    assert np.isnan(result["given"].value)
    assert re.search(said, result["given"].reason)


def test_rounding_is_not_outside():
    values = np.array([1 + 1e-12, -1e-12, np.nan, 1.0, 1.1, np.inf, -np.inf])
    assert outside(values, (0, 1)).tolist() == [False] * 4 + [True] * 3
    assert outside(values, (0, np.inf)).tolist() == [False] * 6 + [True]
    assert outside(np.array([1e9 + 0.1, 1e9 + 10]), (0, 1e9)).tolist() == [False, True]
    assert not outside(values, None).any()
    assert [interval(b) for b in ((0, 1), (0, np.inf), None)] == [
        "[0, 1]",
        "[0, inf)",
        "(-inf, inf)",
    ]


def test_an_infinite_sample_lies_within_open_bounds_only():
    def endless(prediction):
        """Infinite."""
        return np.inf

    path = [[0.0, 0.0]]
    for bounds, error in (((0, np.inf), False), ((0, 1), True), (None, False)):
        spec = metric(unit="", better="lower", sample=True, bounds=bounds)(endless)
        found = Evaluator().evaluate(prediction=path, metrics=[spec, "path_length"])["endless"]
        assert found.is_error is error
        assert error or found.value == np.inf


@pytest.mark.parametrize("value", [1e308, -1e308, 1e160])
@pytest.mark.parametrize("resamples", [None, 100])
def test_a_value_that_is_too_large_to_add_up_says_so(value, resamples):
    result = Evaluator().evaluate_dataset(
        ROWS, metrics=["success", returning([value] * 3)], bootstrap_ci=resamples
    )
    assert result["success"].value == 1.0
    assert result["given"].is_error
    assert f"returned {value:.10g} for hall/t0, too large to be added up" in result["given"].reason


def test_large_values_that_can_be_added_up_are_added_up():
    result = Evaluator().evaluate_dataset(ROWS, metrics=[returning([1e140, 2e140, 3e140])])
    assert result["given"].value == pytest.approx(2e140)
    assert result["given"].std == pytest.approx(1e140)


def test_an_array_of_large_numbers_has_its_mean():
    assert reduce_value([1e308, 1e308]).value == 1e308
    assert reduce_value([[3e200, 4e200], [0.0, 0.0]]).value == pytest.approx(2.5e200)


def test_check_metric_names_such_returns():
    def text(steps):
        """Text."""
        return ["a"] * len(steps)

    def two(steps):
        """Two."""
        return np.full(len(steps), 2.0)

    for function, said in ((text, "'text' returned text"), (two, r"'two' returned 2 .*\[0, 1\]")):
        with pytest.raises(PluginError, match=said):
            check_metric(metric(unit="", better="lower", bounds=(0, 1))(function))
