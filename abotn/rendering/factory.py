"""How a run gets its renderer: a choice by name or URL among what is offered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from abotn.errors import UnknownNameError
from abotn.rendering.camera import CameraConfig
from abotn.rendering.scene_source import SceneSource


class Renderer(Protocol):
    """Makes the images of one pose."""

    def render(self, pose: NDArray[np.float64], scene_id: str) -> dict[str, NDArray[np.uint8]]:
        """Return RGB images (height, width, 3) by view, ``left``, ``front`` and ``right``.

        Args:
            pose: (4, 4) camera-to-world transform; x forward, y left, z up; metres.
            scene_id: The scene.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


@dataclass(frozen=True)
class RendererFactory:
    """A kind of renderer, as plugins offer it through ``abotn_renderers``.

    The functions must be importable by name, because workers get them from the run's process.

    Attributes:
        name: Kind of renderer, as the run's manifest names it.
        recognises: Whether a ``--render`` value, such as ``"embedded"`` or a URL, means this kind.
        create: From the value, the scenes and the camera to a renderer; called in each worker.
            The scenes are a function from a scene id to ``(free, geometry, height)``.
        description: One line for listings.
    """

    name: str
    recognises: Callable[[str], bool]
    create: Callable[[str, SceneSource, CameraConfig], Renderer]
    description: str = ""


class NoRenderer:
    """Renders nothing."""

    def render(self, pose: NDArray[np.float64], scene_id: str) -> dict[str, NDArray[np.uint8]]:
        """Return no image."""
        return {}

    def close(self) -> None:
        """Nothing is held."""


def choose_factory(spec: str, factories: Iterable[RendererFactory]) -> RendererFactory:
    """Return the first factory that recognises ``spec``.

    Raises:
        UnknownNameError: none does.
    """
    known = list(factories)
    for factory in known:
        if factory.recognises(spec):
            return factory
    raise UnknownNameError("renderer", spec, [factory.name for factory in known])


def create_none(spec: str, scenes: SceneSource, camera: CameraConfig) -> Renderer:
    """Return a renderer that renders nothing."""
    return NoRenderer()


def create_embedded(spec: str, scenes: SceneSource, camera: CameraConfig) -> Renderer:
    """Return the embedded renderer over a run's scenes."""
    from abotn.rendering.embedded import EmbeddedRenderer

    return EmbeddedRenderer(camera, scene_source=scenes)


def create_http(spec: str, scenes: SceneSource, camera: CameraConfig) -> Renderer:
    """Return the client of the render server at a URL, once it has answered.

    Raises:
        ConfigError: the URL cannot be one of a server, or the server has nothing at its path.
        RenderFailureError: nothing answers there.
    """
    from abotn.rendering.http import GaussianRenderer

    renderer = GaussianRenderer(spec, camera)
    # Any answer will do: not every server knows the request, but all that are there refuse it.
    renderer.ping()
    renderer.check_path()
    return renderer


def is_none(spec: str) -> bool:
    """Whether ``spec`` asks for no images."""
    return spec == "none"


def is_embedded(spec: str) -> bool:
    """Whether ``spec`` asks for the embedded renderer."""
    return spec == "embedded"


def is_url(spec: str) -> bool:
    """Whether ``spec`` is the URL of a render server."""
    return spec.startswith(("http://", "https://"))


def described(factory: RendererFactory, spec: str) -> Mapping[str, str]:
    """Return the ``renderer`` entry of a run's manifest."""
    return {"kind": factory.name, **({"url": spec} if is_url(spec) else {})}
