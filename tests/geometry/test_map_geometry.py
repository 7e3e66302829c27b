"""Map geometry against exact fractions and cv2's affine maps."""

from __future__ import annotations

import pickle
from fractions import Fraction

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.errors import DataError
from abotn.geometry import MapGeometry

CORNERS = [
    ((-3.5, 7.75), (1.5, 7.75), (-3.5, 3.75), 100, 80),
    ((12.25, -1.5), (10.25, -1.5), (12.25, 1.0), 8, 10),
    ((0.0, 0.0), (0.48, 0.64), (1.84, -1.38), 8, 23),
    ((1.0, 2.0), (3.0, 2.5), (0.5, 5.0), 7, 9),
]


@pytest.mark.parametrize("corners", CORNERS)
def test_corners_come_back(corners):
    top_left, top_right, bottom_left, width, height = corners
    geometry = MapGeometry.from_corners(*corners)
    bottom_right = np.add(top_right, bottom_left) - top_left
    assert geometry.top_left == top_left
    assert geometry.top_right == pytest.approx(top_right)
    assert geometry.bottom_left == pytest.approx(bottom_left)
    assert geometry.bottom_right == pytest.approx(bottom_right)
    assert geometry.shape == (height, width)
    places = geometry.to_map([top_left, top_right, bottom_left, bottom_right])
    assert places == pytest.approx(
        np.array([[0, 0], [width, 0], [0, height], [width, height]]), abs=1e-9
    )


@pytest.mark.parametrize("corners", CORNERS)
def test_affine_equals_cv2(corners):
    top_left, top_right, bottom_left, width, height = corners
    world = np.array([top_left, top_right, bottom_left], dtype=np.float32)
    pixels = np.array([[0, 0], [width, 0], [0, height]], dtype=np.float32)
    matrix = cv2.getAffineTransform(world, pixels)
    points = np.random.default_rng(0).uniform(-5, 15, (50, 2))
    expected = points @ matrix[:, :2].T + matrix[:, 2]
    geometry = MapGeometry.from_corners(*corners)
    assert geometry.to_map(points) == pytest.approx(expected, rel=1e-4, abs=1e-3)


def test_pixel_sides_of_a_rotated_map():
    geometry = MapGeometry.from_corners((0, 0), (3, 4), (-8, 6), 10, 20)
    assert geometry.column_metres == pytest.approx(0.5)
    assert geometry.row_metres == pytest.approx(0.5)
    wide = MapGeometry.from_corners((0, 0), (4, 0), (0, -1), 10, 10)
    assert wide.metres_per_pixel == pytest.approx((0.4 + 0.1) / 2)


def test_floor_and_truncation_differ_outside_the_top_left_edges():
    geometry = MapGeometry.from_corners((0, 2), (2, 2), (0, 0), 20, 20)
    points = [[-0.05, 2.05], [-0.15, 2.15], [0.05, 1.95], [2.05, -0.05]]
    assert geometry.cell_of(points).tolist() == [[-1, -1], [-2, -2], [0, 0], [20, 20]]
    assert geometry.published_pixel(points).tolist() == [[0, 0], [-1, -1], [0, 0], [20, 20]]


@given(st.integers(-400, 400), st.integers(1, 60), st.integers(1, 60), st.integers(-200, 200))
@settings(max_examples=150, deadline=None)
def test_decimal_coordinates_of_an_edge_lie_in_the_cell_that_begins_there(left, width, step, k):
    """Corners and points with two decimals, exactly on pixel edges in rational arithmetic."""
    pixel = Fraction(step, 100)
    start = Fraction(left, 100)
    geometry = MapGeometry.from_corners(
        (float(start), 0.0), (float(start + width * pixel), 0.0), (float(start), -1.0), width, 4
    )
    assert geometry.cell_of((float(start + k * pixel), -0.3))[0] == k


@given(
    st.lists(st.floats(-50, 50), min_size=6, max_size=6),
    st.integers(1, 500),
    st.integers(1, 500),
    st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=1, max_size=5),
)
@settings(max_examples=100, deadline=None)
def test_world_and_map_are_inverse(numbers, width, height, points):
    corners = np.reshape(numbers, (3, 2))
    edges = corners[1:] - corners[0]
    if abs(np.linalg.det(edges)) < 1.0:
        return
    geometry = MapGeometry.from_corners(*corners, width, height)
    back = geometry.to_world(geometry.to_map(points))
    assert back == pytest.approx(np.array(points), abs=1e-6)


def test_cell_centres_lie_in_their_cells():
    geometry = MapGeometry.from_corners((0.0, 0.0), (0.48, 0.64), (1.84, -1.38), 8, 23)
    cells = np.stack(np.meshgrid(np.arange(8), np.arange(23)), axis=-1)
    assert (geometry.cell_of(geometry.cell_centre(cells)) == cells).all()


def test_is_a_value():
    one = MapGeometry.from_corners((0, 0), (1, 0), (0, 1), 4, 4)
    other = MapGeometry.from_corners(np.zeros(2), [1, 0], np.array([0, 1]), np.int64(4), 4)
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one


def test_far_points_do_not_wrap_into_the_map():
    geometry = MapGeometry.from_corners((0, 0), (1, 0), (0, 1), 10, 10)
    assert (geometry.cell_of([1e300, -1e300]) == [2**62, -(2**62)]).all()


@pytest.mark.parametrize(
    ("corners", "message"),
    [
        (((0, 0), (1, 1), (2, 2), 4, 4), "collinear"),
        (((0, 0), (0, 0), (0, 1), 4, 4), "collinear"),
        (((0, 0), (float("nan"), 0), (0, 1), 4, 4), "top_right: expected two finite"),
        (((0, 0), (1, 0, 0), (0, 1), 4, 4), "top_right: expected two finite"),
        (((0, 0), "ab", (0, 1), 4, 4), "top_right: expected two finite"),
        (((0, 0), (1, 0), (0, 1), 0, 4), "width: expected a whole number"),
        (((0, 0), (1, 0), (0, 1), 4, 2.5), "height: expected a whole number"),
        (((0, 0), (1, 0), (0, 1), True, 4), "width: expected a whole number"),
    ],
)
def test_refuses_what_is_no_map(corners, message):
    with pytest.raises(DataError, match=message):
        MapGeometry.from_corners(*corners)


def test_refuses_points_it_cannot_place():
    geometry = MapGeometry.from_corners((0, 0), (1, 0), (0, 1), 4, 4)
    with pytest.raises(DataError, match="shape"):
        geometry.to_map([1.0, 2.0, 3.0])
    with pytest.raises(DataError, match="finite"):
        geometry.cell_of([np.nan, 0.0])
