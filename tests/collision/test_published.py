"""The published rule against its own text, sample by sample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.collision import OccupancyGrid, line_collisions
from abotn.collision.published import published_hits
from abotn.errors import DataError, UnknownNameError
from abotn.geometry import MapGeometry

COORDINATE = st.one_of(st.floats(-1, 3), st.integers(-20, 60).map(lambda n: n * 0.05))


@given(
    seed=st.integers(0, 2**32 - 1),
    share=st.sampled_from([0.02, 0.2, 0.6]),
    geometry=st.sampled_from(
        [((0, 0), (2, 0), (0, 2)), ((2, 2), (0, 2), (2, 0)), ((0, 1), (1.2, 1.9), (-0.9, 2.2))]
    ),
    segments=st.lists(
        st.tuples(COORDINATE, COORDINATE, COORDINATE, COORDINATE), min_size=1, max_size=8
    ),
)
@settings(max_examples=200, deadline=None)
def test_equals_loops(reference, seed, share, geometry, segments):
    free = np.random.default_rng(seed).random((20, 40)) > share
    grid = OccupancyGrid(free, MapGeometry.from_corners(*geometry, 40, 20))
    ends = np.array(segments).reshape(-1, 2, 2)
    hit, length = line_collisions(grid, ends[:, 0], ends[:, 1], "published")
    expected = [reference.published_by_loops(grid, a, b) for a, b in ends.tolist()]
    assert hit.tolist() == [e[0] for e in expected]
    assert length == pytest.approx(np.array([e[1] for e in expected]), abs=1e-9)


def test_misses_a_thin_wall_that_exact_sees(reference):
    """Columns 0 to 5 in two samples: only the ends are looked at, and the wall is between."""
    grid = reference.grid_of(["...#...", "...#..."])
    segment = [[0.5, 0.5]], [[5.5, 0.5]]
    assert not line_collisions(grid, *segment, "published")[0][0]
    assert line_collisions(grid, *segment, "exact")[0][0]
    pixels = np.array(segment[0]), np.array(segment[1])
    assert published_hits(grid, *pixels, pixels_per_sample=1.0)[0]


def test_truncation_lets_a_point_just_outside_count_as_inside(reference):
    grid = reference.grid_of(["." * 9] * 9)
    outside = [[-0.5, 4.5]], [[3.5, 4.5]]
    assert line_collisions(grid, *outside, "published")[0].tolist() == [False]
    assert line_collisions(grid, *outside, "exact")[0].tolist() == [True]


def test_standing_still_looks_two_pixels_around(reference):
    grid = reference.grid_of(["......", "......", ".....#"])
    points = [[2.5, 0.5], [3.5, 0.5], [0.5, 0.5]]
    hit, length = line_collisions(grid, points, points, "published")
    assert hit.tolist() == [False, True, False]
    assert length.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ((-900.0, 0.52), (700.0, 0.71)),
        ((0.31, -600.0), (0.31, 900.0)),
        ((-900.0, 3.0), (900.0, 3.2)),
    ],
)
def test_segments_with_very_many_samples_equal_loops(reference, start, end):
    free = np.random.default_rng(4).random((20, 40)) > 0.3
    grid = OccupancyGrid(free, MapGeometry.from_corners((0, 2), (4, 2), (0, 0), 40, 20))
    hit, length = line_collisions(grid, [start], [end], "published")
    expected = reference.published_by_loops(grid, start, end)
    assert (hit[0], length[0]) == (expected[0], pytest.approx(expected[1], abs=1e-6))


def test_absurd_lengths_end_soon(reference):
    grid = reference.grid_of(["...", ".#.", "..."])
    hit, length = line_collisions(grid, [[-1e150, 1.5]], [[1e150, 1.5]], "published")
    assert hit[0]
    assert length[0] == pytest.approx(2e150)


def test_errors_name_the_argument(reference):
    grid = reference.grid_of([".."])
    with pytest.raises(UnknownNameError, match="exact"):
        line_collisions(grid, [[0, 0]], [[1, 0]], "exakt")
    with pytest.raises(DataError, match="1 starts and 2 ends"):
        line_collisions(grid, [[0, 0]], [[1, 0], [1, 1]])
    with pytest.raises(DataError, match=r"ends\[1\]"):
        line_collisions(grid, [[0, 0], [0, 0]], [[1, 0], [np.inf, 1]])
    with pytest.raises(DataError, match="starts"):
        line_collisions(grid, [[0, 0, 0]], [[1, 0, 0]])


@pytest.mark.parametrize("sampling", ["exact", "published"])
def test_no_segments(reference, sampling):
    hit, length = line_collisions(reference.grid_of([".."]), [], [], sampling)
    assert (hit.shape, hit.dtype, length.shape) == ((0,), np.bool_, (0,))


@pytest.mark.parametrize("sampling", ["exact", "published"])
def test_inputs_are_left_alone(reference, sampling):
    grid = reference.grid_of(["..#", "..."])
    starts, ends = np.array([[-1.0, 0.5]]), np.array([[2.5, 0.5]])
    line_collisions(grid, starts, ends, sampling)
    assert starts.tolist() == [[-1.0, 0.5]]
    assert ends.tolist() == [[2.5, 0.5]]
