"""Making ``abotn_evaluator`` importable, unless the real package is installed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

PUBLISHED_NAME = "abotn_evaluator"

_FOLDER = Path(__file__).with_name(PUBLISHED_NAME)


class PublishedNameFinder:
    """Finds the top-level package alone; its modules are then found by its path.

    It stands last on ``sys.meta_path``, and asks those behind it first, so that a package of that
    name that anybody else can find is the one that is imported.
    """

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the alias package's spec, or None."""
        if fullname != PUBLISHED_NAME or _found_elsewhere(fullname):
            return None
        return spec_from_file_location(
            fullname, _FOLDER / "__init__.py", submodule_search_locations=[str(_FOLDER)]
        )


def install() -> None:
    """Put the finder at the end of ``sys.meta_path``, once."""
    if PublishedNameFinder not in sys.meta_path:
        sys.meta_path.append(PublishedNameFinder)


def _found_elsewhere(name: str) -> bool:
    return any(_finds(finder, name) for finder in sys.meta_path)


def _finds(finder: Any, name: str) -> bool:
    ours = finder is PublishedNameFinder or getattr(finder, "__name__", "") == "AbotnStartup"
    if ours or not hasattr(finder, "find_spec"):
        return False
    return finder.find_spec(name, None) is not None
