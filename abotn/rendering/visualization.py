"""Drawing what an agent says about its views: handlers by the keys of a prediction's ``extra``.

A handler is a function ``handler(images, entry, extra)``. ``images`` holds the views, uint8 RGB
(height, width, 3) by name and read-only; ``entry`` is what the agent gave under the handler's key
and ``extra`` all it gave. It returns the views it changed as new images, or a
:class:`Visualisation` when it also has something to report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import PluginError, error_text, text_of
from abotn.rendering.affordance import draw_affordances

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class Visualisation:
    """Views with what was drawn on them.

    Attributes:
        images: uint8 RGB (height, width, 3) by view.
        problems: What could not be drawn, a line each.
    """

    images: Mapping[str, Image]
    problems: tuple[str, ...] = ()


Handler = Callable[[Mapping[str, Image], Any, Mapping[str, Any]], Any]


@dataclass(frozen=True)
class VisualizationHandler:
    """A handler with its key, as plugins offer it.

    Attributes:
        name: Key of ``extra`` it is for.
        draw: The handler.
        description: One line for listings.
    """

    name: str
    draw: Handler
    description: str = field(default="", compare=False)


def affordance_pixel(
    images: Mapping[str, Image], entry: Any, extra: Mapping[str, Any]
) -> Visualisation:
    """Mark the pixels an agent points at; see :func:`abotn.rendering.affordance.read_affordances`.

    A ``pixel_format`` beside the entry counts where the entry has none of its own.
    """
    drawn, problems = draw_affordances(images, entry, pixel_format=extra.get("pixel_format"))
    return Visualisation(drawn, tuple(problems))


_HANDLERS: dict[str, Handler] = {"affordance_pixel": affordance_pixel}


def register_handler(key: str, handler: Handler, *, replace: bool = False) -> None:
    """Add a handler for a key of ``extra`` to this process.

    Args:
        key: The key.
        handler: The function.
        replace: Whether it may take the place of another one.

    Raises:
        PluginError: the key is taken, or the handler is no function.
    """
    if not callable(handler):
        raise PluginError(f"expected a function, got a {type(handler).__name__}", where=key)
    if key in _HANDLERS and not replace:
        raise PluginError(
            f"there already is a visualization handler {key!r}", hint="pass replace=True"
        )
    _HANDLERS[key] = handler


def visualise(
    images: Mapping[str, Image],
    extra: Mapping[str, Any] | None,
    handlers: Iterable[VisualizationHandler] = (),
) -> Visualisation:
    """Draw every entry of a prediction's ``extra`` that a handler knows; never raises.

    Keys without a handler are the agent's own affair. A handler that raises, or returns something
    that is no image of the view's size, is reported and changes nothing.

    Args:
        images: uint8 RGB (height, width, 3) by view; they stay as they are.
        extra: What the agent gave; None or empty draws nothing.
        handlers: Further handlers, such as those of plugins; they win over registered ones.

    Returns:
        All views, those drawn on as new arrays, and what went wrong.

    Example:
        >>> views = {"front": np.zeros((64, 72, 3), np.uint8)}
        >>> drawn = visualise(views, {"affordance_pixel": {"front": [36, 32]}})
        >>> drawn.problems, bool(drawn.images["front"].any()), bool(views["front"].any())
        ((), True, False)
    """
    known = {**_HANDLERS, **{handler.name: handler.draw for handler in handlers}}
    shown = dict(images)
    problems: list[str] = []
    for key, entry in (extra or {}).items():
        if key in known:
            changed, reported = _run(known[key], key, shown, entry, extra or {})
            shown.update(changed)
            problems += reported
    return Visualisation(shown, tuple(problems))


def _run(
    handler: Handler, key: str, images: Mapping[str, Image], entry: Any, extra: Mapping[str, Any]
) -> tuple[dict[str, Image], list[str]]:
    try:
        returned = handler({view: _locked(image) for view, image in images.items()}, entry, extra)
        if not isinstance(returned, Visualisation):
            returned = Visualisation(dict(returned))
        wrong = [complaint for complaint in _complaints(images, returned.images) if complaint]
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return {}, [text_of(f"{key}: {error_text(error)}")]
    if wrong:
        return {}, [text_of(f"{key}: {complaint}") for complaint in wrong]
    return dict(returned.images), [text_of(f"{key}: {problem}") for problem in returned.problems]


def _locked(image: Image) -> Image:
    view: Image = image.view()
    view.flags.writeable = False
    return view


def _complaints(images: Mapping[str, Image], returned: Mapping[str, Any]) -> Iterable[str | None]:
    for view, image in returned.items():
        if view not in images:
            yield f"the handler returned a view {view!r} that was not given"
        elif getattr(image, "dtype", None) != np.uint8 or image.shape != images[view].shape:
            yield f"the handler returned no uint8 image of shape {images[view].shape} for {view}"
