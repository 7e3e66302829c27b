"""Counts have the distribution of independent uniform draws."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from abotn.statistics import counts as counts_module
from abotn.statistics.counts import BLOCK, block_counts


def many(n: int, blocks: int, seed: int = 5) -> np.ndarray:
    return np.concatenate([block_counts(n, seed, b) for b in range(blocks)])


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 1000])
def test_every_resample_draws_as_many_units_as_there_are(n):
    drawn = many(n, 5)
    assert drawn.shape == (5 * BLOCK, n)
    assert (drawn.sum(axis=1) == n).all()


def test_all_resamples_of_three_units_are_equally_likely():
    # 3 draws from 3 units: 27 ordered outcomes, so a count vector has 3!/(c1! c2! c3!) of 27.
    drawn = Counter(map(tuple, many(3, 400).tolist()))
    ways = {(1, 1, 1): 6}
    for i in range(3):
        for j in range(3):
            counts = [0, 0, 0]
            counts[i] += 2
            counts[j] += 1
            ways[tuple(counts)] = 1 if i == j else 3
    assert set(drawn) == set(ways)
    total = 400 * BLOCK
    expected = [total * ways[key] / 27 for key in sorted(ways)]
    assert stats.chisquare([drawn[key] for key in sorted(ways)], expected).pvalue > 1e-3


@pytest.mark.parametrize("n", [64, 200])
def test_a_unit_is_drawn_a_binomial_number_of_times(n):
    drawn = many(n, 100)
    seen = np.bincount(np.minimum(drawn, 5).ravel(), minlength=6)
    chances = [*stats.binom.pmf(range(5), n, 1 / n), stats.binom.sf(4, n, 1 / n)]
    # Counts in one row are slightly dependent, which only makes the test gentler.
    assert stats.chisquare(seen, drawn.size * np.array(chances)).pvalue > 1e-3


def test_any_half_of_the_units_gets_a_binomial_number_of_draws():
    # The sum over half of the units tests the joint distribution: independent counts that were
    # merely rescaled, or completed unevenly, would have another variance.
    n = 100
    half = many(n, 300)[:, ::2].sum(axis=1)
    assert half.mean() == pytest.approx(n / 2, abs=4 * np.sqrt(n / 4 / len(half)))
    assert half.var() == pytest.approx(n / 4, rel=4 * np.sqrt(2 / len(half)))
    edges = np.arange(40, 61)
    seen = np.histogram(half, bins=[0, *edges, n + 1])[0]
    chances = np.diff(stats.binom.cdf([-1, *(edges - 1), n], n, 0.5))
    assert stats.chisquare(seen, len(half) * chances).pvalue > 1e-3


def test_rows_with_too_many_draws_are_drawn_anew(monkeypatch):
    # With a rate of 1 about half of the rows exceed n, so this path decides the distribution.
    monkeypatch.setattr(counts_module, "_SLACK", 0.0)
    n = 80
    drawn = many(n, 150)
    assert (drawn.sum(axis=1) == n).all()
    half = drawn[:, : n // 2].sum(axis=1)
    assert half.mean() == pytest.approx(n / 2, abs=4 * np.sqrt(n / 4 / len(half)))
    assert half.var() == pytest.approx(n / 4, rel=4 * np.sqrt(2 / len(half)))


def test_seed_block_and_purpose_each_change_the_draws():
    base = block_counts(100, 1, 0)
    assert block_counts(100, 1, 0).tobytes() == base.tobytes()
    for other in (block_counts(100, 2, 0), block_counts(100, 1, 1), block_counts(100, 1, 0, 1)):
        assert other.tobytes() != base.tobytes()


@pytest.mark.parametrize("n", [64, 65, 1001, 5000])
def test_pieces_and_words_change_no_count(n, monkeypatch):
    """The same bytes, counted one at a time: drawn whole, the remainder afterwards."""
    monkeypatch.setattr(counts_module, "_PIECE", 1 << 12)
    generator = counts_module.block_generator(3, 1)
    table = counts_module._poisson_bytes(1.0 - 2.5 / np.sqrt(n))
    drawn = counts_module.random_bytes(generator, BLOCK * n)
    expected = np.searchsorted(table.thresholds, drawn, side="right")
    rest = np.flatnonzero(drawn >= table.remainder_from)
    expected[rest] = np.searchsorted(table.remainder, generator.random(len(rest)), side="right")
    found = counts_module._poisson(n, counts_module.block_generator(3, 1))
    np.testing.assert_array_equal(found.reshape(-1), expected)
    np.testing.assert_array_equal(
        counts_module._row_sums(found), expected.reshape(BLOCK, n).sum(axis=1)
    )
