"""What an agent says about its views, drawn on them: ``visualization/{step}_{view}.jpg``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.json_files import write_bytes
from abotn.plugins.manager import plugin_manager
from abotn.rendering.visualization import VisualizationHandler, visualise
from abotn.rollout.render_images import IMAGES_NAME, remove_images, save_images
from abotn.rollout.rules import RunRules
from abotn.rollout.stages import stage

DRAWINGS_NAME = "visualization"
PROBLEMS_NAME = "problems.txt"


class Drawings:
    """The drawings of one attempt; only views on which something was drawn are kept.

    Args:
        folder: Where to; made with the first drawing.
        handlers: Handlers of plugins, beside the registered ones.
    """

    def __init__(self, folder: Path, handlers: Iterable[VisualizationHandler] = ()) -> None:
        self._folder = folder
        self._handlers = tuple(handlers)
        self._problems: list[str] = []

    def draw(self, step: int, images: Mapping[str, NDArray[np.uint8]], extra: Any) -> None:
        """Draw an answer on the views it was an answer to.

        Args:
            step: Number of steps taken before.
            images: RGB (height, width, 3) by view; they stay as they are.
            extra: The answer's ``extra``.

        Raises:
            AttemptFailed: what the agent gave cannot even be looked at.
            DataError: the file system refused.
        """
        if not isinstance(extra, Mapping) or not images:
            return
        with stage("agent"):
            drawn = visualise(images, extra, self._handlers)
        changed = {name: view for name, view in drawn.images.items() if view is not images[name]}
        if changed:
            save_images(self._folder, step, changed)
        if drawn.problems:
            self._problems += [f"step {step}: {problem}" for problem in drawn.problems]
            self._folder.mkdir(parents=True, exist_ok=True)
            lines = "".join(f"{problem}\n" for problem in self._problems)
            content = lines.encode("utf-8", "replace")
            write_bytes(self._folder / PROBLEMS_NAME, content, through=False)


def cleared_pictures(folder: Path, rules: RunRules) -> tuple[Path | None, Drawings | None]:
    """Remove the pictures of an earlier attempt; return where this one's views and drawings go.

    Args:
        folder: The attempt's folder.
        rules: Say whether there are any.
    """
    images, drawings = folder / IMAGES_NAME, folder / DRAWINGS_NAME
    if folder.exists():
        remove_images(images)
        remove_images(drawings)
    return (
        images if rules.save_images else None,
        Drawings(drawings, plugin_handlers()) if rules.visualize else None,
    )


def plugin_handlers() -> list[VisualizationHandler]:
    """Return the handlers that plugins offer."""
    offers = plugin_manager().offers("abotn_visualization_handlers")
    return [offer.value for offer in offers if isinstance(offer.value, VisualizationHandler)]
