"""Running a metric over a table: what is undefined, what is an error, what is stacked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.errors import EvaluationInputError
from abotn.metrics.comfort import acceleration
from abotn.metrics.compute import compute_column, missing_inputs
from abotn.metrics.example_inputs import object_column
from abotn.metrics.poi import collision_rate as recorded_rate
from abotn.metrics.safety import collision_rate as disc_rate
from abotn.metrics.spec import metric
from abotn.metrics.trajectory import ade, fde
from abotn.records.table import RecordTable


def table(**columns):
    return RecordTable(
        {
            name: values if isinstance(values, np.ndarray) else object_column(values)
            for name, values in columns.items()
        }
    )


def make(function, **options):
    return metric(unit="m", better="lower", name="mine", **options)(function)


def test_a_record_without_a_number_is_undefined_and_never_zero():
    spec = make(lambda steps: steps * 2)
    column = compute_column(spec, table(steps=np.array([1.0, np.nan, np.inf, 4.0])))
    assert column.defined.tolist() == [True, False, False, True]
    np.testing.assert_array_equal(column.values, [2, np.nan, np.nan, 8])
    assert column.numerators.tolist() == [2, 0, 0, 8]
    assert column.denominators.tolist() == [1, 0, 0, 1]


def test_skipped_records_are_undefined():
    spec = make(lambda steps: steps)
    column = compute_column(spec, table(steps=np.ones(2)), skip=np.array([True, False]))
    assert column.defined.tolist() == [False, True]


def test_a_missing_column_is_named():
    spec = make(lambda steps, speed: steps)
    assert missing_inputs(spec, table(steps=np.ones(1))) == ["speed"]
    with pytest.raises(EvaluationInputError, match="mine: needs speed"):
        compute_column(spec, table(steps=np.ones(1)))


def test_an_unknown_parameter_is_named():
    def scaled(steps, *, factor=1):
        return steps * factor

    spec = make(scaled)
    assert compute_column(spec, table(steps=np.ones(1)), {"factor": 3}).values.tolist() == [3.0]
    with pytest.raises(EvaluationInputError, match=r"no parameter speed.*it has factor"):
        compute_column(spec, table(steps=np.ones(1)), {"speed": 3})


def test_another_shape_is_an_error_with_a_way_out():
    with pytest.raises(EvaluationInputError, match=r"returned shape \(\).*per_record=True"):
        compute_column(make(lambda steps: steps.sum()), table(steps=np.ones(2)))


def test_a_record_that_raises_is_named_and_the_others_have_values():
    def picky(steps):
        if steps == 2:
            raise RuntimeError("no twos")
        return steps

    column = compute_column(make(picky, per_record=True), table(steps=np.array([1.0, 2.0, 3.0])))
    assert column.errors == {1: "RuntimeError: no twos"}
    np.testing.assert_array_equal(column.values, [1, np.nan, 3])


def test_a_ratio_per_record():
    spec = make(lambda steps: (steps, steps - 1), per_record=True, ratio=True)
    column = compute_column(spec, table(steps=np.array([1.0, 3.0])))
    np.testing.assert_array_equal(column.values, [np.nan, 1.5])
    assert column.defined.all()


def test_an_array_is_reduced():
    path = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]])
    column = compute_column(acceleration, table(prediction=[path], dt=np.array([1.0])))
    assert column.values.tolist() == [2.0]


def test_a_variant_is_used_where_its_columns_are():
    both = recorded_rate.with_variant(disc_rate)
    recorded = table(collision_rate=np.array([0.25]), task_type=["poi_goal"])
    assert compute_column(both, recorded).values.tolist() == [0.25]
    measured = table(
        prediction=[np.zeros((2, 2))],
        actor_trajs=[[np.array([[0.1, 0.0], [5.0, 0.0]])]],
        ego_radius=np.array([0.1]),
        actor_radius=np.array([0.1]),
    )
    assert compute_column(both, measured).values.tolist() == [0.5]
    assert missing_inputs(both, table(steps=np.ones(1))) == ["collision_rate"]


@pytest.mark.parametrize("spec", [ade, fde])
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1000),
    steps=st.integers(1, 6),
    count=st.integers(1, 6),
    dims=st.sampled_from([2, 3]),
)
def test_stacked_samples_have_the_values_of_single_ones(spec, seed, steps, count, dims):
    rng = np.random.default_rng(seed)
    left, right = rng.normal(size=(2, count, steps, dims))
    samples = table(prediction=list(left), ground_truth=list(right))
    alone = [spec(a, b) for a, b in zip(left, right, strict=True)]
    np.testing.assert_allclose(compute_column(spec, samples).values, alone, rtol=1e-14)


@pytest.mark.parametrize(
    "spoiled",
    [
        np.zeros((3, 3)),
        np.zeros((1, 2)),
        np.full((4, 2), np.nan),
        np.zeros((0, 2)),
    ],
)
def test_one_bad_sample_is_named_and_spoils_no_other(spoiled):
    good = np.ones((4, 2))
    samples = table(
        prediction=[good, spoiled, good], ground_truth=[good, good, good + np.array([0, 3])]
    )
    column = compute_column(ade, samples)
    assert list(column.errors) == [1]
    np.testing.assert_array_equal(column.values, [0, np.nan, 3])


def test_samples_of_several_lengths_and_kinds_are_taken_one_by_one():
    samples = table(
        prediction=[np.zeros((2, 2)), [[0.0, 0.0]]], ground_truth=[np.ones((2, 2)), [[3.0, 4.0]]]
    )
    np.testing.assert_allclose(compute_column(ade, samples).values, [2**0.5, 5.0])


def test_stacks_that_do_not_match_each_other_fall_back_to_single_samples():
    samples = table(prediction=[np.zeros((1, 2))] * 2, ground_truth=[np.zeros((5, 2))] * 2)
    column = compute_column(ade, samples)
    assert sorted(column.errors) == [0, 1]
    assert "does not match" in column.errors[0]


def test_arrays_of_objects_fall_back_to_single_samples():
    odd = np.array([[0, 0]], dtype=object)
    samples = table(prediction=[odd, odd], ground_truth=[odd, odd + 3])
    np.testing.assert_allclose(compute_column(ade, samples).values, [0.0, 18**0.5])


def test_the_batch_form_is_really_used():
    spec = replace(ade, batch=lambda prediction, ground_truth: np.full(len(prediction), 7.0))
    samples = table(prediction=[np.zeros((1, 2))] * 3, ground_truth=[np.zeros((1, 2))] * 3)
    assert compute_column(spec, samples).values.tolist() == [7.0] * 3
