import math

import numpy as np
import pytest
from scipy import stats

from abotn.errors import EvaluationInputError, UnknownMetricError, UnknownNameError
from abotn.evaluation.power import power


def record(task, *, scene="s", success=True, **more):
    fields = {"status": "stop", "steps": 5, "travel_length": 10.0, "shortest_path_length": 10.0}
    return {"episode_id": scene, "task_id": task, "success": success, **fields, **more}


def needed_tasks(variance, delta, target=0.8, alpha=0.05):
    """The least n whose noncentral t power reaches the target, counted up one by one."""
    for n in range(2, 100_000):
        shift = delta / math.sqrt(variance / n)
        limit = stats.t.ppf(1 - alpha / 2, n - 1)
        if stats.nct.sf(limit, n - 1, shift) + stats.nct.cdf(-limit, n - 1, shift) >= target:
            return n
    raise AssertionError("no number below 100000")


def test_from_one_run_a_second_one_like_it_is_assumed():
    rows = [record(f"t{i}", success=i % 3 == 0) for i in range(30)]
    plan = power(rows, delta=0.2, metrics=["success"])
    row = plan["success"]
    p, q = 1 / 3, 1 / 3 + 0.2
    assert (plan.basis, plan.correlation, plan.clustered_by) == ("one run", 0.0, None)
    assert row.spread == pytest.approx(math.sqrt(p * (1 - p) + q * (1 - q)))
    assert (row.value, row.n_tasks, row.clusters) == (pytest.approx(1 / 3), 30, None)
    related = power(rows, delta=0.2, metrics=["success"], correlation=0.5)["success"]
    assert related.tasks < 0.6 * row.tasks


@pytest.mark.parametrize(("p", "delta"), [(0.9, 0.1), (0.95, 0.05), (0.8, 0.1), (0.97, 0.1)])
def test_independent_runs_of_the_planned_size_reach_the_power(p, delta):
    rows = [record(f"t{i}", success=i < round(p * 100)) for i in range(100)]
    tasks = power(rows, delta=delta, metrics=["success"])["success"].tasks
    rng = np.random.default_rng(0)
    a = rng.random((4000, tasks)) < p
    b = rng.random((4000, tasks)) < p - delta
    first, second = (a & ~b).sum(axis=1), (b & ~a).sum(axis=1)
    p_values = 2 * stats.binom.cdf(np.minimum(first, second), first + second, 0.5)
    assert 0.78 <= (p_values < 0.05).mean() <= 0.83


def test_two_runs_of_zeros_and_ones_give_the_share_of_tasks_only_one_solves():
    a = [record(f"t{i}", success=i % 4 != 0) for i in range(80)]
    b = [record(f"t{i}", success=i % 4 != 1) for i in range(80)]
    row = power(a, against=b, delta=0.1, metrics=["success"])["success"]
    assert row.spread == pytest.approx(math.sqrt(0.5 - 0.01))
    u, v = 0.3, 0.2
    draws = np.random.default_rng(1).multinomial(row.tasks, [u, v, 1 - u - v], 4000)
    p_values = 2 * stats.binom.cdf(draws[:, :2].min(axis=1), draws[:, :2].sum(axis=1), 0.5)
    assert (p_values < 0.05).mean() == pytest.approx(0.8, abs=0.025)
    same = power(a, against=a, delta=0.1, metrics=["success"])["success"]
    assert (same.tasks, same.note) == (None, "all values are equal: no spread to plan by")


def test_a_run_too_small_for_any_p_value_says_so():
    five = [record(f"t{i}", scene=f"s{i % 5}", success=i // 5 % 2 == 0) for i in range(50)]
    row = power(five, delta=0.5, metrics=["success"])["success"]
    assert (row.n_clusters, row.clusters, row.tasks, row.power_now) == (5, 6, 60, 0.0)
    assert "fewer than 6" in row.note
    smaller = power(five, delta=0.2, metrics=["success"])["success"]
    assert smaller.note.startswith("5 clusters show nothing: fewer than 6")
    four = power(five[:4], delta=0.5, metrics=["success"], cluster_by=None)["success"]
    assert four.note.startswith("4 tasks show nothing")
    assert four.power_now == 0.0


def test_a_fraction_has_the_worse_variance_of_both_runs():
    rates = [(0.9, 0.6)[i % 2] for i in range(60)]
    rows = [record(f"t{i}", travel_length=10 / rate) for i, rate in enumerate(rates)]
    row = power(rows, delta=0.2, metrics=["spl"])["spl"]
    own, m = np.var(rates, ddof=1), 0.75
    other = own * 0.55 * 0.45 / (m * (1 - m))
    assert row.spread == pytest.approx(math.sqrt(own + other))
    assert row.tasks == needed_tasks(own + other, 0.2)


def test_two_runs_give_the_spread_of_their_differences():
    rng = np.random.default_rng(0)
    a = [record(f"t{i}", travel_length=x) for i, x in enumerate(rng.gamma(5, 2, 25))]
    b = [record(f"t{i}", travel_length=x) for i, x in enumerate(rng.gamma(5, 2, 25))]
    plan = power(a, against=[*b, record("extra")], delta=1.5, metrics=["travel_length"])
    differences = [x["travel_length"] - y["travel_length"] for x, y in zip(a, b, strict=True)]
    row = plan["travel_length"]
    assert (plan.basis, plan.correlation) == ("paired differences", None)
    assert row.n_tasks == 25
    assert row.tasks == needed_tasks(np.var(differences, ddof=1), 1.5)


def test_scenes_that_differ_cost_tasks():
    rows = [record(f"t{i}", scene=f"s{i % 8}", success=i % 8 < 4) for i in range(64)]
    plan = power(rows, delta=0.3, metrics=["success"])
    row = plan["success"]
    assert plan.clustered_by == "episode_id"
    assert (row.icc, row.n_clusters) == (pytest.approx(1.0), 8)
    assert row.tasks == row.clusters * 8
    flat = power(rows, delta=0.3, metrics=["success"], cluster_by=None)["success"]
    assert flat.tasks < row.tasks


def test_a_ratio_of_sums_is_planned_by_its_linear_form():
    tops, bottoms = np.array([1.0, 3.0, 0.0, 2.0]), np.array([10.0, 4.0, 6.0, 5.0])
    rows = [
        record(f"t{i}", metrics={"collision_path_length": top, "total_distance": bottom})
        for i, (top, bottom) in enumerate(zip(tops, bottoms, strict=True))
    ]
    row = power(rows, delta=0.1, metrics=["collision_path_ratio"])["collision_path_ratio"]
    ratio = tops.sum() / bottoms.sum()
    linear = (tops - ratio * bottoms) / bottoms.mean()
    assert row.value == pytest.approx(ratio)
    assert row.spread == pytest.approx(math.sqrt(2 * np.var(linear, ddof=1)))


def test_attempts_of_a_task_are_averaged_first():
    rows = [record(f"t{i}", attempt=k, success=(i + k) % 2 == 0) for i in range(4) for k in (0, 1)]
    assert power(rows, delta=0.1, metrics=["success"])["success"].note.startswith("all values are")


def test_all_takes_fractions_and_says_why_there_is_no_number():
    rows = [record(f"t{i}", success=i == 0, shortest_path_length=None) for i in range(5)]
    plan = power(rows, delta=0.1)
    assert "travel_length" not in [row.metric for row in plan.rows]
    assert plan["success"].tasks > 5
    assert plan["spl"].tasks is None
    assert "at least two" in plan["spl"].note
    assert plan["spl"].value is None
    assert plan.to_dict()["rows"][0]["metric"] == "success"
    with pytest.raises(KeyError):
        plan["travel_length"]


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"delta": 0.0}, EvaluationInputError, "delta"),
        ({"delta": math.nan}, EvaluationInputError, "delta"),
        ({"target": 1.0}, EvaluationInputError, "target"),
        ({"alpha": 0.0}, EvaluationInputError, "alpha"),
        ({"correlation": 1.0}, EvaluationInputError, "correlation"),
        ({"metrics": ["sucess"]}, UnknownMetricError, "success"),
        ({"cluster_by": "scne"}, EvaluationInputError, "cluster_by"),
        ({"against": [record("elsewhere")]}, EvaluationInputError, "against"),
        ({"on_error": "ignore"}, UnknownNameError, "on_error"),
    ],
)
def test_bad_arguments_are_named(arguments, error, named):
    with pytest.raises(error, match=named):
        power([record("t0"), record("t1")], **{"delta": 0.1, **arguments})
