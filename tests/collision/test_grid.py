"""The grid itself, dilation and footprints."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import binary_dilation

from abotn.collision import (
    OccupancyGrid,
    dilate_free,
    dilate_free_pixels,
    disc_collisions,
    line_collisions,
    obstacle_mask,
    square_collisions,
)
from abotn.errors import ConfigError, DataError, UnknownNameError
from abotn.geometry import MapGeometry


@pytest.fixture
def noisy():
    free = np.random.default_rng(1).random((30, 40)) > 0.1
    return OccupancyGrid(free, MapGeometry.from_corners((0, 3), (4, 3), (0, 0), 40, 30))


def test_the_callers_array_can_change_without_the_grid():
    free = np.ones((2, 2), dtype=bool)
    grid = OccupancyGrid(free, MapGeometry((0, 0), (1, 0), (0, 1), 2, 2))
    free[:] = False
    assert grid.free.all()
    with pytest.raises(ValueError, match="read-only"):
        grid.free[0, 0] = False
    assert grid.shape == (2, 2)


def test_from_image_is_free_from_the_threshold_up():
    geometry = MapGeometry((0, 0), (1, 0), (0, 1), 4, 1)
    grey = np.array([[0, 127, 128, 255]], dtype=np.uint8)
    assert OccupancyGrid.from_image(grey, geometry).free.tolist() == [[False, False, True, True]]
    assert OccupancyGrid.from_image(grey, geometry, 255).free.sum() == 1


@pytest.mark.parametrize(
    ("free", "message"),
    [
        (np.ones((2, 3)), "bool array"),
        (np.ones(3, dtype=bool), "bool array"),
        (np.ones((3, 2), dtype=bool), r"expected \(2, 3\)"),
    ],
)
def test_refuses_arrays_that_are_no_map(free, message):
    with pytest.raises(DataError, match=message):
        OccupancyGrid(free, MapGeometry((0, 0), (1, 0), (0, 1), 3, 2))


def test_refuses_colour_images():
    with pytest.raises(DataError, match="grey image"):
        OccupancyGrid.from_image(np.zeros((2, 2, 3)), MapGeometry((0, 0), (1, 0), (0, 1), 2, 2))


def test_outside_nothing_is_free(noisy):
    points = [[-0.01, 1], [4.01, 1], [1, 3.01], [1, -0.01], [1e12, 1]]
    assert not noisy.is_free(points).any()
    centres = noisy.geometry.cell_centre(np.argwhere(noisy.free)[:, ::-1])
    assert noisy.is_free(centres).all()


def test_a_pickled_grid_is_the_map_alone(noisy):
    line_collisions(noisy, np.zeros((6000, 2)), np.ones((6000, 2)))
    copy = pickle.loads(pickle.dumps(noisy))
    assert (copy.free == noisy.free).all()
    assert copy.geometry == noisy.geometry
    assert set(vars(copy)) == {"free", "geometry"}


@pytest.mark.parametrize("pixels", [1, 2, 5])
def test_dilation_equals_scipy_with_the_same_ellipse(noisy, pixels):
    """Rows of the ellipse as cv2 documents them: round(r sqrt(1 - (dy/r)^2)) to each side."""
    across = np.arange(-pixels, pixels + 1)
    reach = np.rint(pixels * np.sqrt(1 - (across / pixels) ** 2))
    kernel = np.abs(across)[None, :] <= reach[:, None]
    sparse = OccupancyGrid(~noisy.free, noisy.geometry)
    expected = binary_dilation(sparse.free, kernel)
    assert (dilate_free_pixels(sparse, pixels).free == expected).all()


def test_dilation_in_metres_rounds_to_pixels_and_copies(noisy):
    before = noisy.free.copy()
    assert (dilate_free(noisy, 0.24).free == dilate_free_pixels(noisy, 2).free).all()
    assert (dilate_free(noisy, 0.01).free == dilate_free_pixels(noisy, 1).free).all()
    assert (noisy.free == before).all()
    assert dilate_free(noisy, 0.0) is noisy
    assert dilate_free(noisy, -1.0) is noisy
    assert dilate_free_pixels(noisy, 0) is noisy
    with pytest.raises(ConfigError, match="finite"):
        dilate_free(noisy, math.nan)


def test_dilation_shrinks_obstacles(noisy):
    wider = dilate_free(noisy, 0.2)
    assert (wider.free | ~noisy.free).all()
    assert wider.free.sum() > noisy.free.sum()


def test_obstacle_mask_by_polarity():
    grey = np.array([[0, 100, 127, 128, 255]], dtype=np.uint8)
    assert obstacle_mask(grey, "dark", 100).tolist() == [[True, True, False, False, False]]
    assert obstacle_mask(grey, "light", 128).tolist() == [[False, False, False, True, True]]
    with pytest.raises(UnknownNameError, match="dark"):
        obstacle_mask(grey, "drak")
    with pytest.raises(DataError, match="grey image"):
        obstacle_mask([1, 2])


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1, 0.15, 0.31, 0.5]))
@settings(max_examples=60, deadline=None)
def test_disc_equals_a_loop_over_pixels(seed, radius):
    rng = np.random.default_rng(seed)
    mask = rng.random((15, 20)) < 0.05
    geometry = MapGeometry.from_corners((0, 1.5), (2, 1.5), (0, 0), 20, 15)
    points = rng.uniform(-0.6, 2.6, (20, 2))
    reach = {0.0: 0, 0.1: 1, 0.15: 2, 0.31: 4, 0.5: 5}[radius]
    for outside_free in (True, False):
        hit = disc_collisions(mask, geometry, points, radius, outside_free=outside_free)
        for point, found in zip(points, hit, strict=True):
            u, v = math.floor(point[0] * 10), math.floor((1.5 - point[1]) * 10)
            expected = False
            for c in range(u - reach, u + reach + 1):
                for r in range(v - reach, v + reach + 1):
                    if (c - u) ** 2 + (r - v) ** 2 <= reach**2:
                        on_map = 0 <= c < 20 and 0 <= r < 15
                        expected |= mask[r, c] if on_map else not outside_free
            assert found == expected


def test_disc_refuses():
    geometry = MapGeometry((0, 0), (1, 0), (0, 1), 3, 2)
    mask = np.zeros((2, 3), dtype=bool)
    with pytest.raises(ConfigError, match="radius_m"):
        disc_collisions(mask, geometry, [[0, 0]], -1.0)
    with pytest.raises(DataError, match="obstacles"):
        disc_collisions(mask.T, geometry, [[0, 0]], 1.0)


def test_square_equals_a_loop_over_pixels(noisy):
    points = np.random.default_rng(2).uniform(-0.5, 4.5, (200, 2))
    hit = square_collisions(noisy, points, 2)
    for point, found in zip(points, hit, strict=True):
        u, v = (int(n) for n in noisy.geometry.to_map(point))
        patch = noisy.free[max(v - 2, 0) : max(v + 3, 0), max(u - 2, 0) : max(u + 3, 0)]
        outside = not (0 <= u < 40 and 0 <= v < 30)
        assert found == (outside or not patch.all())
    assert square_collisions(noisy, points, 0).sum() < hit.sum()
    with pytest.raises(ConfigError, match="half_size_pixels"):
        square_collisions(noisy, points, -1)
