"""Two models over the same scenarios."""

import base64

import numpy as np
import pytest
from sklearn import metrics

from abotn.errors import DataError, EvaluationInputError, UnknownNameError
from abotn.results.comparison import Comparison
from abotn.results.files import read_evaluation
from abotn.streaming import PixelEvaluator, ScenarioEvaluator, TimestepEvaluator
from abotn.streaming.comparison import compare_results, is_streaming_result
from abotn.streaming.dataset import parse_scenario
from abotn.streaming.draws import KEY, decoded, encoded
from abotn.streaming.resampling import Resampling, scenario_draws

FIGURES = ("auroc", "aupr", "ap", "fpr95")
KINDS = ("spawn-props", "spawn-props", "vanish-actor", "vanish-actor", None, None, None)


def scored(seed=0, timesteps=12):
    """Path, labels and scores of seven scenarios, scores on a grid of 1/8."""
    rng = np.random.default_rng(seed)
    found = []
    for i, kind in enumerate(KINDS):
        below = f"normal/Town{i % 2}" if kind is None else f"anomaly/Town{i % 2}/{kind}"
        labels = rng.random(timesteps) < (0.4 if kind else 0.0)
        scores = rng.integers(-8, 9, timesteps) / 8 + labels * 0.5
        found.append((f"test/{below}/scenario-{i}", labels, scores))
    return found


def timestep_evaluator(layout, data):
    evaluator = TimestepEvaluator()
    for below, labels, scores in data:
        scenario = str(layout.root / below)
        layout.timesteps(scenario, labels)
        evaluator.update(scores, [scenario] * len(scores), range(len(scores)))
    return evaluator


def pixel_evaluator(layout, data):
    """4,096 scenario bins keep scores on a grid of 1/8 apart, so that resamples are exact."""
    evaluator = PixelEvaluator("front", num_workers=2)
    for below, labels, scores in data:
        scenario = str(layout.root / below)
        layout.mask(scenario, 0, labels[None])
        evaluator.update(scores[None, None], [scenario], [0])
    return evaluator


def reference(labels, scores):
    precision, recall, _ = metrics.precision_recall_curve(labels, scores)
    fpr, tpr, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    auroc = metrics.roc_auc_score(labels, scores)
    ap = metrics.average_precision_score(labels, scores)
    return np.array([auroc, metrics.auc(recall, precision), ap, fpr[np.argmax(tpr >= 0.95)]])


def noisy(data, seed, noise):
    """The same labels with worse scores, on a grid of 1/8."""
    rng = np.random.default_rng([seed, 9])
    return [
        (below, labels, scores + rng.integers(-noise, noise + 1, scores.size) / 8)
        for below, labels, scores in data
    ]


@pytest.mark.parametrize("make", [timestep_evaluator, pixel_evaluator])
def test_differences_are_those_of_resampled_scores(layout, make):
    data = sorted(scored(), key=lambda one: one[0])
    worse = noisy(data, 0, 8)
    results = [
        make(layout, one).to_result(name=name, bootstrap_ci=100, bootstrap_seed=5)
        for name, one in (("good", data), ("bad", worse))
    ]
    (pair,) = compare_results(*results, level=0.9).pairs
    scenarios = [parse_scenario(f"/d/{below}") for below, _, _ in data]
    found = []
    for drawn in np.concatenate(list(scenario_draws(scenarios, Resampling(100, 0.9, 5)))):
        taken = np.repeat(np.arange(len(data)), drawn.astype(int))
        labels = np.concatenate([data[i][1] for i in taken])
        sides = [np.concatenate([one[i][2] for i in taken]) for one in (data, worse)]
        found.append(reference(labels, sides[0]) - reference(labels, sides[1]))
    assert (pair.run_a, pair.run_b) == ("good", "bad")
    assert (pair.n_pairs, pair.resampled) == (7, "scenario_id")
    for name, draws in zip(FIGURES, np.array(found).T, strict=True):
        one = pair[name]
        assert one.value_a == results[0][name].value
        assert one.difference == results[0][name].value - results[1][name].value
        expected = np.quantile(draws, [0.05, 0.95])
        assert [one.ci.lower, one.ci.upper] == pytest.approx(expected.tolist(), abs=1e-6)
        # Kept as float32, so that differences of nothing come out as about nothing.
        below, above = (draws < 1e-7).sum(), (draws > -1e-7).sum()
        assert one.p_value == pytest.approx(min(1, 2 * (min(below, above) + 1) / 101))
        assert one.test == "scenario_bootstrap"


def test_a_clear_difference_has_a_winner_in_the_direction_of_the_figure(layout):
    data = scored(3, timesteps=60)
    better = [(below, labels, scores + 4.0 * labels) for below, labels, scores in data]
    good, bad = (timestep_evaluator(layout, one).to_result(bootstrap_ci=400, name=name)
                 for name, one in (("good", better), ("bad", data)))  # fmt: skip
    for results in ((good, bad), (bad, good)):
        (pair,) = compare_results(*results).pairs
        for name in ("auroc", "aupr", "ap", "fpr95"):
            assert pair[name].winner == "good"
            assert pair[name].p_adjusted < 0.05
    assert pair["fpr95"].difference > 0 > pair["auroc"].difference


def test_a_model_does_not_differ_from_itself_nor_from_its_scores_on_another_scale(layout):
    data = scored(4)
    stretched = [(below, labels, 3 * scores + 1) for below, labels, scores in data]
    one, same = (timestep_evaluator(layout, d).to_result(bootstrap_ci=100, name=n)
                 for n, d in (("one", data), ("same", stretched)))  # fmt: skip
    (pair,) = compare_results(one, same).pairs
    for metric in pair.metrics:
        assert (metric.difference, metric.p_value, metric.p_adjusted) == (0.0, 1.0, 1.0)
        assert metric.winner == "no difference shown"
        assert metric.ci.degenerate
        assert (metric.ci.lower, metric.ci.upper) == (0.0, 0.0)


def test_it_works_on_files_and_is_written(layout, tmp_path):
    data = scored()
    for name, one in (("a", data), ("b", noisy(data, 1, 4)), ("c", noisy(data, 2, 4))):
        timestep_evaluator(layout, one).to_result(bootstrap_ci=100, name=name).write(
            tmp_path / f"{name}.json"
        )
    results = [read_evaluation(tmp_path / f"{name}.json") for name in "abc"]
    assert all(is_streaming_result(result) for result in results)
    found = compare_results(*results)
    assert [(pair.run_a, pair.run_b) for pair in found.pairs] == [
        ("a", "b"), ("a", "c"), ("b", "c"),
    ]  # fmt: skip
    against = compare_results(*results, baseline="b")
    assert [(pair.run_a, pair.run_b) for pair in against.pairs] == [("a", "b"), ("c", "b")]
    again = Comparison.from_json(found.to_json())
    assert again.to_json() == found.to_json()
    assert again.provenance["statistics"]["n_resamples"] == 100
    named = compare_results(*results[:2], names=["x", "y"])
    assert (named.pairs[0].run_a, named.pairs[0].run_b) == ("x", "y")
    twice = compare_results(results[0], results[0])
    assert (twice.pairs[0].run_a, twice.pairs[0].run_b) == ("a (1)", "a (2)")


def test_undefined_figures_have_a_reason_and_no_p_value():
    results = []
    for name in ("a", "b"):
        evaluator = ScenarioEvaluator()
        evaluator.update(0.5, "/data/test/normal/Town01/0")
        results.append(evaluator.to_result(name=name, bootstrap_ci=100))
    (pair,) = compare_results(*results).pairs
    assert np.isnan(pair["ap"].p_value)
    assert pair["ap"].ci_reason == "no positives among 1"
    assert pair["ap"].winner == "no difference shown"


def test_results_that_rest_on_different_things_are_refused(layout):
    data = scored()
    options = {"name": "a", "bootstrap_ci": 100}
    one = timestep_evaluator(layout, data).to_result(**options)
    others = {
        "bootstrap_seed": timestep_evaluator(layout, data).to_result(bootstrap_seed=1, **options),
        "bootstrap_ci": timestep_evaluator(layout, data).to_result(name="b", bootstrap_ci=101),
        "scenarios": timestep_evaluator(layout, data[:-1]).to_result(**options),
        "level": pixel_evaluator(layout, data).to_result(**options),
    }
    for what, other in others.items():
        with pytest.raises(EvaluationInputError, match=f"{what}: a.* has .*evaluate both"):
            compare_results(one, other)
    with pytest.raises(EvaluationInputError, match="b: has no resamples"):
        compare_results(one, timestep_evaluator(layout, data).to_result(name="b"))


def test_bad_arguments_are_named(layout):
    one = timestep_evaluator(layout, scored()).to_result(name="a", bootstrap_ci=100)
    with pytest.raises(EvaluationInputError, match="needs two or more, got 1"):
        compare_results(one)
    with pytest.raises(EvaluationInputError, match="1 name for 2 results"):
        compare_results(one, one, names=["a"])
    with pytest.raises(EvaluationInputError, match="two results have one name"):
        compare_results(one, one, names=["a", "a"])
    with pytest.raises(EvaluationInputError, match="level: must lie between 0 and 1"):
        compare_results(one, one, level=1.0)
    with pytest.raises(UnknownNameError, match="unknown baseline 'd'"):
        compare_results(one, one, names=["a", "b"], baseline="d")


def test_kept_draws_are_float32_and_damage_is_noticed():
    draws = np.random.default_rng(0).random(50)
    draws[3] = np.nan
    assert np.allclose(decoded(encoded(draws)), draws, atol=1e-7, equal_nan=True)
    assert decoded({}) is None
    for bad in ("%%%", base64.b64encode(b"abc").decode(), 7):
        with pytest.raises(DataError, match=f"{KEY}: damaged"):
            decoded({KEY: bad})
