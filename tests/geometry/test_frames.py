"""Frames against scipy's rotations and complex numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from abotn.errors import DataError, UnknownNameError
from abotn.geometry import (
    WAYPOINT_FRAMES,
    heading,
    local_to_world,
    pose_from_xyz_rpy,
    waypoint_to_front_left,
    world_to_local,
    wrap_angle,
    yaw_of,
)

ANGLES = st.floats(-10, 10)


@given(ANGLES, ANGLES, ANGLES)
def test_pose_equals_scipy_extrinsic_xyz(roll, pitch, yaw):
    pose = pose_from_xyz_rpy(1.0, -2.0, 3.0, roll, pitch, yaw)
    expected = Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix()
    assert pose[:3, :3] == pytest.approx(expected, abs=1e-12)
    assert pose[:, 3].tolist() == [1.0, -2.0, 3.0, 1.0]
    assert pose[3, :3].tolist() == [0.0, 0.0, 0.0]


@given(st.floats(-3.1, 3.1))
def test_heading_of_a_level_pose_is_its_yaw(yaw):
    pose = pose_from_xyz_rpy(0, 0, 0, yaw=yaw)
    assert float(yaw_of(pose)) == pytest.approx(yaw)
    assert float(yaw_of(pose[:3, :3])) == pytest.approx(yaw)


def test_yaw_of_takes_batches_and_refuses_other_shapes():
    poses = np.stack([pose_from_xyz_rpy(0, 0, 0, yaw=a) for a in (0.1, 0.2)])
    assert yaw_of(poses).tolist() == pytest.approx([0.1, 0.2])
    with pytest.raises(DataError, match="3x3"):
        yaw_of(np.zeros((4, 3)))


@given(st.floats(-1e4, 1e4))
def test_wrapped_angles_are_the_same_direction(angle):
    wrapped = float(wrap_angle(angle))
    assert -math.pi <= wrapped < math.pi
    assert math.cos(wrapped) == pytest.approx(math.cos(angle), abs=1e-9)
    assert math.sin(wrapped) == pytest.approx(math.sin(angle), abs=1e-9)


def test_wrapping_at_half_a_turn():
    assert wrap_angle([math.pi, -math.pi, 3 * math.pi]) == pytest.approx(
        [-math.pi, -math.pi, -math.pi]
    )
    assert float(wrap_angle(np.nextafter(-math.pi, -4.0))) < math.pi


@given(st.floats(-50, 50), st.floats(-50, 50), st.floats(-50, 50), st.floats(-50, 50), ANGLES)
def test_local_to_world_is_a_product_of_complex_numbers(front, left, x, y, yaw):
    expected = complex(x, y) + complex(front, left) * complex(math.cos(yaw), math.sin(yaw))
    world = local_to_world([[front, left]], (x, y), yaw)
    assert world[0].tolist() == pytest.approx([expected.real, expected.imag], abs=1e-9)
    assert world_to_local(world, (x, y), yaw)[0].tolist() == pytest.approx([front, left], abs=1e-9)


def test_left_of_an_agent_that_looks_north_is_west():
    world = local_to_world([[1.0, 2.0]], (10.0, 20.0), math.pi / 2)
    assert world[0].tolist() == pytest.approx([8.0, 21.0])


def test_many_agents_at_once():
    world = local_to_world([1.0, 0.0], [[0.0, 0.0], [5.0, 5.0]], [0.0, math.pi])
    assert world == pytest.approx(np.array([[1.0, 0.0], [4.0, 5.0]]))


def test_heading_between_points():
    ends = [[1, 0], [0, 1], [-1, 0], [0, 0]]
    assert heading((0, 0), ends) == pytest.approx([0, math.pi / 2, math.pi, 0])


def test_frames_of_waypoints():
    given_points = np.array([[1.0, 2.0], [3.0, -4.0]])
    same = waypoint_to_front_left(given_points, "front_left")
    assert same.tolist() == given_points.tolist()
    assert not np.shares_memory(same, given_points)
    # One metre right and two forward is two forward and minus one left.
    turned = waypoint_to_front_left(given_points, "right_front")
    assert turned.tolist() == [[2.0, -1.0], [-4.0, -3.0]]
    assert set(WAYPOINT_FRAMES) == {"front_left", "right_front"}


def test_errors_name_the_argument():
    with pytest.raises(UnknownNameError, match="front_left"):
        waypoint_to_front_left([0, 0], "frontleft")
    with pytest.raises(DataError, match="waypoints"):
        waypoint_to_front_left([0, 0, 0], "front_left")
    with pytest.raises(DataError, match="finite"):
        pose_from_xyz_rpy(0, math.nan, 0)
