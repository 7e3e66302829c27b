"""Comparisons of two runs over the same tasks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from abotn.statistics import (
    Interval,
    NoInterval,
    compare_columns,
    compare_pairs,
    holm,
    ratio_intervals,
    resample_sums,
    sign_flip_tests,
)

FAST = {"n_resamples": 500}


def sides(n: int = 60, seed: int = 0):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=n)
    return shared + rng.normal(0.3, 0.5, n), shared + rng.normal(0.0, 0.5, n)


class TestZeroOne:
    @pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (5, 0), (3, 9), (12, 12)])
    def test_p_is_exact_mcnemar(self, only_a, only_b):
        a = np.array([1.0] * only_a + [0.0] * only_b + [1.0] * 4 + [0.0] * 3)
        b = np.array([0.0] * only_a + [1.0] * only_b + [1.0] * 4 + [0.0] * 3)
        found = compare_pairs(a, b, **FAST)
        n, most = only_a + only_b, max(only_a, only_b)
        expected = min(1.0, 2 * stats.binom.sf(most - 1, n, 0.5)) if n else 1.0
        assert found.test == "mcnemar_exact"
        assert found.p_value == pytest.approx(expected)
        assert found.difference == pytest.approx((only_a - only_b) / len(a))

    def test_mcnemar_is_the_exact_sign_flip_test(self):
        a = np.array([1.0] * 7 + [0.0] * 2 + [1.0] * 5)
        b = np.array([0.0] * 7 + [1.0] * 2 + [1.0] * 5)
        flipped = sign_flip_tests(a - b)[0]
        assert compare_pairs(a, b, **FAST).p_value == pytest.approx(flipped.p_value)

    def test_clusters_are_flipped_whole(self):
        a = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 1.0])
        b = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
        found = compare_pairs(a, b, clusters=["x", "x", "x", "y", "y", "z"], **FAST)
        assert found.test == "sign_flip_exact"
        # The differences per cluster are 3, -1 and 0; |2| is reached by both patterns of |3 - 1|
        # and exceeded by both of |3 + 1|.
        assert found.p_value == 1.0
        assert (found.n_pairs, found.n_clusters) == (6, 3)


class TestMeans:
    def test_interval_is_that_of_the_differences(self):
        a, b = sides()
        found = compare_pairs(a, b, seed=3, **FAST)
        expected = ratio_intervals(a - b, np.ones(60), seed=3, **FAST)[0][0]
        assert found.interval == expected
        assert found.difference == pytest.approx((a - b).mean())
        assert (found.value_a, found.value_b) == pytest.approx((a.mean(), b.mean()))

    def test_interval_resamples_clusters(self):
        a, b = sides()
        scenes = np.repeat(np.arange(12), 5)
        found = compare_pairs(a, b, clusters=scenes, **FAST)
        expected = ratio_intervals(a - b, np.ones(60), units=scenes, **FAST)[0][0]
        assert found.interval == expected
        assert found.test == "sign_flip_exact"
        assert found.p_value == sign_flip_tests(np.bincount(scenes, a - b))[0].p_value

    def test_undefined_pairs_are_left_out_and_counted(self):
        a, b = sides()
        a[3], b[7] = np.nan, np.nan
        kept = [i for i in range(60) if i not in (3, 7)]
        found = compare_pairs(a, b, **FAST)
        assert (found.n_pairs, found.n_undefined) == (58, 2)
        assert found.difference == pytest.approx((a[kept] - b[kept]).mean())
        assert found.value_a == pytest.approx(a[kept].mean())

    def test_the_order_of_the_runs_only_turns_the_sign(self):
        a, b = sides()
        first, second = compare_pairs(a, b, **FAST), compare_pairs(b, a, **FAST)
        assert first.difference == -second.difference
        assert first.p_value == second.p_value
        assert first.interval.lower == pytest.approx(-second.interval.upper, abs=0.02)

    def test_columns_give_the_same_bits_as_single_comparisons(self):
        rng = np.random.default_rng(2)
        a, b = rng.normal(size=(2, 50, 4))
        a[:, 1], b[:, 1] = a[:, 1] > 0, b[:, 1] > 0
        a[4, 2] = np.nan
        for clusters in (None, np.arange(50) % 9):
            together = compare_columns(a, b, clusters=clusters, **FAST)
            for j, found in enumerate(together):
                assert compare_pairs(a[:, j], b[:, j], clusters=clusters, **FAST) == found

    def test_the_seed_matters_and_repeats(self):
        a, b = sides()
        assert compare_pairs(a, b, seed=1, **FAST) == compare_pairs(a, b, seed=1, **FAST)
        assert compare_pairs(a, b, seed=1, **FAST) != compare_pairs(a, b, seed=2, **FAST)


class TestRatios:
    def data(self, n: int = 60):
        rng = np.random.default_rng(8)
        c, d = rng.uniform(1, 3, (2, n))
        return c * rng.uniform(0, 0.4, n), d * rng.uniform(0, 0.5, n), c, d

    def test_values_are_ratios_of_sums(self):
        a, b, c, d = self.data()
        found = compare_pairs(a, b, denominators=(c, d), **FAST)
        assert found.value_a == pytest.approx(a.sum() / c.sum())
        assert found.difference == pytest.approx(a.sum() / c.sum() - b.sum() / d.sum())
        assert found.test == "sign_flip_monte_carlo"

    def test_interval_spans_the_resampled_differences(self):
        a, b, c, d = self.data()
        found = compare_pairs(a, b, denominators=(c, d), n_resamples=4000).interval
        sums = resample_sums(np.column_stack((a, c, b, d)), n_resamples=4000)
        low, high = np.quantile(sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3], [0.025, 0.975])
        width = high - low
        assert (found.lower, found.upper) == pytest.approx((low, high), abs=0.1 * width)
        assert found.upper - found.lower > width

    def test_equal_denominators_make_it_a_difference_of_means(self):
        a, b = sides()
        ones = np.ones(60)
        ratio = compare_pairs(a, b, denominators=(ones, ones), **FAST)
        mean = compare_pairs(a, b, **FAST)
        assert ratio.difference == pytest.approx(mean.difference, rel=1e-12)
        assert ratio.p_value == mean.p_value
        assert ratio.interval.lower == pytest.approx(mean.interval.lower, rel=1e-6)
        assert ratio.interval.upper == pytest.approx(mean.interval.upper, rel=1e-6)

    def test_clusters_are_resampled_and_swapped_whole(self):
        a, b, c, d = self.data()
        scenes = np.repeat(np.arange(10), 6)
        found = compare_pairs(a, b, denominators=(c, d), clusters=scenes, **FAST)
        summed = [np.bincount(scenes, side) for side in (a, b, c, d)]
        expected = compare_pairs(*summed[:2], denominators=tuple(summed[2:]), **FAST)
        assert found.p_value == expected.p_value
        assert found.interval.lower == pytest.approx(expected.interval.lower, rel=1e-9)
        assert (found.n_clusters, found.interval.n_units) == (10, 10)

    def test_few_units_get_t(self):
        a, b, c, d = self.data(5)
        found = compare_pairs(a, b, denominators=(c, d), **FAST)
        first, second = a.sum() / c.sum(), b.sum() / d.sum()
        influence = (a - first * c) / c.sum() - (b - second * d) / d.sum()
        half = stats.t.ppf(0.975, 4) * np.sqrt(5 / 4 * (influence**2).sum())
        assert found.interval.method == "t"
        assert found.interval.upper == pytest.approx(first - second + half)

    def test_a_side_without_denominator_has_no_value(self):
        found = compare_pairs([1.0, 1.0], [0.0, 0.0], denominators=([1.0, 1.0], [0.0, 0.0]))
        assert np.isnan(found.difference)
        assert found.interval == NoInterval("no defined value")
        assert (found.test, found.value_a) == ("none", 1.0)

    def test_one_pair_is_flagged(self):
        found = compare_pairs([1.0], [0.5], denominators=([2.0], [2.0]))
        assert isinstance(found.interval, Interval)
        assert found.interval.degenerate
        assert found.interval.lower == found.interval.upper == 0.25
        assert found.p_value == 1.0


class TestLittleData:
    def test_no_pairs(self):
        found = compare_pairs([], [])
        assert np.isnan([found.value_a, found.difference, found.p_value]).all()
        assert found.interval == NoInterval("no defined value")
        assert (found.test, found.n_pairs) == ("none", 0)

    def test_equal_runs(self):
        found = compare_pairs([0.5, 2.0, 3.0], [0.5, 2.0, 3.0])
        assert (found.difference, found.p_value) == (0.0, 1.0)
        assert found.interval.degenerate

    def test_one_cluster(self):
        found = compare_pairs([1.0, 2.0, 4.0], [1.0, 1.0, 1.0], clusters=["s"] * 3)
        assert found.interval.degenerate
        assert (found.p_value, found.n_clusters) == (1.0, 1)


@pytest.mark.parametrize(
    ("a", "b", "options", "name"),
    [
        ([1.0, 2.0], [1.0], {}, "b"),
        ([np.inf], [1.0], {}, "a"),
        ([[1.0]], [1.0], {}, "a"),
        ([1.0], [1.0], {"denominators": ([1.0], [-1.0])}, "denominators"),
        ([1.0], [1.0], {"denominators": ([1.0], [1.0, 2.0])}, "denominators"),
        ([1.0], [1.0], {"clusters": [1, 2]}, "clusters"),
        ([1.0], [1.0], {"level": 2.0}, "level"),
        ([1.0], [1.0], {"n_resamples": 5}, "n_resamples"),
        ([1.0], [1.0], {"seed": -3}, "seed"),
    ],
)
def test_bad_input_is_named(a, b, options, name):
    with pytest.raises(ValueError, match=f"^{name}: "):
        compare_pairs(a, b, **options)


def test_columns_need_a_table():
    with pytest.raises(ValueError, match=r"^a: "):
        compare_columns([1.0], [1.0])


class TestHolm:
    def test_a_worked_example(self):
        # Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, 0.04; then not falling.
        assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])

    @given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.01, 0.2))
    @settings(max_examples=60, deadline=None)
    def test_it_rejects_what_the_step_down_procedure_rejects(self, p_values, alpha):
        rejected = set()
        for step, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
            if (len(p_values) - step) * p_values[index] > alpha:
                break
            rejected.add(index)
        assert {i for i, p in enumerate(holm(p_values)) if p <= alpha} == rejected

    def test_tests_not_made_are_left_out(self):
        np.testing.assert_array_equal(holm([0.02, np.nan, 0.5]), [0.04, np.nan, 0.5])

    @pytest.mark.parametrize("p", [-0.1, 1.1])
    def test_bad_values_are_named(self, p):
        with pytest.raises(ValueError, match=r"^p_values: "):
            holm([p])
