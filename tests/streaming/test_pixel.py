import inspect
import math

import numpy as np
import pytest
from PIL import Image
from sklearn import metrics

from abotn.errors import ConfigError, EvaluationInputError, UnknownNameError
from abotn.streaming import PixelEvaluator
from abotn.streaming.curves import FIGURES

SHAPE = (6, 8)


def frames(seed, count=1, shape=SHAPE):
    return np.random.default_rng(seed).standard_normal((count, *shape)).astype(np.float32)


def some_mask(seed, shape=SHAPE):
    return np.random.default_rng([seed, 1]).random(shape) < 0.2


@pytest.fixture
def split(layout):
    """Two anomalous scenarios of different type and a normal one, with all their samples."""
    samples = []
    for i, scenario in enumerate(
        [layout.anomaly(), layout.anomaly("vanish-actor", "Town02"), layout.normal()]
    ):
        for timestep in range(3):
            scores, mask = frames(10 * i + timestep)[0], np.zeros(SHAPE, bool)
            if i < 2 and timestep > 0:
                mask = some_mask(10 * i + timestep)
                layout.mask(scenario, timestep, mask * 255)
            samples.append((scenario, timestep, scores + mask, mask))
    return samples


def fed(split, **options):
    evaluator = PixelEvaluator("front", num_workers=3, **options)
    for scenario, timestep, scores, _ in split:
        evaluator.update(scores[None], [scenario], [timestep])
    return evaluator


def reference(samples):
    scores = np.concatenate([s.reshape(-1) for _, _, s, _ in samples])
    labels = np.concatenate([m.reshape(-1) for _, _, _, m in samples])
    precision, recall, _ = metrics.precision_recall_curve(labels, scores)
    fpr, tpr, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    return {
        "auroc": metrics.roc_auc_score(labels, scores),
        "aupr": metrics.auc(recall, precision),
        "ap": metrics.average_precision_score(labels, scores),
        "fpr95": fpr[np.argmax(tpr >= 0.95)],
    }


def test_the_constructor_has_the_published_parameters_and_defaults():
    parameters = inspect.signature(PixelEvaluator).parameters
    published = {
        "sensor": inspect.Parameter.empty,
        "num_workers": 32,
        "max_inflight": 32,
        "n_bins": 65536,
        "scenario_bins": 4096,
        "score_transform": None,
        "score_range": None,
    }
    assert list(parameters)[: len(published)] == list(published)
    assert {name: parameters[name].default for name in published} == published
    keyword_only = [n for n in parameters if parameters[n].kind == inspect.Parameter.KEYWORD_ONLY]
    assert keyword_only[:4] == ["n_bins", "scenario_bins", "score_transform", "score_range"]
    assert list(inspect.signature(PixelEvaluator.update).parameters)[1:] == [
        "pixel_scores",
        "scenario_ids",
        "timestep_ids",
    ]


@pytest.mark.parametrize("exact", [False, True])
def test_all_samples_of_the_split_are_pooled(split, exact):
    figures = fed(split, exact=exact).compute()
    for name, value in reference(split).items():
        assert figures[name] == pytest.approx(value, abs=1e-12 if exact else 2e-3)
    masks = np.array([mask for *_, mask in split])
    assert figures["n_samples"] == masks.size
    assert figures["n_positive"] == masks.sum()
    assert figures["n_negative"] == (~masks).sum()
    assert figures["n_timesteps"] == 9
    assert figures["n_scenarios"] == 3
    assert figures["n_missing_labels"] == 5
    assert figures["clamped_fraction"] == 0.0
    assert figures["undefined"] == {}


@pytest.mark.parametrize("exact", [False, True])
def test_types_are_compared_with_their_own_scenarios(split, exact):
    figures = fed(split, exact=exact).compute()
    assert figures["by_type_negatives"] == "own"
    assert figures["by_type_convention"] == "carlanomaly"
    assert list(figures["by_type"]) == ["spawn-props", "vanish-actor"]
    for kind, found in figures["by_type"].items():
        own = [sample for sample in split if f"/{kind}/" in sample[0]]
        for name, value in reference(own).items():
            assert found[name] == pytest.approx(value, abs=1e-12 if exact else 1e-2)
        assert found["n_positive"] == sum(mask.sum() for *_, mask in own)
        assert found["n_samples"] == 3 * SHAPE[0] * SHAPE[1]
        assert found["negatives"] == "own"


def test_the_macro_average_is_over_scenarios_with_both_classes(split):
    figures = fed(split, exact=True).compute()["scenario_macro"]
    anomalous = sorted({sample[0] for sample in split if "/anomaly/" in sample[0]})
    each = [reference([s for s in split if s[0] == scenario]) for scenario in anomalous]
    assert figures["n_scenarios"] == 2
    for name in FIGURES:
        assert figures[name] == pytest.approx(np.mean([one[name] for one in each]), abs=1e-12)


def test_scenario_histograms_are_coarser_and_close(split):
    exact = fed(split, exact=True).compute()["scenario_macro"]
    coarse = fed(split).compute()["scenario_macro"]
    assert coarse["auroc"] == pytest.approx(exact["auroc"], abs=2e-3)
    assert coarse["n_scenarios"] == exact["n_scenarios"]


def test_pooling_exposes_a_detector_that_scores_a_whole_class_high(layout):
    # One broken light among ten, all scored high; on the normal scenario only ordinary lights.
    broken, normal = layout.anomaly("broken-light"), layout.normal()
    mask = np.zeros((10, 100), np.uint8)
    mask[0, 0] = 255
    layout.mask(broken, 0, mask)
    scores = np.full((10, 100), 0.1, np.float32)
    scores[0, :10] = 0.9
    evaluator = PixelEvaluator("front", num_workers=1, score_range=(0, 1))
    evaluator.update(scores[None], [broken], [0])
    alone = evaluator.compute()["auroc"]
    evaluator.update(np.full((4, 10, 100), 0.9, np.float32), [normal] * 4, range(4))
    # Alone: 990 of 999 negatives lie below and 9 tie. Pooled: 990 below, 4009 tie, of 4999.
    assert alone == pytest.approx((990 + 9 / 2) / 999)
    assert evaluator.compute()["auroc"] == pytest.approx((990 + 4009 / 2) / 4999)


def test_a_million_normal_scores_are_within_a_thousandth_of_exact(layout):
    scenario = layout.anomaly()
    rng = np.random.default_rng(5)
    mask = rng.random((1000, 1000)) < 0.05
    scores = (rng.standard_normal((1000, 1000)) + 1.2 * mask).astype(np.float32)
    layout.mask(scenario, 0, mask)
    evaluator = PixelEvaluator("front")
    evaluator.update(scores[None], [scenario], [0])
    figures = evaluator.compute()
    for name, value in reference([(scenario, 0, scores, mask)]).items():
        assert abs(figures[name] - value) < 1e-3


def test_a_missing_mask_is_all_negative_in_the_shape_of_the_scores(layout):
    evaluator = PixelEvaluator("left")
    evaluator.update(frames(0, shape=(3, 5)), [layout.anomaly()], [0])
    evaluator.update(frames(1, shape=(7, 2)), [layout.normal()], [0])
    figures = evaluator.compute()
    assert (figures["n_negative"], figures["n_positive"]) == (29, 0)
    assert figures["n_missing_labels"] == 2
    assert figures["undefined"]["auroc"] == "no positives among 29"
    assert math.isnan(figures["auroc"])


def test_the_mask_of_the_sensor_and_timestep_is_read(layout):
    scenario = layout.anomaly()
    layout.mask(scenario, 12, [[1, 0]], sensor="rear")
    layout.mask(scenario, 12, [[1, 1]], sensor="front")
    layout.mask(scenario, 13, [[1, 1]], sensor="rear")
    evaluator = PixelEvaluator("rear")
    evaluator.update(np.array([[[2.0, 1.0]]]), [scenario], [12])
    assert evaluator.compute()["n_positive"] == 1
    assert evaluator.compute()["auroc"] == 1.0


def test_a_transform_ranks_by_what_it_returns(split):
    plain = fed(split, exact=True).compute()
    for exact in (False, True):
        squashed = fed(split, exact=exact, score_transform=np.tanh, score_range=(-1, 1)).compute()
        flipped = fed(split, exact=exact, score_transform=np.negative, score_range=(-9, 9))
        assert squashed["auroc"] == pytest.approx(plain["auroc"], abs=1e-3)
        assert flipped.compute()["auroc"] == pytest.approx(1 - plain["auroc"], abs=1e-3)


def test_clamped_scores_are_counted_and_infinities_are_legal(layout):
    evaluator = PixelEvaluator("front", score_range=(-1.0, 1.0))
    scores = np.array([[[-np.inf, -1.0, 0.0, 1.0, 1.5, np.inf]]], np.float32)
    evaluator.update(scores, [layout.normal()], [0])
    figures = evaluator.compute()
    assert figures["n_clamped"] == 3
    assert figures["clamped_fraction"] == 0.5


@pytest.mark.parametrize("exact", [False, True])
def test_infinities_rank_above_and_below_everything(layout, exact):
    scenario = layout.anomaly()
    layout.mask(scenario, 0, [[1, 0, 0, 0]])
    evaluator = PixelEvaluator("front", exact=exact)
    evaluator.update(np.array([[[np.inf, 5.0, -5.0, -np.inf]]]), [scenario], [0])
    assert evaluator.compute()["auroc"] == 1.0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.uint8, bool])
def test_scores_of_any_number_type(layout, dtype):
    scenario = layout.anomaly()
    layout.mask(scenario, 0, [[1, 0], [0, 1]])
    evaluator = PixelEvaluator("front")
    evaluator.update(np.array([[[1, 0], [0, 0]]], dtype), [scenario], [0])
    # One positive wins both comparisons, the other ties twice.
    assert evaluator.compute()["auroc"] == 0.75


def test_the_batch_may_be_reused_at_once(layout):
    scenario = layout.anomaly()
    for timestep in range(20):
        layout.mask(scenario, timestep, np.eye(40, dtype=np.uint8))
    expected = np.eye(40)[None].copy()
    buffer, evaluator = expected.copy(), PixelEvaluator("front", num_workers=1, max_inflight=1)
    for timestep in range(20):
        buffer[:] = expected
        evaluator.update(buffer, [scenario], [timestep])
        buffer[:] = -1
    assert evaluator.compute()["auroc"] == 1.0


def test_compute_may_come_at_any_time_and_again(split):
    whole = fed(split).compute()
    evaluator = PixelEvaluator("front")
    assert math.isnan(evaluator.compute()["auroc"])
    assert evaluator.compute()["n_samples"] == 0
    for scenario, timestep, scores, _ in split:
        evaluator.update(scores[None], [scenario], [timestep])
        evaluator.compute()
    assert evaluator.compute() == whole
    assert evaluator.compute() == whole


def test_reset_forgets_everything_but_the_configuration(split):
    evaluator = fed(split)
    whole = evaluator.compute()
    evaluator.reset()
    assert evaluator.compute()["n_samples"] == 0
    assert evaluator.compute()["by_type"] == {}
    for scenario, timestep, scores, _ in split:
        evaluator.update(scores[None], [scenario], [timestep])
    assert evaluator.compute() == whole


def test_one_batch_may_hold_many_scenarios(split):
    evaluator = PixelEvaluator("front", num_workers=2, max_inflight=2)
    evaluator.update(
        np.array([sample[2] for sample in split]),
        [sample[0] for sample in split],
        np.array([sample[1] for sample in split]),
    )
    assert evaluator.compute() == fed(split).compute()


def test_an_empty_batch_and_empty_maps_are_nothing(layout):
    evaluator = PixelEvaluator("front")
    evaluator.update(np.empty((0, 4, 4)), [], [])
    evaluator.update(np.empty((1, 0, 4)), [layout.normal()], [0])
    assert evaluator.compute()["n_samples"] == 0


def test_a_palette_mask_is_read_by_its_colours(layout):
    scenario = layout.anomaly()
    path = layout.mask(scenario, 0, [[0, 255]])
    Image.open(path).convert("P").save(path)
    evaluator = PixelEvaluator("front")
    evaluator.update(np.array([[[0.0, 1.0]]]), [scenario], [0])
    assert evaluator.compute()["auroc"] == 1.0


def test_more_than_65536_bins_count_the_same(split):
    fine = fed(split, n_bins=1 << 18, scenario_bins=1 << 12).compute()
    for name, value in reference(split).items():
        assert fine[name] == pytest.approx(value, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"sensor": "lidar"}, UnknownNameError, "unknown sensor 'lidar'.*front.*the level point"),
        ({"scenario_bins": 1000}, ConfigError, "scenario_bins.*divisor of n_bins 65536, got 1000"),
        ({"scenario_bins": 0}, ConfigError, "scenario_bins"),
        ({"n_bins": 0}, ConfigError, "n_bins"),
        ({"num_workers": 0}, ConfigError, "num_workers.*at least 1, got 0"),
        ({"max_inflight": -1}, ConfigError, "max_inflight.*got -1"),
        ({"nan_policy": "ignore"}, ConfigError, "nan_policy.*raise, omit, got 'ignore'"),
        ({"by_type_negatives": "some"}, ConfigError, "by_type_negatives.*got 'some'"),
    ],
)
def test_arguments_that_cannot_be_used_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        PixelEvaluator(**{"sensor": "front", **arguments})


@pytest.mark.parametrize(
    ("scores", "ids", "timesteps", "message"),
    [
        (np.zeros((4, 4)), ["S"], [0], r"pixel_scores: expected shape \(B, H, W\), got \(4, 4\)"),
        (np.zeros((2, 4, 4)), ["S"], [0, 1], "scenario_ids: expected 2, one per score, got 1"),
        (np.zeros((1, 4, 4)), ["S"], [0, 1], "timestep_ids: expected 1, one per score, got 2"),
        (np.zeros((1, 4, 4)), "S", [0], "scenario_ids: expected a sequence"),
        (np.zeros((1, 4, 4)), None, [0], "scenario_ids: expected a sequence of paths, got None"),
        (np.zeros((1, 4, 4)), ["S"], None, "timestep_ids: expected a sequence"),
        (np.zeros((1, 4, 4)), ["S"], [np.float64(0.5)], "whole numbers, got 0.5"),
        (np.ma.zeros((1, 4, 4)), ["S"], [0], "pixel_scores: .*masked array"),
        (None, ["S"], [0], "pixel_scores: expected"),
        (np.zeros((1, 4, 4)), ["S"], 0, "timestep_ids: expected a sequence"),
        (np.zeros((1, 4, 4)), ["S"], [-1], "timestep_ids: expected numbers from 0, got -1"),
        (np.zeros((1, 4, 4)), ["S"], [0.5], "timestep_ids: expected whole numbers, got 0.5"),
        (np.zeros((1, 4, 4)), ["/data/train/T/0"], [0], "/data/train/T/0: .*neither kind"),
        (np.zeros((1, 4, 4), complex), ["S"], [0], "pixel_scores: expected real numbers"),
        ([["a"]], ["S"], [0], "pixel_scores: expected"),
        ([[1, 2], [3]], ["S"], [0], "pixel_scores: expected numbers"),
    ],
)
def test_a_batch_of_another_form_is_named_and_nothing_of_it_is_taken(
    layout, scores, ids, timesteps, message
):
    evaluator, scenario = PixelEvaluator("front"), layout.normal()
    if isinstance(ids, list):
        ids = [scenario if one == "S" else one for one in ids]
    with pytest.raises(EvaluationInputError, match=message):
        evaluator.update(scores, ids, timesteps)
    assert evaluator.compute()["n_samples"] == 0


def test_scenario_bins_follow_bins_that_the_default_does_not_divide():
    for n_bins, expected in ((65536, 4096), (1000, 1000), (10_000, 2500), (1 << 18, 4096)):
        config = PixelEvaluator("front", n_bins=n_bins).config()
        assert (config["n_bins"], config["scenario_bins"]) == (n_bins, expected)
    with pytest.raises(ConfigError, match="n_bins: expected a multiple of some number from 2"):
        PixelEvaluator("front", n_bins=4099)
