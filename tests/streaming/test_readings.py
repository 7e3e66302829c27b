"""Sensor and timestep level."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn import metrics

from abotn.errors import DataError, EvaluationInputError, UnknownNameError
from abotn.streaming import SensorEvaluator, TimestepEvaluator


@pytest.fixture
def two(layout):
    """An anomalous and a normal scenario, three timesteps each, labels at both levels."""
    anomaly, normal = layout.anomaly(), layout.normal("Town02")
    layout.sensor(anomaly, "front", [False, False, True])
    layout.sensor(normal, "front", [False, False, False])
    layout.timesteps(anomaly, [False, True, True])
    layout.timesteps(normal, [False, False, False])
    return anomaly, normal


def feed(evaluator, two):
    anomaly, normal = two
    evaluator.update([0.1, 0.2, 0.9], [anomaly] * 3, [0, 1, 2])
    evaluator.update(np.array([0.05, 0.2, 0.15]), [normal] * 3, [0, 1, 2])
    return evaluator


def test_a_reading_is_positive_where_its_own_sensor_sees_the_anomaly(two):
    figures = feed(SensorEvaluator("front"), two).compute()
    assert figures["auroc"] == 1.0
    assert (figures["n_timesteps"], figures["n_positive"], figures["n_scenarios"]) == (6, 1, 2)
    assert figures["fpr95"] == 0.0
    assert figures["ap"] == 1.0


def test_a_timestep_is_positive_whatever_a_single_sensor_sees(two):
    figures = feed(TimestepEvaluator(), two).compute()
    # Positives 0.2 and 0.9, negatives 0.1 0.05 0.2 0.15: seven wins and one tie of eight.
    assert figures["auroc"] == 7.5 / 8
    assert figures["n_timesteps"] == 6
    assert figures["fpr95"] == 1 / 4
    assert figures["ap"] == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)


def test_every_sensor_has_labels_of_its_own(layout):
    scenario = layout.anomaly()
    for i, sensor in enumerate(("front", "left", "right", "rear", "lidar")):
        layout.sensor(scenario, sensor, [j == i for j in range(5)])
        evaluator = SensorEvaluator(sensor)
        evaluator.update(np.eye(5)[i], [scenario] * 5, range(5))
        assert evaluator.compute()["auroc"] == 1.0


@pytest.mark.parametrize(
    ("convention", "rule", "spawn_auroc", "vanish_auroc", "n_negative"),
    # spawn: 0.5 against the normal 0.45 0.2, and its own 0.4; vanish: 0.3 against the normal
    # 0.45 0.2, and its own 0.6.
    [
        ("carlanomaly", "normal", 1.0, 1 / 2, 2),
        ("devkit", "own_and_normal", 1.0, 1 / 3, 3),
    ],
)
def test_types_stand_against_all_normal_scenarios(
    layout, convention, rule, spawn_auroc, vanish_auroc, n_negative
):
    spawn, vanish, normal = layout.anomaly(), layout.anomaly("vanish-actor"), layout.normal()
    for scenario, labels in ((spawn, [0, 1]), (vanish, [1, 0]), (normal, [0, 0])):
        layout.timesteps(scenario, labels)
    evaluator = TimestepEvaluator(by_type_negatives=convention)
    evaluator.update([0.4, 0.5], [spawn] * 2, [0, 1])
    evaluator.update([0.3, 0.6], [vanish] * 2, [0, 1])
    evaluator.update([0.45, 0.2], [normal] * 2, [0, 1])
    figures = evaluator.compute()
    assert figures["by_type"]["spawn-props"]["auroc"] == spawn_auroc
    assert figures["by_type"]["vanish-actor"]["auroc"] == pytest.approx(vanish_auroc)
    assert figures["by_type"]["vanish-actor"]["n_negative"] == n_negative
    assert figures["by_type"]["vanish-actor"]["n_timesteps"] == 2
    assert figures["by_type"]["vanish-actor"]["negatives"] == rule
    assert figures["by_type_negatives"] == rule
    assert figures["by_type_convention"] == convention
    # All positives 0.5 0.3 against all negatives 0.4 0.6 0.45 0.2.
    assert figures["auroc"] == pytest.approx((3 + 1) / 8)


@pytest.mark.parametrize("make", [TimestepEvaluator, lambda: SensorEvaluator("front")])
def test_normal_scenarios_are_the_default_negatives_of_a_type(make):
    figures = make().compute()
    assert figures["by_type_negatives"] == "normal"
    assert figures["by_type_convention"] == "carlanomaly"


@pytest.mark.parametrize(
    ("negatives", "expected"),
    # spawn-props: positive 0.5; own negative 0.4, normal 0.55 0.2, other type's negative 0.6.
    [("own", 1.0), ("normal", 1 / 2), ("own_and_normal", 2 / 3), ("all", 2 / 4)],
)
def test_the_negatives_of_a_type_can_be_chosen(layout, negatives, expected):
    spawn, vanish, normal = layout.anomaly(), layout.anomaly("vanish-actor"), layout.normal()
    for scenario, labels in ((spawn, [0, 1]), (vanish, [0, 1]), (normal, [0, 0])):
        layout.timesteps(scenario, labels)
    evaluator = TimestepEvaluator(by_type_negatives=negatives)
    evaluator.update([0.4, 0.5], [spawn] * 2, [0, 1])
    evaluator.update([0.6, 0.9], [vanish] * 2, [0, 1])
    evaluator.update([0.55, 0.2], [normal] * 2, [0, 1])
    found = evaluator.compute()["by_type"]["spawn-props"]
    assert found["auroc"] == pytest.approx(expected)
    assert found["negatives"] == negatives


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_auroc_is_exact_with_ties(layout, pairs):
    labels = [label for _, label in pairs]
    scenario = layout.anomaly()
    layout.timesteps(scenario, labels)
    evaluator = TimestepEvaluator()
    evaluator.update([score / 5 for score, _ in pairs], [scenario] * len(pairs), range(len(pairs)))
    figures = evaluator.compute()
    if len(set(labels)) < 2:
        assert math.isnan(figures["auroc"])
    else:
        expected = metrics.roc_auc_score(labels, [score / 5 for score, _ in pairs])
        assert figures["auroc"] == pytest.approx(expected, abs=1e-12)


def test_labels_are_read_once_per_scenario(two, layout):
    anomaly, _ = two
    labels = layout.timesteps(anomaly, [False, True, True, False])
    evaluator = feed(TimestepEvaluator(), two)
    labels.unlink()
    evaluator.update([0.5], [anomaly], [3])
    assert evaluator.compute()["n_timesteps"] == 7
    evaluator.reset()
    with pytest.raises(DataError, match="does not exist") as caught:
        evaluator.update([0.5], [anomaly], [1])
    assert str(labels) in str(caught.value)


def test_the_table_has_a_row_per_score_in_the_order_they_came(two):
    anomaly, normal = two
    table = feed(TimestepEvaluator(), two).to_dataframe()
    expected = pd.DataFrame(
        {
            "scenario_id": [anomaly] * 3 + [normal] * 3,
            "timestep_id": [0, 1, 2] * 2,
            "score": [0.1, 0.2, 0.9, 0.05, 0.2, 0.15],
            "label": [False, True, True, False, False, False],
            "anomaly_type": None,
            "town": ["Town01"] * 3 + ["Town02"] * 3,
        }
    )
    # pandas 3 would turn None into NaN.
    expected["anomaly_type"] = pd.Series(["spawn-props"] * 3 + [None] * 3, dtype=object)
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)
    assert table["anomaly_type"].tolist()[3:] == [None] * 3
    assert table["score"].dtype == np.float64
    assert table["label"].dtype == np.bool_
    assert table["timestep_id"].dtype == np.int64


def test_an_empty_table_has_the_columns():
    assert list(SensorEvaluator("lidar").to_dataframe().columns) == [
        "scenario_id", "timestep_id", "score", "label", "anomaly_type", "town",
    ]  # fmt: skip
    assert SensorEvaluator("lidar").max_per_scenario() == {}


def test_the_highest_score_of_each_scenario(two):
    anomaly, normal = two
    evaluator = feed(SensorEvaluator("front"), two)
    assert evaluator.max_per_scenario() == {anomaly: 0.9, normal: 0.2}
    evaluator.reset()
    evaluator.update([-np.inf, np.inf, 0.9, -np.inf], [anomaly, normal] * 2, [0, 0, 1, 1])
    assert evaluator.max_per_scenario() == {anomaly: 0.9, normal: np.inf}


def test_thirty_timesteps_are_thirty_scores(layout):
    scenario = layout.anomaly()
    layout.timesteps(scenario, [i >= 20 for i in range(30)])
    evaluator = TimestepEvaluator()
    for i in range(30):
        evaluator.update([float(i)], [scenario], [i])
    figures = evaluator.compute()
    assert (figures["n_timesteps"], figures["n_positive"]) == (30, 10)
    assert figures["auroc"] == 1.0


def test_many_small_batches_keep_their_order(layout):
    scenario = layout.normal()
    layout.timesteps(scenario, [False] * 2500)
    evaluator = TimestepEvaluator()
    for i in range(2500):
        evaluator.update([i / 2500], [scenario], [i])
    table = evaluator.to_dataframe()
    assert table["timestep_id"].tolist() == list(range(2500))
    assert table["score"].is_monotonic_increasing


@pytest.mark.parametrize("beyond", [3, 1000])
def test_a_timestep_beyond_the_labels_is_named_and_nothing_is_taken(two, beyond):
    anomaly, normal = two
    evaluator = TimestepEvaluator()
    with pytest.raises(DataError, match=f"timestep {beyond} lies beyond its 3 labels") as caught:
        evaluator.update([0.1, 0.2], [normal, anomaly], [0, beyond])
    assert f"{anomaly}/anomaly-observation.feather" in str(caught.value)
    assert evaluator.compute()["n_timesteps"] == 0


def test_a_missing_label_file_is_named(layout):
    with pytest.raises(DataError, match="does not exist") as caught:
        SensorEvaluator("rear").update([0.1], [layout.normal()], [0])
    assert f"{layout.normal()}/anomaly-rear/sensor.feather" in str(caught.value)


def test_nan_scores_name_scenario_timestep_and_count(two):
    anomaly, normal = two
    evaluator = TimestepEvaluator()
    with pytest.raises(EvaluationInputError) as caught:
        evaluator.update([0.1, np.nan, np.nan], [anomaly, normal, normal], [0, 2, 1])
    named = f"{normal} timestep 2: 1 NaN score, and 1 more elsewhere in the batch"
    assert named in str(caught.value)
    assert evaluator.compute()["n_timesteps"] == 0


def test_nan_scores_can_be_left_out_and_are_counted(two):
    anomaly, normal = two
    evaluator = TimestepEvaluator(nan_policy="omit")
    evaluator.update([0.1, np.nan, 0.3], [anomaly, normal, anomaly], [0, 0, 1])
    figures = evaluator.compute()
    assert (figures["n_nan"], figures["n_timesteps"]) == (1, 2)
    assert evaluator.max_per_scenario() == {anomaly: 0.3}


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((2, 4, 4)), r"scores: expected one score per item.*got shape \(2, 4, 4\)"),
        (0.5, "scores: expected one score per item"),
        (["a", "b"], "scores: expected"),
        ([0.1], "scenario_ids: expected 1, one per score, got 2"),
    ],
)
def test_scores_of_another_form_are_named(two, scores, message):
    with pytest.raises(EvaluationInputError, match=message):
        TimestepEvaluator().update(scores, list(two), [0, 1])


def test_an_unknown_sensor_is_an_error_with_the_known_ones():
    with pytest.raises(UnknownNameError, match="unknown sensor 'radar'"):
        SensorEvaluator("radar")


def test_a_timestep_that_comes_twice_is_named_and_nothing_is_taken(two):
    anomaly, normal = two
    evaluator = feed(TimestepEvaluator(), two)
    before = repr(evaluator.compute())
    with pytest.raises(EvaluationInputError, match=f"{normal} timestep 2: scored twice"):
        evaluator.update([0.1], [normal], [2])
    assert repr(evaluator.compute()) == before
    fresh = TimestepEvaluator()
    with pytest.raises(EvaluationInputError, match=f"{anomaly} timestep 1: scored twice"):
        fresh.update([0.1, 0.2, 0.3, 0.4], [anomaly, anomaly, normal, anomaly], [0, 1, 1, 1])
    fresh.update([0.1, 0.2], [anomaly, normal], [1, 1])
    assert fresh.compute()["n_timesteps"] == 2


def test_shards_that_share_a_timestep_are_refused(two):
    anomaly, normal = two
    left, right = SensorEvaluator("front"), SensorEvaluator("front")
    left.update([0.1, 0.2], [anomaly, normal], [0, 1])
    right.update([0.3, 0.4], [normal, normal], [0, 1])
    before = repr(left.compute())
    with pytest.raises(EvaluationInputError, match=f"{normal} timestep 1: scored twice"):
        left.merge(right)
    assert repr(left.compute()) == before
    left.update([0.5], [normal], [0])


def test_a_restored_or_merged_evaluator_knows_what_was_scored(two):
    anomaly, _ = two
    restored, merged = TimestepEvaluator(), TimestepEvaluator()
    restored.load_state_dict(feed(TimestepEvaluator(), two).state_dict())
    merged.merge(restored)
    for evaluator in (restored, merged):
        with pytest.raises(EvaluationInputError, match="scored twice"):
            evaluator.update([0.1], [anomaly], [0])
        evaluator.reset()
        evaluator.update([0.1], [anomaly], [0])


def test_a_state_that_holds_a_timestep_twice_is_damaged(two):
    evaluator = feed(TimestepEvaluator(), two)
    state = evaluator.state_dict()
    state["store"]["timestep"][:2] = 0
    with pytest.raises(DataError, match=r"damaged.*scored twice"):
        evaluator.load_state_dict(state)
    assert evaluator.compute()["n_timesteps"] == 6


def test_an_omitted_score_may_come_again(two):
    anomaly, _ = two
    evaluator = TimestepEvaluator(nan_policy="omit")
    evaluator.update([np.nan], [anomaly], [1])
    evaluator.update([0.5], [anomaly], [1])
    assert evaluator.compute()["n_timesteps"] == 1
