"""What a render client asks a render server: one view of one scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import ConfigError
from abotn.rendering.camera import CameraConfig, colmap_extrinsics, pose_from_colmap

_INTRINSICS = "1 PINHOLE width height fx fy cx cy"
_MOST_PIXELS = 1 << 24


@dataclass(frozen=True)
class RenderRequest:
    """One view of one scene.

    Attributes:
        scene_id: The scene.
        extrinsics: COLMAP image line ``id qw qx qy qz tx ty tz camera_id name``.
        intrinsics: COLMAP camera line ``1 PINHOLE width height fx fy cx cy``.
        depth_img: Whether a picture of the depth is wanted.
        depth_npz: Whether the depth in metres is wanted.
    """

    scene_id: str
    extrinsics: str
    intrinsics: str
    depth_img: bool = False
    depth_npz: bool = False

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> RenderRequest:
        """Read what a client posted.

        Raises:
            ConfigError: A key is missing or holds something else than it should.
        """
        return cls(
            _text(document, "scene_id"),
            _text(document, "cam_extrinsics"),
            _text(document, "cam_intrinsics"),
            depth_img=_flag(document, "return_depth_img"),
            depth_npz=_flag(document, "return_depth_npz"),
        )

    def to_dict(self) -> dict[str, Any]:
        """The JSON that is posted."""
        return {
            "cam_extrinsics": self.extrinsics,
            "cam_intrinsics": self.intrinsics,
            "scene_id": self.scene_id,
            "return_depth_img": self.depth_img,
            "return_depth_npz": self.depth_npz,
        }

    @property
    def wants_depth(self) -> bool:
        """Whether the answer is JSON and not an image."""
        return self.depth_img or self.depth_npz

    def camera(self) -> CameraConfig:
        """The camera that the intrinsics describe.

        Raises:
            ConfigError: The line is not a PINHOLE camera of a usable size.
        """
        return camera_from_colmap(self.intrinsics)

    def pose(self) -> NDArray[np.float64]:
        """The (4, 4) camera-to-world pose that the extrinsics describe.

        Raises:
            ConfigError: The line cannot be read.
        """
        return pose_from_colmap(self.extrinsics)


def make_request(
    pose: ArrayLike,
    scene_id: str,
    camera: CameraConfig,
    *,
    image_id: int = 0,
    name: str = "image",
    depth_img: bool = False,
    depth_npz: bool = False,
) -> RenderRequest:
    """Ask for what a camera sees.

    Args:
        pose: (4, 4) camera-to-world transform; x forward, y left, z up; metres.
        scene_id: The scene.
        camera: Intrinsics.
        image_id: Number in the COLMAP line.
        name: Name in the COLMAP line, without spaces.
        depth_img: Whether a picture of the depth is wanted.
        depth_npz: Whether the depth in metres is wanted.

    Raises:
        RenderFailureError: The pose is not a finite rigid transform.
    """
    extrinsics = colmap_extrinsics(pose, image_id, 1, name)
    return RenderRequest(scene_id, extrinsics, camera.intrinsics_colmap, depth_img, depth_npz)


def camera_from_colmap(line: str) -> CameraConfig:
    """The camera of a COLMAP line; the inverse of ``CameraConfig.intrinsics_colmap``.

    Raises:
        ConfigError: The line is not a PINHOLE camera of a usable size.

    Example:
        >>> camera_from_colmap("1 PINHOLE 320 240 100 100 160 120").width
        320
    """
    fields = line.split()
    try:
        if len(fields) != 8 or fields[1] != "PINHOLE":
            raise ValueError
        width, height = int(fields[2]), int(fields[3])
        fx, fy, cx, cy = map(float, fields[4:])
    except ValueError:
        raise ConfigError(
            f"expected '{_INTRINSICS}', got {line[:120]!r}", where="cam_intrinsics"
        ) from None
    if width * height > _MOST_PIXELS:
        raise ConfigError(
            f"expected at most {_MOST_PIXELS} pixels, got {width} x {height}",
            where="cam_intrinsics",
        )
    return CameraConfig(width, height, fx, fy, cx, cy)


def _text(document: Mapping[str, Any], key: str) -> str:
    value = document.get(key)
    if not isinstance(value, str) or not value:
        found = "nothing" if key not in document else repr(value)[:80]
        raise ConfigError(f"expected a text, got {found}", where=key)
    return value


def _flag(document: Mapping[str, Any], key: str) -> bool:
    value = document.get(key, False)
    if value is None or value in (0, 1):
        return bool(value)
    raise ConfigError(f"expected true or false, got {repr(value)[:80]}", where=key)
