"""Scores that the bins cannot tell apart are warned about."""

import numpy as np
import pytest
from sklearn import metrics

from abotn.plugins.manager import plugin_manager
from abotn.report.build import build_report
from abotn.streaming import PixelEvaluator, TimestepEvaluator
from abotn.streaming.curves import FIGURES
from abotn.streaming.resolution import FINE_LIMIT, resolution
from abotn.streaming.tally import Tally


def exact(labels, scores):
    precision, recall, _ = metrics.precision_recall_curve(labels, scores)
    fpr, tpr, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    return {
        "auroc": metrics.roc_auc_score(labels, scores),
        "aupr": metrics.auc(recall, precision),
        "ap": metrics.average_precision_score(labels, scores),
        "fpr95": fpr[np.argmax(tpr >= 0.95)],
    }


def page_of(result):
    writer = plugin_manager().named("abotn_report_formats", "report format", "markdown")
    return writer.content(build_report([("model", result)])).decode()


def sample(width, n=20_000):
    """Labels and scores of all magnitudes from 0 to ``width``."""
    rng = np.random.default_rng(1)
    labels = rng.random(n) < 0.1
    scores = rng.standard_normal(n) + 1.2 * labels
    return labels, (scores - scores.min()) / np.ptp(scores) * width


def evaluated(layout, labels, scores, **options):
    """An evaluator fed three scenarios, each with a part of the scores."""
    evaluator = PixelEvaluator("front", num_workers=1, **options)
    for i, part in enumerate(np.array_split(np.arange(len(scores)), 3)):
        scenario = layout.anomaly(name=f"scenario-{i}")
        layout.mask(scenario, 0, labels[part][None])
        evaluator.update(scores[part][None, None], [scenario], [0])
    return evaluator


@pytest.mark.parametrize("width", [0.0004, 0.001, 0.01, 0.1, 1.0, 10.0])
def test_the_uncertainty_encloses_the_error(layout, width):
    labels, scores = sample(width)
    figures, right = evaluated(layout, labels, scores).compute(), exact(labels, scores)
    for name in FIGURES:
        off = abs(figures[name] - right[name])
        assert off <= figures["binning"]["uncertainty"][name] + 1e-12
    worst = max(abs(figures[name] - right[name]) for name in FIGURES)
    assert figures["warnings"] or worst <= FINE_LIMIT
    assert figures["warnings"] or width >= 1


def test_narrow_scores_are_warned_about_and_a_fitting_range_or_exact_scores_are_not(layout):
    labels, scores = sample(0.001)
    narrow = evaluated(layout, labels, scores).compute()
    assert narrow["binning"]["occupied_bins"] == 3
    assert "the scores lie in 3 of 65536 bins, which can move" in narrow["warnings"][0]
    assert "of the 4096 bins of the scenarios" in narrow["warnings"][1]
    fitting = evaluated(layout, labels, scores, score_range=(0, 0.001)).compute()
    assert fitting["warnings"] == []
    kept = evaluated(layout, labels, scores, exact=True).compute()
    assert (kept["binning"], kept["warnings"]) == (None, [])
    right = exact(labels, scores)
    for name in FIGURES:
        assert fitting[name] == pytest.approx(right[name], abs=1e-3)
        assert kept[name] == pytest.approx(right[name], abs=1e-12)
    assert abs(narrow["auroc"] - right["auroc"]) > 0.1


def test_levels_that_keep_scores_have_no_warnings():
    figures = TimestepEvaluator().compute()
    assert (figures["binning"], figures["warnings"]) == (None, [])


def test_a_result_and_its_report_say_it(layout):
    labels, scores = sample(0.001)
    result = evaluated(layout, labels, scores).to_result(name="narrow", bootstrap_ci=100)
    streaming = result.provenance["streaming"]
    assert streaming["binning"]["occupied_bins"] == 3
    assert len(streaming["warnings"]) == 2
    assert all("bins are coarse" in metric.ci.note for metric in result.metrics)
    page = page_of(result)
    assert "the scores lie in 3 of 65536 bins" in page
    fine = evaluated(layout, *sample(10.0)).to_result(bootstrap_ci=100)
    assert fine.provenance["streaming"]["warnings"] == []
    assert all("coarse" not in metric.ci.note for metric in fine.metrics)
    assert "Warning" not in page_of(fine)


def test_undefined_figures_are_no_reason_to_warn(layout):
    evaluator = PixelEvaluator("front")
    evaluator.update(np.zeros((1, 2, 2)), [layout.normal()], [0])
    figures = evaluator.compute()
    assert figures["warnings"] == []
    assert figures["binning"]["uncertainty"] == dict.fromkeys(FIGURES)


def test_scores_on_a_grid_are_single_values(layout):
    rng = np.random.default_rng(0)
    labels = rng.random(3000) < 0.2
    scores = (rng.integers(0, 256, 3000) + 16 * labels) / 255
    figures, right = evaluated(layout, labels, scores).compute(), exact(labels, scores)
    assert figures["binning"]["uncertainty"] == dict.fromkeys(FIGURES, 0.0)
    assert figures["auroc"] == pytest.approx(right["auroc"], abs=1e-12)


def test_by_hand():
    # Neighbours hold 1 positive and 1 negative each: order inside a bin moves half of two pairs
    # of four; the lone bin at the end is one value.
    tally = Tally(np.array([1, 1, 0, 0]), np.array([1, 1, 0, 0]))
    found = resolution(tally, 2, 0)
    assert (found.occupied, found.scenario_occupied) == (2, 1)
    assert found.uncertainty["auroc"] == pytest.approx(0.25)
    assert found.scenario_shift["auroc"] == 0.0
    apart = Tally(np.array([1, 0, 0, 1]), np.array([1, 0, 0, 1]))
    assert resolution(apart, 2, 0).uncertainty["auroc"] == 0.0
    assert resolution(apart, 2, 1).uncertainty["auroc"] == pytest.approx(0.25)
    single = Tally(np.array([0, 3]), np.array([0, 2]))
    assert resolution(single, 2, 0).uncertainty["auroc"] == pytest.approx(0.5)
