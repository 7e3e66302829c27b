import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.errors import ConfigError, EvaluationInputError
from abotn.streaming.binning import Binning
from abotn.streaming.histogram import count_bins
from abotn.streaming.lookup import asinh_lookup

DEFAULT = Binning(65536)
LIMIT = math.asinh(1e6)


def rule(score: float) -> int:
    """The documented rule for the default bins, one score at a time."""
    place = (math.asinh(score) + LIMIT) / (2 * LIMIT) * 65536
    return int(min(max(place, 0), 65535))


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=50))
@settings(max_examples=200, deadline=None)
def test_float32_scores_fall_where_the_rule_says(scores):
    bins, clamped = DEFAULT.bins(np.array(scores, np.float32))
    for found, score in zip(bins.tolist(), scores, strict=True):
        # math.asinh and numpy's may differ in the last bit, which only shows at an edge.
        assert found == rule(score) or abs(_place(score) - round(_place(score))) < 1e-6
    assert clamped == sum(abs(score) > 1e6 for score in scores)


def _place(score: float) -> float:
    return (math.asinh(score) + LIMIT) / (2 * LIMIT) * 65536


def test_the_table_gives_exactly_the_bins_of_float64_arithmetic():
    rng = np.random.default_rng(0)
    anything = rng.integers(0, 1 << 32, 2_000_000, dtype=np.uint32).view(np.float32)
    usual = rng.standard_normal(500_000).astype(np.float32) * 5
    scores = np.concatenate([anything[~np.isnan(anything)], usual])
    by_table, by_rule = DEFAULT.bins(scores), DEFAULT.bins(scores.astype(np.float64))
    assert np.array_equal(by_table[0], by_rule[0])
    assert by_table[1] == by_rule[1]


def test_the_table_is_exact_on_both_sides_of_every_edge():
    lookup = asinh_lookup(65536, DEFAULT.low, DEFAULT.high)
    edges = lookup._next_edges[:-1]
    below = np.nextafter(edges, np.float32(-np.inf))
    assert np.array_equal(DEFAULT.bins(edges)[0], np.arange(1, 65536))
    assert np.array_equal(DEFAULT.bins(below)[0], np.arange(65535))
    assert np.array_equal(DEFAULT.bins(edges.astype(np.float64))[0], np.arange(1, 65536))
    assert np.array_equal(DEFAULT.bins(below.astype(np.float64))[0], np.arange(65535))


@pytest.mark.parametrize("n_bins", [2, 100, 4096, 1 << 17])
def test_other_bin_counts_agree_with_the_rule(n_bins):
    binning = Binning(n_bins)
    scores = np.random.default_rng(1).standard_cauchy(20_000).astype(np.float32)
    places = (np.arcsinh(scores.astype(np.float64)) + LIMIT) / (2 * LIMIT) * n_bins
    assert np.array_equal(binning.bins(scores)[0], np.clip(places, 0, n_bins - 1).astype(int))


def test_infinities_and_far_scores_lie_in_the_end_bins_and_are_clamped():
    far = [-np.inf, -1e30, -1e6, 0.0, 1e6, 1.1e6, np.inf]
    for dtype in (np.float32, np.float64):
        bins, clamped = DEFAULT.bins(np.array(far, dtype))
        assert bins.tolist() == [0, 0, 0, 32768, 65535, 65535, 65535]
        assert clamped == 4


def test_a_range_alone_means_the_identity_and_its_upper_end_is_in_the_last_bin():
    binning = Binning(4, score_range=(0.0, 1.0))
    bins, clamped = binning.bins(np.array([-0.1, 0.0, 0.25, 0.5, 0.99, 1.0, 1.01]))
    assert bins.tolist() == [0, 0, 1, 2, 3, 3, 3]
    assert clamped == 2


def test_a_transform_alone_covers_zero_to_one():
    binning = Binning(10, score_transform=lambda s: 1 / (1 + np.exp(-s)))
    assert (binning.low, binning.high) == (0.0, 1.0)
    bins, clamped = binning.bins(np.array([-np.inf, 0.0, np.inf]))
    assert bins.tolist() == [0, 5, 9]
    assert clamped == 0


def test_a_transform_may_work_in_place_without_changing_the_scores():
    scores = np.array([1.0, 2.0])
    binning = Binning(8, score_transform=lambda s: np.multiply(s, 0.25, out=s))
    assert binning.bins(scores)[0].tolist() == [2, 4]
    assert scores.tolist() == [1.0, 2.0]


def test_a_transform_that_returns_its_own_array_is_not_changed():
    kept = np.array([0.25, 0.75])
    binning = Binning(4, score_transform=lambda s: s if s.size > 2 else kept)
    assert binning.bins(np.array([0.0, 1.0]))[0].tolist() == [1, 3]
    assert kept.tolist() == [0.25, 0.75]


def test_scores_outside_the_domain_of_a_transform_are_an_error():
    binning = Binning(10, score_transform=np.log, score_range=(-5, 5))
    assert binning.bins(np.array([1.0]))[0].tolist() == [5]
    with pytest.raises(EvaluationInputError, match="score_transform gave NaN for 2 scores"):
        binning.bins(np.array([-1.0, 1.0, -2.0]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_bins": 1}, "n_bins.*at least 2, got 1"),
        ({"n_bins": 2.5}, "n_bins.*got 2.5"),
        ({"n_bins": True}, "n_bins"),
        ({"n_bins": 8, "score_range": (1, 1)}, "score_range.*lo < hi"),
        ({"n_bins": 8, "score_range": (0, math.inf)}, "score_range.*finite"),
        ({"n_bins": 8, "score_range": (0, 1e-320)}, "score_range.*far enough apart"),
        ({"n_bins": 8, "score_range": (-1e308, 1e308)}, "score_range.*finite"),
        ({"n_bins": 8, "score_transform": lambda _: 1 / 0}, "score_transform.*ZeroDivisionError"),
        ({"n_bins": 8, "score_range": (0,)}, "score_range.*expected \\(lo, hi\\)"),
        ({"n_bins": 8, "score_transform": np.abs}, "monotonic"),
        ({"n_bins": 8, "score_transform": np.zeros_like}, "monotonic"),
        ({"n_bins": 8, "score_transform": math.asinh}, "numpy array"),
        ({"n_bins": 8, "score_transform": np.sum}, "expected an array of shape"),
    ],
)
def test_arguments_that_cannot_be_used_are_named(arguments, message):
    with pytest.raises(ConfigError, match=message):
        Binning(**arguments)


def test_a_decreasing_transform_is_known_as_one():
    assert not Binning(8, score_transform=np.negative, score_range=(-1, 1)).increasing
    assert Binning(8, score_transform=np.cbrt, score_range=(-1, 1)).increasing


def test_bins_describe_what_histograms_must_share():
    first = Binning(8, score_transform=np.tanh)
    again = Binning(8, score_transform=lambda s: np.tanh(s))
    assert first.describe() == again.describe()
    assert first.describe() != Binning(8, score_transform=np.cbrt).describe()
    assert first.describe() != Binning(16, score_transform=np.tanh).describe()
    assert Binning(8).describe() != Binning(8, score_range=(-LIMIT, LIMIT)).describe()


def test_counting_is_exact_beyond_what_float32_can_count():
    many = np.full((1 << 24) + 3, 5, np.uint16)
    counts = count_bins(many, 8)
    assert counts[5] == many.size
    assert Fraction(counts.sum()) == many.size


@pytest.mark.parametrize("n_bins", [7, 1 << 16])
def test_counting_agrees_with_bincount(n_bins):
    bins = np.random.default_rng(2).integers(0, n_bins, 10_000)
    expected = np.bincount(bins, minlength=n_bins)
    assert np.array_equal(count_bins(bins.astype(np.uint16), n_bins), expected)
    assert np.array_equal(count_bins(bins, n_bins), expected)
    assert count_bins(bins[:0].astype(np.uint16), n_bins).sum() == 0
