"""The pinhole camera and its COLMAP lines."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from abotn.errors import ConfigError, RenderFailureError
from abotn.rendering import (
    VIEW_ORDER,
    VIEW_YAWS,
    CameraConfig,
    colmap_extrinsics,
    pose_from_colmap,
    view_pose,
)

angles = st.floats(-math.pi, math.pi)
metres = st.floats(-1e4, 1e4)


def pose_of(xyz: tuple[float, float, float], rpy: tuple[float, float, float]) -> NDArray:
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("xyz", rpy).as_matrix()
    pose[:3, 3] = xyz
    return pose


def test_defaults_are_the_published_ones() -> None:
    assert dataclasses.asdict(CameraConfig()) == {
        "width": 720,
        "height": 640,
        "fx": 252.075,
        "fy": 252.075,
        "cx": 360.0,
        "cy": 320.0,
        "extrinsic_height": 0.65,
    }
    assert CameraConfig().intrinsics_colmap == "1 PINHOLE 720 640 252.075 252.075 360.0 320.0"


def test_camera_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        CameraConfig().width = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("field", "value"),
    [("width", 0), ("height", 2.5), ("width", True), ("fx", 0.0), ("fy", -1.0), ("cx", math.nan)],
)
def test_unusable_cameras_are_refused(field: str, value: float) -> None:
    with pytest.raises(ConfigError, match=field):
        CameraConfig(**{field: value})  # type: ignore[arg-type]


def test_views_turn_counter_clockwise() -> None:
    assert VIEW_ORDER == ("left", "right", "front")
    assert dict(VIEW_YAWS) == {"left": 90.0, "right": -90.0, "front": 0.0}
    looks = {name: view_pose(np.eye(4), yaw)[:3, 0].tolist() for name, yaw in VIEW_YAWS.items()}
    assert looks == {"left": [0.0, 1.0, 0.0], "right": [0.0, -1.0, 0.0], "front": [1.0, 0.0, 0.0]}


@given(metres, angles, st.floats(-720.0, 720.0))
def test_view_pose_turns_about_the_own_up_axis(x: float, pitch: float, yaw: float) -> None:
    pose = pose_of((x, 1.0, 2.0), (0.3, pitch, 1.1))
    before = pose.copy()
    turned = view_pose(pose, yaw)
    expected = pose[:3, :3] @ Rotation.from_euler("z", yaw, degrees=True).as_matrix()
    np.testing.assert_allclose(turned[:3, :3], expected, atol=1e-12)
    np.testing.assert_array_equal(turned[:3, 3], pose[:3, 3])
    np.testing.assert_array_equal(pose, before)


@given(metres, metres, metres, angles, angles, angles)
@settings(max_examples=200)
def test_line_is_world_to_camera(
    x: float, y: float, z: float, roll: float, pitch: float, yaw: float
) -> None:
    pose = pose_of((x, y, z), (roll, pitch, yaw))
    fields = colmap_extrinsics(pose, 7, 2, "left").split()
    assert (fields[0], fields[8], fields[9]) == ("7", "2", "left")
    w, i, j, k, *shift = map(float, fields[1:8])
    to_camera = Rotation.from_quat([i, j, k, w])
    # A point 3 m ahead, 1 m to the left and 2 m up lies at (-1, -2, 3) for the camera.
    point = pose[:3, 3] + pose[:3, :3] @ np.array([3.0, 1.0, 2.0])
    np.testing.assert_allclose(to_camera.apply(point) + shift, [-1.0, -2.0, 3.0], atol=1e-7)
    first = next(value for value in (w, i, j, k) if value != 0.0)
    assert first > 0.0


@given(metres, metres, metres, angles, angles, angles)
@settings(max_examples=200)
def test_line_reads_back(
    x: float, y: float, z: float, roll: float, pitch: float, yaw: float
) -> None:
    pose = pose_of((x, y, z), (roll, pitch, yaw))
    np.testing.assert_allclose(pose_from_colmap(colmap_extrinsics(pose)), pose, atol=1e-8)


@pytest.mark.parametrize("quarters", range(-4, 9))
@pytest.mark.parametrize("noise", [0.0, 1e-16, -1e-16])
def test_right_angles_are_exact(quarters: int, noise: float) -> None:
    yaw = quarters * math.pi / 2
    pose = np.eye(4)
    pose[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
    exact = pose.round()
    line = colmap_extrinsics(pose + noise * np.eye(4), 0, 1, "n")
    found = [float(field) for field in line.split()[1:5]]
    # Rows of a world-to-camera rotation are the camera's axes: right, down, forward.
    expected = Rotation.from_matrix(np.stack([-exact[:3, 1], -exact[:3, 2], exact[:3, 0]])).as_quat(
        canonical=True
    )
    np.testing.assert_allclose(np.abs(found), np.abs(np.roll(expected, 1)), atol=1e-15)
    assert "-0.0" not in line.split()
    np.testing.assert_allclose(pose_from_colmap(line), exact, atol=1e-15)


@given(st.integers(-8, 8), st.floats(-1e-15, 1e-15))
def test_one_orientation_has_one_line(quarters: int, noise: float) -> None:
    plain = view_pose(np.eye(4), 90.0 * quarters)
    turned = view_pose(plain, math.degrees(noise))
    clean, noisy = (colmap_extrinsics(pose).split()[1:5] for pose in (plain, turned))
    np.testing.assert_allclose(np.array(noisy, float), np.array(clean, float), atol=1e-14)


def test_integer_poses_and_lists_are_accepted() -> None:
    assert colmap_extrinsics(np.eye(4, dtype=int).tolist()) == colmap_extrinsics(np.eye(4))


@pytest.mark.parametrize(
    "pose",
    [np.eye(3), np.full((4, 4), np.nan), 2.0 * np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0])],
    ids=["shape", "nan", "scaled", "mirrored"],
)
def test_unusable_poses_are_refused(pose: NDArray) -> None:
    for function in (colmap_extrinsics, lambda p: view_pose(p, 0.0)):
        with pytest.raises(RenderFailureError, match="pose"):
            function(pose)


@pytest.mark.parametrize(
    "line",
    ["", "1 1 0 0 0 0 0 0", "1 0 0 0 0 0 0 0 1 a", "1 x 0 0 0 0 0 0 1 a", "1 nan 0 0 0 0 0 0 1 a"],
)
def test_unusable_lines_are_refused(line: str) -> None:
    with pytest.raises(ConfigError, match="qw qx qy qz"):
        pose_from_colmap(line)


def test_quaternions_of_any_length_read_as_unit() -> None:
    long = pose_from_colmap("1 1 1 -1 1 0 0 0 1 a")
    np.testing.assert_array_equal(long, pose_from_colmap("1 0.5 0.5 -0.5 0.5 0 0 0 1 a"))
