import math

import numpy as np
import pandas as pd
import pytest

from abotn.errors import EvaluationInputError
from abotn.streaming import ScenarioEvaluator, TimestepEvaluator

BROKEN = "/data/test/anomaly/Town01/broken-light/0000"
VANISH = "/data/test/anomaly/Town02/vanish-actor/0001"
NORMAL = "/data/test/normal/Town01/0000"
OTHER = "/data/test/normal/Town02/0001"


def feed(evaluator):
    for score, scenario in ((0.9, BROKEN), (0.3, VANISH), (0.2, NORMAL), (0.4, OTHER)):
        evaluator.update(score, scenario)
    return evaluator


def test_labels_come_from_the_path():
    figures = feed(ScenarioEvaluator()).compute()
    assert figures["auroc"] == 3 / 4
    assert figures["fpr95"] == 1 / 2
    assert figures["ap"] == pytest.approx((1 + 2 / 3) / 2)
    assert (figures["n_scenarios"], figures["n_positive"], figures["n_negative"]) == (4, 2, 2)


def test_types_stand_against_all_normal_scenarios():
    figures = feed(ScenarioEvaluator()).compute()
    assert figures["by_type"]["broken-light"]["auroc"] == 1.0
    assert figures["by_type"]["vanish-actor"]["auroc"] == 1 / 2
    assert figures["by_type"]["vanish-actor"]["n_scenarios"] == 1
    assert figures["by_type"]["vanish-actor"]["n_negative"] == 2
    assert figures["by_type_negatives"] == "normal"


def test_the_table():
    table = feed(ScenarioEvaluator()).to_dataframe()
    expected = pd.DataFrame(
        {
            "scenario_id": [BROKEN, VANISH, NORMAL, OTHER],
            "score": [0.9, 0.3, 0.2, 0.4],
            "label": [True, True, False, False],
            "anomaly_type": None,
            "town": ["Town01", "Town02", "Town01", "Town02"],
        }
    )
    # pandas 3 would turn None into NaN.
    kinds = ["broken-light", "vanish-actor", None, None]
    expected["anomaly_type"] = pd.Series(kinds, dtype=object)
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)
    assert table["anomaly_type"].tolist() == kinds
    assert list(ScenarioEvaluator().to_dataframe().columns) == list(expected.columns)


def test_timestep_maxima_can_be_fed(layout):
    anomaly, normal = layout.anomaly(), layout.normal()
    layout.timesteps(anomaly, [False, True])
    layout.timesteps(normal, [False, False])
    steps, whole = TimestepEvaluator(), ScenarioEvaluator()
    steps.update([0.2, 0.7, 0.3, 0.1], [anomaly, anomaly, normal, normal], [0, 1, 0, 1])
    for scenario_id, score in steps.max_per_scenario().items():
        whole.update(score, scenario_id)
    assert whole.to_dataframe()["score"].tolist() == [0.7, 0.3]
    assert whole.compute()["auroc"] == 1.0


def test_reset():
    evaluator = feed(ScenarioEvaluator())
    evaluator.reset()
    assert evaluator.compute()["n_scenarios"] == 0
    assert math.isnan(evaluator.compute()["auroc"])
    assert feed(evaluator).compute() == feed(ScenarioEvaluator()).compute()


def test_one_class_alone_is_undefined_with_the_reason():
    evaluator = ScenarioEvaluator()
    evaluator.update(0.5, NORMAL)
    assert evaluator.compute()["undefined"]["ap"] == "no positives among 1"


@pytest.mark.parametrize("score", [0.5, np.float32(0.5), np.array(0.5), np.array([0.5]), [0.5]])
def test_one_number_in_any_form(score):
    evaluator = ScenarioEvaluator()
    evaluator.update(score, NORMAL)
    assert evaluator.to_dataframe()["score"].tolist() == [0.5]


def test_bad_input_is_named():
    evaluator = ScenarioEvaluator()
    with pytest.raises(EvaluationInputError, match="score: expected one score, got shape"):
        evaluator.update([0.1, 0.2], NORMAL)
    with pytest.raises(EvaluationInputError, match="neither kind"):
        evaluator.update(0.1, "/data/train/Town01/0000")
    with pytest.raises(EvaluationInputError, match=f"{NORMAL}: 1 NaN score"):
        evaluator.update(np.nan, NORMAL)
    assert evaluator.compute()["n_scenarios"] == 0


def test_nan_can_be_left_out_and_infinities_are_legal():
    evaluator = ScenarioEvaluator(nan_policy="omit")
    evaluator.update(np.nan, BROKEN)
    evaluator.update(np.inf, VANISH)
    evaluator.update(-np.inf, NORMAL)
    figures = evaluator.compute()
    assert (figures["n_nan"], figures["n_scenarios"], figures["auroc"]) == (1, 2, 1.0)


def test_a_scenario_that_comes_twice_is_named():
    evaluator, other = feed(ScenarioEvaluator()), ScenarioEvaluator()
    before = repr(evaluator.compute())
    for again in (NORMAL, NORMAL + "/", "/mnt/elsewhere" + NORMAL):
        with pytest.raises(EvaluationInputError, match=f"{again}: scored twice"):
            evaluator.update(0.7, again)
    other.update(0.1, "/mnt/elsewhere" + NORMAL)
    with pytest.raises(EvaluationInputError, match="scored twice"):
        evaluator.merge(other)
    restored = ScenarioEvaluator()
    restored.load_state_dict(evaluator.state_dict())
    with pytest.raises(EvaluationInputError, match="scored twice"):
        restored.update(0.7, NORMAL)
    assert repr(evaluator.compute()) == repr(restored.compute()) == before


def test_an_omitted_score_may_come_again():
    evaluator = ScenarioEvaluator(nan_policy="omit")
    evaluator.update(np.nan, NORMAL)
    evaluator.update(0.5, NORMAL)
    assert evaluator.compute()["n_scenarios"] == 1
