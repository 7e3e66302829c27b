import inspect

import numpy as np
import pytest

from abotn.errors import DataError, EvaluationInputError
from abotn.streaming import PointEvaluator


def test_constructor_parameters_match_the_pixel_evaluator_without_sensor():
    parameters = inspect.signature(PointEvaluator).parameters
    assert {name: parameters[name].default for name in list(parameters)[:6]} == {
        "num_workers": 32,
        "max_inflight": 32,
        "n_bins": 65536,
        "scenario_bins": 4096,
        "score_transform": None,
        "score_range": None,
    }
    assert "sensor" not in parameters


@pytest.mark.parametrize("exact", [False, True])
def test_clouds_differ_in_length(layout, exact):
    scenario = layout.anomaly()
    layout.points(scenario, 0, [True, False, False, False])
    layout.points(scenario, 1, [False, True, False])
    evaluator = PointEvaluator(num_workers=2, max_inflight=4, exact=exact)
    clouds = [np.array([5.0, 0.0, -1.0, -2.0]), np.array([0.0, 9.0, 7.0])]
    evaluator.update(clouds, [scenario, scenario], [0, 1])
    figures = evaluator.compute()
    # Of 2 x 5 pairs the positive 9 wins five and the positive 5 wins four, losing to 7.
    assert figures["auroc"] == pytest.approx(9 / 10)
    assert (figures["n_samples"], figures["n_positive"], figures["n_timesteps"]) == (7, 2, 2)
    assert figures["by_type"]["spawn-props"]["n_samples"] == 7


def test_missing_labels_are_all_negative_and_counted(layout):
    evaluator = PointEvaluator()
    evaluator.update([[1.0, 2.0], (3.0,)], [layout.normal(), layout.anomaly()], [0, 5])
    figures = evaluator.compute()
    assert (figures["n_negative"], figures["n_missing_labels"]) == (3, 2)


def test_one_array_of_equal_clouds_is_taken_row_by_row(layout):
    scenario = layout.anomaly()
    layout.points(scenario, 1, [False, True])
    evaluator = PointEvaluator()
    evaluator.update(np.array([[0.0, 0.0], [1.0, 2.0]]), [scenario] * 2, [0, 1])
    assert evaluator.compute()["auroc"] == 1.0


def test_a_label_file_without_the_column_is_named(layout):
    scenario = layout.anomaly()
    path = layout.points(scenario, 0, [True])
    layout.table(path, label=[True])
    evaluator = PointEvaluator()
    evaluator.update([[1.0]], [scenario], [0])
    with pytest.raises(DataError, match="expected a column 'anomaly', found label") as caught:
        evaluator.compute()
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("clouds", "message"),
    [
        ([np.zeros((2, 3))], r"point_scores\[0\]: expected shape \(N,\), got \(2, 3\)"),
        ([[0.0], 1.0], r"point_scores\[1\]: expected shape"),
        ([["a"]], r"point_scores\[0\]: expected"),
    ],
)
def test_clouds_of_another_form_are_named(layout, clouds, message):
    evaluator = PointEvaluator()
    with pytest.raises(EvaluationInputError, match=message):
        evaluator.update(clouds, [layout.normal()] * len(clouds), range(len(clouds)))
    assert evaluator.compute()["n_samples"] == 0


def test_clouds_that_are_none_or_masked_are_named(layout):
    for clouds, message in ((None, "got NoneType"), ([np.ma.zeros(3)], "masked array")):
        with pytest.raises(EvaluationInputError, match=f"point_scores.*{message}"):
            PointEvaluator().update(clouds, [layout.normal()], [0])
