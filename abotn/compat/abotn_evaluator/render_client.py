"""The render client under its published name."""

from abotn.errors import RenderFailureError
from abotn.rendering.camera import CameraConfig
from abotn.rendering.http import GaussianRenderer

__all__ = ["CameraConfig", "GaussianRenderer", "RenderFailureError"]
