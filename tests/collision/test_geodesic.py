"""Shortest paths against visibility graphs, analytic lengths, and real maps."""

from __future__ import annotations

import math
from fractions import Fraction

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.collision import (
    OccupancyGrid,
    clearance,
    distance_field,
    line_collisions,
    shortest_path,
)
from abotn.errors import ConfigError, DataError
from abotn.geometry import MapGeometry, path_length, resample

EIGHTH = st.integers(0, 8 * 8).map(lambda n: Fraction(n, 8))


def plain_grid(free, column_metres=1.0, row_metres=1.0):
    height, width = free.shape
    return OccupancyGrid(
        free, MapGeometry((0, 0), (column_metres, 0), (0, row_metres), width, height)
    )


@given(
    seed=st.integers(0, 2**32 - 1),
    share=st.sampled_from([0.1, 0.25, 0.4]),
    ends=st.tuples(EIGHTH, EIGHTH, EIGHTH, EIGHTH),
    row_metres=st.sampled_from([1.0, 0.6]),
)
@settings(max_examples=80, deadline=None)
def test_equals_a_visibility_graph(reference, seed, share, ends, row_metres):
    free = np.random.default_rng(seed).random((8, 8)) > share
    start, goal = ends[:2], ends[2:]
    grid = plain_grid(free, 1.0, row_metres)
    scale = np.array([1.0, row_metres])
    path = shortest_path(
        grid, np.array(start, dtype=float) * scale, np.array(goal, dtype=float) * scale
    )
    in_reach = all(_touches_free(free, p) for p in (start, goal))
    expected = math.inf
    if in_reach:
        expected = reference.shortest_by_visibility(free, start, goal, 1.0, row_metres)
    found = math.inf if path is None else path.length
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    if path is not None:
        assert path.length == pytest.approx(path_length(path.points))
        hit, _ = line_collisions(grid, path.points[:-1], path.points[1:])
        assert not hit.any()


def _touches_free(free, place):
    columns = {math.floor(place[0]), math.ceil(place[0]) - 1}
    rows = {math.floor(place[1]), math.ceil(place[1]) - 1}
    return any(
        0 <= c < free.shape[1] and 0 <= r < free.shape[0] and free[r, c]
        for c in columns
        for r in rows
    )


def test_around_a_block_the_path_bends_at_its_corners():
    free = np.ones((40, 60), dtype=bool)
    free[10:30, 20:40] = False
    grid = plain_grid(free, 0.1, 0.1)
    path = shortest_path(grid, (1.0, 1.9), (5.0, 1.9))
    expected = [[1.0, 1.9], [2.0, 1.0], [4.0, 1.0], [5.0, 1.9]]
    assert path.points == pytest.approx(np.array(expected))
    assert path.length == pytest.approx(2 * math.hypot(1.0, 0.9) + 2.0)


def test_a_straight_view_is_a_straight_line():
    path = shortest_path(plain_grid(np.ones((50, 50), dtype=bool)), (0.3, 1.7), (48.9, 33.2))
    assert path.points.tolist() == [[0.3, 1.7], [48.9, 33.2]]
    assert path.length == pytest.approx(math.hypot(48.6, 31.5))


def test_a_serpentine_of_walls():
    """Walls one cell thick with a gap of two at alternating ends, and the bends by hand."""
    free = np.ones((19, 20), dtype=bool)
    for number, row in enumerate(range(4, 19, 5)):
        free[row] = False
        free[row, (18 if number % 2 == 0 else 0) : (20 if number % 2 == 0 else 2)] = True
    bends = [(1, 2), (18, 4), (18, 5), (2, 9), (2, 10), (18, 14), (18, 15), (10, 17)]
    path = shortest_path(plain_grid(free), bends[0], bends[-1])
    assert path.points.tolist() == [list(map(float, bend)) for bend in bends]


NEAR_TIES = [
    ("..##.. .#...# ...... ....## ..#... ...... ..##..", (0.1, 0.1), (1.5, 6.5), (4.5, 2.5)),
    (".... #..# #.## ...# ....", (0.5, 0.3), (3, 5), (0, 0)),
    ("..... .#..# #.... .....", (0.1, 0.1), (0.5, 3.5), (0.5, 1.5)),
    ("...... #.#... #..#.. .....# ...#.. ...#..", (0.3, 0.7), (4.5, 2.5), (1.5, 0.5)),
    ("....#.. ..#.... ....... .#.....", (0.05, 0.05), (6, 0), (1, 4)),
    ("#..#...# .#..##.# ........ ...#.#..", (0.3, 0.7), (2.5, 0.5), (5.5, 0.5)),
    ("#..#. ..... ...#. ..#.# ..... ..... .....", (0.1, 0.1), (3.5, 1.5), (4.5, 4.5)),
    (
        "..#..... #...#... ........ ........ .###.##. .....#.. ....#.#.",
        (0.05, 0.05),
        (6, 5),
        (7, 1),
    ),
    ("...#. ##... #.... ##.## .....", (0.5, 0.3), (0, 4), (2, 1)),
    ("..# ..# #.# #.. #.. ##. ...", (0.5, 0.3), (1, 6), (1, 2)),
]


@pytest.mark.parametrize(("rows", "sides", "start", "goal"), NEAR_TIES)
def test_corners_in_one_line_and_ends_on_edges(reference, rows, sides, start, goal):
    """Where one line passes several corners, rounding must not let it miss one by an ulp."""
    rows = rows.split()
    corner = (len(rows[0]) * sides[0], 0), (0, -len(rows) * sides[1])
    grid = reference.grid_of(rows, (0, 0), *corner)
    path = shortest_path(grid, *grid.geometry.to_world([start, goal]))
    ends = [tuple(Fraction(n) for n in place) for place in (start, goal)]
    expected = reference.shortest_by_visibility(grid.free, *ends, *sides)
    assert path.length == pytest.approx(expected, rel=1e-9)


def test_never_between_two_obstacles_that_touch_at_a_corner(reference):
    grid = reference.grid_of([".#", "#."])
    assert shortest_path(grid, (0.5, 0.5), (1.5, 1.5)) is None
    detour = reference.grid_of([".#..", "#...", "...."])
    assert shortest_path(detour, (0.5, 0.5), (1.5, 1.5)) is None
    assert np.isinf(distance_field(detour, (0.5, 0.5))).sum() == 11


@pytest.mark.parametrize(
    ("start", "goal"),
    [((1.5, 0.5), (0.5, 0.5)), ((0.5, 0.5), (1.5, 0.5)), ((0.5, 0.5), (2.5, 0.5)),
     ((-1.0, 0.5), (0.5, 0.5)), ((0.5, 0.5), (0.5, 9.0))],
)  # fmt: skip
def test_none_without_a_way(reference, start, goal):
    assert shortest_path(reference.grid_of([".#."]), start, goal) is None


def test_start_on_the_goal():
    path = shortest_path(plain_grid(np.ones((3, 3), dtype=bool)), (1.5, 1.5), (1.5, 1.5))
    assert path.length == 0.0
    assert path.points.tolist() == [[1.5, 1.5], [1.5, 1.5]]


def test_rotated_and_flipped_maps_give_the_same_path():
    free = np.random.default_rng(5).random((30, 30)) > 0.15
    free[:2], free[-2:] = True, True
    plain = plain_grid(free)
    expected = shortest_path(plain, (0.5, 0.5), (29.5, 29.5))
    for steps in (((0.6, 0.8), (-0.8, 0.6)), ((-1.0, 0.0), (0.0, 1.0))):
        geometry = MapGeometry((3.0, -7.0), *steps, 30, 30)
        grid = OccupancyGrid(free, geometry)
        ends = geometry.to_world([[0.5, 0.5], [29.5, 29.5]])
        path = shortest_path(grid, *ends)
        assert path.length == pytest.approx(expected.length)
        assert geometry.to_map(path.points) == pytest.approx(expected.points, abs=1e-9)


@given(seed=st.integers(0, 2**32 - 1), metres=st.sampled_from([0.15, 0.2, 0.35]))
@settings(max_examples=40, deadline=None)
def test_a_path_keeps_its_clearance_between_its_first_and_last_piece(seed, metres):
    rng = np.random.default_rng(seed)
    free = np.ones((50, 60), dtype=bool)
    free[rng.integers(0, 50, 12), rng.integers(0, 60, 12)] = False
    grid = plain_grid(free, 0.1, 0.1)
    ends = rng.uniform(0, [6.0, 5.0], (2, 2))
    path = shortest_path(grid, *ends, clearance=metres)
    near = clearance(grid, ends)
    if path is None:
        return
    hit, _ = line_collisions(grid, path.points[:-1], path.points[1:])
    assert not hit.any()
    inner = path.points[
        int(near[0] < 1.5 * metres) : len(path.points) - int(near[1] < 1.5 * metres)
    ]
    if len(inner) >= 2:
        kept = clearance(grid, resample(inner, spacing=0.01))
        assert kept.min() >= metres - 1e-6
    straight = shortest_path(grid, *ends)
    assert path.length >= straight.length - 1e-9


def test_an_end_too_near_to_a_wall_is_joined_by_a_free_line():
    free = np.ones((40, 40), dtype=bool)
    free[:, 20] = False
    free[30:, 20] = True
    grid = plain_grid(free, 0.1, 0.1)
    path = shortest_path(grid, (1.95, 1.0), (3.0, 1.0), clearance=0.3)
    assert path.points[0].tolist() == [1.95, 1.0]
    assert clearance(grid, path.points[1:2])[0] >= 0.3
    narrow = shortest_path(grid, (1.95, 1.0), (3.0, 1.0), clearance=0.6)
    assert narrow is None
    assert shortest_path(grid, (2.05, 1.0), (3.0, 1.0), clearance=0.3) is None


@pytest.mark.parametrize("clear", [0.0, 1.0])
def test_field_lies_between_the_geodesic_and_its_bound(clear):
    free = np.ones((40, 50), dtype=bool)
    free[10:30, 15:18], free[5:8, 15:40], free[20:40, 30:33] = False, False, False
    grid, goal = plain_grid(free), np.array([4.5, 20.5])
    field = distance_field(grid, goal, clearance=clear)
    cells = np.argwhere(np.isfinite(field))[::37]
    assert len(cells) > 20
    for row, column in cells:
        centre = np.array([column + 0.5, row + 0.5])
        shortest = shortest_path(grid, centre, goal, clearance=clear).length
        assert shortest - 1e-9 <= field[row, column] <= 1.0275 * shortest + 2.5


def test_field_on_open_ground_is_within_its_bound():
    """Between two neighbouring steps of the sixteen the worst direction costs 2.75 % more."""
    field = distance_field(plain_grid(np.ones((81, 81), dtype=bool)), (40.5, 40.5))
    rows, columns = np.indices(field.shape) - 40
    straight = np.hypot(rows, columns)
    worst = 1 / math.cos(math.atan2(1, 2) / 2)
    assert (field >= straight - 1e-9).all()
    assert (field <= worst * straight + 1e-9).all()
    assert field.max() / straight.max() > 0.99


def test_field_is_infinite_where_no_way_leads(reference):
    grid = reference.grid_of(["..#..", "..#.."])
    field = distance_field(grid, (0.5, 0.5))
    assert field[0].tolist() == [0.0, 1.0, math.inf, math.inf, math.inf]
    assert np.isinf(distance_field(grid, (2.5, 0.5))).all()
    assert np.isinf(distance_field(grid, (9.0, 9.0))).all()


def test_errors_name_the_argument(reference):
    grid = reference.grid_of(["..", ".."])
    with pytest.raises(ConfigError, match="clearance"):
        shortest_path(grid, (0.5, 0.5), (1.5, 0.5), clearance=-0.1)
    with pytest.raises(DataError, match="goal_xy"):
        shortest_path(grid, (0.5, 0.5), (math.nan, 0.5))
    with pytest.raises(DataError, match="one point"):
        shortest_path(grid, [[0, 0], [1, 1]], (1.5, 0.5))


@pytest.mark.parametrize(("name", "metres"), [("depot", 0.05), ("warehouse", 0.03)])
def test_real_maps(shared, name, metres):
    """Paths through real rooms cross nothing and are no longer than the field's upper bound."""
    file = shared / "data" / "maps" / f"{name}.pgm"
    if not file.is_file():
        pytest.skip(f"no map {file}")
    free = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE) >= 250
    grid = plain_grid(free, metres, metres)
    _, labels = cv2.connectedComponents(free.astype(np.uint8), connectivity=4)
    room = np.argwhere(labels == np.bincount(labels[free]).argmax())[:, ::-1]
    chosen = room[np.random.default_rng(0).integers(len(room), size=8)]
    points = grid.geometry.cell_centre(chosen)
    field = distance_field(grid, points[0])
    assert np.isfinite(field).sum() == len(room)
    for point, (column, row) in zip(points[1:], chosen[1:], strict=True):
        path = shortest_path(grid, point, points[0])
        hit, _ = line_collisions(grid, path.points[:-1], path.points[1:])
        assert not hit.any()
        assert field[row, column] / 1.03 - 2 * metres <= path.length <= field[row, column] + 1e-9
