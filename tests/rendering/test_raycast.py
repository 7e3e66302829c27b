"""Ray casting against a traversal in exact fractions and against fine marching."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from abotn.rendering.raycast import RayGrid

Cell = tuple[int, int]


def exact_entry(
    free: NDArray[np.bool_], origin: tuple[float, float], direction: tuple[float, float]
) -> tuple[float, Cell] | None:
    """The first obstacle cell whose interior the ray enters after a free one, in fractions."""
    rows, columns = free.shape
    start, slope = [Fraction(v) for v in origin], [Fraction(v) for v in direction]
    times = {Fraction(0)}
    for axis, size in ((0, columns), (1, rows)):
        if slope[axis] != 0:
            times |= {(line - start[axis]) / slope[axis] for line in range(-1, size + 2)}
    ordered = sorted(time for time in times if time >= 0)
    # Cells that the ray meets for less than float arithmetic can tell are another matter.
    assume(all(b - a > Fraction(1, 10**9) for a, b in pairwise(ordered)))
    seen_free = False
    for here, following in zip(ordered, [*ordered[1:], ordered[-1] + 1], strict=True):
        middle = (here + following) / 2
        column, row = (math.floor(start[k] + middle * slope[k]) for k in (0, 1))
        inside = 0 <= column < columns and 0 <= row < rows
        if inside and free[row, column]:
            seen_free = True
        elif seen_free:
            return float(here), (column, row)
    return None


grids = hnp.arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9)))
places = st.integers(-300, 1200).map(lambda n: n / 100 + 0.00137)
turns = st.floats(0.0, 2.0 * math.pi)


@given(grids, places, places, turns)
@settings(max_examples=400, deadline=None)
def test_entry_is_exact(free: NDArray[np.bool_], x: float, y: float, turn: float) -> None:
    direction = (math.cos(turn), math.sin(turn))
    assume(min(map(abs, direction)) > 1e-6)
    expected = exact_entry(free, (x, y), direction)
    hits = RayGrid(free).cast(np.array([x, y]), np.array([direction]))
    if expected is None:
        assert hits.distance[0] == np.inf
        return
    distance, cell = expected
    assert hits.distance[0] == pytest.approx(distance, rel=1e-12, abs=1e-12)
    assert (hits.column[0], hits.row[0]) == cell
    before = (hits.before_column[0], hits.before_row[0])
    assert abs(before[0] - cell[0]) + abs(before[1] - cell[1]) == 1
    assert free[before[1], before[0]]


def test_entry_agrees_with_fine_marching() -> None:
    rng = np.random.default_rng(5)
    free = rng.random((120, 160)) > 0.02
    free[60, 80] = True
    _check_by_marching(free, np.array([80.3, 60.7]), rng)


@pytest.mark.parametrize("name", ["depot", "tb3_sandbox", "warehouse"])
def test_entry_agrees_with_fine_marching_on_real_maps(name: str, shared: Path) -> None:
    grey = cv2.imread(str(shared / "data" / "maps" / f"{name}.pgm"), cv2.IMREAD_GRAYSCALE)
    free = np.asarray(grey) >= 250
    rng = np.random.default_rng(1)
    row, column = rng.permutation(np.argwhere(free))[0]
    _check_by_marching(free, np.array([column, row]) + rng.uniform(0.1, 0.9, 2), rng)


def _check_by_marching(free: NDArray[np.bool_], origin: NDArray, rng: np.random.Generator) -> None:
    angle = rng.uniform(0.0, 2.0 * np.pi, 60)
    directions = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    padded = np.pad(free, 1)
    hits = RayGrid(free).cast(origin, directions)
    for direction, distance in zip(directions, hits.distance, strict=True):
        steps = np.arange(0.0, distance + 0.002, 1e-3)
        cells = np.floor(origin + steps[:, None] * direction).astype(int) + 1
        blocked = ~padded[cells[:, 1], cells[:, 0]]
        # Nothing stands before the entry, and something does right behind it.
        assert not blocked[steps < distance - 1e-9].any()
        behind = np.floor(origin + (distance + 1e-7) * direction).astype(int) + 1
        assert not padded[behind[1], behind[0]]


@pytest.mark.parametrize(
    ("direction", "distance", "cell"),
    [
        ((1.0, 0.0), 4.75, (10, 5)),
        ((-1.0, 0.0), 5.25, (-1, 5)),
        ((0.0, 1.0), 4.5, (5, 10)),
        ((0.0, -1.0), 2.5, (5, 2)),
        ((0.0, -2.0), 1.25, (5, 2)),
    ],
)
def test_along_the_axes(
    direction: tuple[float, float], distance: float, cell: tuple[int, int]
) -> None:
    free = np.ones((10, 10), dtype=bool)
    free[2, 5] = False
    hits = RayGrid(free).cast(np.array([5.25, 5.5]), np.array([direction]))
    assert hits.distance[0] == distance
    assert (hits.column[0], hits.row[0]) == cell


def test_a_diagonal_through_corners_enters_no_side_cell() -> None:
    free = np.ones((6, 6), dtype=bool)
    free[2, 3] = free[3, 2] = free[5, 5] = False
    hits = RayGrid(free).cast(np.array([0.5, 0.5]), np.array([[1.0, 1.0]]))
    assert hits.distance[0] == 4.5
    assert (hits.column[0], hits.row[0]) == (5, 5)


def test_what_the_start_stands_in_is_not_seen() -> None:
    free = np.ones((3, 12), dtype=bool)
    free[:, :4] = False
    free[:, 9] = False
    grid = RayGrid(free)
    hits = grid.cast(np.array([1.5, 1.5]), np.array([[1.0, 0.0], [-1.0, 0.0]]))
    assert hits.distance.tolist() == [7.5, np.inf]
    beside = grid.cast(np.array([-20.0, 1.5]), np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]))
    assert beside.distance.tolist() == [29.0, np.inf, np.inf]


def test_maps_of_one_kind_are_defined() -> None:
    around = np.array([[math.cos(a), math.sin(a)] for a in np.linspace(0, 6, 50)])
    solid = RayGrid(np.zeros((40, 50), dtype=bool)).cast(np.array([20.0, 20.0]), around)
    assert np.isinf(solid.distance).all()
    empty = RayGrid(np.ones((40, 50), dtype=bool)).cast(np.array([20.0, 20.0]), around)
    ends = np.array([20.0, 20.0]) + empty.distance[:, None] * around
    on_edge = np.isclose(ends, 0.0) | np.isclose(ends, [50.0, 40.0])
    assert on_edge.any(axis=1).all()


def test_no_rays_give_no_hits() -> None:
    hits = RayGrid(np.ones((3, 3), dtype=bool)).cast(np.array([1.0, 1.0]), np.empty((0, 2)))
    assert hits.distance.shape == (0,)
