"""The bootstrap of records that arrive in pieces."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from abotn.statistics import Interval, NoInterval, StreamBootstrap, ratio_intervals
from abotn.statistics.stream_bootstrap import _GridSums, _hash_keys, _poisson_weights


def filled(keys, values, denominators=None, *, n_resamples=200, seed=0) -> StreamBootstrap:
    stream = StreamBootstrap(n_resamples, seed=seed)
    stream.update(keys, values, denominators)
    return stream


def keys_of(n: int) -> list[str]:
    return [f"scene{i % 7}/traj_{i}" for i in range(n)]


@given(st.randoms(use_true_random=False), st.integers(1, 5))
@settings(max_examples=15, deadline=None)
def test_shards_in_any_order_give_the_same_bits(random, n_shards):
    values = np.random.default_rng(0).lognormal(0, 20, 40) * np.where(np.arange(40) % 3, 1, -1)
    keys = keys_of(40)
    whole = filled(keys, values)
    order = list(range(40))
    random.shuffle(order)
    shards = [order[i::n_shards] for i in range(n_shards)]
    merged = StreamBootstrap(200)
    for shard in shards:
        merged.merge(filled([keys[i] for i in shard], values[shard]))
    assert merged.value == whole.value
    assert merged.interval() == whole.interval()


def test_weights_are_poisson():
    weights = _poisson_weights(_hash_keys(keys_of(2000), 1), 101)
    assert weights.shape == (2000, 101)
    seen = np.bincount(np.minimum(weights, 6).ravel(), minlength=7)
    chances = [*stats.poisson.pmf(range(6), 1), stats.poisson.sf(5, 1)]
    assert stats.chisquare(seen, weights.size * np.array(chances)).pvalue > 1e-3
    across = np.corrcoef(weights.T.astype(float))[np.triu_indices(101, 1)]
    assert np.abs(across).max() < 6 / np.sqrt(2000)


def test_weights_depend_on_seed_and_key_only():
    first = _poisson_weights(_hash_keys(["a", "b"], 1), 64)
    assert _poisson_weights(_hash_keys(["b", "a"], 1), 64)[::-1].tolist() == first.tolist()
    assert _poisson_weights(_hash_keys(["a", "b"], 2), 64).tolist() != first.tolist()
    assert first[0].tolist() != first[1].tolist()


def test_weighted_sums_are_exact():
    values = np.array([1e-300, -3.7, 1e250, 0.1, -1e250, 5e-324])
    weights = np.array([[1.0, 0.0, 2.0, 3.0, 2.0, 1.0], [8.0, 1.0, 0.0, 1.0, 1.0, 0.0]]).T
    sums = _GridSums(2)
    sums.add(weights, values)
    exact = [Fraction(v) for v in values.tolist()]
    for column, total in zip(weights.T, sums.values(), strict=True):
        assert total == sum(int(w) * v for w, v in zip(column, exact, strict=True))


def test_the_interval_is_close_to_that_of_the_whole_data():
    values = np.random.default_rng(5).lognormal(size=400)
    found = filled(keys_of(400), values, n_resamples=4000).interval()
    expected = ratio_intervals(values, np.ones(400), method="percentile", n_resamples=4000)[0][0]
    assert isinstance(found, Interval)
    error = values.std() / 20
    assert (found.lower, found.upper) == pytest.approx(
        (expected.lower, expected.upper), abs=0.2 * error
    )
    assert (found.n_units, found.method, found.n_resamples) == (400, "percentile", 4000)


def test_records_with_one_key_are_resampled_together():
    rng = np.random.default_rng(6)
    scenes = np.repeat(np.arange(40), 10)
    values = rng.normal(size=40)[scenes] + 0.1 * rng.normal(size=400)
    apart = filled(np.arange(400), values, n_resamples=1000).interval()
    together = filled(scenes, values, n_resamples=1000).interval()
    # All of the variance lies between scenes, so the interval grows by about sqrt(10).
    assert 2.4 < (together.upper - together.lower) / (apart.upper - apart.lower) < 4.0


def test_ratios_of_sums():
    stream = filled(["a", "b", "c"], [1.0, 2.0, 3.0], [4.0, 4.0, 0.0])
    assert stream.value == 0.75
    assert stream.count == 2


def test_undefined_values_of_a_mean_are_left_out():
    stream = filled(["a", "b", "c"], [1.0, np.nan, 3.0])
    assert (stream.value, stream.count) == (2.0, 2)


def test_little_data_is_flagged_or_has_a_reason():
    assert StreamBootstrap(100).interval() == NoInterval("no defined value")
    assert np.isnan(StreamBootstrap(100).value)
    one = filled(["a"], [2.5]).interval()
    assert (one.lower, one.upper, one.degenerate) == (2.5, 2.5, True)
    assert "resamples held no value" in str(one.note)


def test_the_seed_matters():
    values = np.arange(30.0)
    assert filled(keys_of(30), values, seed=1).interval() != filled(keys_of(30), values).interval()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: StreamBootstrap(99), "n_resamples"),
        (lambda: StreamBootstrap(100, seed=-1), "seed"),
        (lambda: filled(["a"], [1.0, 2.0]), "keys"),
        (lambda: filled([["a"]], [1.0]), "keys"),
        (lambda: filled(["a"], [np.inf]), "numerators"),
        (lambda: filled(["a"], [1.0], [-1.0]), "denominators"),
        (lambda: filled(["a"], [1.0]).interval(1.0), "level"),
        (lambda: filled(["a"], [1.0]).merge(StreamBootstrap(200, seed=1)), "other"),
        (lambda: filled(["a"], [1.0]).merge(StreamBootstrap(300)), "other"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises(ValueError, match=f"^{name}: "):
        call()
