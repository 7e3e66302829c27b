import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.errors import EvaluationInputError, UnknownMetricError
from abotn.evaluation.gate import Condition, gate, parse_condition
from abotn.results.types import EvaluationResult, MetricResult


def higher(name, value, **more):
    return MetricResult(name, value, **more)


def lower(name, value, **more):
    return MetricResult(name, value, **{"unit": "m", "direction": "lower", **more})


def evaluation(*metrics):
    return EvaluationResult(tuple(metrics))


RESULT = evaluation(higher("success_new", 0.85), lower("collision_length", 0.4))


def passed(*conditions, result=RESULT, **options):
    return [verdict.passed for verdict in gate(result, conditions, **options).verdicts]


def test_each_condition_gets_a_verdict_with_value_and_limit():
    found = gate(RESULT, ["success_new>=0.8", "collision_length<=0.3"])
    assert not found.passed
    assert [(v.condition, v.passed, v.value, v.limit) for v in found.verdicts] == [
        ("success_new >= 0.8", True, 0.85, 0.8),
        ("collision_length <= 0.3 m", False, 0.4, 0.3),
    ]


def test_relations_are_what_they_say_and_equals_follows_the_direction():
    assert passed("success_new<=0.8", "collision_length>=0.3") == [False, True]
    assert passed("success_new=0.8", "success_new=0.9") == [True, False]
    assert passed("collision_length=0.5", "collision_length=0.3") == [True, False]
    assert passed("success_new>=0.85", "success_new<=0.85", "collision_length=0.4") == [True] * 3


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([">=", "<=", "="]))
def test_a_condition_is_read_back_from_its_text(limit, relation):
    assert parse_condition(f" ade {relation} {limit!r} ") == Condition("ade", relation, limit)


@pytest.mark.parametrize(
    "text",
    ["success_new", "success_new>0.8", "success_new==0.8", ">=0.8", "success_new>=", "a>=b",
     "a>=nan", "a<=inf", "a>=1>=2", ""],
)  # fmt: skip
def test_other_forms_are_refused(text):
    with pytest.raises(EvaluationInputError, match="thresholds"):
        parse_condition(text)


def test_an_undefined_value_fails_with_its_reason():
    empty = higher("spl", math.nan, reason="undefined for every record")
    (verdict,) = gate(evaluation(empty), ["spl>=0.0"]).verdicts
    assert (verdict.passed, verdict.value) == (False, None)
    assert verdict.reason == "undefined for every record"


def test_metrics_that_raised_fail_unless_allowed():
    raised = higher("ndtw", math.nan, metadata={"error": "ValueError: shape"})
    partly = higher(
        "spl", 0.9, metadata={"sample_error_count": 2, "sample_errors": {"s/t": "ValueError: x"}}
    )
    result = evaluation(higher("success", 1.0), raised, partly)
    found = gate(result, ["success>=0.9"])
    assert [v.metric for v in found.verdicts if not v.passed] == ["ndtw", "spl"]
    assert "ValueError: shape" in found.verdicts[1].reason
    assert "2 records" in found.verdicts[2].reason
    assert gate(result, ["success>=0.9"], allow_errors=True).passed
    assert not gate(result, ["ndtw>=0"], allow_errors=True).passed


def test_a_regression_is_measured_by_direction():
    before = evaluation(higher("success_new", 0.87), lower("collision_length", 0.37))
    assert passed(baseline=before, max_regression=0.02) == [True, False]
    assert passed(baseline=before, max_regression=0.03) == [True, True]
    assert passed(baseline=before, max_regression=0.01) == [False, False]
    worse_before = evaluation(higher("success_new", 0.1), lower("collision_length", 9.0))
    assert passed(baseline=worse_before) == [True, True]


@pytest.mark.parametrize(
    ("before", "now", "allowed"),
    [(0.3, 0.2, 0.1), (0.94, 0.92, 0.02), (0.7, 0.6, 0.1), (1.1, 1.0, 0.1), (0.57, 0.55, 0.02)],
)
def test_exactly_the_allowed_regression_passes(before, now, allowed):
    for make, then, after in ((higher, before, now), (lower, now, before)):
        baseline, result = evaluation(make("m", then)), evaluation(make("m", after))
        assert passed(result=result, baseline=baseline, max_regression=allowed) == [True]
        tighter = allowed - 1e-9
        assert passed(result=result, baseline=baseline, max_regression=tighter) == [False]


def test_which_metrics_are_held_against_the_baseline():
    before = evaluation(higher("success_new", 0.9), lower("collision_length", 0.1))

    def compared(conditions=(), **options):
        verdicts = gate(RESULT, conditions, baseline=before, **options).verdicts
        return [v.metric for v in verdicts[len(conditions) :]]

    assert compared() == ["success_new", "collision_length"]
    assert compared(["success_new>=0.8"]) == ["success_new"]
    assert compared(max_regression={"collision_length": 0.5}) == ["collision_length"]
    assert compared(["success_new>=0.8"], metrics=["collision_length"]) == ["collision_length"]


def test_a_baseline_without_the_value_fails_a_named_metric_and_skips_an_unnamed_one():
    before = evaluation(higher("success_new", 0.8), lower("collision_length", math.nan))
    assert passed(baseline=before) == [True]
    found = gate(RESULT, baseline=before, metrics=["collision_length"])
    assert found.verdicts[0].reason == "baseline's value is undefined"
    missing = gate(RESULT, baseline=evaluation(higher("spl", 1.0)), metrics=["success_new"])
    assert missing.verdicts[0].reason == "baseline has no such metric"
    assert not missing.passed


def test_a_value_that_was_there_and_is_undefined_now_fails():
    now = evaluation(higher("success_new", math.nan, reason="no records"))
    before = evaluation(higher("success_new", 0.8))
    (verdict,) = gate(now, baseline=before, max_regression=1.0).verdicts
    assert (verdict.passed, verdict.reason) == (False, "no records")


def test_without_conditions_the_evaluations_own_pass_marks_count():
    marked = evaluation(higher("success", 0.7, threshold=0.8), lower("ade", 0.2, threshold=0.3))
    assert passed(result=marked) == [False, True]
    assert passed("ade<=0.3", result=marked) == [True]
    with pytest.raises(EvaluationInputError, match="nothing to check"):
        gate(RESULT)


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(UnknownMetricError, match="success_new"):
        gate(RESULT, ["sucess_new>=0.8"])
    with pytest.raises(UnknownMetricError, match="ade"):
        gate(RESULT, baseline=RESULT, metrics=["ade"])
    with pytest.raises(EvaluationInputError, match="'cm'"):
        gate(RESULT, baseline=evaluation(lower("collision_length", 1.0, unit="cm")))
    with pytest.raises(EvaluationInputError, match="baseline"):
        gate(RESULT, baseline=evaluation(higher("other", 1.0)))
    for bad in (-0.1, math.nan, math.inf):
        with pytest.raises(EvaluationInputError, match="max_regression"):
            gate(RESULT, baseline=RESULT, max_regression=bad)
        with pytest.raises(EvaluationInputError, match="max_regression"):
            gate(RESULT, baseline=RESULT, max_regression={"success_new": bad})


def test_plain_values_say_it_all():
    document = gate(RESULT, ["success_new>=0.9"]).to_dict()
    assert document["passed"] is False
    assert document["verdicts"][0]["limit"] == 0.9
