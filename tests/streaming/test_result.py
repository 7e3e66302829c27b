import inspect

import numpy as np
import pytest
from sklearn import metrics

from abotn.errors import EvaluationInputError
from abotn.results.files import read_evaluation
from abotn.results.types import EvaluationResult
from abotn.streaming import (
    MetricAccumulator,
    PixelEvaluator,
    ScenarioEvaluator,
    TimestepEvaluator,
)
from abotn.streaming.dataset import parse_scenario
from abotn.streaming.resampling import Resampling, scenario_draws

FIGURES = ("auroc", "aupr", "ap", "fpr95")
KINDS = ("spawn-props", "spawn-props", "vanish-actor", "vanish-actor", None, None, None)


def scored(seed=0, timesteps=12):
    """Scenario ids, labels and scores of seven scenarios, scores on a grid of 1/8."""
    rng = np.random.default_rng(seed)
    found = []
    for i, kind in enumerate(KINDS):
        town = f"Town0{i % 2 + 1}"
        below = f"normal/{town}" if kind is None else f"anomaly/{town}/{kind}"
        labels = rng.random(timesteps) < (0.4 if kind else 0.0)
        scores = rng.integers(-8, 9, timesteps) / 8 + labels * 0.5 + rng.integers(-2, 3) / 8
        found.append((f"test/{below}/scenario-{i}", labels, scores))
    return found


def timestep_evaluator(layout, data):
    evaluator = TimestepEvaluator()
    for below, labels, scores in data:
        scenario = str(layout.root / below)
        layout.timesteps(scenario, labels)
        evaluator.update(scores, [scenario] * len(scores), range(len(scores)))
    return evaluator


def pixel_evaluator(layout, data, **options):
    evaluator = PixelEvaluator("front", num_workers=2, **options)
    for below, labels, scores in data:
        scenario = str(layout.root / below)
        layout.mask(scenario, 0, labels[None])
        evaluator.update(scores[None, None], [scenario], [0])
    return evaluator


def reference(labels, scores):
    precision, recall, _ = metrics.precision_recall_curve(labels, scores)
    fpr, tpr, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    return np.array(
        [
            metrics.roc_auc_score(labels, scores),
            metrics.auc(recall, precision),
            metrics.average_precision_score(labels, scores),
            fpr[np.argmax(tpr >= 0.95)],
        ]
    )


def test_the_figures_are_those_of_compute(layout):
    evaluator = timestep_evaluator(layout, scored())
    figures, result = evaluator.compute(), evaluator.to_result(name="model")
    assert isinstance(result, EvaluationResult)
    assert result.name == "model"
    assert [metric.name for metric in result.metrics] == list(FIGURES)
    for metric in result.metrics:
        assert metric.value == figures[metric.name]
        assert metric.sample_count == metric.finite_count == 84
        assert metric.metadata["n_positive"] == figures["n_positive"]
        assert metric.ci is None
        assert metric.ci_reason == "not asked for"
    assert {metric.name: metric.direction for metric in result.metrics} == {
        "auroc": "higher",
        "aupr": "higher",
        "ap": "higher",
        "fpr95": "lower",
    }
    assert result.counts["scored"] == 84
    assert result.counts["scenarios"] == 7


def test_groups_by_anomaly_type_and_town(layout):
    data = scored()
    evaluator = timestep_evaluator(layout, data)
    figures, result = evaluator.compute(), evaluator.to_result()
    types = {group.label: group for group in result.groups["anomaly_type"]}
    assert list(types) == ["spawn-props", "vanish-actor"]
    for label, group in types.items():
        assert group.count == 24
        for metric in group.metrics:
            assert metric.value == figures["by_type"][label][metric.name]
            assert metric.parameters["by_type_negatives"] == "normal"
    towns = {group.label: group for group in result.groups["town"]}
    assert {label: group.count for label, group in towns.items()} == {"Town01": 48, "Town02": 36}
    for label, group in towns.items():
        here = [one for one in data if f"/{label}/" in one[0]]
        labels, scores = (np.concatenate(part) for part in list(zip(*here, strict=True))[1:])
        found = [metric.value for metric in group.metrics]
        assert found == pytest.approx(reference(labels, scores).tolist(), abs=1e-12)


def test_it_is_written_checked_and_read_back(layout, tmp_path):
    result = pixel_evaluator(layout, scored(), nan_policy="omit").to_result(bootstrap_ci=100)
    result.write(tmp_path / "evaluation.json")
    again = read_evaluation(tmp_path / "evaluation.json")
    assert again.to_json() == result.to_json()
    assert again["fpr95"].direction == "lower"
    assert again.provenance["protocol"]["name"] == "carlanomaly-sample"
    assert again.provenance["streaming"]["level"] == "sample"
    assert again.provenance["streaming"]["by_type_convention"] == "carlanomaly"
    assert again["auroc"].parameters["by_type_negatives"] == "own"
    assert "auroc" in result.to_markdown()
    assert len(result.to_dataframe()) == 4 * (1 + 2 + 2)


def test_an_undefined_figure_is_null_with_the_reason():
    evaluator = ScenarioEvaluator()
    empty = evaluator.to_result(bootstrap_ci=100)
    assert empty["auroc"].reason == empty["auroc"].ci_reason == "no scores"
    evaluator.update(0.5, "/data/test/normal/Town01/0")
    result = evaluator.to_result(bootstrap_ci=100)
    assert np.isnan(result["auroc"].value)
    assert result["auroc"].reason == "no positives among 1"
    assert result["auroc"].ci is None
    assert result["auroc"].undefined_count == 1
    document = EvaluationResult.from_json(result.to_json()).to_dict()
    assert document["metrics"][0]["value"] is None


def test_omitted_scores_are_counted(layout):
    data = scored()
    data[0][2][3] = np.nan
    evaluator = pixel_evaluator(layout, data, nan_policy="omit")
    counts = evaluator.to_result().counts
    assert (counts["found"], counts["scored"], counts["excluded"]) == (84, 83, 1)


def test_whole_scenarios_are_resampled_each_kind_apart():
    scenarios = [parse_scenario(f"/d/{below}") for below, _, _ in sorted(scored())]
    anomalous = np.array([scenario.is_anomalous for scenario in scenarios])
    drawn = np.concatenate(list(scenario_draws(scenarios, Resampling(300, 0.95, 1))))
    assert drawn.shape == (300, 7)
    assert (drawn[:, anomalous].sum(axis=1) == 4).all()
    assert (drawn[:, ~anomalous].sum(axis=1) == 3).all()
    # Four draws of four: each is left out with probability (3/4)^4 = 0.316.
    assert (drawn[:, anomalous] == 0).mean() == pytest.approx(0.316, abs=0.05)


@pytest.mark.parametrize("make", [timestep_evaluator, pixel_evaluator])
def test_intervals_are_the_quantiles_of_figures_of_resampled_scores(layout, make):
    # The pixel evaluator's 4,096 scenario bins keep scores on a grid of 1/8 apart, so that its
    # resampled figures are exact, too.
    data, resampling = sorted(scored(), key=lambda one: one[0]), Resampling(120, 0.9, 7)
    result = make(layout, data).to_result(bootstrap_ci=120, ci_level=0.9, bootstrap_seed=7)
    scenarios = [parse_scenario(f"/d/{below}") for below, _, _ in data]
    found = []
    for drawn in np.concatenate(list(scenario_draws(scenarios, resampling))).astype(int):
        taken = [one for one, times in zip(data, drawn, strict=True) for _ in range(times)]
        labels, scores = (np.concatenate(part) for part in list(zip(*taken, strict=True))[1:])
        found.append(reference(labels, scores))
    for name, draws in zip(FIGURES, np.array(found).T, strict=True):
        ci = result[name].ci
        expected = np.quantile(draws, [0.05, 0.95])
        assert [ci.lower, ci.upper] == pytest.approx(expected.tolist(), abs=1e-9)
        assert ci.lower <= result[name].value <= ci.upper
        assert (ci.method, ci.resampled, ci.level) == ("percentile", "scenario_id", 0.9)
        assert (ci.n_resamples, ci.seed, ci.n_units) == (120, 7, 7)


def test_exact_and_binned_evaluators_give_the_same_intervals(layout):
    data = scored(1)
    binned = pixel_evaluator(layout, data).to_result(bootstrap_ci=150)
    exact = pixel_evaluator(layout, data, exact=True).to_result(bootstrap_ci=150)
    for grouping, group in [("", None), *((g, x) for g, xs in binned.groups.items() for x in xs)]:
        left = binned.metrics if group is None else group.metrics
        right = exact.metrics
        if group is not None:
            right = next(x for x in exact.groups[grouping] if x.label == group.label).metrics
        for one, other in zip(left, right, strict=True):
            assert one.ci.lower == pytest.approx(other.ci.lower, abs=1e-9)
            assert one.ci.upper == pytest.approx(other.ci.upper, abs=1e-9)


def test_the_seed_decides_the_bits_and_the_order_of_arrival_does_not(layout):
    data = scored(2)
    forward = timestep_evaluator(layout, data).to_result(bootstrap_ci=130)
    backward = timestep_evaluator(layout, data[::-1]).to_result(bootstrap_ci=130)
    other = timestep_evaluator(layout, data).to_result(bootstrap_ci=130, bootstrap_seed=1)
    assert forward.to_json() == backward.to_json()
    assert forward["auroc"].ci.lower != other["auroc"].ci.lower


def test_more_resamples_begin_with_the_same_ones():
    scenarios = [parse_scenario(f"/d/{below}") for below, _, _ in sorted(scored())]
    few = np.concatenate(list(scenario_draws(scenarios, Resampling(100, 0.95, 0))))
    many = np.concatenate(list(scenario_draws(scenarios, Resampling(333, 0.95, 0))))
    assert np.array_equal(few, many[:100])
    assert len(many) == 333


def test_groups_that_resamples_may_miss_say_so(layout):
    result = timestep_evaluator(layout, scored()).to_result(bootstrap_ci=400)
    metric = result.groups["anomaly_type"][0].metrics[0]
    assert "resamples lack a class and are left out" in metric.ci.note
    assert metric.ci.n_units == 2 + 3


def test_one_scenario_gives_no_interval_and_equal_ones_a_degenerate_one(layout):
    below, labels, scores = scored()[0]
    alone = timestep_evaluator(layout, [(below, labels, scores)]).to_result(bootstrap_ci=100)
    assert alone["auroc"].ci is None
    assert alone["auroc"].ci_reason == "one scenario shows no spread between scenarios"
    twins = [(f"{below}-{i}", labels, scores) for i in range(3)]
    ci = timestep_evaluator(layout, twins).to_result(bootstrap_ci=100)["auroc"].ci
    assert ci.degenerate
    assert ci.lower == ci.upper


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bootstrap_ci": 99}, "bootstrap_ci: must be a whole number of at least 100, got 99"),
        ({"bootstrap_ci": 100.0}, "bootstrap_ci"),
        ({"bootstrap_ci": 100, "ci_level": 1.0}, "ci_level: must lie between 0 and 1"),
        ({"bootstrap_ci": 100, "ci_level": float("nan")}, "ci_level"),
        ({"bootstrap_ci": 100, "bootstrap_seed": -1}, "bootstrap_seed"),
    ],
)
def test_options_that_cannot_be_used_are_named(arguments, message):
    with pytest.raises(EvaluationInputError, match=message):
        ScenarioEvaluator().to_result(**arguments)


def test_a_coverage_that_is_no_number_is_named():
    for level in ("a", None):
        with pytest.raises(EvaluationInputError, match="ci_level: must lie between 0 and 1"):
            TimestepEvaluator().to_result(bootstrap_ci=100, ci_level=level)
        with pytest.raises(EvaluationInputError, match="ci_level: must lie between 0 and 1"):
            MetricAccumulator(bootstrap_ci=100, ci_level=level)


def test_options_are_given_by_name():
    kinds = {
        p.kind for p in list(inspect.signature(PixelEvaluator.to_result).parameters.values())[1:]
    }
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}


def test_coarse_bins_of_resamples_do_not_move_the_interval(layout):
    # Equal scenarios give the same figure in each resample: that of the fine bins.
    rng = np.random.default_rng(3)
    labels = rng.random(300) < 0.3
    scores = rng.standard_normal(300) + labels
    twins = [(f"test/anomaly/Town01/kind/{i}", labels, scores) for i in range(3)]
    evaluator = pixel_evaluator(layout, twins, scenario_bins=64)
    figures, coarse = evaluator.compute(), evaluator.compute()["scenario_macro"]
    for metric in evaluator.to_result(bootstrap_ci=100).metrics:
        assert abs(coarse[metric.name] - figures[metric.name]) > 1e-4
        assert metric.ci.lower == pytest.approx(figures[metric.name], abs=1e-12)
        assert metric.ci.upper == pytest.approx(figures[metric.name], abs=1e-12)
