"""Paths against plain loops."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from abotn.errors import DataError
from abotn.geometry import cumulative_length, dtw_distance, path_length, resample, total_turn

COORDINATE = st.floats(-100, 100)


def paths(least: int = 1, most: int = 9):
    shape = st.tuples(st.integers(least, most), st.just(2))
    return shape.flatmap(lambda s: arrays(np.float64, s, elements=COORDINATE))


def plain_dtw(a, b):
    table = [[math.inf] * (len(b) + 1) for _ in range(len(a) + 1)]
    table[0][0] = 0.0
    for i, p in enumerate(a, 1):
        for j, q in enumerate(b, 1):
            best = min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
            table[i][j] = math.dist(p, q) + best
    return table[-1][-1]


@given(paths(), paths())
@settings(max_examples=150, deadline=None)
def test_dtw_equals_the_table_filled_by_loops(a, b):
    expected = plain_dtw(a.tolist(), b.tolist())
    assert dtw_distance(a, b) == pytest.approx(expected, rel=1e-12, abs=1e-9)
    assert dtw_distance(b, a) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_dtw_of_long_paths_of_unlike_lengths():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(70, 2)).cumsum(axis=0), rng.normal(size=(31, 2)).cumsum(axis=0)
    assert dtw_distance(a, b) == pytest.approx(plain_dtw(a.tolist(), b.tolist()))


def test_dtw_ignores_height_and_refuses_an_empty_path():
    assert dtw_distance([[0, 0, 9]], [[3, 4, -9]]) == 5.0
    with pytest.raises(DataError, match="at least one point"):
        dtw_distance([], [[0, 0]])


@given(paths(least=1))
def test_length_equals_the_sum_of_distances(path):
    points = path.tolist()
    expected = [0.0]
    for p, q in pairwise(points):
        expected.append(expected[-1] + math.dist(p, q))
    assert cumulative_length(path).tolist() == pytest.approx(expected)
    assert path_length(path) == pytest.approx(expected[-1])


def test_lengths_of_short_paths():
    assert path_length([]) == 0.0
    assert path_length([[1, 2]]) == 0.0
    assert cumulative_length([]).tolist() == []
    assert path_length([[0, 0, 0], [0, 0, 7]]) == 0.0


@given(paths(least=2), st.integers(2, 40))
@settings(deadline=None)
def test_resampled_points_lie_on_the_path_at_equal_distances(path, count):
    total = path_length(path)
    samples = resample(path, count=count)
    assert samples.shape == (count, 2)
    assert samples[0].tolist() == path[0].tolist()
    assert samples[-1].tolist() == path[-1].tolist()
    along = cumulative_length(path)
    for wanted, sample in zip(np.linspace(0, total, count)[1:-1], samples[1:-1], strict=True):
        leg = min(int(np.searchsorted(along, wanted, side="right")) - 1, len(path) - 2)
        part = (wanted - along[leg]) / max(along[leg + 1] - along[leg], 1e-300)
        assert sample == pytest.approx(path[leg] + part * (path[leg + 1] - path[leg]), abs=1e-6)


def test_spacing_is_the_largest_step():
    samples = resample([[0, 0, 1], [1, 0, 3]], spacing=0.3)
    assert samples[:, 0].tolist() == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert samples[:, 2].tolist() == pytest.approx([1, 1.5, 2, 2.5, 3])
    assert len(resample([[0, 0], [0.3, 0]], spacing=0.1)) == 4
    assert resample([[1, 1]], spacing=1).tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize(
    "options", [{}, {"spacing": 1.0, "count": 3}, {"count": 1}, {"spacing": 0.0}]
)
def test_resample_refuses(options):
    with pytest.raises(DataError):
        resample([[0, 0], [1, 0]], **options)


def test_paths_of_another_shape_are_refused():
    with pytest.raises(DataError, match="shape"):
        path_length([[1, 2, 3, 4]])
    with pytest.raises(DataError, match="at least one point"):
        resample([], count=3)
    with pytest.raises(DataError, match="yaws"):
        total_turn([[0.0]])


def test_turns_go_the_short_way():
    degrees = [0, 90, 80, -170, 170]
    assert math.degrees(total_turn(np.radians(degrees))) == pytest.approx(90 + 10 + 110 + 20)
    assert total_turn([]) == 0.0
    assert total_turn([1.0]) == 0.0
