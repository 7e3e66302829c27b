from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from abotn.report.page_paths import (
    MOST_REFERENCE_POINTS,
    encoded_path,
    encoded_points,
    encoded_reference,
    stride_for,
)

coordinates = st.floats(-1e4, 1e4, allow_nan=False)


def decoded(numbers):
    return np.cumsum(np.reshape(numbers, (-1, 2)), axis=0) / 100


@given(arrays(np.float64, st.tuples(st.integers(0, 30), st.just(2)), elements=coordinates))
def test_points_come_back_within_half_a_centimetre(points):
    numbers = encoded_points(points)
    assert all(type(one) is int for one in numbers)
    assert np.abs(decoded(numbers) - points).max(initial=0) <= 0.005 + 1e-9


def test_points_that_are_not_finite_are_left_out():
    assert encoded_points([[0, 1], [np.nan, 2], [3, np.inf], [1, 1]]) == [0, 100, 100, 0]


@given(steps=st.integers(0, 40), stride=st.integers(1, 50), seed=st.integers(0, 99))
def test_a_thinned_path_keeps_its_ends_and_its_collisions(parts, steps, stride, seed):
    hits = np.flatnonzero(np.random.default_rng(seed).random(steps) < 0.3)
    path = parts.trajectory(steps, hits=hits)
    found = encoded_path(path, stride)
    at = found["at"]
    assert at[0] == 0
    assert at[-1] == steps
    assert at == sorted(set(at))
    assert set(np.diff(at[:-1])) <= {stride}
    assert decoded(found["xy"]) == pytest.approx(path.position[at, :2], abs=0.005)
    assert len(found["yaw"]) == len(found["d"]) == len(at)
    # Each collided step belongs to the first kept pose that is not before its end.
    expected = {next(k for k, pose in enumerate(at) if pose >= hit + 1): [] for hit in hits}
    assert found["hit"] == sorted(expected)
    counts = [sum(at[k - 1] < hit + 1 <= at[k] for hit in hits) for k in found["hit"]]
    assert found["len"] == [25 * count for count in counts]


def test_headings_are_whole_degrees_and_distances_centimetres(parts):
    path = replace(
        parts.trajectory(2),
        yaw=np.array([-np.pi / 2, 3.0, np.nan]),
        distance_to_goal=np.array([1.234, np.nan, np.inf]),
    )
    found = encoded_path(path)
    assert found["yaw"] == [270, 172, 0]
    assert found["d"] == [123, None, None]


def test_a_path_ends_before_a_position_that_is_not_finite(parts):
    path = parts.trajectory(3, hits=[0, 2])
    path.position[2, 0] = np.nan
    found = encoded_path(path)
    assert (found["at"], found["hit"]) == ([0, 1], [1])
    path.position[0, 1] = np.inf
    assert encoded_path(path) is None


def test_the_stride_keeps_all_paths_together_within_the_limit(parts):
    paths = [parts.trajectory(99), None, parts.trajectory(49)]
    assert stride_for(paths, 150) == 1
    assert stride_for(paths, 149) == 2
    assert stride_for([None], 1) == 1
    kept = sum(len(encoded_path(one, stride_for(paths, 40))["at"]) for one in paths if one)
    assert kept <= 40 + len(paths)


def test_a_long_reference_is_thinned_and_keeps_its_ends():
    points = np.column_stack([np.arange(5000.0), np.zeros(5000)])
    kept = decoded(encoded_reference(points))
    assert MOST_REFERENCE_POINTS / 2 < len(kept) <= MOST_REFERENCE_POINTS + 1
    assert kept[[0, -1], 0].tolist() == [0, 4999]
    assert encoded_reference(points[:9]) == encoded_points(points[:9])
    assert encoded_reference(np.empty((0, 2))) == []
