"""Sums that do not depend on the order of what is added."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.statistics.fixed_point import exact_sums, sums_of_runs, to_fixed_point

numbers = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: x if abs(x) > 1e-9 else 0.0)


@given(st.lists(numbers, min_size=1, max_size=60), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_exact_sums_match_rational_arithmetic_in_any_order(values, random):
    column = np.array(values)[:, np.newaxis]
    total = exact_sums(column)
    exact = float(sum(Fraction(v) for v in values))
    assert total[0] == pytest.approx(exact, rel=1e-15, abs=1e-21 * np.abs(column).max())
    random.shuffle(values)
    assert exact_sums(np.array(values)[:, np.newaxis]).tobytes() == total.tobytes()


def test_cancellation_leaves_the_small_part():
    column = np.array([1e10, 3.5e-4, -1e10])[:, np.newaxis]
    assert exact_sums(column)[0] == 3.5e-4


def test_weighted_sums_of_whole_numbers_are_exact():
    rng = np.random.default_rng(3)
    n = 500
    columns = rng.lognormal(size=(n, 3)) * [1e-200, 1.0, 1e200]
    fixed = to_fixed_point(columns, n)
    weights = rng.multinomial(n, np.full(n, 1 / n)).astype(float)
    assert (fixed.integers == np.rint(fixed.integers)).all()
    for j in range(3):
        exact = sum(int(w) * int(v) for w, v in zip(weights, fixed.integers[:, j], strict=True))
        assert abs(exact) <= 2**53
        assert int(weights @ fixed.integers[:, j]) == exact
    back = np.ldexp(fixed.integers, fixed.exponents)
    assert (np.abs(back - columns) <= n * 2.0**-53 * columns.max(axis=0)).all()


def test_a_column_is_rounded_by_itself():
    small, large = np.full((4, 1), 0.3), np.full((4, 1), 1e9)
    alone = to_fixed_point(small, 4)
    beside = to_fixed_point(np.hstack((large, small)), 4)
    assert alone.integers[:, 0].tobytes() == beside.integers[:, 1].tobytes()
    assert alone.exponents[0] == beside.exponents[1]


def test_zero_and_whole_columns_stay_as_they_are():
    fixed = to_fixed_point(np.array([[0.0, 1.0], [0.0, 7.0]]), 2)
    assert np.ldexp(fixed.integers, fixed.exponents).tolist() == [[0.0, 1.0], [0.0, 7.0]]


def test_runs_are_summed_apart():
    columns = np.array([[0.1], [0.2], [0.3], [0.4]])
    sums = sums_of_runs(columns, np.array([0, 3]))
    assert sums[:, 0].tolist() == [math.fsum([0.1, 0.2, 0.3]), 0.4]
    assert sums_of_runs(columns[:0], np.zeros(0, dtype=np.intp)).shape == (0, 1)
    assert exact_sums(columns[:0]).tolist() == [0.0]
