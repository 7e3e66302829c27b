"""Exact moments of streams."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.statistics import ExactSum, Moments

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(finite, max_size=30))
@settings(max_examples=100, deadline=None)
def test_sums_and_squares_are_exact_for_every_float(values):
    total, squares = ExactSum(), ExactSum()
    total.add(values)
    squares.add_squares(values)
    assert total.value() == sum((Fraction(v) for v in values), Fraction(0))
    assert squares.value() == sum((Fraction(v) ** 2 for v in values), Fraction(0))


def test_many_values_stay_exact():
    values = np.random.default_rng(0).normal(1e8, 1.0, 30_000)
    moments = Moments()
    moments.update(values)
    exact = [Fraction(v) for v in values.tolist()]
    mean = sum(exact) / len(exact)
    assert moments.mean == float(mean)
    assert moments.variance == float(sum((v - mean) ** 2 for v in exact) / (len(exact) - 1))
    assert moments.sum == math.fsum(values)


@given(
    st.lists(st.lists(st.one_of(finite, st.just(math.nan)), max_size=8), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_any_grouping_and_order_gives_the_same_bits(shards, random):
    whole = Moments()
    whole.update([value for shard in shards for value in shard])
    parts = []
    for shard in shards:
        random.shuffle(shard)
        part = Moments()
        part.update(shard)
        parts.append(part)
    random.shuffle(parts)
    merged = Moments()
    for part in parts:
        merged.merge(part)
    names = ("count", "undefined", "sum", "sum_of_squares", "mean", "variance", "std", "min", "max")
    for name in names:
        assert (
            np.float64(getattr(merged, name)).tobytes()
            == np.float64(getattr(whole, name)).tobytes()
        )


def test_values_are_pythons_own():
    values = [1.5, -2.0, 7.25, 3.0]
    moments = Moments()
    moments.update(values)
    assert moments.mean == statistics.fmean(values)
    assert moments.std == pytest.approx(statistics.stdev(values))
    assert (moments.min, moments.max, moments.count) == (-2.0, 7.25, 4)


def test_undefined_values_are_counted_apart():
    moments = Moments()
    moments.update([1.0, math.nan, math.inf, -math.inf])
    assert (moments.count, moments.undefined, moments.mean) == (1, 3, 1.0)
    assert math.isnan(moments.variance)
    empty = Moments()
    assert all(math.isnan(v) for v in (empty.mean, empty.std, empty.min, empty.max))
    assert empty.sum == 0.0


def test_a_square_beyond_the_largest_float_is_infinite_and_the_spread_is_not_lost():
    moments = Moments()
    moments.update([1e200, 1e200])
    assert moments.sum_of_squares == math.inf
    assert moments.variance == 0.0


def test_merging_leaves_the_other_as_it_was():
    first, second = Moments(), Moments()
    second.update([1.0, 2.0])
    first.merge(second)
    first.update([10.0])
    assert (second.count, second.sum, second.max) == (2, 3.0, 2.0)


def test_a_sum_refuses_what_is_not_finite():
    with pytest.raises(ValueError, match=r"^values: "):
        ExactSum().add([math.nan])
