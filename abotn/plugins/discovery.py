"""Finding the entry points of installed plugins, whatever other distributions look like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions, entry_points
from pathlib import Path
from typing import Any

from abotn.errors import error_text

ENTRY_POINT_GROUP = "abotn"

_VALUE = re.compile(r"\w+(\.\w+)*\s*(:\s*\w+(\.\w+)*)?\s*(\[.*\])?\s*")
_UNKNOWN = "unknown distribution"


@dataclass(frozen=True)
class Origin:
    """The distribution a plugin came from."""

    distribution: str
    version: str
    plugin: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}".strip()


@dataclass(frozen=True)
class FoundPlugin:
    """An entry point in our group, or a distribution whose entry points cannot be read.

    Attributes:
        origin: Where it is from.
        entry_point: The entry point; None where there is none to load.
        problem: Why it cannot be loaded; None where nothing is wrong yet.
    """

    origin: Origin
    entry_point: EntryPoint | None
    problem: str | None = None


def find_plugins() -> list[FoundPlugin]:
    """Return every installed plugin, by distribution and name, damaged ones with the reason."""
    try:
        found = [_found(one) for one in entry_points(group=ENTRY_POINT_GROUP)]
    except Exception:
        # One damaged distribution, of whatever kind, makes importlib.metadata raise for all.
        found = list(_one_by_one(distributions()))
    return sorted(found, key=lambda one: (one.origin.distribution, one.origin.plugin))


def _one_by_one(installed: Iterable[Distribution]) -> Iterator[FoundPlugin]:
    seen: set[str] = set()
    for distribution in installed:
        try:
            mine = [one for one in distribution.entry_points if one.group == ENTRY_POINT_GROUP]
        except Exception as error:
            if _may_be_ours(distribution):
                reason = f"its entry points cannot be read: {error_text(error)}"
                yield FoundPlugin(_origin(distribution, ""), None, reason)
            continue
        name = _origin(distribution, "").distribution
        if mine and name not in seen:
            seen.add(name)
            yield from map(_found, mine)


def _found(entry_point: EntryPoint) -> FoundPlugin:
    distribution = entry_point.dist
    if distribution is None:
        return FoundPlugin(Origin(_UNKNOWN, "", entry_point.name), entry_point)
    origin = _origin(distribution, entry_point.name)
    lacking = [key for key in ("Name", "Version") if not _stated(distribution, key)]
    if lacking:
        problem = f"its metadata states no {' and no '.join(lacking)}, which every result names"
        return FoundPlugin(origin, entry_point, problem)
    if not _VALUE.fullmatch(entry_point.value):
        problem = f"its entry point names {entry_point.value!r}, which cannot be a module"
        return FoundPlugin(origin, entry_point, problem)
    return FoundPlugin(origin, entry_point)


def _origin(distribution: Distribution, plugin: str) -> Origin:
    name, version = _folder_name(distribution)
    return Origin(
        _stated(distribution, "Name") or name or _UNKNOWN,
        _stated(distribution, "Version") or version,
        plugin,
    )


def _stated(distribution: Distribution, key: str) -> str:
    """Return a field of the metadata, empty where it has none or cannot be read."""
    try:
        values: Any = distribution.metadata.get_all(key) or [""]
    except Exception:
        return ""
    return str(values[0]).strip()


def _folder_name(distribution: Distribution) -> tuple[str, str]:
    """Return name and version as the folder of the metadata has them, empty where unknown."""
    folder = Path(str(getattr(distribution, "_path", "")))
    name, _, version = folder.stem.partition("-")
    return name, version


def _may_be_ours(distribution: Distribution) -> bool:
    try:
        text = distribution.read_text("entry_points.txt") or ""
    except Exception:
        return True
    return f"[{ENTRY_POINT_GROUP}]" in text
