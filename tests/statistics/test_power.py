"""Planning the size of a run."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy import stats

from abotn.statistics import (
    Spread,
    measure_spread,
    power_at,
    required_units,
    sign_flip_tests,
)
from abotn.statistics.mcnemar_power import (
    discordance_at,
    discordance_of_rates,
    mcnemar_power_at,
)


def plain(variance: float = 1.0) -> Spread:
    return Spread(variance, 0.0, 50, None, 1.0)


@pytest.mark.parametrize(("effect", "pairs"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_sizes_are_the_published_ones_of_the_paired_t_test(effect, pairs):
    # Faul et al. 2007, G*Power: difference of two dependent means, 5 % two-sided, 80 % power.
    found = required_units(plain(), delta=effect)
    assert (found.tasks, found.scenes, found.note) == (pairs, None, None)
    assert found.power >= 0.8 > power_at(plain(), delta=effect, units=pairs - 1)


def test_power_is_that_of_simulated_t_tests():
    rng = np.random.default_rng(0)
    samples = rng.normal(0.5, 1.3, (20_000, 25))
    rate = (stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05).mean()
    spread = plain(1.3**2)
    assert power_at(spread, delta=0.5, units=25) == pytest.approx(rate, abs=0.012)
    assert power_at(spread, delta=-0.5, units=25) == power_at(spread, delta=0.5, units=25)


def test_power_over_scenes_is_that_of_simulated_scene_means():
    rng = np.random.default_rng(1)
    shared = rng.normal(0, np.sqrt(0.3), (10_000, 20, 1))
    scenes = (0.4 + shared + rng.normal(0, np.sqrt(0.7), (10_000, 20, 5))).mean(axis=2)
    rate = (stats.ttest_1samp(scenes, 0, axis=1).pvalue < 0.05).mean()
    spread = Spread(1.0, 0.3, 100, 20, 5.0)
    assert spread.design_effect == pytest.approx(2.2)
    assert power_at(spread, delta=0.4, units=20) == pytest.approx(rate, abs=0.018)


def test_scenes_and_tasks_are_both_given():
    found = required_units(Spread(1.0, 0.2, 225, 15, 15.0), delta=0.3)
    assert found.scenes is not None
    assert found.tasks == 15 * found.scenes
    more = required_units(Spread(1.0, 0.4, 225, 15, 15.0), delta=0.3)
    assert more.scenes > found.scenes


def test_the_spread_is_the_analysis_of_variance():
    rng = np.random.default_rng(3)
    scenes = np.repeat(np.arange(8), [3, 4, 5, 6, 7, 3, 4, 5])
    values = rng.normal(size=8)[scenes] + rng.normal(size=len(scenes))
    found = measure_spread(values, scenes)
    groups = [values[scenes == s] for s in range(8)]
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (len(values) - 8)
    between = stats.f_oneway(*groups).statistic * within
    sizes = np.bincount(scenes)
    m0 = (len(values) - (sizes**2).sum() / len(values)) / 7
    assert found.icc == pytest.approx((between - within) / (between + (m0 - 1) * within))
    assert found.variance == pytest.approx((between - within) / m0 + within)
    assert (found.n_tasks, found.n_scenes) == (len(values), 8)


def test_the_icc_is_recovered_and_never_negative():
    rng = np.random.default_rng(4)
    scenes = np.repeat(np.arange(400), 10)
    values = np.sqrt(0.2) * rng.normal(size=400)[scenes] + np.sqrt(0.8) * rng.normal(size=4000)
    assert measure_spread(values, scenes).icc == pytest.approx(0.2, abs=0.04)
    assert measure_spread([0.0, 1.0, 0.0, 1.0], ["a", "a", "b", "b"]).icc == 0.0


def test_undefined_values_are_left_out():
    found = measure_spread([1.0, np.nan, 3.0, 5.0])
    assert (found.variance, found.n_tasks) == (4.0, 3)


def test_scenes_of_one_task_are_tasks():
    found = measure_spread([1.0, 2.0, 4.0], ["a", "b", "c"])
    assert (found.icc, found.tasks_per_scene) == (0.0, 1.0)
    assert found.variance == pytest.approx(np.var([1.0, 2.0, 4.0], ddof=1))


def test_a_second_run_doubles_the_variance_unless_it_agrees():
    assert plain().as_difference().variance == 2.0
    assert plain().as_difference(0.75).variance == 0.5


def test_no_spread_or_a_tiny_difference_is_an_answer_with_a_note():
    flat = required_units(measure_spread([2.0, 2.0, 2.0]), delta=0.1)
    assert (flat.tasks, flat.scenes) == (None, None)
    assert "no spread" in str(flat.note)
    tiny = required_units(plain(), delta=1e-9)
    assert tiny.tasks is None
    assert "too small" in str(tiny.note)
    assert power_at(measure_spread([2.0, 2.0]), delta=0.1, units=6) == 1.0


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01, 1 / 64])
def test_no_size_is_planned_at_which_the_test_cannot_speak(alpha):
    # With all u differences of one sign the p value is 2 / 2^u, and no pattern has a smaller one.
    least = next(u for u in range(1, 50) if 2 / 2**u < alpha)
    ones = [sign_flip_tests(np.ones(u))[0].p_value < alpha for u in (least - 1, least)]
    assert ones == [False, True]
    found = required_units(plain(), delta=100.0, alpha=alpha)
    assert found.tasks == least
    assert f"fewer than {least} tasks" in str(found.note)
    assert power_at(plain(), delta=100.0, units=max(least - 1, 2), alpha=alpha) == 0.0
    scenes = required_units(Spread(1.0, 0.5, 50, 5, 10.0), delta=100.0, alpha=alpha)
    assert (scenes.scenes, scenes.tasks) == (least, 10 * least)


@pytest.mark.parametrize(("units", "error"), [(6, 0.08), (7, 0.05), (8, 0.03), (12, 0.02)])
def test_power_of_few_units_is_near_that_of_sign_flips(units, error):
    samples = np.random.default_rng(units).normal(1.1, 1.0, (units, 3000))
    rate = np.mean([test.p_value < 0.05 for test in sign_flip_tests(samples)])
    assert power_at(plain(), delta=1.1, units=units) == pytest.approx(rate, abs=error)


@pytest.mark.parametrize(("p", "q", "r"), [(0.9, 0.8, 0.0), (0.6, 0.8, 0.3), (1.0, 0.9, 0.0)])
@pytest.mark.parametrize("units", [5, 6, 30])
def test_mcnemar_power_is_the_sum_over_all_tables(p, q, r, units):
    both = p * q + r * np.sqrt(p * (1 - p) * q * (1 - q))
    u, v = p - both, q - both
    expected = 0.0
    for first in range(units + 1):
        for second in range(units - first + 1):
            tied = units - first - second
            if first + second and stats.binomtest(first, first + second).pvalue < 0.05:
                ways = comb(units, first) * comb(units - first, second)
                expected += ways * u**first * v**second * (1 - u - v) ** tied
    rates = discordance_of_rates(p, q, r)
    assert rates.difference == pytest.approx(p - q)
    assert mcnemar_power_at(rates, units=units) == pytest.approx(expected, abs=1e-9)


def test_rates_that_cannot_be_are_cut():
    assert discordance_of_rates(0.9, 0.2, 0.99) == pytest.approx((0.7, 0.0))
    assert discordance_of_rates(0.2, 0.2, -0.99) == pytest.approx((0.2, 0.2))
    assert discordance_at(0.1, 0.3) == pytest.approx((0.3, 0.0))
    assert discordance_at(0.3, 0.1).variance == pytest.approx(0.3 - 0.01)
    assert mcnemar_power_at(discordance_of_rates(1.0, 1.0), units=50) == 0.0


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: measure_spread([1.0]), "values"),
        (lambda: measure_spread([1.0, np.inf]), "values"),
        (lambda: measure_spread([[1.0, 2.0]]), "values"),
        (lambda: measure_spread([1.0, 2.0], ["a", "a"]), "clusters"),
        (lambda: measure_spread([1.0, 2.0], ["a"]), "clusters"),
        (lambda: required_units(plain(), delta=0.0), "delta"),
        (lambda: required_units(plain(), delta=np.nan), "delta"),
        (lambda: required_units(plain(), delta=1.0, power=1.0), "power"),
        (lambda: required_units(plain(), delta=1.0, alpha=0.0), "alpha"),
        (lambda: power_at(plain(), delta=1.0, units=1), "units"),
        (lambda: plain().as_difference(1.0), "correlation"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises(ValueError, match=f"^{name}: "):
        call()
