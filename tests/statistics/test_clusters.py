"""Units of resampling, tasks of several attempts, and pass@k."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.statistics import aggregate_units, choose_clusters, pass_at_k, task_means


@pytest.mark.parametrize(
    ("sizes", "chosen"),
    [
        ([2] * 5, True),
        ([2] * 4, False),
        ([2, 2, 2, 2, 1, 1, 1], False),
        ([9, 2, 3, 2, 2, 1], True),
        ([], False),
    ],
)
def test_five_scenes_with_several_tasks_are_needed(sizes, chosen):
    ids = [f"scene{i}" for i, size in enumerate(sizes) for _ in range(size)]
    assert choose_clusters(ids) is chosen


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-1e3, 1e3)), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_units_are_exact_sums_in_any_order(records):
    labels = [f"s{label}" for label, _ in records]
    values = np.array([value for _, value in records])
    sums = aggregate_units(values, np.ones(len(values)), labels)
    for row, label in enumerate(sorted(set(labels))):
        mine = [Fraction(v) for v, own in zip(values, labels, strict=True) if own == label]
        scale = np.abs(values).max()
        assert sums.numerators[row, 0] == pytest.approx(
            float(sum(mine)), rel=1e-15, abs=1e-25 * scale
        )
        assert sums.denominators[row, 0] == len(mine)
    turned = aggregate_units(values[::-1], np.ones(len(values)), labels[::-1])
    assert turned.numerators.tobytes() == sums.numerators.tobytes()


def test_a_task_weighs_the_same_however_often_it_was_tried():
    sums = task_means([1.0, 0.0, 0.0, 1.0, 1.0], ["a", "a", "a", "a", "b"])
    assert sums.numerators[:, 0].tolist() == [0.5, 1.0]
    assert sums.denominators[:, 0].tolist() == [1.0, 1.0]


def test_an_undefined_attempt_is_left_out_of_its_task():
    sums = task_means([[1.0], [np.nan], [np.nan]], ["a", "a", "b"])
    assert sums.numerators[:, 0].tolist() == [1.0, 0.0]
    assert sums.denominators[:, 0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("n", [1, 3, 6])
def test_pass_at_k_counts_the_subsets(n):
    for c in range(n + 1):
        outcomes = [1] * c + [0] * (n - c)
        for k in range(1, n + 1):
            subsets = list(itertools.combinations(outcomes, k))
            expected = sum(any(subset) for subset in subsets) / len(subsets)
            assert pass_at_k([n], [c], k)[0] == pytest.approx(expected, abs=1e-15)


def test_pass_at_k_of_many_attempts_stays_finite():
    expected = 1 - Fraction(math.comb(1990, 100), math.comb(2000, 100))
    assert pass_at_k([2000], [10], 100)[0] == pytest.approx(float(expected), rel=1e-12)


def test_pass_at_k_is_undefined_with_too_few_attempts():
    assert np.isnan(pass_at_k([2], [1], 3)[0])


@pytest.mark.parametrize(("n", "c", "k", "name"), [(2, 1, 0, "k"), (2, 3, 1, "c"), (2, -1, 1, "c")])
def test_pass_at_k_refuses(n, c, k, name):
    with pytest.raises(ValueError, match=f"^{name}: "):
        pass_at_k([n], [c], k)


@pytest.mark.parametrize(
    ("top", "bottom", "units", "name"),
    [
        ([1.0], [1.0, 1.0], ["a"], "denominators"),
        ([1.0, 2.0], [1.0, 1.0], ["a"], "units"),
        ([1.0], [1.0], None, "units"),
        ([1.0], [-1.0], ["a"], "denominators"),
        ([np.nan], [1.0], ["a"], "numerators"),
    ],
)
def test_bad_records_are_named(top, bottom, units, name):
    with pytest.raises(ValueError, match=f"^{name}: "):
        aggregate_units(top, bottom, units)
