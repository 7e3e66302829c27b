"""Pass marks and parameters that a metric cannot have are refused before anything is read."""

from __future__ import annotations

import math

import numpy as np
import pytest

from abotn import Evaluator, metric
from abotn.errors import EvaluationInputError, PluginError, UnknownMetricError, UnknownNameError
from abotn.evaluation.compare import compare
from abotn.evaluation.gate import Condition, gate
from abotn.evaluation.power import power
from abotn.metrics.parameters import checked_parameters
from abotn.results.types import EvaluationResult, MetricResult
from abotn.streaming.accumulator import MetricAccumulator


def record(task, **values):
    counts = {"path_collision_count": 2, "steps": 5, "collision_path_length": 0.5}
    ran = {"episode_id": "s", "task_type": "point_goal", "status": "stop", "success": True}
    lengths = {"travel_length": 4.0, "shortest_path_length": 3.0, "distance_to_goal": 0.1}
    return {"task_id": f"t{task}", **ran, **lengths, **counts, **values}


ROWS = [record(task) for task in range(4)]
OUTSIDE = [
    ({"success": 1.5}, r"threshold of success must lie in \[0, 1\], got 1.5"),
    ({"success": -1}, r"threshold of success must lie in \[0, 1\], got -1"),
    ({"sr_new": 2}, r"threshold of success_new must lie in \[0, 1\], got 2"),
    ({"collision_length": -3}, r"threshold of collision_length must lie in \[0, inf\), got -3"),
    ({"spl": math.nan}, "threshold of spl must be a finite number, got nan"),
    ({"collision_length": math.inf}, "threshold of collision_length must be a finite number"),
    ({"spl": 10**400}, "threshold of spl must be a finite number"),
    ({"spl": "0.5"}, "threshold of spl must be a finite number, got '0.5'"),
]


@pytest.mark.parametrize(("thresholds", "said"), OUTSIDE)
def test_a_threshold_the_metric_cannot_reach_is_refused(thresholds, said):
    for metrics in ("all", list(thresholds)):
        with pytest.raises(EvaluationInputError, match=said) as caught:
            Evaluator().evaluate_dataset("no/such/run", metrics=metrics, thresholds=thresholds)
        assert caught.value.where.startswith("thresholds[")
    with pytest.raises(EvaluationInputError, match=said):
        MetricAccumulator(thresholds=thresholds)


def test_the_ends_of_the_bounds_are_thresholds():
    marks = {"success": 1, "spl": 0.0, "collision_length": 0}
    result = Evaluator().evaluate_dataset(ROWS, metrics=list(marks), thresholds=marks)
    assert [one.passed for one in result.metrics] == [True, True, False]


def test_a_sample_s_thresholds_are_held_against_the_bounds_too():
    path = [[0.0, 0.0], [1.0, 0.0]]
    with pytest.raises(EvaluationInputError, match=r"ade must lie in \[0, inf\), got -0.1"):
        Evaluator().evaluate(prediction=path, ground_truth=path, thresholds={"ade": -0.1})


def test_a_metric_without_bounds_takes_any_number():
    @metric(unit="m", better="lower")
    def drift(steps):
        """Drift."""
        return -steps

    found = Evaluator().evaluate_dataset(ROWS, metrics=[drift], thresholds={"drift": -4.0})
    assert found["drift"].passed is True


def evaluation(**marks):
    return EvaluationResult(tuple(MetricResult(n, 0.5, threshold=m) for n, m in marks.items()))


@pytest.mark.parametrize("text", ["success>=1.5", "success<=1.5", "success=-0.1", "success>=2"])
def test_a_gate_refuses_what_the_metric_cannot_reach(text):
    with pytest.raises(EvaluationInputError, match=r"threshold of success must lie in \[0, 1\]"):
        gate(evaluation(success=None), [text])


@pytest.mark.parametrize("limit", [1.5, -1.0, math.nan, math.inf])
def test_a_gate_refuses_such_pass_marks_of_the_evaluation_and_conditions(limit):
    with pytest.raises(EvaluationInputError, match="threshold of success must"):
        gate(evaluation(success=limit))
    with pytest.raises(EvaluationInputError, match="threshold of success must"):
        gate(evaluation(success=None), [Condition("success", ">=", limit)])


def test_a_gate_knows_no_bounds_of_somebody_else_s_metric():
    theirs = MetricResult("success", 5.0, source={"distribution": "theirs", "version": "1"})
    other = MetricResult("climbed", 5.0, unit="m")
    found = gate(EvaluationResult((theirs, other)), ["success>=4", "climbed>=-3"])
    assert [one.passed for one in found.verdicts] == [True, True]


WRONG = [
    ({"success_new": {"colision_threshold": 1}}, UnknownNameError,
     "unknown parameter of metric success_new 'colision_threshold' .*mean: collision_threshold"),
    ({"sr_new": {"limit": 1}}, UnknownNameError, "metric success_new 'limit' .*collision_thresh"),
    ({"success": {"limit": 1}}, UnknownNameError, "of metric success 'limit' .*known: none"),
    ({"success_new": {"collision_threshold": "nonsense"}}, EvaluationInputError,
     "success_new.collision_threshold: expected a finite number, got 'nonsense'"),
    ({"success_new": {"collision_threshold": True}}, EvaluationInputError, "got True"),
    ({"success_new": {"collision_threshold": None}}, EvaluationInputError, "got None"),
    ({"success_new": {"collision_threshold": math.nan}}, EvaluationInputError, "got nan"),
    ({"success_new": {"collision_threshold": [1]}}, EvaluationInputError, "number, got"),
    ({"success_new": {"collision_threshold": -1}}, EvaluationInputError,
     r"success_new.collision_threshold: expected a number in \[0, inf\), got -1"),
    ({"sucess_new": {}}, UnknownMetricError, "success_new"),
    ({"success_new": 3}, EvaluationInputError, "expected a mapping of parameters, got int"),
    ([("success_new", {})], EvaluationInputError, "expected parameters by metric, got list"),
]  # fmt: skip


@pytest.mark.parametrize(("kwargs", "error", "said"), WRONG)
def test_a_parameter_the_metric_cannot_have_is_refused(kwargs, error, said):
    for metrics in ("all", ["success", "success_new"]):
        with pytest.raises(error, match=said):
            Evaluator().evaluate_dataset("no/such/run", metrics=metrics, metric_kwargs=kwargs)
    with pytest.raises(error, match=said):
        compare(ROWS, ROWS, metric_kwargs=kwargs)
    with pytest.raises(error, match=said):
        power(ROWS, delta=0.1, metric_kwargs=kwargs)


def test_parameters_of_a_metric_that_is_not_evaluated_are_refused():
    strict = {"success_new": {"collision_threshold": 1}}
    evaluator = Evaluator()
    with pytest.raises(EvaluationInputError, match="not among the metrics asked for"):
        evaluator.evaluate_dataset("no/such/run", metrics=["spl"], metric_kwargs=strict)
    bare = [{"task_id": "t", "status": "stop", "success": True}]
    for run in (evaluator.evaluate_dataset, lambda rows, **given: compare(rows, rows, **given)):
        with pytest.raises(EvaluationInputError, match=r"success_new is not.*needs path_"):
            run(bare, metric_kwargs=strict)
    path = [[0.0, 0.0], [1.0, 0.0]]
    with pytest.raises(EvaluationInputError, match="success_new is not evaluated"):
        evaluator.evaluate(prediction=path, metric_kwargs=strict)
    with pytest.raises(EvaluationInputError, match="miss_rate is not evaluated"):
        evaluator.evaluate_dataset(ROWS, metric_kwargs={"miss_rate": {"threshold": 1.0}})


def test_good_parameters_have_their_effect():
    for limit, value in ((2, 0.0), (3, 1.0), (np.int64(2), 0.0), (np.float64(3), 1.0)):
        kwargs = {"success_new": {"collision_threshold": limit}}
        result = Evaluator().evaluate_dataset(ROWS, metric_kwargs=kwargs)
        assert result["success_new"].value == value
        assert result["success_new"].parameters["collision_threshold"] == limit
        assert EvaluationResult.from_json(result.to_json())["success_new"].value == value


def varied(
    steps, *, whole: int = 1, maybe: float | None = None, flag=False, mode="a", free: object = 0,
    plain=0, many=(), kind: bool = True, text: str = "b", top=math.inf,
):  # fmt: skip
    """Parameters of all kinds."""
    return steps


VARIED = metric(
    unit="", better="lower", allowed={"mode": ("a", "b"), "maybe": "(0, 1]", "whole": "[1, 9)"}
)(varied)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("whole", [1, 8, 3.0, np.int32(2)], [2.5, True, "3", None, 0, 9, 10**400]),
        ("maybe", [None, 1, 0.5, np.float32(0.25)], [0, 1.5, "x", math.inf, False]),
        ("flag", [True, np.bool_(False)], [1, 0.0, "true", None]),
        ("mode", ["a", "b"], ["c", 1, None]),
        ("free", [1, "x", None, [2]], []),
        ("plain", [0, 1.5, -2], ["0", True, math.nan]),
        ("many", [(), [1], None, "x"], []),
        ("kind", [False], [0, "no"]),
        ("text", ["", "x"], [1, b"x"]),
        ("top", [math.inf, 3.0], [math.nan, "inf"]),
    ],
)
def test_annotation_default_and_allowed_values_decide(name, good, bad):
    for value in good:
        assert checked_parameters(VARIED, {name: value})[name] == value
    for value in bad:
        with pytest.raises((EvaluationInputError, UnknownNameError), match=rf"varied\.{name}"):
            checked_parameters(VARIED, {name: value})


@pytest.mark.parametrize(
    ("allowed", "said"),
    [
        ({"wole": "[0, 1]"}, "takes no parameter wole"),
        ({"whole": "0..1"}, "expected an interval"),
        ({"whole": "[2, 1]"}, "expected an interval"),
        ({"whole": "[2, 3]"}, "a default that it does not allow"),
        ({"mode": ("b", "c")}, "a default that it does not allow"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(allowed, said):
    with pytest.raises(PluginError, match=f"'varied' .*{said}"):
        metric(unit="", better="lower", allowed=allowed)(varied)


@pytest.mark.parametrize("name", ["threshold", "failure_value"])
def test_declared_numbers_lie_within_the_bounds(name):
    with pytest.raises(PluginError, match=rf"declares {name}=2 outside its bounds \[0, 1\]"):
        metric(unit="", better="higher", bounds=(0, 1), **{name: 2})(varied)
