"""Collisions, times to them, and places where one may drive."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from matplotlib.path import Path as PolygonPath

from abotn.errors import EvaluationInputError
from abotn.metrics.boxes import boxes_overlap
from abotn.metrics.polygons import inside_polygon
from abotn.metrics.roads import lane_departure_rate, offroad_rate
from abotn.metrics.safety import (
    collision_rate,
    collision_rate_obb,
    min_distance_to_actors,
    near_miss_rate,
)
from abotn.metrics.time_to_collision import contact_time, soft_ttc, time_to_collision

SQUARE = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]


def test_only_steps_with_an_actor_count():
    ego = np.zeros((4, 2))
    near, far = np.full((2, 2), 0.1), np.full((1, 2), 9.0)
    assert collision_rate(ego, [near, far], 0.1, 0.1) == 1.0
    assert collision_rate(ego, [far], 0.1, 0.1) == 0.0
    assert collision_rate(ego, [np.concatenate([near, [[9.0, 9.0]] * 2])], 0.1, 0.1) == 0.5
    assert collision_rate(ego, [], 0.1, 0.1) == 0.0
    assert min_distance_to_actors(ego, [near, far]) == pytest.approx(math.sqrt(0.02))
    assert min_distance_to_actors(ego, []) == math.inf


def test_discs_touch_at_the_sum_of_their_radii():
    assert collision_rate([[0.0, 0.0]], [[[2.0, 0.0]]], 1.5, 0.5) == 1.0
    assert collision_rate([[0.0, 0.0]], [[[2.0, 0.0]]], 1.5, 0.4999) == 0.0


def corners(centre, size, yaw):
    half = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]]) * size / 2
    turn = np.array([[math.cos(yaw), math.sin(yaw)], [-math.sin(yaw), math.cos(yaw)]])
    return half @ turn + centre


def apart(one, other):
    """Whether a line separates two convex polygons: on one side of some edge lies all of one."""
    for a, b in ((one, other), (other, one)):
        for i in range(4):
            edge = a[(i + 1) % 4] - a[i]
            side = [edge[0] * (p - a[i])[1] - edge[1] * (p - a[i])[0] for p in b]
            if max(side) < 0 or min(side) > 0:
                inside = [edge[0] * (p - a[i])[1] - edge[1] * (p - a[i])[0] for p in a]
                if max(side) < 0 <= max(inside) and min(inside) > -1e-9:
                    return True
                if min(side) > 0 and max(inside) < 1e-9:
                    return True
    return False


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 100_000))
def test_boxes_overlap_equals_a_search_for_a_separating_edge(seed):
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-2, 2, (2, 2))
    sizes = rng.uniform(0.2, 3, (2, 2))
    yaws = rng.uniform(-6, 6, 2)
    boxes = [corners(*box) for box in zip(centres, sizes, yaws, strict=True)]
    found = boxes_overlap(centres[:1], sizes[:1], yaws[:1], centres[1:], sizes[1:], yaws[1:])
    assert found.tolist() == [not apart(*boxes)]


def test_boxes_of_upright_rectangles_touch_at_their_edges():
    at = [[0.0, 0.0]]
    rate = lambda x, yaw=0.0: collision_rate_obb(  # noqa: E731
        at, [4.0, 2.0], [0.0], [[[x, 0.0]]], [[2.0, 2.0]], [[yaw]]
    )
    assert rate(3.0) == 1.0
    assert rate(3.001) == 0.0
    assert rate(3.001, math.pi / 4) == 1.0
    assert rate(2.0 + math.sqrt(2) + 0.001, math.pi / 4) == 0.0


def test_boxes_may_change_size_and_ignore_height():
    ego = [[0.0, 0.0, 5.0], [0.0, 0.0, 5.0]]
    actor = [[[3.0, 0.0], [3.0, 0.0]]]
    yaws = [[0.0, 0.0]]
    assert collision_rate_obb(ego, [[1.0, 1], [9.0, 1]], [0, 0], actor, [[1.0, 1.0]], yaws) == 0.5
    assert collision_rate_obb(ego, [1.0, 1.0], [0, 0], [], [], []) == 0.0


@pytest.mark.parametrize(
    ("changes", "argument"),
    [
        ({"ego_dims": [0.0, 1.0]}, "ego_dims"),
        ({"ego_dims": [1.0, 1.0, 1.0]}, "ego_dims"),
        ({"ego_dims": [[1.0, 1.0]]}, "ego_dims"),
        ({"ego_yaws": [0.0]}, "ego_yaws"),
        ({"actor_dims": [[1.0, 1.0]] * 2}, "actor_dims"),
        ({"actor_dims": 1.0}, "actor_dims"),
        ({"actor_yaws": []}, "actor_yaws"),
        ({"actor_yaws": [[0.0]]}, r"actor_yaws\[0\]"),
        ({"actor_trajs": "none"}, "actor_trajs"),
    ],
)
def test_bad_boxes_are_named(changes, argument):
    good = {
        "prediction": [[0.0, 0.0], [1.0, 0.0]],
        "ego_dims": [1.0, 1.0],
        "ego_yaws": [0.0, 0.0],
        "actor_trajs": [[[0.0, 0.0], [1.0, 0.0]]],
        "actor_dims": [[1.0, 1.0]],
        "actor_yaws": [[0.0, 0.0]],
    }
    assert collision_rate_obb(**good) == 1.0
    with pytest.raises(EvaluationInputError, match=argument):
        collision_rate_obb(**{**good, **changes})


def test_actors_of_another_dimension_are_named():
    with pytest.raises(EvaluationInputError, match=r"actor_trajs\[1\]: expected D = 2"):
        collision_rate(np.zeros((2, 2)), [np.zeros((2, 2)), np.zeros((2, 3))], 0.1, 0.1)
    with pytest.raises(EvaluationInputError, match="ego_radius"):
        collision_rate(np.zeros((2, 2)), [], -0.1, 0.1)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_time_to_collision_is_the_first_time_the_gap_closes(seed):
    rng = np.random.default_rng(seed)
    ego, actor = rng.uniform(-5, 5, (2, 4))
    radius = rng.uniform(0.1, 2)
    found = time_to_collision(ego, [*actor, radius])
    times = np.linspace(0, 100, 20_001)
    gaps = (actor[:2] - ego[:2]) + np.outer(times, actor[2:] - ego[2:])
    touching = np.flatnonzero(np.hypot(*gaps.T) <= radius)
    if len(touching):
        assert found == pytest.approx(times[touching[0]], abs=0.0051)
    else:
        least = np.hypot(*gaps.T).min()
        assume(least > radius + 0.05)
        assert found > 100


def test_touching_parting_and_grazing():
    assert time_to_collision([0, 0, 0, 0], [1, 0, 9, 0, 1.0]) == 0.0
    assert time_to_collision([0, 0, 0, 0], [2, 0, 1, 0, 1.0]) == math.inf
    assert time_to_collision([0, 0, 0, 0], [2, 0, 0, 0, 1.0]) == math.inf
    assert time_to_collision([0, 0, 1, 0], [5, 1, 0, 0, 1.0]) == pytest.approx(5.0)


def test_states_in_every_form():
    ego, actor = {"x": 0, "y": 0, "vx": 1, "vy": 0, "radius": 0.5}, [10.0, 0.0, -1.0, 0.0, 1.5]
    assert time_to_collision(ego, actor) == 4.0
    path = [[0.0, 0.0], [0.5, 0.0], [9.0, 9.0]]
    assert time_to_collision(path, [10.0, 0.0, -1.0, 0.0, 2.0], dt=0.5) == 4.0


@pytest.mark.parametrize(
    ("state", "dt", "message"),
    [
        ({"x": 0, "y": 0}, None, "lacks vx, vy"),
        ([0.0, 1.0, 2.0], None, "got 3 numbers"),
        ([0.0, 1.0, 2.0, math.nan], None, "NaN"),
        ([[0.0, 0.0], [1.0, 0.0]], None, "only with dt"),
        ([[0.0, 0.0]], 0.1, "two points"),
        ([[0.0, 0.0], [1.0, 0.0]], 0.0, "dt: "),
    ],
)
def test_a_state_that_is_none_is_named(state, dt, message):
    with pytest.raises(EvaluationInputError, match=message):
        time_to_collision([0.0, 0.0, 0.0, 0.0], state, dt=dt)


def test_soft_ttc_is_the_least_over_steps_and_actors():
    times = np.arange(4.0)
    ego = np.stack([times, 0 * times], axis=1)
    ahead = np.stack([20 - times, 0 * times], axis=1)
    away = np.stack([-9 - times, 0 * times], axis=1)
    assert soft_ttc(ego, [away], 1.0) == math.inf
    # At the last step 14 m are left and they close at 2 m/s.
    assert soft_ttc(ego, [away, ahead], 1.0) == pytest.approx(7.0)
    assert soft_ttc(ego, [ahead], 1.0, ego_radius=1.0, actor_radius=3.0) == pytest.approx(5.0)
    assert soft_ttc(ego, [], 1.0) == math.inf
    assert math.isnan(soft_ttc(ego[:2], [ahead], 1.0))
    assert math.isnan(soft_ttc(ego, [ahead[:2]], 1.0))


def test_contact_times_come_in_any_shape():
    apart_by = np.array([[[4.0, 0.0], [0.5, 0.0]], [[4.0, 3.0], [4.0, 0.0]]])
    velocity = np.array([[[-1.0, 0.0]] * 2, [[-1.0, 0.0], [1.0, 0.0]]])
    assert contact_time(apart_by, velocity, 1.0).tolist() == [[3.0, 0.0], [math.inf, math.inf]]


def test_near_misses_are_close_without_a_collision():
    assert near_miss_rate([0.1, 0.9, 1.0, 5.0]) == 0.5
    assert near_miss_rate([0.1, 0.9, 1.0, 5.0], threshold=6.0) == 1.0
    assert near_miss_rate([0.0, 0.9], collision_mask=[True, False]) == 0.5
    with pytest.raises(EvaluationInputError, match="collision_mask: expected 2 flags"):
        near_miss_rate([0.0, 0.9], collision_mask=[True])
    with pytest.raises(EvaluationInputError, match="collision_mask"):
        near_miss_rate([0.0, 0.9], collision_mask=[0.5, 0.0])
    with pytest.raises(EvaluationInputError, match="threshold"):
        near_miss_rate([0.0], threshold=0.0)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(3, 9))
def test_inside_equals_matplotlib_away_from_the_edges(seed, count):
    rng = np.random.default_rng(seed)
    polygon = rng.uniform(-1, 1, (count, 2))
    points = rng.uniform(-1.2, 1.2, (50, 2))
    assume(abs(np.linalg.det(polygon[1:3] - polygon[0])) > 1e-3)
    try:
        found = inside_polygon(points, polygon, "polygon")
    except EvaluationInputError:
        return
    # A star whose windings differ is not the same under the non-zero rule, so compare by parity.
    angles = np.array([winding(point, polygon) for point in points])
    np.testing.assert_array_equal(found, angles % 2 == 1)
    if count == 3:
        np.testing.assert_array_equal(found, PolygonPath(polygon).contains_points(points))


def test_a_point_level_with_a_corner_crosses_it_once():
    diamond = np.array([[0.0, -2.0], [2.0, 0.0], [0.0, 2.0], [-2.0, 0.0]])
    hourglass = np.array([[-2.0, -2.0], [2.0, -2.0], [1.0, 0.0], [2.0, 2.0], [-2.0, 2.0]])
    points = np.array([[x, y] for x in (-3.0, -1.9, -0.5, 0.5, 1.8, 3.0) for y in (-2.0, 0.0, 2.0)])
    for polygon in (diamond, hourglass):
        ends = np.roll(polygon, -1, axis=0)
        expected = []
        for point in points:
            gaps = [segment_distance(point, a, b) for a, b in zip(polygon, ends, strict=True)]
            expected.append(min(gaps) < 1e-9 or winding(point, polygon) % 2 == 1)
        np.testing.assert_array_equal(inside_polygon(points, polygon, "polygon"), expected)


def segment_distance(point, start, end) -> float:
    shares = np.linspace(0, 1, 4001)
    return float(np.hypot(*((start + np.outer(shares, end - start)) - point).T).min())


def winding(point, polygon) -> int:
    offset = polygon - point
    angles = np.arctan2(offset[:, 1], offset[:, 0])
    turns = np.angle(np.exp(1j * (np.roll(angles, -1) - angles)))
    return round(turns.sum() / (2 * math.pi))


@pytest.mark.parametrize("point", [[0, 0], [1, 0], [2, 1], [2, 2], [0, 0.5], [1, 1]])
def test_the_edge_belongs_to_the_lane(point):
    assert lane_departure_rate([point], SQUARE) == 0.0
    assert lane_departure_rate([point], SQUARE[::-1]) == 0.0


@pytest.mark.parametrize(
    "point", [[-0.001, 1], [2.001, 1], [1, -0.001], [1, 2.001], [3, 0], [3, 2]]
)
def test_beyond_the_edge_is_a_departure(point):
    assert lane_departure_rate([point], SQUARE) == 1.0


def test_a_doubled_corner_changes_nothing():
    path = [[1.0, 1.0], [3.0, 1.0], [2.0, 2.0]]
    doubled = [SQUARE[0], *SQUARE, SQUARE[0]]
    assert lane_departure_rate(path, doubled) == lane_departure_rate(path, SQUARE) == 1 / 3


def test_any_drivable_area_will_do():
    beside = (np.array(SQUARE) + np.array([2.0, 0.0])).tolist()
    path = [[1.0, 1.0], [3.0, 1.0], [5.0, 1.0], [1.0, 3.0]]
    assert offroad_rate(path, [SQUARE]) == 0.75
    assert offroad_rate(path, [SQUARE, beside]) == 0.5
    assert offroad_rate(path, []) == 1.0


@pytest.mark.parametrize("polygon", [SQUARE[:2], [[0, 0], [1, 1], [2, 2]]])
def test_what_has_no_area_is_no_polygon(polygon):
    with pytest.raises(EvaluationInputError, match=r"drivable_polygons\[1\]: .*some area"):
        offroad_rate([[0.0, 0.0]], [SQUARE, polygon])
    with pytest.raises(EvaluationInputError, match="lane_boundary"):
        lane_departure_rate([[0.0, 0.0]], polygon)
