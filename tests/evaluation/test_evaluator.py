import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn import Evaluator
from abotn.errors import EvaluationInputError, UnknownMetricError, UnknownNameError
from abotn.metrics.registry import MetricRegistry
from abotn.metrics.spec import metric
from abotn.records.types import ResultRecord
from abotn.results.types import EvaluationResult
from abotn.units import Unit


def record(index, scene="s", *, success=True, length=10.0, travelled=12.0, **more):
    return {
        "episode_id": scene,
        "task_id": f"traj_{index}",
        "task_type": "point_goal",
        "status": "stop",
        "steps": 5,
        "success": success,
        "travel_length": travelled,
        "shortest_path_length": length,
        "distance_to_goal": 0.2,
        "metrics": {},
        **more,
    }


def errored(index, **more):
    error = {"stage": "agent", "type": "E", "message": "m"}
    changes = {"success": False, "status": "error", "error": error, "travel_length": None}
    return {**record(index), **changes, **more}


@pytest.fixture(scope="module")
def evaluator():
    return Evaluator()


@pytest.fixture(scope="module")
def cases(shared):
    return json.loads((shared / "cases" / "records.json").read_text())


@pytest.mark.parametrize("threshold", [1, 3])
def test_means_over_the_reference_cases(evaluator, cases, threshold):
    kwargs = {
        name: {"collision_threshold": threshold}
        for name in ("success_new", "spl_new", "tcr_new", "dcr_new")
    }
    result = evaluator.evaluate_dataset([c["record"] for c in cases], metric_kwargs=kwargs)
    for name in ("success", "spl", "success_new", "spl_new", "tcr_new", "dcr_new", "poi_spl",
                 "soft_spl", "progress", "collision_length"):  # fmt: skip
        wanted = [c["values"][str(threshold)].get(name) for c in cases]
        known = [Fraction(value) for value in wanted if value is not None]
        assert result[name].value == pytest.approx(float(sum(known) / len(known)), abs=1e-9)
        assert result[name].finite_count == len(known)
        assert result[name].undefined_count == len(cases) - len(known)


def test_every_kind_of_input_gives_the_same_evaluation(evaluator):
    rows = [record(i, success=i % 3 == 0, travelled=10.0 + i) for i in range(9)]
    wanted = evaluator.evaluate_dataset(rows, bootstrap_ci=200).to_json()
    frame = pd.DataFrame([{k: v for k, v in row.items() if k != "metrics"} for row in rows])
    for other in (frame, [ResultRecord.from_dict(row) for row in rows], rows[::-1]):
        assert evaluator.evaluate_dataset(other, bootstrap_ci=200).to_json() == wanted


@settings(max_examples=15, deadline=None)
@given(st.lists(st.booleans(), min_size=2, max_size=40), st.randoms())
def test_order_of_records_and_of_metrics_changes_nothing(flags, random):
    rows = [record(i, success=flag, travelled=10 + i) for i, flag in enumerate(flags)]
    shuffled = rows[:]
    random.shuffle(shuffled)
    both = Evaluator().evaluate_dataset(rows, metrics=["success", "spl"], bootstrap_ci=150)
    alone = Evaluator().evaluate_dataset(shuffled, metrics=["spl"], bootstrap_ci=150)
    assert both["spl"].to_dict() == alone["spl"].to_dict()


def test_another_seed_gives_other_resamples(evaluator):
    rows = [record(i, travelled=10.0 + i * i) for i in range(20)]
    one, two = (
        evaluator.evaluate_dataset(rows, metrics=["spl"], bootstrap_ci=200, bootstrap_seed=seed)
        for seed in (0, 1)
    )
    assert one["spl"].value == two["spl"].value
    assert one["spl"].ci.lower != two["spl"].ci.lower


def test_errors_count_as_failures_where_failure_has_a_value(evaluator):
    rows = [record(0), record(1), errored(2)]
    result = evaluator.evaluate_dataset(rows, metrics=["success", "travel_length"])
    assert result["success"].value == pytest.approx(2 / 3)
    assert result["success"].error_count == 1
    assert result["travel_length"].value == 12.0
    assert result["travel_length"].error_count == 0
    assert result["travel_length"].metadata["errors_left_out"] == 1
    assert result.counts["errors"] == 1


def test_errors_can_be_excluded_or_refused(evaluator):
    rows = [record(0), record(1, success=False), errored(2)]
    result = evaluator.evaluate_dataset(rows, metrics=["success"], on_error="exclude")
    assert result["success"].value == 0.5
    assert result.counts["errors"] == 1
    assert result.counts["scored"] == 2
    with pytest.raises(EvaluationInputError, match="s/traj_2"):
        evaluator.evaluate_dataset(rows, metrics=["success"], on_error="raise")


def test_a_reference_that_is_not_finite_is_undefined_never_zero(evaluator):
    rows = [record(0), record(1, length=None), record(2, length="inf"), record(3, length=math.nan)]
    result = evaluator.evaluate_dataset(rows, metrics=["spl"])
    assert result["spl"].value == pytest.approx(10 / 12)
    assert (result["spl"].finite_count, result["spl"].undefined_count) == (1, 3)


def test_undefined_for_every_record_has_a_reason_and_is_null(evaluator):
    result = evaluator.evaluate_dataset([record(0, length=None)], metrics=["spl", "success"])
    assert math.isnan(result["spl"].value)
    assert result["spl"].reason == "undefined for every record"
    assert json.loads(result.to_json())["metrics"][0]["value"] is None


def test_a_task_tried_often_weighs_as_much_as_one_tried_once(evaluator):
    rows = [record(0, attempt=k, success=k == 0) for k in range(4)] + [record(1)]
    result = evaluator.evaluate_dataset(rows, metrics=["success"], bootstrap_ci=100)
    assert result["success"].value == pytest.approx((1 / 4 + 1) / 2)
    assert result["success"].ci.resampled == "tasks"
    assert result["success"].ci.n_units == 2
    assert result.counts["attempts"] == 4
    late = [record(0, attempt=7), record(0, attempt=9), record(1, attempt=3)]
    assert evaluator.evaluate_dataset(late, metrics=["success"]).counts["attempts"] == 2


def test_a_metric_handed_over_has_thresholds_and_parameters_under_its_name(evaluator):
    @metric(unit="m", better="lower", aliases=("way",))
    def detour(travel_length, shortest_path_length, *, factor=1.0):
        """Metres beyond the shortest path."""
        return factor * (travel_length - shortest_path_length)

    rows = [record(0)]
    given = {"metrics": [detour], "metric_kwargs": {"way": {"factor": 2.0}}}
    found = evaluator.evaluate_dataset(rows, thresholds={"detour": 5}, **given)["detour"]
    plain = evaluator.evaluate_dataset(rows, metrics=[detour])["detour"]
    assert (found.threshold, found.passed) == (5, found.value <= 5)
    assert found.value == 2 * plain.value
    with pytest.raises(UnknownMetricError):
        evaluator.evaluate_dataset(rows, metrics=[detour], thresholds={"detours": 5})


@pytest.mark.parametrize("whole", [np.int64, np.uint8, int])
def test_whole_numbers_of_any_kind_are_resamples_and_seeds(evaluator, whole):
    rows = [record(k, success=k % 3 == 0) for k in range(20)]
    options = {"metrics": ["travel_length"], "bootstrap_ci": 200, "bootstrap_seed": 7}
    given = {**options, "bootstrap_ci": whole(200), "bootstrap_seed": whole(7)}
    found, plain = (evaluator.evaluate_dataset(rows, **one) for one in (given, options))
    assert found.to_json() == plain.to_json()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"bootstrap_seed": 2**63}, "bootstrap_seed"),
        ({"bootstrap_seed": -1}, "bootstrap_seed"),
        ({"bootstrap_seed": 1.0}, "bootstrap_seed"),
        ({"bootstrap_ci": 200.0}, "bootstrap_ci"),
        ({"cluster_by": ["episode_id"]}, "cluster_by"),
    ],
)
def test_options_of_the_wrong_kind_are_named(evaluator, options, named):
    with pytest.raises(EvaluationInputError, match=named):
        evaluator.evaluate_dataset([record(0)], metrics=["success"], **options)


def test_thresholds_follow_the_direction(evaluator):
    rows = [record(0), record(1, success=False)]
    result = evaluator.evaluate_dataset(
        rows,
        metrics=["success", "distance_to_goal", "steps"],
        thresholds={"success": 0.5, "distance_to_goal": 0.1},
    )
    assert [m.passed for m in result.metrics] == [True, False, None]
    assert result.passed is None
    assert result.strict_passed is False


def test_aliases_name_the_same_metric(evaluator):
    rows = [record(0, metrics={"path_collision_count": 0})]
    result = evaluator.evaluate_dataset(rows, metrics=["sr_new"], thresholds={"sr_new": 0.9})
    assert result["success_new"].passed is True


def test_scenes_are_resampled_when_enough_of_them_hold_several_tasks(evaluator):
    rows = [record(i, f"scene_{s}", travelled=10.0 + s) for s in range(5) for i in range(2)]
    result = evaluator.evaluate_dataset(rows, metrics=["spl"], bootstrap_ci=100)
    assert (result["spl"].ci.resampled, result["spl"].ci.n_units) == ("episode_id", 5)
    flat = evaluator.evaluate_dataset(rows, metrics=["spl"], bootstrap_ci=100, cluster_by=None)
    assert (flat["spl"].ci.resampled, flat["spl"].ci.n_units) == ("records", 10)
    few = evaluator.evaluate_dataset(rows[:8], metrics=["spl"], bootstrap_ci=100)
    assert few["spl"].ci.resampled == "records"


def test_a_group_of_one_scene_resamples_its_own_records(evaluator):
    rows = [record(i, f"scene_{s}", travelled=10.0 + i) for s in range(6) for i in range(4)]
    result = evaluator.evaluate_dataset(
        rows, metrics=["travel_length"], groupings=["scene"], bootstrap_ci=200
    )
    assert result["travel_length"].ci.resampled == "episode_id"
    alone = evaluator.evaluate_dataset(
        rows[:4], metrics=["travel_length"], bootstrap_ci=200, cluster_by=None
    )["travel_length"].ci
    for group in result.groups["scene"]:
        (metric,) = group.metrics
        assert (metric.ci.lower, metric.ci.upper) == (alone.lower, alone.upper)
        assert "all in one cluster" in metric.ci.note
        assert (metric.ci.resampled, metric.ci.n_units) == ("records", 4)
        assert metric.ci.lower < metric.value < metric.ci.upper


def test_a_single_cluster_over_all_records_is_flagged(evaluator):
    rows = [record(i, travelled=10.0 + i, day="monday") for i in range(8)]
    result = evaluator.evaluate_dataset(
        rows, metrics=["travel_length"], bootstrap_ci=200, cluster_by="day"
    )
    ci = result["travel_length"].ci
    assert (ci.resampled, ci.n_units, ci.degenerate) == ("day", 1, True)


def test_groups_partition_the_records(evaluator):
    rows = [record(i, length=float(length)) for i, length in enumerate((4, 5, 20, 35, 75, 76))]
    result = evaluator.evaluate_dataset(rows, metrics=["steps"], groupings=["difficulty_outdoor"])
    groups = {group.label: group.count for group in result.groups["difficulty_outdoor"]}
    assert groups == {"short": 1, "medium": 1, "long": 2, "out_of_range": 2}
    assert list(groups) == ["short", "medium", "long", "out_of_range"]


def test_any_column_quantiles_and_functions_group(evaluator):
    rows = [record(i, weather="fog" if i % 2 else "sun", travelled=float(i)) for i in range(8)]

    def odd_steps(travel_length):
        return travel_length % 2

    result = evaluator.evaluate_dataset(
        rows, metrics=["success"], groupings=["weather", "quantiles:travel_length:2", odd_steps]
    )
    assert [g.label for g in result.groups["weather"]] == ["fog", "sun"]
    assert [g.count for g in result.groups["quantiles:travel_length:2"]] == [4, 4]
    assert [g.count for g in result.groups["odd_steps"]] == [4, 4]


def test_excluded_scenes_are_counted(evaluator):
    rows = [record(0, "park3"), record(1, "park1")]
    result = evaluator.evaluate_dataset(rows, metrics=["success"], exclude_scenes=["park3"])
    assert (result.counts["scored"], result.counts["excluded"]) == (1, 1)
    assert result.provenance["excluded_scenes"] == {"park3": 1}
    with pytest.raises(EvaluationInputError, match="no record is left"):
        evaluator.evaluate_dataset(rows[:1], exclude_scenes="park3")


def test_a_named_metric_that_cannot_run_is_an_error_and_an_automatic_one_is_skipped(evaluator):
    named = evaluator.evaluate_dataset([record(0)], metrics=["success", "min_clearance"])
    assert "needs" in named["min_clearance"].metadata["error"]
    assert named.summary()["error_count"] == 1
    automatic = evaluator.evaluate_dataset([record(0)])
    assert "min_clearance" not in automatic
    assert automatic.skipped["min_clearance"] == "needs min_clearance"


def test_when_nothing_can_run_every_missing_input_is_named(evaluator):
    bare = [{"episode_id": "s", "task_id": "t", "status": "stop"}]
    with pytest.raises(EvaluationInputError, match=r"spl needs success.*steps needs steps"):
        evaluator.evaluate_dataset(bare)


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"metrics": ["sucess"]}, UnknownMetricError, "success"),
        ({"thresholds": {"spll": 1}}, UnknownMetricError, "spl"),
        ({"categories": ["navigtion"]}, UnknownNameError, "navigation"),
        ({"groupings": ["scen"]}, UnknownNameError, "scene"),
        ({"groupings": ["quantiles:nope"]}, UnknownNameError, "nope"),
        ({"groupings": ["quantiles:steps:1"]}, EvaluationInputError, "quantile"),
        ({"bootstrap_ci": 99}, EvaluationInputError, "bootstrap_ci"),
        ({"bootstrap_ci": True}, EvaluationInputError, "bootstrap_ci"),
        ({"bootstrap_ci": 1e3}, EvaluationInputError, "bootstrap_ci"),
        ({"bootstrap_seed": -1}, EvaluationInputError, "bootstrap_seed"),
        ({"ci_level": 1.0}, EvaluationInputError, "ci_level"),
        ({"ci_level": math.nan}, EvaluationInputError, "ci_level"),
        ({"ci_method": "bcaa"}, UnknownNameError, "bca"),
        ({"cluster_by": "scne"}, EvaluationInputError, "cluster_by"),
        ({"on_error": "ignore"}, UnknownNameError, "on_error"),
        ({"thresholds": {"spl": math.inf}}, EvaluationInputError, "thresholds"),
        ({"metric_kwargs": {"spl": 3}}, EvaluationInputError, "metric_kwargs"),
        ({"metrics": []}, EvaluationInputError, "metrics"),
    ],
)
def test_bad_arguments_are_named(evaluator, arguments, error, named):
    with pytest.raises(error, match=named):
        evaluator.evaluate_dataset([record(0)], **arguments)


def registry_with(function, **options):
    base = {"unit": Unit.NONE, "better": "higher"}
    return MetricRegistry([metric(**{**base, **options})(function)])


def test_a_metric_that_raises_is_visible():
    def explode(success):
        """Explode."""
        raise RuntimeError("boom")

    def fine(success):
        """Be fine."""
        return success

    registry = registry_with(explode)
    registry.register(metric(unit="", better="higher")(fine))
    result = Evaluator(registry).evaluate_dataset([record(0)])
    assert result["explode"].metadata["error"] == "RuntimeError: boom"
    assert math.isnan(result["explode"].value)
    assert result["explode"].passed is None
    assert result.summary()["error_count"] == 1


def test_a_metric_that_returns_the_wrong_shape_is_visible():
    def flat(success):
        """Return one number."""
        return 1.0

    def fine(success):
        """Be fine."""
        return success

    registry = registry_with(flat)
    registry.register(metric(unit="", better="higher")(fine))
    result = Evaluator(registry).evaluate_dataset([record(0), record(1)])
    assert "expected (2,)" in result["flat"].metadata["error"]


def test_a_per_record_metric_that_fails_on_some_records_names_them():
    def picky(steps):
        """Dislike seven."""
        if steps == 7:
            raise ValueError("seven")
        return steps

    rows = [record(0), record(1, steps=7)]
    result = Evaluator(registry_with(picky, per_record=True)).evaluate_dataset(rows)
    assert result["picky"].value == 5.0
    assert result["picky"].metadata["sample_errors"] == {"s/traj_1": "ValueError: seven"}
    assert result["picky"].undefined_count == 1


def test_a_metric_cannot_change_the_records():
    def vandal(success, steps):
        """Try to change the input."""
        steps += 1
        return success

    def after(steps):
        """Mean steps."""
        return steps

    registry = registry_with(vandal)
    registry.register(metric(unit="count", better="lower")(after))
    result = Evaluator(registry).evaluate_dataset([record(0)])
    assert "read-only" in result["vandal"].metadata["error"]
    assert result["after"].value == 5.0


def test_a_ratio_of_sums_is_not_a_mean_of_ratios(evaluator):
    rows = [
        record(0, metrics={"collision_path_length": 1.0, "total_distance": 10.0}),
        record(1, metrics={"collision_path_length": 3.0, "total_distance": 4.0}),
    ]
    result = evaluator.evaluate_dataset(rows, metrics=["collision_path_ratio"])
    assert result["collision_path_ratio"].value == pytest.approx(4.0 / 14.0)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_tiny_and_constant_data_give_flagged_intervals_and_valid_json(evaluator, count):
    rows = [record(i) for i in range(count)]
    result = evaluator.evaluate_dataset(rows, bootstrap_ci=100, groupings=["status", "task_id"])
    again = EvaluationResult.from_json(result.to_json())
    for one in again.metrics:
        assert one.ci is not None or one.ci_reason
        if one.ci is not None:
            assert one.ci.lower <= one.value <= one.ci.upper
            assert one.ci.degenerate


def test_one_damaged_number_does_not_spoil_the_others(evaluator):
    good = {"collision_path_length": 1.0, "total_distance": 4.0}
    rows = [record(0, metrics=good), record(1, metrics={**good, "total_distance": -1.0})]
    result = evaluator.evaluate_dataset(rows, metrics=["collision_path_ratio"], bootstrap_ci=100)
    assert result["collision_path_ratio"].value == 0.25
    assert (result.counts["scored"], result.counts["damaged"]) == (1, 1)


def test_an_attempt_that_went_nowhere_counts_in_a_ratio(evaluator):
    def row(task, attempt, inside, distance):
        lengths = {"collision_path_length": inside, "total_distance": distance}
        return record(task, attempt=attempt, metrics=lengths)

    rows = [row(0, 0, 5.0, 10.0), row(0, 1, 0.0, 0.0), row(1, 0, 0.0, 10.0), row(1, 1, 0.0, 10.0)]
    result = evaluator.evaluate_dataset(rows, metrics=["collision_path_ratio"])
    assert result["collision_path_ratio"].value == pytest.approx(2.5 / 15)


def test_a_metric_cannot_unlock_the_records():
    def unlock(success):
        """Try to make the column writeable."""
        success.flags.writeable = True
        success[:] = 1.0
        return success

    with pytest.raises(EvaluationInputError, match="WRITEABLE"):
        Evaluator(registry_with(unlock)).evaluate_dataset([record(0)], metrics=["unlock"])


def test_values_are_kept_on_request(evaluator):
    rows = [record(0), record(1, length=None)]
    result = evaluator.evaluate_dataset(rows, metrics=["spl"], keep_values=True)
    assert result["spl"].metadata["raw_values"] == [pytest.approx(10 / 12), None]


def test_counts_minimum_maximum_and_std(evaluator):
    rows = [record(i, steps=s) for i, s in enumerate((2, 4, 9))]
    steps = evaluator.evaluate_dataset(rows, metrics=["steps"])["steps"]
    assert (steps.minimum, steps.maximum) == (2.0, 9.0)
    assert steps.std == pytest.approx(np.std([2, 4, 9], ddof=1))
    assert steps.sample_count == steps.finite_count == 3
