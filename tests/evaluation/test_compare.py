import itertools
import math
import random

import numpy as np
import pytest
from scipy.stats import binomtest

from abotn.errors import EvaluationInputError, UnknownMetricError, UnknownNameError
from abotn.evaluation.compare import compare
from abotn.results.comparison import NO_DIFFERENCE, Comparison


def record(task, *, scene="s", success=True, **more):
    fields = {"status": "stop", "steps": 5, "travel_length": 10.0, "shortest_path_length": 10.0}
    return {"episode_id": scene, "task_id": task, "success": success, **fields, **more}


def runs(n=40, seed=0, scenes=1):
    """Two runs over n tasks; the first succeeds more often and walks further."""
    rng = np.random.default_rng(seed)
    first, second = [], []
    for i in range(n):
        place = {"task": f"t{i}", "scene": f"s{i % scenes}"}
        lengths = rng.gamma(5, 2, 2)
        first.append(record(**place, success=bool(rng.random() < 0.8), travel_length=lengths[0]))
        second.append(record(**place, success=bool(rng.random() < 0.4), travel_length=lengths[1]))
    return first, second


def column(rows, name):
    return np.array([row[name] for row in rows], dtype=float)


def brute_force_p(differences):
    """Two-sided sign-flip p value, by going through all sign patterns."""
    seen = abs(sum(differences)) - 1e-12
    signs = itertools.product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(pattern, differences, strict=True))) for pattern in signs]
    return sum(one >= seen for one in sums) / len(sums)


def test_values_differences_and_mcnemar_against_scipy():
    a, b = runs()
    found = compare(a, b, names=["a", "b"], metrics=["success"], n_resamples=500).pairs[0]
    one = found["success"]
    left, right = column(a, "success"), column(b, "success")
    assert (one.value_a, one.value_b) == (left.mean(), right.mean())
    assert one.difference == pytest.approx(left.mean() - right.mean())
    only_a, only_b = int((left > right).sum()), int((right > left).sum())
    assert one.test == "mcnemar_exact"
    assert one.p_value == pytest.approx(binomtest(only_a, only_a + only_b).pvalue)
    assert one.winner == "a"
    assert one.ci.lower < one.difference < one.ci.upper
    assert len(found.solved_only_by_a) == only_a
    assert len(found.solved_only_by_b) == only_b


def test_a_continuous_metric_is_tested_by_flipping_signs():
    a, b = runs(9)
    one = compare(a, b, metrics=["travel_length"], n_resamples=200).pairs[0]["travel_length"]
    differences = column(a, "travel_length") - column(b, "travel_length")
    assert one.test == "sign_flip_exact"
    assert one.p_value == pytest.approx(brute_force_p(differences.tolist()))


def test_scenes_are_flipped_and_resampled_as_wholes():
    a, b = runs(24, scenes=6)
    found = compare(a, b, metrics=["travel_length"], n_resamples=200).pairs[0]
    differences = column(a, "travel_length") - column(b, "travel_length")
    by_scene = [differences[scene::6].sum() for scene in range(6)]
    one = found["travel_length"]
    assert found.resampled == one.ci.resampled == "episode_id"
    assert one.ci.n_units == 6
    assert one.p_value == pytest.approx(brute_force_p(by_scene))
    flat = compare(a, b, metrics=["travel_length"], n_resamples=200, cluster_by=None).pairs[0]
    assert (flat.resampled, flat["travel_length"].ci.n_units) == ("tasks", 24)


def test_p_values_are_corrected_by_holm_over_the_metrics():
    a, b = runs(20)
    names = ["success", "travel_length", "path_efficiency", "spl"]
    pair = compare(a, b, metrics=names, n_resamples=500).pairs[0]
    raw = sorted((one.p_value, one.name) for one in pair.metrics)
    highest = 0.0
    for rank, (p, name) in enumerate(raw):
        highest = max(highest, min(1.0, p * (len(raw) - rank)))
        assert pair[name].p_adjusted == pytest.approx(highest)


def test_the_winner_follows_the_direction():
    a = [record(f"t{i}", travel_length=20.0 + i % 3) for i in range(12)]
    b = [record(f"t{i}", travel_length=10.0) for i in range(12)]
    pair = compare(a, b, names=["far", "near"], metrics=["travel_length", "spl"]).pairs[0]
    assert pair["travel_length"].winner == "near"
    assert pair["travel_length"].difference > 0
    assert pair["spl"].winner == "near"
    assert pair["spl"].difference < 0
    same = compare(a, a, names=["x", "y"], metrics=["travel_length"]).pairs[0]["travel_length"]
    assert (same.winner, same.p_value, same.difference) == (NO_DIFFERENCE, 1.0, 0.0)
    assert same.ci.degenerate


def test_what_only_one_side_has_is_named_and_left_out():
    a = [record(f"t{i}", success=i < 2) for i in range(4)] + [record("extra", success=True)]
    b = [record(f"t{i}", success=i not in (1, 5)) for i in range(1, 6)]
    pair = compare(a, b, metrics=["success"]).pairs[0]
    assert pair.n_pairs == 3
    assert pair.only_a == ("s/extra", "s/t0")
    assert pair.only_b == ("s/t4", "s/t5")
    assert pair["success"].value_a == pytest.approx(1 / 3)
    assert pair["success"].value_b == pytest.approx(2 / 3)
    assert pair.solved_only_by_a == ("s/t1",)
    assert pair.solved_only_by_b == ("s/t2", "s/t3")


def test_a_task_tried_often_weighs_as_much_as_one_tried_once():
    a = [record("t0", success=k == 0, attempt=k) for k in range(4)] + [record("t1")]
    b = [record("t0", success=False), record("t1", success=False)]
    one = compare(a, b, metrics=["success"]).pairs[0]["success"]
    assert one.value_a == (1 / 4 + 1) / 2
    assert one.n_pairs == 2
    assert one.test == "sign_flip_exact"


def test_a_task_is_solved_when_most_attempts_are():
    a = [record(f"t{i}", success=k < i, attempt=k) for i in range(3) for k in range(2)]
    b = [record(f"t{i}", success=False) for i in range(3)]
    pair = compare(a, b, metrics=["success"]).pairs[0]
    assert pair.solved_only_by_a == ("s/t2",)


def test_who_solves_what_adds_up_to_all_tasks():
    a, b = runs()
    pair = compare(a, b, metrics=["success"]).pairs[0]
    left, right = column(a, "success"), column(b, "success")
    assert pair.solved_by_both == int((left * right).sum())
    assert pair.solved_by_neither == int(((1 - left) * (1 - right)).sum())
    split = len(pair.solved_only_by_a) + len(pair.solved_only_by_b)
    assert pair.solved_by_both + pair.solved_by_neither + split == 40
    assert (pair.solved_by, pair.solved_unknown) == ("success", ())


def test_another_metric_may_say_what_is_solved():
    a = [record("t0", path_collision_count=9), record("t1", path_collision_count=0),
         record("t2", success=False, path_collision_count=0)]  # fmt: skip
    b = [record(f"t{i}", path_collision_count=0) for i in range(3)]
    known = {"metric_kwargs": {"success_new": {"collision_threshold": 3}}}
    scored = compare(a, b, metrics=["success", "success_new"], solved_by="success_new", **known)
    aside = compare(a, b, metrics=["success"], solved_by="sr_new")
    for found in (scored.pairs[0], aside.pairs[0]):
        assert found.solved_by == "success_new"
        assert found.solved_only_by_b == ("s/t0", "s/t2")
        assert found.solved_by_both == 1
    assert [one.name for one in aside.pairs[0].metrics] == ["success"]


def test_a_task_whose_outcome_is_undefined_is_named_and_in_no_list():
    a = [record("t0", path_collision_count=None), record("t1", path_collision_count=0)]
    b = [record("t0", success=False, path_collision_count=0), record("t1", path_collision_count=0)]
    found = compare(a, b, metrics=["success"], solved_by="success_new").pairs[0]
    assert found.solved_unknown == ("s/t0",)
    assert (found.solved_only_by_a, found.solved_by_both, found.solved_by_neither) == ((), 1, 0)


def test_a_metric_that_says_no_yes_or_no_is_refused():
    a, b = runs(8)
    with pytest.raises(EvaluationInputError, match="not 0 or 1 in every attempt of run 1"):
        compare(a, b, metrics=["success"], solved_by="travel_length")
    with pytest.raises(UnknownMetricError, match="success"):
        compare(a, b, metrics=["success"], solved_by="sucess")
    with pytest.raises(EvaluationInputError, match="cannot be measured for run 1"):
        compare(a, b, metrics=["success"], solved_by="ndtw")


def test_an_undefined_value_leaves_its_pair_out_and_is_counted():
    a = [record("t0", shortest_path_length=None), record("t1", travel_length=20.0), record("t2")]
    b = [record("t0"), record("t1"), record("t2")]
    one = compare(a, b, metrics=["spl"]).pairs[0]["spl"]
    assert (one.n_pairs, one.n_undefined) == (2, 1)
    assert (one.value_a, one.value_b) == (0.75, 1.0)


def test_an_error_record_counts_as_the_policy_says():
    failed = {"success": False, "status": "error", "travel_length": None,
              "error": {"stage": "agent", "type": "E", "message": "m"}}  # fmt: skip
    a = [{**record("t0"), **failed}, record("t1")]
    b = [record("t0"), record("t1")]
    assert compare(a, b, metrics=["success"]).pairs[0]["success"].value_a == 0.5
    left_out = compare(a, b, metrics=["success"], on_error="exclude").pairs[0]
    assert left_out["success"].value_a == 1.0
    assert left_out.only_b == ("s/t0",)
    with pytest.raises(EvaluationInputError, match="s/t0"):
        compare(a, b, on_error="raise")


def test_a_ratio_of_sums_stays_one():
    def rows(*pairs):
        return [
            record(f"t{i}", metrics={"collision_path_length": top, "total_distance": bottom})
            for i, (top, bottom) in enumerate(pairs)
        ]

    a, b = rows((1.0, 10.0), (3.0, 4.0)), rows((0.0, 10.0), (2.0, 10.0))
    one = compare(a, b, metrics=["collision_path_ratio"]).pairs[0]["collision_path_ratio"]
    assert (one.value_a, one.value_b) == (pytest.approx(4 / 14), pytest.approx(2 / 20))
    assert one.difference == pytest.approx(4 / 14 - 2 / 20)


def test_an_interval_of_a_difference_stays_within_what_the_metric_allows():
    a = [record(f"t{i}", scene=f"s{i % 6}") for i in range(24)]
    b = [record(f"t{i}", scene=f"s{i % 6}", success=i == 0) for i in range(24)]
    ci = compare(a, b, metrics=["success"]).pairs[0]["success"].ci
    assert ci.upper == 1.0
    assert ci.lower < 0.9583
    swapped = compare(b, a, metrics=["success"]).pairs[0]["success"].ci
    assert (swapped.lower, swapped.upper) == (-1.0, -ci.lower)


def test_three_runs_give_every_pair_or_all_against_the_baseline():
    a, b = runs(6)
    every = compare(a, b, a, names=["a", "b", "c"], metrics=["success"])
    assert [(p.run_a, p.run_b) for p in every.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    against = compare(a, b, a, names=["a", "b", "c"], baseline="b", metrics=["success"])
    assert [(p.run_a, p.run_b) for p in against.pairs] == [("a", "b"), ("c", "b")]
    assert against.baseline == "b"
    unnamed = compare(a, b, metrics=["success"]).pairs[0]
    assert unnamed.run_a != unnamed.run_b


def test_order_changes_nothing_and_another_seed_other_resamples():
    a, b = runs(30)
    shuffled = a[:]
    random.Random(1).shuffle(shuffled)
    whole = compare(a, b, metrics=["success", "travel_length"], n_resamples=300)
    assert (
        compare(shuffled, b[::-1], metrics=["success", "travel_length"], n_resamples=300) == whole
    )
    alone = compare(a, b, metrics=["travel_length"], n_resamples=300).pairs[0]["travel_length"]
    assert alone.ci == whole.pairs[0]["travel_length"].ci
    assert alone.p_value == whole.pairs[0]["travel_length"].p_value
    other = compare(a, b, metrics=["travel_length"], n_resamples=300, seed=1).pairs[0]
    assert other["travel_length"].ci.lower != alone.ci.lower


def test_metrics_that_cannot_be_compared_are_named():
    a = [record("t0", metrics={"min_clearance": 0.5}), record("t1", metrics={"min_clearance": 1.0})]
    b = [record("t0"), record("t1")]
    found = compare(a, b, names=["a", "b"], metrics=["success", "min_clearance"])
    assert [one.name for one in found.pairs[0].metrics] == ["success"]
    assert "min_clearance" in found.provenance["left_out"]["b"]["min_clearance"]


def test_parameters_reach_the_metrics():
    a = [record(f"t{i}", metrics={"path_collision_count": 2}) for i in range(3)]
    strict = {"sr_new": {"collision_threshold": 1}}
    assert compare(a, a, metrics=["success_new"]).pairs[0]["success_new"].value_a == 1.0
    found = compare(a, a, metrics=["success_new"], metric_kwargs=strict).pairs[0]
    assert found["success_new"].value_a == 0.0


@pytest.mark.parametrize("count", [1, 2])
def test_one_or_two_pairs_give_a_flagged_answer_and_valid_json(count):
    a = [record(f"t{i}", travel_length=12.0 + i) for i in range(count)]
    b = [record(f"t{i}") for i in range(count)]
    found = compare(a, b)
    assert Comparison.from_json(found.to_json()) == found
    for one in found.pairs[0].metrics:
        assert one.ci is None or one.ci.degenerate
        assert one.ci is not None or one.ci_reason


def test_a_written_comparison_is_read_back(tmp_path):
    a, b = runs(8)
    a[0]["shortest_path_length"] = None
    found = compare(a, b, n_resamples=200)
    found.write(tmp_path / "comparison.json")
    again = Comparison.read(tmp_path / "comparison.json")
    assert again.to_json() == found.to_json()
    assert again.pairs[0]["spl"].n_undefined == 1


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"n_resamples": None}, EvaluationInputError, "n_resamples"),
        ({"n_resamples": 99}, EvaluationInputError, "n_resamples"),
        ({"level": 0.0}, EvaluationInputError, "level"),
        ({"level": math.nan}, EvaluationInputError, "level"),
        ({"seed": -1}, EvaluationInputError, "seed"),
        ({"cluster_by": "scne"}, EvaluationInputError, "cluster_by"),
        ({"metrics": ["sucess"]}, UnknownMetricError, "success"),
        ({"metrics": []}, EvaluationInputError, "metrics"),
        ({"baseline": "c"}, UnknownNameError, "baseline"),
        ({"names": ["a"]}, EvaluationInputError, "names"),
        ({"names": ["a", "a"]}, EvaluationInputError, "names must differ"),
        ({"on_error": "ignore"}, UnknownNameError, "on_error"),
        ({"metric_kwargs": {"spll": {}}}, UnknownMetricError, "spl"),
    ],
)
def test_bad_arguments_are_named(arguments, error, named):
    a, b = runs(4)
    with pytest.raises(error, match=named):
        compare(a, b, **{"names": ["a", "b"], **arguments})


def test_runs_that_cannot_be_paired_are_refused():
    a, _ = runs(3)
    with pytest.raises(EvaluationInputError, match="two or more, got 1"):
        compare(a)
    with pytest.raises(EvaluationInputError, match="no task in common"):
        compare(a, [record("elsewhere")])
    with pytest.raises(EvaluationInputError, match="no records"):
        compare(a, [])
    with pytest.raises(EvaluationInputError, match="no value in some records"):
        compare([record("t", weather=None), record("u", weather="fog")], [record("t"), record("u")],
                cluster_by="weather")  # fmt: skip
