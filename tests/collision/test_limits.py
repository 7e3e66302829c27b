"""Sizes, pixels and distances beyond the ordinary, against plain rules written here."""

from __future__ import annotations

import heapq
import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import abotn.collision
import abotn.geometry.map_geometry
from abotn.collision import (
    MapGeometry,
    OccupancyGrid,
    dilate_free,
    dilate_free_pixels,
    disc_collisions,
    distance_field,
    shortest_path,
    square_collisions,
)
from abotn.collision.wavefront import wave_distances
from abotn.errors import DataError

KNIGHTS = [(r, c) for r in (-2, -1, 1, 2) for c in (-2, -1, 1, 2) if abs(r) != abs(c)]
AROUND = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]


def grid_of(free: np.ndarray, column_metres: float = 1.0, row_metres: float = 1.0) -> OccupancyGrid:
    rows, columns = free.shape
    return OccupancyGrid(
        free, MapGeometry((0, 0), (column_metres, 0), (0, row_metres), columns, rows)
    )


def passable(free: np.ndarray, row: int, column: int, step: tuple[int, int]) -> bool:
    """Whether the cells a step goes through are free, the documented rule word for word."""

    def at(r: int, c: int) -> bool:
        return 0 <= r < free.shape[0] and 0 <= c < free.shape[1] and bool(free[r, c])

    down, right = step
    if not at(row + down, column + right):
        return False
    if abs(down) + abs(right) == 1:
        return True
    if abs(down) == abs(right):
        return at(row + down, column) or at(row, column + right)
    half = (int(down / 2), int(right / 2))
    other = (down - half[0], right - half[1])
    return at(row + half[0], column + half[1]) and at(row + other[0], column + other[1])


def plain_distances(grid: OccupancyGrid, goal: tuple[float, float]) -> np.ndarray:
    """Dijkstra's algorithm with a heap, cell by cell."""
    found = np.full(grid.shape, np.inf)
    column, row = (int(number) for number in grid.geometry.cell_of(goal))
    if not grid.free[row, column]:
        return found
    sides = grid.geometry.column_metres, grid.geometry.row_metres
    centre = grid.geometry.cell_centre((column, row))
    waiting = [(math.dist(centre, goal), row, column)]
    while waiting:
        metres, row, column = heapq.heappop(waiting)
        if metres >= found[row, column]:
            continue
        found[row, column] = metres
        for step in (*AROUND, *KNIGHTS):
            if passable(grid.free, row, column, step):
                length = math.hypot(step[0] * sides[1], step[1] * sides[0])
                heapq.heappush(waiting, (metres + length, row + step[0], column + step[1]))
    return found


def test_the_collision_room_offers_the_geometry_of_maps() -> None:
    assert MapGeometry is abotn.geometry.map_geometry.MapGeometry
    assert "MapGeometry" in abotn.collision.__all__
    geometry = MapGeometry.from_corners((0, 1), (2, 1), (0, 0), 20, 10)
    assert geometry.metres_per_pixel == pytest.approx(0.1)


@given(
    seed=st.integers(0, 2**32 - 1),
    sides=st.sampled_from([(0.05, 0.05), (0.05, 0.3), (3.0, 1.0), (0.05, 5.0), (5.0, 0.05)]),
    place=st.tuples(st.floats(0, 0.999), st.floats(0, 0.999)),
)
@settings(max_examples=40, deadline=None)
def test_distances_are_those_of_a_plain_search(seed, sides, place) -> None:
    free = np.random.default_rng(seed).random((9, 11)) > 0.3
    grid = grid_of(free, *sides)
    goal = (place[0] * 11 * sides[0], place[1] * 9 * sides[1])
    np.testing.assert_allclose(distance_field(grid, goal), plain_distances(grid, goal), rtol=1e-9)


def test_no_cell_of_a_corridor_is_lost_when_lengths_are_rounded() -> None:
    # In binary 0.25 + 0.05 is less than 0.05 more than 0.25.
    assert (0.25 + 0.05) - 0.25 < 0.05
    field = wave_distances(np.ones((1, 40), dtype=bool), (0, 0, 0.25), 0.05, 0.05)
    np.testing.assert_allclose(field[0], 0.25 + 0.05 * np.arange(40))


def test_many_free_cells_that_are_far_longer_than_wide_are_refused() -> None:
    grid = grid_of(np.ones((1001, 1000), dtype=bool), 0.05, 5.0)
    with pytest.raises(DataError, match=r"pixels are 0\.05 x 5 m, got 1001000.*resample the map"):
        distance_field(grid, (1.0, 1.0))


def test_what_cannot_be_reached_is_not_searched_for() -> None:
    # Without a look at what hangs together, this search would go on for most of a minute.
    free = np.random.default_rng(0).random((400, 400)) > 0.05
    free[-3:, -3:] = False
    free[-1, -1] = free[0, 0] = True
    for sides in ((0.05, 0.05), (0.05, 5.0)):
        grid = grid_of(free, *sides)
        goal = grid.geometry.cell_centre((399, 399))
        assert shortest_path(grid, grid.geometry.cell_centre((0, 0)), goal) is None
        assert shortest_path(grid, goal, goal) is not None


@pytest.mark.parametrize("radius", [1, 24, 40, 41, 57, 90, 131])
def test_dilation_is_that_of_the_image_library(radius: int) -> None:
    rng = np.random.default_rng(radius)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    for shape in ((1, 1), (1, 90), (80, 3), (60, 75)):
        free = rng.random(shape) > 0.998
        expected = cv2.dilate(free.astype(np.uint8), kernel) != 0
        np.testing.assert_array_equal(dilate_free_pixels(grid_of(free), radius).free, expected)


@pytest.mark.parametrize("metres", [1e3, 1e9, 1e300, 1.7e308])
def test_a_dilation_wider_than_the_map_frees_all_of_it(metres: float) -> None:
    free = np.zeros((30, 50), dtype=bool)
    assert not dilate_free(grid_of(free, 1e-3, 1e-3), metres).free.any()
    free[29, 49] = True
    assert dilate_free(grid_of(free, 1e-3, 1e-3), metres).free.all()


def test_a_long_map_needs_no_memory_for_a_kernel_as_long() -> None:
    free = np.zeros((1, 200_000), dtype=bool)
    free[0, 0] = True
    widened = dilate_free_pixels(grid_of(free), 150_000).free
    assert widened[0, :150_001].all()
    assert not widened[0, 150_001:].any()


@given(seed=st.integers(0, 2**32 - 1), radius=st.sampled_from([0.5, 3, 64, 65, 80, 200]))
@settings(max_examples=25, deadline=None)
def test_footprints_of_any_size_follow_the_plain_rule(seed: int, radius: float) -> None:
    rng = np.random.default_rng(seed)
    grid = grid_of(rng.random((40, 60)) > 0.001)
    points = rng.uniform(-90, 130, (12, 2))
    rows, columns = np.nonzero(~grid.free)
    pixels = math.ceil(radius)
    for outside_free in (True, False):
        found = disc_collisions(
            ~grid.free, grid.geometry, points, radius, outside_free=outside_free
        )
        for hit, (x, y) in zip(found, np.floor(points), strict=True):
            near = (columns - x) ** 2 + (rows - y) ** 2 <= pixels**2
            leaves = min(x, y) < pixels or x + pixels > 59 or y + pixels > 39
            assert hit == (near.any() or (leaves and not outside_free))
    for hit, (x, y) in zip(square_collisions(grid, points, pixels), np.trunc(points), strict=True):
        near = np.maximum(abs(columns - x), abs(rows - y)) <= pixels
        assert hit == (near.any() or not (0 <= x < 60 and 0 <= y < 40))


def test_a_robot_larger_than_any_map_collides_with_all_of_it() -> None:
    free = np.ones((20, 30), dtype=bool)
    free[3, 4] = False
    grid = grid_of(free)
    for radius in (1e6, 1e12, 1e300):
        assert disc_collisions(~free, grid.geometry, [[29.0, 19.0]], radius).all()
    assert square_collisions(grid, [[29.0, 19.0]], 10**30).all()


def test_a_clearance_that_no_map_has_is_no_path() -> None:
    grid = grid_of(np.ones((5, 5), dtype=bool))
    assert shortest_path(grid, (1.5, 1.5), (3.5, 3.5), clearance=1e300) is None
