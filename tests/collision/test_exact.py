"""The exact rule against fractions, and its limits one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.collision import OccupancyGrid, line_collisions
from abotn.collision.batches import dense_blocks
from abotn.geometry import MapGeometry

QUARTER = st.integers(-8, 40).map(lambda n: Fraction(n, 4))
FINE = st.integers(-2000, 10_000).map(lambda n: Fraction(n, 997))
PLACE = st.one_of(QUARTER, FINE)


@st.composite
def maps_and_segments(draw):
    height, width = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    seed = draw(st.integers(0, 2**32 - 1))
    share = draw(st.sampled_from([0.1, 0.4, 0.8]))
    free = np.random.default_rng(seed).random((height, width)) > share
    places = st.tuples(PLACE, PLACE)
    segments = draw(st.lists(st.tuples(places, places), min_size=1, max_size=8))
    return free, segments


GEOMETRIES = {
    "plain": ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)),
    "flipped": ((-3.0, 2.0), (-0.5, 0.0), (0.0, -0.25)),
    "rotated": ((5.0, -1.0), (0.6, 0.8), (-0.8, 0.6)),
    "sheared": ((5.0, -1.0), (0.5, 0.25), (-0.125, 1.5)),
}


@pytest.mark.parametrize("kind", GEOMETRIES)
@given(drawn=maps_and_segments())
@settings(max_examples=120, deadline=None)
def test_equals_fractions(reference, kind, drawn):
    free, segments = drawn
    geometry = MapGeometry(*GEOMETRIES[kind], free.shape[1], free.shape[0])
    ends = np.array(segments, dtype=np.float64)
    starts, stops = geometry.to_world(ends[:, 0]), geometry.to_world(ends[:, 1])
    hit, length = line_collisions(OccupancyGrid(free, geometry), starts, stops)
    expected = [reference.exact_by_fractions(free, a, b) for a, b in segments]
    assert hit.tolist() == [e[0] for e in expected]
    metres = np.hypot(*(stops - starts).T)
    assert length == pytest.approx(np.array([float(e[1]) for e in expected]) * metres, abs=1e-7)


@given(
    seed=st.integers(0, 2**32 - 1),
    segments=st.lists(st.tuples(*[st.integers(-2, 22)] * 4), min_size=1, max_size=10),
)
@settings(max_examples=100, deadline=None)
def test_decimals_equal_fractions(reference, seed, segments):
    """Cells of 0.1 m and ends at multiples of 0.05 m, neither exact in floats: many ties."""
    free = np.random.default_rng(seed).random((10, 10)) > 0.4
    grid = OccupancyGrid(free, MapGeometry.from_corners((0, 0), (1, 0), (0, 1), 10, 10))
    ends = np.array([[float(f"{n * 0.05:.2f}") for n in s] for s in segments])
    hit, length = line_collisions(grid, ends[:, :2], ends[:, 2:])
    for segment, end, found, metres in zip(segments, ends, hit, length, strict=True):
        x0, y0, x1, y1 = (Fraction(n, 2) for n in segment)
        expected, share = reference.exact_by_fractions(free, (x0, y0), (x1, y1))
        assert found == expected
        assert metres == pytest.approx(float(share) * np.hypot(*(end[2:] - end[:2])), abs=1e-9)


def test_large_batches_on_a_large_map_equal_fractions(reference):
    """Long and short segments together, many enough to go through the coarse map."""
    rng = np.random.default_rng(3)
    free = np.ones((150, 170), dtype=bool)
    free[40:70, 60:64] = False
    free[rng.integers(0, 150, 40), rng.integers(0, 60, 40)] = False
    grid = OccupancyGrid(free, MapGeometry((0, 0), (1, 0), (0, 1), 170, 150))
    numbers = rng.integers(-20 * 64, 190 * 64, (6000, 2))
    steps = rng.integers(-9 * 64, 10 * 64, (6000, 2)) * np.where(rng.random((6000, 1)) < 0.1, 12, 1)
    hit, length = line_collisions(grid, numbers / 64, (numbers + steps) / 64)
    assert "freedom" in vars(grid)
    for i in range(0, 6000, 6):
        a = tuple(Fraction(int(n), 64) for n in numbers[i])
        b = tuple(Fraction(int(n), 64) for n in numbers[i] + steps[i])
        expected_hit, share = reference.exact_by_fractions(free, a, b)
        assert hit[i] == expected_hit
        assert length[i] == pytest.approx(float(share) * np.hypot(*steps[i]) / 64, abs=1e-9)


def test_one_at_a_time_equals_all_at_once():
    rng = np.random.default_rng(0)
    free = rng.random((60, 50)) > 0.1
    grid = OccupancyGrid(free, MapGeometry((0, 0), (0.1, 0), (0, 0.1), 50, 60))
    starts = rng.uniform(-1, 7, (6000, 2))
    ends = starts + rng.normal(0, 0.5, (6000, 2))
    for sampling in ("exact", "published"):
        hit, length = line_collisions(grid, starts, ends, sampling)
        fresh = OccupancyGrid(free, grid.geometry)
        for i in range(0, 6000, 40):
            one_hit, one_length = line_collisions(fresh, starts[i], ends[i], sampling)
            assert (one_hit[0], one_length[0]) == (hit[i], length[i])


@pytest.mark.parametrize(
    ("rows", "start", "end", "hit", "length"),
    [
        (["..", ".#"], (0, 0.5), (1, 1.5), False, 0.0),
        ([".#", "#."], (0.5, 0.5), (1.5, 1.5), False, 0.0),
        (["..", "##"], (0, 1), (2, 1), False, 0.0),
        (["##", ".."], (0, 1), (2, 1), False, 0.0),
        (["##", "##"], (0.25, 1), (1.5, 1), True, 1.25),
        ([".#", ".#"], (1, 0.25), (1, 1.75), False, 0.0),
        (["..", ".."], (0, 0), (2, 0), False, 0.0),
        (["#.", ".."], (0, 0), (2, 0), True, 1.0),
        ([".#"], (0.5, 0.5), (1, 0.5), False, 0.0),
        ([".#"], (0.5, 0.5), (1.25, 0.5), True, 0.25),
        ([".."], (-1, 0.5), (3, 0.5), True, 2.0),
        ([".."], (-2, -2), (-1, -1), True, 2**0.5),
        (["#."], (0.5, 0.5), (0.5, 0.5), True, 0.0),
        (["#."], (1, 0.5), (1, 0.5), False, 0.0),
        ([".."], (9, 9), (9, 9), True, 0.0),
        ([".#."], (0.5, 0.5), (2.5, 0.5), True, 1.0),
    ],
    ids=[
        "past a corner",
        "between two corners",
        "along the top of a wall",
        "along the bottom of a wall",
        "along the middle of a thick wall",
        "beside a wall",
        "along the edge of the map",
        "along the edge of the map, past an obstacle",
        "up to a wall",
        "into a wall",
        "from outside to outside",
        "wholly outside",
        "a point in an obstacle",
        "a point on an edge lies in the next cell",
        "a point outside",
        "through a thin wall",
    ],
)
def test_limits(reference, rows, start, end, hit, length):
    grid = reference.grid_of(rows)
    for a, b in ((start, end), (end, start)):
        found, metres = line_collisions(grid, [a], [b])
        assert (found[0], metres[0]) == (hit, pytest.approx(length, abs=1e-12))


def test_a_very_short_segment_is_a_point(reference):
    grid = reference.grid_of(["#."])
    hit, length = line_collisions(grid, [[0.5, 0.5]], [[0.5, 0.5 + 1e-10]])
    assert hit[0]
    assert length[0] == pytest.approx(1e-10, rel=1e-3)


def test_slanted_lines_through_a_corner_do_not_hit(reference):
    """Beside the upper right corner of one obstacle, in every direction of small whole numbers."""
    free = np.ones((10, 10), dtype=bool)
    free[4, 4] = False
    grid = OccupancyGrid(free, MapGeometry.from_corners((0, 0), (1, 0), (0, 1), 10, 10))
    right, down = (n.ravel() for n in np.meshgrid(np.arange(1, 5), np.arange(1, 5)))
    for part in (Fraction(1), Fraction(1, 3), Fraction(3, 7), Fraction(9, 10)):
        starts = np.stack([0.5 - right * 0.1 * float(part), 0.4 - down * 0.1 * float(part)], -1)
        ends = np.stack([0.5 + right * 0.1, 0.4 + down * 0.1], axis=-1)
        hit, length = line_collisions(grid, starts, ends)
        assert not hit.any()
        assert (length == 0.0).all()


@pytest.mark.parametrize(("width", "height", "side"), [(6, 7, 0.1), (5, 7, 0.1), (9, 11, 0.3)])
def test_diagonals_through_corners_see_the_cells_between_them(reference, width, height, side):
    """Every line at half a right angle between cell centres, where cell sides are no floats.

    By an ulp such a line may seem to enter a strip one cell before and to leave it one cell after
    the only cell that it crosses there.
    """
    free = np.random.default_rng(6).random((height, width)) > 0.15
    geometry = MapGeometry.from_corners(
        (0, 0), (width * side, 0), (0, -height * side), width, height
    )
    grid = OccupancyGrid(free, geometry)
    segments = [
        ((c, r), (c + n, r + n * turn))
        for c in range(width)
        for r in range(height)
        for n in range(1, width - c)
        for turn in (-1, 1)
        if 0 <= r + n * turn < height
    ]
    ends = np.array(segments) + 0.5
    starts, stops = geometry.to_world(ends[:, 0]), geometry.to_world(ends[:, 1])
    for first, last in ((starts, stops), (stops, starts)):
        hit, length = line_collisions(grid, first, last)
        for (a, b), found, metres in zip(segments, hit, length, strict=True):
            half = Fraction(1, 2)
            expected, share = reference.exact_by_fractions(
                free, (a[0] + half, a[1] + half), (b[0] + half, b[1] + half)
            )
            assert found == expected
            whole = side * 2**0.5 * (b[0] - a[0])
            assert metres == pytest.approx(float(share) * whole, abs=1e-9)


def test_edges_written_as_decimals_are_edges():
    """0.1 m cells: 0.3 is no multiple of 0.1 in floats, and the wall's edge lies there."""
    free = np.array([[True] * 3 + [False] + [True] * 3] * 2)
    grid = OccupancyGrid(free, MapGeometry.from_corners((0, 0), (0.7, 0), (0, 0.2), 7, 2))
    hit, length = line_collisions(grid, [[0.1, 0.1], [0.3, 0.0]], [[0.3, 0.1], [0.3, 0.2]])
    assert hit.tolist() == [False, False]
    assert length.tolist() == [0.0, 0.0]


def test_segments_far_longer_than_the_map(reference):
    grid = reference.grid_of(["...", ".#.", "..."])
    hit, length = line_collisions(grid, [[-1e9, 1.5], [-1e9, 9.0]], [[1e9, 1.5], [1e9, 9.5]])
    assert hit.all()
    assert length == pytest.approx([2e9 - 2.0, 2e9], abs=1e-5)


def test_blocks_cover_every_sample_once():
    counts = np.array([3, 0, 70_000, 5, 3, 150_000, 1, 4, 5])
    seen = [np.zeros(n, dtype=int) for n in counts]
    for rows, k in dense_blocks(counts):
        assert len(rows) * len(k) <= 2**17
        for row in rows:
            inside = k[k < counts[row]].astype(int)
            seen[row][inside] += 1
    assert all((numbers == 1).all() for numbers in seen)
