"""Permutation tests against SciPy and against plain enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from abotn.statistics import sign_flip_tests
from abotn.statistics.sign_flip import swap_test


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
@settings(max_examples=60, deadline=None)
def test_exact_p_is_the_share_of_sign_patterns(differences):
    observed = abs(sum(differences))
    patterns = itertools.product((1, -1), repeat=len(differences))
    hits = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= observed
        for signs in patterns
    ]
    found = sign_flip_tests([float(d) for d in differences])[0]
    assert found.exact
    assert found.p_value == pytest.approx(sum(hits) / len(hits), abs=1e-15)


def test_exact_p_equals_scipys():
    differences = np.random.default_rng(0).normal(0.4, 1.0, 12)
    expected = stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    found = sign_flip_tests(differences)[0]
    assert found.p_value == pytest.approx(expected, rel=1e-12)
    assert found.n_flips == 2**11


def test_rounding_does_not_break_ties():
    # 0.1 + 0.2 - 0.3 is not 0 in floating point; as numbers, four of eight patterns tie with it.
    assert sign_flip_tests([0.1, 0.2, -0.3])[0].p_value == 1.0
    assert sign_flip_tests([0.1, 0.2, 0.3, 0.3])[0].p_value == 0.125


def test_units_without_a_difference_leave_the_test_exact():
    padded = np.concatenate((np.zeros(500), [1.0, 2.0, 3.0]))
    assert sign_flip_tests(padded)[0] == sign_flip_tests([1.0, 2.0, 3.0])[0]


def test_many_units_use_random_patterns_near_the_exact_answer():
    differences = np.random.default_rng(1).normal(0.35, 1.0, 20)
    exact = 0
    for high in range(2**4):
        signs = 1 - 2 * ((np.arange(2**16)[:, np.newaxis] + (high << 16) >> np.arange(20)) & 1)
        exact += int((np.abs(signs @ differences) >= abs(differences.sum()) - 1e-12).sum())
    found = sign_flip_tests(differences, n_flips=20_000)[0]
    assert not found.exact
    assert found.n_flips == 20_000
    p = exact / 2**20
    assert found.p_value == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 20_000))


def test_random_patterns_never_give_zero():
    found = sign_flip_tests(np.ones(40), n_flips=999)[0]
    assert found.p_value == 1 / 1000


def test_columns_are_tested_apart():
    table = np.random.default_rng(0).normal(0.2, 1.0, (40, 3))
    together = sign_flip_tests(table, n_flips=500, seed=3)
    assert together == [sign_flip_tests(column, n_flips=500, seed=3)[0] for column in table.T]
    assert together != sign_flip_tests(table, n_flips=500, seed=4)


def test_swapping_ratios_matches_enumeration():
    rng = np.random.default_rng(5)
    a, b = rng.uniform(0, 2, (2, 8))
    c, d = rng.uniform(1, 3, (2, 8))

    def size(swap):
        top = np.where(swap, [b, a], [a, b]).sum(axis=1)
        bottom = np.where(swap, [d, c], [c, d]).sum(axis=1)
        return abs(top[0] / bottom[0] - top[1] / bottom[1])

    observed = size(np.zeros(8, dtype=bool))
    sizes = [size(np.array(swap)) for swap in itertools.product((False, True), repeat=8)]
    expected = np.mean([s >= observed - 1e-12 for s in sizes])
    found = swap_test((a, b), (c, d), n_flips=100, seed=0)
    assert found.exact
    assert found.p_value == pytest.approx(expected, abs=1e-15)


def test_a_swap_that_empties_one_side_counts_as_a_hit():
    found = swap_test(
        (np.array([1.0, 0.0]), np.array([0.0, 1.0])),
        (np.array([1.0, 0.0]), np.array([0.0, 1.0])),
        n_flips=100,
        seed=0,
    )
    assert found.p_value == 1.0


@pytest.mark.parametrize(
    ("values", "options", "name"),
    [
        ([np.nan], {}, "differences"),
        ([1.0], {"n_flips": 10}, "n_resamples"),
        ([1.0], {"seed": -1}, "seed"),
    ],
)
def test_bad_input_is_named(values, options, name):
    with pytest.raises(ValueError, match=f"^{name}: "):
        sign_flip_tests(values, **options)
