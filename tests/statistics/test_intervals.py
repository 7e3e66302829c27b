"""Intervals against SciPy on the same resamples, by hand, and by enumeration."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from scipy import stats

from abotn.statistics import (
    METHODS,
    Interval,
    NoInterval,
    ratio_intervals,
    ratio_values,
    resample_sums,
)
from abotn.statistics.counts import block_counts
from abotn.statistics.intervals import Part, part_intervals
from abotn.statistics.limits import acceleration, quantile, widening_note

B = 2000


def interval_of(values, *, method="auto", **options) -> Interval:
    values = np.asarray(values, dtype=float)
    found = ratio_intervals(values, np.ones(len(values)), method=method, n_resamples=B, **options)
    assert isinstance(found[0][0], Interval)
    return found[0][0]


def lengths(n: int = 60, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).lognormal(size=n)


@pytest.mark.parametrize(
    ("method", "theirs"), [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")]
)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_ends_equal_scipys_on_the_same_resamples(method, theirs, level):
    values = lengths()
    means = resample_sums(values, n_resamples=B, seed=3)[:, 0] / len(values)
    start = stats.bootstrap((values,), np.mean, n_resamples=10, rng=0)
    expected = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=0,
        confidence_level=level,
        method=theirs,
        bootstrap_result=dataclasses.replace(start, bootstrap_distribution=means),
    ).confidence_interval
    found = interval_of(values, method=method, level=level, seed=3)
    assert (found.lower, found.upper) == pytest.approx(tuple(expected), rel=1e-9)
    assert (found.method, found.n_resamples, found.seed, found.level) == (method, B, 3, level)


def test_bca_over_ties_equals_scipys():
    # Few distinct values make many resampled means equal to the estimate.
    values = np.array([0.0] * 9 + [1.0] * 5 + [2.0] * 2)
    means = resample_sums(values, n_resamples=B)[:, 0] / len(values)
    assert (means == values.mean()).sum() > 50
    start = stats.bootstrap((values,), np.mean, n_resamples=10, rng=0)
    same = dataclasses.replace(start, bootstrap_distribution=means)
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=0, method="BCa", bootstrap_result=same
    ).confidence_interval
    found = interval_of(values, method="bca")
    assert (found.lower, found.upper) == pytest.approx(tuple(expected), rel=1e-9)


def test_ends_agree_with_scipys_own_resamples():
    values = lengths(200)
    found = ratio_intervals(values, np.ones(200), method="bca", n_resamples=20_000)[0][0]
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", batch=500, rng=1
    ).confidence_interval
    spread = values.std() / np.sqrt(200)
    # A quantile at 2.5 % of 20,000 draws has a standard error of about 0.02 standard errors.
    assert (found.lower, found.upper) == pytest.approx(tuple(expected), abs=0.1 * spread)


def test_percentiles_match_the_enumeration_of_all_resamples():
    values = [0.0, 1.0, 3.0, 7.0]
    means = sorted(sum(drawn) / 4 for drawn in itertools.product(values, repeat=4))
    found = ratio_intervals(values, np.ones(4), method="percentile", n_resamples=20_000, level=0.8)
    # 10 % of the 256 means lie below the 26th; within the noise of 20,000 draws no end moves
    # further than one rank of the distinct means.
    distinct = sorted(set(means))
    for end, at in ((found[0][0].lower, 25.5), (found[0][0].upper, 229.5)):
        exact = means[int(at)]
        assert abs(distinct.index(end) - distinct.index(exact)) <= 1


def test_studentized_by_hand():
    values = lengths(80, seed=2)
    counts = np.concatenate([block_counts(80, 0, b) for b in range(-(-B // 64))])[:B]
    pivots = []
    for row in counts:
        drawn = np.repeat(values, row)
        pivots.append((drawn.mean() - values.mean()) / stats.sem(drawn))
    low, high = np.quantile(pivots, [0.025, 0.975])
    error = stats.sem(values)
    expected = values.mean() - high * error, values.mean() - low * error
    found = interval_of(values, method="studentized")
    assert (found.lower, found.upper) == pytest.approx(expected, rel=1e-9)


def test_studentized_ratio_of_sums_by_hand():
    rng = np.random.default_rng(4)
    b = rng.uniform(1, 5, 80)
    a = b * rng.uniform(0, 1, 80)
    counts = np.concatenate([block_counts(80, 0, k) for k in range(-(-B // 64))])[:B]

    def ratio_and_error(weights):
        ratio = (weights @ a) / (weights @ b)
        return ratio, np.sqrt(weights @ (a - ratio * b) ** 2) / (weights @ b)

    ratio, error = ratio_and_error(np.ones(80))
    drawn = [ratio_and_error(row.astype(float)) for row in counts]
    low, high = np.quantile([(r - ratio) / s for r, s in drawn], [0.025, 0.975])
    found = ratio_intervals(a, b, method="studentized", n_resamples=B)[0][0]
    expected = ratio - high * error, ratio - low * error
    assert (found.lower, found.upper) == pytest.approx(expected, rel=1e-8)


def test_a_ratio_of_sums_is_resampled_as_one():
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0, 2, 70), rng.uniform(1, 9, 70)
    sums = resample_sums(np.column_stack((a, b)), n_resamples=B)
    expected = np.quantile(sums[:, 0] / sums[:, 1], [0.025, 0.975])
    found = ratio_intervals(a, b, method="percentile", n_resamples=B)[0][0]
    assert (found.lower, found.upper) == pytest.approx(tuple(expected), rel=1e-10)


def test_clusters_are_resampled_whole():
    rng = np.random.default_rng(7)
    scene = rng.integers(0, 12, 90)
    values = rng.normal(size=90) + scene
    sizes = np.bincount(scene)
    sums = resample_sums(np.column_stack((np.bincount(scene, values), sizes)), n_resamples=B)
    expected = np.quantile(sums[:, 0] / sums[:, 1], [0.025, 0.975])
    found = interval_of(values, method="percentile", units=scene)
    assert (found.lower, found.upper) == pytest.approx(tuple(expected), rel=1e-10)
    assert found.n_units == 12


def test_student_t_equals_scipys():
    values = lengths()
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    found = interval_of(values, method="t", level=0.9)
    assert (found.lower, found.upper) == pytest.approx(tuple(expected), rel=1e-9)
    assert found.n_resamples == 0


def test_student_t_over_equal_clusters_is_the_one_of_their_means():
    values = np.random.default_rng(0).normal(size=(12, 5)) + np.arange(12)[:, np.newaxis]
    expected = stats.ttest_1samp(values.mean(axis=1), 0).confidence_interval()
    found = interval_of(values.ravel(), method="t", units=np.repeat(np.arange(12), 5))
    assert (found.lower, found.upper) == pytest.approx(tuple(expected), rel=1e-9)


def test_acceleration_is_a_sixth_of_the_skewness_over_root_n():
    # For a mean, the jackknife deviations are (x_i - mean) / (n - 1).
    values = lengths(40)
    jackknife = (values.sum() - values) / 39
    assert acceleration(jackknife) == pytest.approx(stats.skew(values) / 6 / np.sqrt(40), rel=1e-9)


@pytest.mark.parametrize("p", [0.0, 0.013, 0.5, 0.99, 1.0])
def test_quantile_is_numpys(p):
    draws = np.sort(lengths(101))
    assert quantile(draws, p) == pytest.approx(np.quantile(draws, p), rel=1e-14)


class TestAuto:
    def test_takes_wilson_for_zero_one_values(self):
        values = np.array([1.0] * 37 + [0.0] * 13)
        expected = stats.binomtest(37, 50).proportion_ci(method="wilson")
        found = interval_of(values)
        assert (found.lower, found.upper) == pytest.approx(tuple(expected))
        assert (found.method, found.n_resamples, found.n_units) == ("wilson", 0, 50)

    def test_counts_only_defined_values(self):
        found = ratio_intervals([1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0])[0][0]
        expected = stats.binomtest(2, 3).proportion_ci(method="wilson")
        assert (found.lower, found.upper) == pytest.approx(tuple(expected))

    def test_does_not_take_wilson_for_a_length_that_holds_zeros_and_ones(self):
        found = interval_of([1.0] * 37 + [0.0] * 13, binary=[False])
        assert found.method == "bca"

    def test_widens_bca_for_few_units(self):
        values = lengths(50)
        plain, widened = interval_of(values, method="bca"), interval_of(values)
        assert widened.method == "bca"
        assert widened.lower < plain.lower < plain.upper < widened.upper
        assert "degrees of freedom" in str(widened.note)

    def test_widening_follows_its_formula(self):
        values = lengths(50)
        excess = stats.kurtosis(values)
        degrees = 2 / (2 / 49 + excess / 50)
        tail = stats.norm.sf(np.sqrt(50 / 49) * stats.t.ppf(0.975, degrees))
        expected = interval_of(values, method="bca", level=1 - 2 * tail)
        found = interval_of(values)
        assert (found.lower, found.upper) == pytest.approx(
            (expected.lower, expected.upper), rel=1e-9
        )
        assert found.level == 0.95

    def test_takes_t_for_few_units(self):
        values = lengths(7)
        expected = stats.ttest_1samp(values, 0).confidence_interval()
        found = interval_of(values)
        assert found.method == "t"
        assert (found.lower, found.upper) == pytest.approx(tuple(expected), rel=1e-9)

    def test_counts_effective_trials_over_clusters(self):
        rng = np.random.default_rng(0)
        chances = rng.beta(4, 1, 15)
        values = (rng.random((15, 15)) < chances[:, np.newaxis]).astype(float)
        p, means = values.mean(), values.mean(axis=1)
        squared = means.var(ddof=1) / 15
        effective = p * (1 - p) / squared
        excess = max(stats.kurtosis(means), 0.0)
        z = stats.t.ppf(0.975, 2 / (2 / 14 + excess / 15))
        centre = (p + z * z / 2 / effective) / (1 + z * z / effective)
        half = z / (1 + z * z / effective) * np.sqrt(squared + z * z / 4 / effective**2)
        found = interval_of(values.ravel(), units=np.repeat(np.arange(15), 15))
        assert found.method == "wilson"
        assert (found.lower, found.upper) == pytest.approx((centre - half, centre + half), rel=1e-9)
        assert f"tell as much as {effective:.0f} independent values" in str(found.note)

    def test_says_why_clusters_can_tell_more_than_their_values(self):
        # Three of four in every cluster but one: the spread between them is nearly none.
        values = np.array([1.0, 1.0, 1.0, 0.0] * 9 + [1.0, 1.0, 0.0, 0.0])
        note = str(interval_of(values, units=np.repeat(np.arange(10), 4)).note)
        effective = float(note.split(" tell as much as ")[1].split()[0])
        assert effective > 40
        assert "because the clusters differ less than chance alone would make them" in note

    def test_keeps_its_promise_over_scenes(self):
        # 1,000 data sets of 15 scenes with 15 tasks, as columns; the Monte Carlo error is 0.8 %.
        rng = np.random.default_rng(12)
        scenes = np.repeat(np.arange(15), 15)
        chances = rng.beta(0.9 * 4, 0.1 * 4, (15, 500))
        success = (rng.random((225, 500)) < chances[scenes]).astype(float)
        heights = np.sqrt(0.2) * rng.normal(size=(15, 500))[scenes]
        heights += np.sqrt(0.8) * rng.normal(size=(225, 500))
        for values, true in ((success, 0.9), (heights, 0.0)):
            found = ratio_intervals(values, np.ones_like(values), units=scenes, n_resamples=1000)[0]
            held = np.mean([i.lower <= true <= i.upper for i in found])
            assert 0.915 <= held <= 0.975


class TestLittleData:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("values", [[2.5], [3.0, 3.0, 3.0], [0.1] * 10, [1e300] * 3])
    def test_equal_values_give_one_flagged_point(self, method, values):
        found = ratio_intervals(values, np.ones(len(values)), method=method)[0][0]
        if method == "wilson":
            assert found == NoInterval("the Wilson interval needs values that are 0 or 1")
            return
        assert found.degenerate
        assert found.lower == found.upper == pytest.approx(values[0], rel=1e-14)
        assert found.note

    @pytest.mark.parametrize("method", ["auto", "wilson", "bca", "studentized"])
    @pytest.mark.parametrize("values", [[1.0], [0.0], [1.0] * 20, [0.0] * 20])
    def test_equal_zero_one_values_give_a_flagged_wilson_interval(self, method, values):
        found = interval_of(values, method=method)
        expected = stats.binomtest(int(sum(values)), len(values)).proportion_ci(method="wilson")
        assert (found.lower, found.upper) == pytest.approx(tuple(expected))
        assert found.degenerate
        assert found.method == "wilson"

    def test_one_cluster_counts_as_one_trial(self):
        found = interval_of([1.0, 1.0, 0.0, 1.0], units=["a"] * 4)
        assert found.degenerate
        assert found.n_units == 1
        z = stats.norm.ppf(0.975)
        centre = (0.75 + z * z / 2) / (1 + z * z)
        assert (found.lower + found.upper) / 2 == pytest.approx(centre)

    def test_one_cluster_of_lengths_gives_a_flagged_point(self):
        found = interval_of([1.0, 2.0, 6.0], units=["a"] * 3)
        assert (found.lower, found.upper, found.degenerate) == (3.0, 3.0, True)

    @pytest.mark.parametrize("method", [m for m in METHODS if m != "wilson"])
    def test_two_records_give_a_flagged_interval(self, method):
        found = interval_of([1.0, 3.0], method=method)
        assert found.degenerate
        assert found.lower <= 2.0 <= found.upper
        assert np.isfinite([found.lower, found.upper]).all()

    def test_no_defined_value_gives_a_reason(self):
        found = ratio_intervals(np.zeros((3, 2)), np.zeros((3, 2)), groups=[[], [1]])
        assert found == [[NoInterval("no defined value")] * 2] * 3
        assert ratio_intervals(np.zeros((0, 1)), np.zeros((0, 1)))[0][0] == NoInterval(
            "no defined value"
        )

    @pytest.mark.parametrize("scale", [1e-310, 1e308])
    @pytest.mark.parametrize("method", ["bca", "studentized", "t", "auto"])
    def test_extreme_magnitudes_stay_finite(self, scale, method):
        found = interval_of(np.array([1.0, 1.1, 1.3, 0.9] * 5) * scale, method=method)
        assert 0.9 * scale <= found.lower < 1.075 * scale < found.upper <= 1.3 * scale


class TestFallbacks:
    def test_studentized_gives_way_where_resamples_have_no_spread(self):
        found = interval_of([0.0] * 49 + [1.0], method="studentized")
        assert found.method == "percentile"
        assert "studentized is undefined" in str(found.note)

    def test_bca_gives_way_where_one_unit_holds_all_denominators(self):
        numerators, denominators = [5.0, 1.0, 2.0], [1.0, 0.0, 0.0]
        found = ratio_intervals(numerators, denominators, method="bca", n_resamples=B)[0][0]
        assert found.method == "percentile"
        assert "bca is undefined" in str(found.note)
        assert np.isfinite([found.lower, found.upper]).all()

    def test_resamples_without_the_group_are_counted(self):
        values = np.arange(100.0)
        counts = np.concatenate([block_counts(100, 0, b) for b in range(-(-B // 64))])[:B]
        missed = int((counts[:, [3, 50]].sum(axis=1) == 0).sum())
        assert missed > 200
        found = ratio_intervals(
            values, np.ones(100), groups=[[3, 50]], method="percentile", n_resamples=B
        )[1][0]
        assert f"{missed} of {B} resamples" in str(found.note)
        assert (found.lower, found.upper) == (3.0, 50.0)

    def test_bounds_cut_and_say_so(self):
        values = np.array([0.99] * 20 + [0.2])
        free = interval_of(values, method="t")
        cut = interval_of(values, method="t", bounds=[(0.0, 1.0)])
        assert free.upper > 1.0
        assert (cut.lower, cut.upper) == (free.lower, 1.0)
        assert "greatest possible value 1" in str(cut.note)
        low = interval_of(-values, method="t", bounds=[(-1.0, None)])
        assert low.lower == -1.0
        assert "least possible value -1" in str(low.note)


class TestBits:
    """The same bits whatever else is asked for."""

    def data(self):
        rng = np.random.default_rng(0)
        n = 120
        values = np.column_stack(
            [rng.lognormal(size=n), rng.random(n) < 0.8, rng.normal(1e6, 1.0, n), rng.random(n)]
        )
        defined = np.ones((n, 4))
        defined[rng.random((n, 4)) < 0.1] = 0.0
        return values * defined, defined, rng.integers(0, 20, n)

    @pytest.mark.parametrize("method", METHODS)
    def test_columns_do_not_matter(self, method):
        a, b, units = self.data()
        options = {"method": method, "n_resamples": 500, "units": units}
        together = ratio_intervals(a, b, **options)[0]
        turned = ratio_intervals(a[:, ::-1], b[:, ::-1], **options)[0]
        alone = [ratio_intervals(a[:, j], b[:, j], **options)[0][0] for j in range(4)]
        assert together == alone == turned[::-1]

    @pytest.mark.parametrize("method", METHODS)
    def test_the_order_of_labelled_records_does_not_matter(self, method):
        a, b, units = self.data()
        order = np.random.default_rng(1).permutation(len(a))
        groups = [np.arange(0, 60), np.arange(50, 120)]
        moved = [np.flatnonzero(np.isin(order, group)) for group in groups]
        options = {"method": method, "n_resamples": 500}
        for labels in (units, np.arange(len(a))):
            straight = ratio_intervals(a, b, units=labels, groups=groups, **options)
            shuffled = ratio_intervals(
                a[order], b[order], units=labels[order], groups=moved, **options
            )
            assert straight == shuffled

    @pytest.mark.parametrize("method", ["bca", "studentized"])
    def test_groups_do_not_matter(self, method):
        a, b, units = self.data()
        groups = [np.arange(30), np.arange(30, 120), np.arange(0, 120, 7)]
        options = {"method": method, "n_resamples": 500, "units": units}
        together = ratio_intervals(a, b, groups=groups, **options)
        for g, group in enumerate(groups):
            assert ratio_intervals(a, b, groups=[group], **options)[1] == together[g + 1]
            mask = np.zeros((len(a), 1))
            mask[group] = 1.0
            assert ratio_intervals(a * mask, b * mask, **options)[0] == together[g + 1]
            assert ratio_intervals(a, b, groups=[mask[:, 0] > 0], **options)[1] == together[g + 1]

    @pytest.mark.parametrize("n", [400, 700])
    def test_many_small_groups_are_as_each_alone(self, n):
        """Below and above the number of units from which groups are summed in bundles."""
        rng = np.random.default_rng(1)
        a, b = rng.lognormal(size=(n, 2)), rng.integers(1, 3, (n, 2)).astype(float)
        groups = [rng.choice(n, size, replace=False) for size in rng.integers(8, 60, 20)]
        groups += [np.arange(n // 2), np.arange(9)]
        options = {"method": ["bca", "studentized"], "n_resamples": 200}
        together = ratio_intervals(a, b, groups=groups, **options)
        assert together[0] == ratio_intervals(a, b, **options)[0]
        for g, group in enumerate(groups):
            assert ratio_intervals(a, b, groups=[group], **options)[1] == together[g + 1]

    def test_parts_are_as_each_alone(self):
        """Each part resamples its own units, or some of all units, as a call for it alone does."""
        rng = np.random.default_rng(2)
        options = {"method": ["bca", "studentized"], "n_resamples": 200}
        parts = [
            Part(rng.lognormal(size=(n, 2)), np.ones((n, 2)), units)
            for n, units in ((30, None), (12, None), (30, rng.integers(0, 9, 30)), (12, None))
        ]
        found = part_intervals(parts, **options)
        for part, intervals in zip(parts, found, strict=True):
            alone = ratio_intervals(part.numerators, part.denominators, units=part.units, **options)
            assert intervals == alone[0]
        a, units = rng.lognormal(size=(90, 2)), np.arange(90) // 3
        rows = np.arange(20, 61)
        shared = Part(a[rows], np.ones((41, 2)), units[rows], 30)
        whole = ratio_intervals(a, np.ones((90, 2)), units=units, groups=[rows], **options)
        assert part_intervals([shared], **options) == [whole[1]]

    def test_threads_and_passes_do_not_matter(self, monkeypatch):
        a, b, _ = self.data()
        a, b = np.tile(a, (100, 1)), np.tile(b, (100, 1))
        options = {"method": ["bca", "auto", "studentized", "basic"], "n_resamples": 500}
        one = ratio_intervals(a, b, threads=1, **options)
        assert ratio_intervals(a, b, threads=2, **options) == one
        monkeypatch.setattr("abotn.statistics.drawing._PASS_BYTES", 1)
        assert ratio_intervals(a, b, threads=2, **options) == one

    def test_the_seed_matters(self):
        values = lengths()
        assert interval_of(values, seed=0) == interval_of(values, seed=0)
        first, second = interval_of(values, seed=0), interval_of(values, seed=1)
        assert (first.lower, first.upper) != (second.lower, second.upper)

    def test_the_callers_arrays_are_not_changed(self):
        a, b, units = self.data()
        kept = a.copy(), b.copy(), units.copy()
        ratio_intervals(a, b, units=units, method="studentized", n_resamples=100)
        for array, copy in zip((a, b, units), kept, strict=True):
            assert array.tobytes() == copy.tobytes()


def test_values_are_ratios_of_sums_per_group():
    found = ratio_values([[1.0, 2.0], [3.0, 0.0]], [[1.0, 4.0], [1.0, 0.0]], groups=[[1], []])
    np.testing.assert_array_equal(found, [[2.0, 0.5], [3.0, np.nan], [np.nan, np.nan]])


def test_json_fields():
    fields = interval_of([1.0, 0.0, 1.0]).to_dict()
    assert set(fields) == {
        "lower", "upper", "level", "method", "n_resamples", "seed", "n_units", "degenerate",
    }  # fmt: skip
    assert interval_of(lengths()).to_dict()["note"].startswith("levels widened")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"n_resamples": 99}, "n_resamples"),
        ({"level": 0.0}, "level"),
        ({"level": 1.0}, "level"),
        ({"level": float("nan")}, "level"),
        ({"seed": -1}, "seed"),
        ({"method": "magic"}, "method"),
        ({"method": ["t"]}, "method"),
        ({"binary": [True]}, "binary"),
        ({"bounds": [None]}, "bounds"),
        ({"units": [1, 2]}, "units"),
        ({"groups": [[0, 20]]}, "groups"),
        ({"groups": [[0, 0]]}, "groups"),
        ({"groups": [[-1]]}, "groups"),
        ({"groups": [[0.5]]}, "groups"),
        ({"threads": 0, "method": "bca"}, "threads"),
    ],
)
def test_bad_options_are_named(options, name):
    values = np.arange(40.0).reshape(20, 2)
    with pytest.raises(ValueError, match=f"^{name}: ") as caught:
        ratio_intervals(values, np.ones((20, 2)), **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("numerators", "denominators", "name"),
    [
        ([1.0, np.nan], [1.0, 1.0], "numerators"),
        ([1.0, np.inf], [1.0, 1.0], "numerators"),
        ([1.0, 2.0], [1.0, np.nan], "denominators"),
        ([1.0, 2.0], [1.0, -1.0], "denominators"),
        ([1.0, 2.0], [1.0], "denominators"),
        (np.zeros((1, 1, 1)), np.zeros((1, 1, 1)), "numerators"),
    ],
)
def test_bad_records_are_named(numerators, denominators, name):
    with pytest.raises(ValueError, match=f"^{name}: "):
        ratio_intervals(numerators, denominators)


def test_a_unit_with_most_of_the_records_is_named():
    values = lengths(40)
    large = np.repeat([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [22, 2, 2, 2, 2, 2, 2, 2, 2, 2])
    assert "one unit holds 55 % of the weight" in str(interval_of(values, units=large).note)
    half = np.repeat([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [20, 4, 2, 2, 2, 2, 2, 2, 2, 2])
    assert "of the weight" not in str(interval_of(values, units=half).note)


@pytest.mark.parametrize(
    ("degrees", "text"), [(3.14, "3.1"), (8.0, "8"), (42.4, "42"), (999.4, "999"), (1000.0, None)]
)
def test_degrees_of_freedom_are_said_without_needless_decimals(degrees, text):
    expected = None if text is None else f"levels widened for {text} degrees of freedom"
    assert widening_note(degrees) == expected
