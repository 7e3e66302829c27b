"""Clearance against the distance to every obstacle square."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.collision import OccupancyGrid, clearance, clearance_field
from abotn.collision.clearance import cells_with_clearance
from abotn.errors import DataError
from abotn.geometry import MapGeometry

STEPS = {
    "square": ((0.5, 0.0), (0.0, -0.5)),
    "oblong": ((0.5, 0.0), (0.0, 0.2)),
    "rotated": ((0.3, 0.4), (0.4, -0.3)),
}


def draw_grid(seed, kind):
    rng = np.random.default_rng(seed)
    height, width = rng.integers(1, 12, 2)
    free = rng.random((height, width)) > rng.choice([0.0, 0.05, 0.3])
    return rng, OccupancyGrid(free, MapGeometry((2.0, -1.0), *STEPS[kind], width, height))


@pytest.mark.parametrize("kind", STEPS)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_equals_the_least_distance_over_all_squares(reference, kind, seed):
    rng, grid = draw_grid(seed, kind)
    height, width = grid.shape
    places = rng.uniform(-1, 1 + np.array([width, height]), (20, 2))
    places[::4] = np.rint(places[::4])
    sides = grid.geometry.column_metres, grid.geometry.row_metres
    expected = [reference.distance_to_obstacles(grid.free, *p, *sides) for p in places.tolist()]
    found = clearance(grid, grid.geometry.to_world(places))
    assert found == pytest.approx(np.array(expected), abs=1e-7)


@pytest.mark.parametrize("kind", STEPS)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_field_is_the_clearance_of_the_centres(kind, seed):
    _, grid = draw_grid(seed, kind)
    height, width = grid.shape
    cells = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1)
    centres = grid.geometry.cell_centre(cells).reshape(-1, 2)
    field = clearance_field(grid)
    assert field.shape == grid.shape
    assert field.ravel() == pytest.approx(clearance(grid, centres), abs=1e-5)


@given(seed=st.integers(0, 2**32 - 1), metres=st.sampled_from([0.3, 0.5, 0.8, 1.2]))
@settings(max_examples=40, deadline=None)
def test_every_point_of_a_clear_cell_keeps_the_distance(reference, seed, metres):
    """The least distance over a cell is taken at one of its corners, which lie on a lattice."""
    _, grid = draw_grid(seed, "oblong")
    clear = cells_with_clearance(grid, metres)
    sides = grid.geometry.column_metres, grid.geometry.row_metres
    for row, column in np.argwhere(grid.free):
        corners = [(column + dx, row + dy) for dx in (1e-9, 1 - 1e-9) for dy in (1e-9, 1 - 1e-9)]
        least = min(reference.distance_to_obstacles(grid.free, *p, *sides) for p in corners)
        if abs(least - metres) > 1e-5:
            assert clear[row, column] == (least > metres)
    assert not (clear & ~grid.free).any()


def test_a_map_without_obstacles_ends_at_its_edges():
    grid = OccupancyGrid(np.ones((4, 6), dtype=bool), MapGeometry((0, 0), (1, 0), (0, 1), 6, 4))
    assert clearance(grid, [[3, 2], [5.5, 2], [-1, 2], [6, 4]]).tolist() == [2.0, 0.5, 0.0, 0.0]


def test_refuses_slanted_axes_and_bad_points():
    grid = OccupancyGrid(np.ones((2, 2), dtype=bool), MapGeometry((0, 0), (1, 0), (0.5, 1), 2, 2))
    with pytest.raises(DataError, match="perpendicular"):
        clearance(grid, [[0.5, 0.5]])
    square = OccupancyGrid(grid.free, MapGeometry((0, 0), (1, 0), (0, 1), 2, 2))
    with pytest.raises(DataError, match=r"points\[0\]"):
        clearance(square, [[np.nan, 0.5]])
    assert clearance(square, []).shape == (0,)
