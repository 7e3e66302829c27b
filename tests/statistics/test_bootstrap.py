"""Resampled sums: exact, shared, and the same bits however they are computed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.statistics import resample_sums
from abotn.statistics.bootstrap import Cell, ResamplePlan, run_resamples, weighted_sums
from abotn.statistics.counts import BLOCK, block_counts


def test_sums_are_counts_times_values():
    values = np.random.default_rng(0).normal(size=(300, 2))
    sums = resample_sums(values, n_resamples=130, seed=4)
    counts = np.concatenate([block_counts(300, 4, b) for b in range(3)])[:130]
    np.testing.assert_allclose(sums, counts.astype(float) @ values, rtol=1e-11, atol=1e-11)


def test_threads_change_no_bit():
    values = np.random.default_rng(0).normal(size=(20_000, 2))
    one, two, three = (
        resample_sums(values, n_resamples=256, seed=1, threads=threads) for threads in (1, 2, 3)
    )
    assert one.tobytes() == two.tobytes() == three.tobytes()


@given(st.integers(1, 400), st.integers(1, 40), st.integers(1, 500), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_chunks_and_other_columns_change_no_bit(n, m, chunk, block):
    counts = block_counts(n, 0, block)
    integers = np.random.default_rng(n).integers(-(2**40), 2**40, (n, m)).astype(float)
    whole = weighted_sums(counts, Cell(None, integers))
    exact = [[int(v) for v in row] for row in integers]
    by_hand = [sum(int(c) * row[0] for c, row in zip(counts[0], exact, strict=True))]
    assert [int(v) for v in whole[0, :1]] == by_hand
    assert (
        weighted_sums(counts, Cell(None, integers), chunk_units=chunk).tobytes() == whole.tobytes()
    )
    alone = weighted_sums(counts, Cell(None, integers[:, -1:]))
    assert alone[:, 0].tobytes() == whole[:, -1].tobytes()


@pytest.mark.parametrize("rows", [[3, 4, 5, 6], [0, 2, 150, 299], [], [299]])
def test_a_cell_sums_only_its_rows(rows):
    values = np.arange(300.0)[:, np.newaxis]
    masked = np.zeros_like(values)
    masked[rows] = values[rows]
    counts = block_counts(300, 0, 0)
    part = weighted_sums(counts, Cell(np.array(rows, dtype=np.intp), values[rows]))
    assert part.tobytes() == weighted_sums(counts, Cell(None, masked)).tobytes()


def test_more_resamples_begin_with_the_same_ones():
    values = np.random.default_rng(0).normal(size=(200, 1))
    few = resample_sums(values, n_resamples=100, seed=9)
    assert resample_sums(values, n_resamples=1000, seed=9)[:100].tobytes() == few.tobytes()


def test_another_seed_gives_other_resamples():
    values = np.arange(50.0)
    assert (
        resample_sums(values, n_resamples=100, seed=0).tobytes()
        != resample_sums(values, n_resamples=100, seed=1).tobytes()
    )


def test_memory_holds_one_block_at_a_time():
    sizes = []
    plan = ResamplePlan(50, 1000, 0)
    run_resamples(plan, [Cell(None, np.ones((50, 1)))], lambda first, s: sizes.append(len(s[0])))
    assert max(sizes) == BLOCK
    assert sum(sizes) == 1000


def test_the_callers_values_are_not_changed():
    values = np.random.default_rng(0).normal(size=(50, 2))
    kept = values.copy()
    resample_sums(values, n_resamples=100)
    assert values.tobytes() == kept.tobytes()


def test_no_rows_give_zero_sums():
    assert resample_sums(np.zeros((0, 2)), n_resamples=100).tolist() == [[0.0, 0.0]] * 100


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"n_resamples": 99}, "n_resamples"),
        ({"n_resamples": 100.5}, "n_resamples"),
        ({"n_resamples": 100, "seed": -1}, "seed"),
        ({"n_resamples": 100, "seed": 0.5}, "seed"),
        ({"n_resamples": 100, "threads": 0}, "threads"),
    ],
)
def test_bad_options_are_named(options, name):
    with pytest.raises(ValueError, match=f"^{name}: "):
        resample_sums([1.0, 2.0], **options)


@pytest.mark.parametrize("values", [[1.0, np.nan], [np.inf], np.zeros((2, 2, 2)), 3.0])
def test_bad_columns_are_named(values):
    with pytest.raises(ValueError, match=r"^columns: "):
        resample_sums(values, n_resamples=100)
