"""Cameras, and the renderers that show an agent what is around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abotn.rendering.camera import (
    VIEW_ORDER,
    VIEW_YAWS,
    CameraConfig,
    colmap_extrinsics,
    pose_from_colmap,
    view_pose,
)

if TYPE_CHECKING:
    from abotn.rendering.embedded import EmbeddedRenderer

__all__ = [
    "VIEW_ORDER",
    "VIEW_YAWS",
    "CameraConfig",
    "EmbeddedRenderer",
    "colmap_extrinsics",
    "pose_from_colmap",
    "view_pose",
]


def __getattr__(name: str) -> object:
    # The embedded renderer needs cv2; a run that renders elsewhere does not.
    if name == "EmbeddedRenderer":
        from abotn.rendering.embedded import EmbeddedRenderer

        return EmbeddedRenderer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
