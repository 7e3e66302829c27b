"""Shapes in metres on a map under construction, against a cell-by-cell rule."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.scenes.canvas import Canvas
from abotn.scenes.terrain import rolling_ground


def new_canvas() -> Canvas:
    return Canvas(-2.0, 1.0, 4.0, 3.0, 0.25)


def centres(canvas: Canvas) -> np.ndarray:
    rows, columns = canvas.blocked.shape
    cells = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1)
    return canvas.geometry.cell_centre(cells)


places = st.tuples(st.floats(-4, 4), st.floats(-1, 6))


@settings(max_examples=60, deadline=None)
@given(places, st.floats(0.25, 3), st.floats(0.25, 3), st.floats(-4, 4))
def test_a_rectangle_covers_the_cells_whose_centre_it_holds(
    centre: tuple[float, float], length: float, width: float, angle: float
) -> None:
    canvas = new_canvas()
    canvas.fill_rectangle(canvas.blocked, centre, (length, width), angle)
    offset = (centres(canvas) - centre) @ np.array(
        [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    )
    depth = np.max(np.abs(offset) - [length / 2, width / 2], axis=-1)
    clear = np.abs(depth) > 1e-9
    np.testing.assert_array_equal(canvas.blocked[clear], (depth < 0)[clear])


@settings(max_examples=40, deadline=None)
@given(places, st.floats(0.125, 2))
def test_a_disc_covers_the_cells_whose_centre_it_holds(
    centre: tuple[float, float], radius: float
) -> None:
    canvas = new_canvas()
    canvas.fill_disc(canvas.blocked, centre, radius)
    distance = np.linalg.norm(centres(canvas) - centre, axis=-1)
    clear = np.abs(distance - radius) > 1e-9
    np.testing.assert_array_equal(canvas.blocked[clear], (distance <= radius)[clear])


def test_a_thin_thing_still_covers_cells() -> None:
    canvas = new_canvas()
    canvas.fill_rectangle(canvas.blocked, (0.0, 2.625), (2.0, 0.01))
    assert canvas.blocked.sum() == 8
    canvas = new_canvas()
    canvas.fill_disc(canvas.blocked, (0.1, 2.6), 0.001)
    assert canvas.blocked.sum() == 1


def test_y_points_up() -> None:
    canvas = new_canvas()
    canvas.fill_rectangle(canvas.blocked, (-1.875, 3.875), (0.25, 0.25))
    assert np.argwhere(canvas.blocked).tolist() == [[0, 0]]
    assert canvas.geometry.top_left == (-2.0, 4.0)
    assert canvas.geometry.bottom_right == pytest.approx((2.0, 1.0))


def test_things_keep_their_distance() -> None:
    canvas = new_canvas()
    assert canvas.place_rectangle((-1.0, 2.5), (0.5, 0.5), gap=0.5)
    before = canvas.blocked.copy()
    assert not canvas.place_rectangle((-0.1, 2.5), (0.6, 0.5), gap=0.5)
    assert not canvas.place_disc((-0.4, 2.5), 0.2, gap=0.5)
    np.testing.assert_array_equal(canvas.blocked, before)
    assert canvas.place_rectangle((0.26, 2.5), (0.5, 0.5), gap=0.5)


def test_nothing_stands_on_what_is_kept_clear_or_over_the_edge() -> None:
    canvas = new_canvas()
    canvas.fill_rectangle(canvas.kept_clear, (0.0, 2.5), (1.0, 3.0))
    assert not canvas.place_disc((0.5, 2.5), 0.3, gap=0.0)
    assert not canvas.place_rectangle((1.9, 2.5), (0.5, 0.5), gap=0.0)
    assert not canvas.place_disc((1.9, 2.5), 0.3, gap=0.0)
    assert not canvas.blocked.any()
    # A gap may reach into what is kept clear, the thing itself may not.
    assert canvas.place_disc((1.0, 2.5), 0.3, gap=0.5)


def test_ground_is_gentle_starts_at_zero_and_follows_its_generator() -> None:
    ground = rolling_ground((300, 400), 0.1, np.random.default_rng(1))
    assert ground.dtype == np.float32
    assert ground.min() == 0.0
    assert 0.1 < ground.max() < 5.0
    # Four waves of at most 0.3 m and at least 35 m: at most 4 * 0.3 * 2 pi / 35 = 22 %.
    slope = max(np.abs(np.diff(ground, axis=axis)).max() for axis in (0, 1)) / 0.1
    assert slope < 4 * 0.3 * 2 * math.pi / 35 + 0.02
    assert (ground == rolling_ground((300, 400), 0.1, np.random.default_rng(1))).all()
    assert (ground != rolling_ground((300, 400), 0.1, np.random.default_rng(2))).any()
