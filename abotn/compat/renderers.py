"""A published-style renderer as a run asks for it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import ConfigError, RenderFailureError
from abotn.rendering.camera import VIEW_ORDER
from abotn.rendering.factory import Renderer

_KINDS = {"EmbeddedRenderer": "embedded", "NoRenderer": "none"}
_VIEWS = {3: VIEW_ORDER, 1: ("front",)}


class PublishedRenderer:
    """Asks an object that has ``render_at_pose`` for the views of a run.

    Args:
        inner: Its ``render_at_pose(pose, scene_id)`` returns the left, right and front images, or
            the front one alone, as PIL images or arrays.
    """

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def render(self, pose: NDArray[np.float64], scene_id: str) -> dict[str, NDArray[np.uint8]]:
        """Return the images by view; see :class:`abotn.rendering.factory.Renderer`."""
        images = list(self.inner.render_at_pose(pose, scene_id))
        if len(images) not in _VIEWS:
            raise RenderFailureError(f"expected 3 images or 1, got {len(images)}")
        return {
            view: np.array(image, dtype=np.uint8)
            for view, image in zip(_VIEWS[len(images)], images, strict=True)
        }

    def close(self) -> None:
        """The object belongs to its maker."""


def as_renderer(given: Any) -> Renderer:
    """Return what a run can render with.

    Args:
        given: An object with ``render_at_pose``, or with ``render`` as a run asks for it.

    Raises:
        ConfigError: it has neither.
    """
    if callable(getattr(given, "render_at_pose", None)):
        return PublishedRenderer(given)
    if callable(getattr(given, "render", None)):
        renderer: Renderer = given
        return renderer
    raise ConfigError(
        f"expected an object with render_at_pose(pose, scene_id), got a {type(given).__name__}",
        where="renderer",
    )


def renderer_entry(given: Any) -> dict[str, str]:
    """Return the ``renderer`` entry of a run's manifest."""
    url = getattr(given, "render_url", None)
    if isinstance(url, str):
        return {"kind": "http", "url": url}
    kind = type(given).__name__
    return {"kind": _KINDS.get(kind, kind)}
