"""The pinhole camera, its three views, and the COLMAP lines that describe them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import ConfigError, RenderFailureError

# Degrees, counter-clockwise positive, from the agent's forward axis.
VIEW_YAWS: Mapping[str, float] = MappingProxyType({"left": 90.0, "right": -90.0, "front": 0.0})
VIEW_ORDER = ("left", "right", "front")

# Columns are the camera's x (right), y (down) and z (forward) in the agent's forward, left, up.
_CAMERA_AXES = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
_TRACE_SIGNS = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
_ROUNDING = 1e-14


@dataclass(frozen=True)
class CameraConfig:
    """A pinhole camera and its height above the ground.

    The pixel in column ``i`` and row ``j`` has its centre at ``(i + 0.5, j + 0.5)``, so that
    ``cx = width / 2`` is the middle of the image, as in COLMAP.

    Args:
        width: Image width, pixels.
        height: Image height, pixels.
        fx: Focal length along the columns, pixels.
        fy: Focal length along the rows, pixels.
        cx: Principal point, pixels from the left edge.
        cy: Principal point, pixels from the top edge.
        extrinsic_height: Height of the camera above the ground, metres.

    Raises:
        ConfigError: A size is not a positive integer, a focal length is not positive, or a
            number is not finite.

    Example:
        >>> CameraConfig().intrinsics_colmap
        '1 PINHOLE 720 640 252.075 252.075 360.0 320.0'
    """

    width: int = 720
    height: int = 640
    fx: float = 252.075
    fy: float = 252.075
    cx: float = 360.0
    cy: float = 320.0
    extrinsic_height: float = 0.65

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            size = getattr(self, name)
            if isinstance(size, bool) or not isinstance(size, int) or size < 1:
                raise ConfigError(f"expected a positive integer, got {size!r}", where=name)
        for name in ("fx", "fy", "cx", "cy", "extrinsic_height"):
            value = getattr(self, name)
            if not math.isfinite(value) or (name in ("fx", "fy") and value <= 0.0):
                kind = "positive" if name in ("fx", "fy") else "finite"
                raise ConfigError(f"expected a {kind} number, got {value!r}", where=name)

    @property
    def intrinsics_colmap(self) -> str:
        """The COLMAP camera line ``1 PINHOLE width height fx fy cx cy``."""
        return f"1 PINHOLE {self.width} {self.height} {self.fx} {self.fy} {self.cx} {self.cy}"


def view_pose(pose: ArrayLike, yaw_offset: float) -> NDArray[np.float64]:
    """The pose of a camera turned about the agent's own up axis.

    Args:
        pose: (4, 4) agent-to-world transform; x forward, y left, z up; metres.
        yaw_offset: Degrees, counter-clockwise positive; multiples of 90 turn exactly.

    Returns:
        (4, 4) float64, a new array.

    Raises:
        RenderFailureError: The pose is not a finite (4, 4) array.

    Example:
        >>> view_pose(np.eye(4), VIEW_YAWS["left"])[:3, 0].tolist()
        [0.0, 1.0, 0.0]
    """
    turned = checked_pose(pose)
    cosine, sine = _turn(yaw_offset)
    turned[:3, :2] = turned[:3, :2] @ np.array([[cosine, -sine], [sine, cosine]])
    return turned


def checked_pose(pose: ArrayLike) -> NDArray[np.float64]:
    """A float64 copy of a pose.

    Args:
        pose: (4, 4) agent-to-world transform.

    Raises:
        RenderFailureError: It is not (4, 4), not finite, or its axes are not a right-handed
            orthonormal frame.
    """
    copy = np.array(pose, dtype=np.float64)
    if copy.shape != (4, 4) or not np.isfinite(copy).all():
        raise RenderFailureError(
            f"expected a finite (4, 4) camera-to-world pose, got shape {copy.shape}", where="pose"
        )
    rotation = copy[:3, :3]
    orthonormal = np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-4)
    if not orthonormal or np.linalg.det(rotation) < 0.0:
        raise RenderFailureError(
            "expected a rotation in pose[:3, :3], got axes that are not orthonormal", where="pose"
        )
    return copy


def colmap_extrinsics(
    pose: ArrayLike, image_id: int = 0, camera_id: int = 1, name: str = "image"
) -> str:
    """A COLMAP image line for a camera that looks along the pose's forward axis.

    ``x_camera = R x_world + t`` with camera x right, y down, z forward. The quaternion's first
    component that is not zero is positive, so one orientation has one line.

    Args:
        pose: (4, 4) camera-to-world transform; x forward, y left, z up; metres.
        image_id: First field of the line.
        camera_id: Field before the name; refers to the camera line.
        name: Last field.

    Returns:
        ``id qw qx qy qz tx ty tz camera_id name``; numbers read back to the same floats.

    Raises:
        RenderFailureError: The pose is not a finite rigid transform.

    Example:
        >>> colmap_extrinsics(np.eye(4), 3, 1, "front")
        '3 0.5 0.5 -0.5 0.5 0.0 0.0 0.0 1 front'
    """
    camera_to_world = checked_pose(pose)
    rotation = (camera_to_world[:3, :3] @ _CAMERA_AXES).T
    translation = -rotation @ camera_to_world[:3, 3]
    numbers = [*_quaternion_of(rotation), *translation]
    fields = " ".join(repr(float(number) + 0.0) for number in numbers)
    return f"{image_id} {fields} {camera_id} {name}"


def pose_from_colmap(line: str) -> NDArray[np.float64]:
    """The pose that a COLMAP image line describes; the inverse of ``colmap_extrinsics``.

    Args:
        line: ``id qw qx qy qz tx ty tz camera_id name``, world to camera.

    Returns:
        (4, 4) float64 camera-to-world transform; x forward, y left, z up; metres.

    Raises:
        ConfigError: The line has too few fields, or they are not finite numbers, or the
            quaternion is zero.

    Example:
        >>> pose = pose_from_colmap("3 0.5 0.5 -0.5 0.5 0.0 0.0 0.0 1 front")
        >>> np.array_equal(pose, np.eye(4))
        True
    """
    quaternion, translation = _numbers_of(line)
    rotation = _rotation_of(quaternion)
    pose = np.eye(4)
    pose[:3, :3] = rotation.T @ _CAMERA_AXES.T
    pose[:3, 3] = -rotation.T @ translation
    return pose + 0.0


def _numbers_of(line: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    fields = line.split()
    form = "expected 'id qw qx qy qz tx ty tz camera_id name'"
    try:
        numbers = np.array([float(field) for field in fields[1:8]])
    except ValueError:
        raise ConfigError(f"{form}, got {line!r}", where="cam_extrinsics") from None
    if len(fields) < 9 or not np.isfinite(numbers).all() or not numbers[:4].any():
        raise ConfigError(f"{form}, got {line!r}", where="cam_extrinsics")
    return numbers[:4], numbers[4:]


def _turn(degrees: float) -> tuple[float, float]:
    quarters, rest = divmod(degrees, 90.0)
    if rest == 0.0:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarters) % 4]
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


def _quaternion_of(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    # Shepperd's method divides by the largest component, so it is stable for every rotation.
    x, y, z = (
        rotation[2, 1] - rotation[1, 2],
        rotation[0, 2] - rotation[2, 0],
        rotation[1, 0] - rotation[0, 1],
    )
    xy, xz, yz = (
        rotation[0, 1] + rotation[1, 0],
        rotation[0, 2] + rotation[2, 0],
        rotation[1, 2] + rotation[2, 1],
    )
    products = np.array([[0, x, y, z], [x, 0, xy, xz], [y, xy, 0, yz], [z, xz, yz, 0]])
    np.fill_diagonal(products, 1.0 + _TRACE_SIGNS @ np.diagonal(rotation))
    row = products[int(np.argmax(np.diagonal(products)))]
    quaternion = np.asarray(row / np.linalg.norm(row), dtype=np.float64)
    quaternion[np.abs(quaternion) < _ROUNDING] = 0.0
    return quaternion if quaternion[np.flatnonzero(quaternion)[0]] > 0.0 else -quaternion


def _rotation_of(quaternion: NDArray[np.float64]) -> NDArray[np.float64]:
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
