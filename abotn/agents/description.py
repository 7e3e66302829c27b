"""What an agent is, in words that another process understands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from abotn._version import __version__
from abotn.agents.interface import OPTIONAL_FIELDS, BasePoiGoalAgent, BasePointGoalAgent
from abotn.agents.loader import needs_of
from abotn.errors import DataError
from abotn.geometry.frames import WAYPOINT_FRAMES

FORMAT = "abotn-agent"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class AgentDescription:
    """An agent that may live in another process.

    Attributes:
        name: Name of its class.
        path: ``"package.module:ClassName"``, where it lives.
        config: What it is made with, as JSON holds it.
        needs: Optional observation fields that it declares to need.
        waypoint_frame: The frame of its waypoints, None when it declares none.
        poi_only: Whether its class says that it is for POI-goal alone.
    """

    name: str
    path: str
    config: dict[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    waypoint_frame: str | None = None
    poi_only: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the document that describes it."""
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "abotn": __version__,
            **asdict(self),
            "needs": list(self.needs),
        }


def describe(agent_class: type[Any], config: Mapping[str, Any]) -> AgentDescription:
    """Return the description of an agent made with ``agent_class(**config)``."""
    return AgentDescription(
        name=agent_class.__name__,
        path=class_path(agent_class),
        config=json_ready(config),
        needs=needs_of(agent_class),
        waypoint_frame=getattr(agent_class, "waypoint_frame", None),
        poi_only=issubclass(agent_class, BasePoiGoalAgent)
        and not issubclass(agent_class, BasePointGoalAgent),
    )


def description_from(document: Mapping[str, Any]) -> AgentDescription:
    """Return the description that :meth:`AgentDescription.to_dict` wrote.

    Raises:
        DataError: another format or version, or a value that cannot be.
    """
    if document.get("format") != FORMAT:
        raise DataError(f"expected an agent server, got format {document.get('format')!r}")
    if document.get("version") != FORMAT_VERSION:
        raise DataError(
            f"expected version {FORMAT_VERSION}, got {document.get('version')!r}",
            hint="use the same version of abotn on both sides",
        )
    found = AgentDescription(
        name=document.get("name", ""),
        path=document.get("path", ""),
        config=document.get("config", {}),
        needs=tuple(document.get("needs") or ()),
        waypoint_frame=document.get("waypoint_frame"),
        poi_only=bool(document.get("poi_only")),
    )
    _check(found)
    return found


def class_path(agent_class: type[Any]) -> str:
    """Return ``"package.module:ClassName"`` of a class.

    Example:
        >>> class_path(dict)
        'builtins:dict'
    """
    return f"{agent_class.__module__}:{agent_class.__qualname__}"


def json_ready(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration as JSON holds it; what JSON has no type for becomes text."""
    ready: dict[str, Any] = json.loads(json.dumps(config, default=str, allow_nan=True))
    return ready


def _check(found: AgentDescription) -> None:
    texts = isinstance(found.name, str) and isinstance(found.path, str)
    if not (texts and found.name and found.path and isinstance(found.config, dict)):
        raise DataError("the description has no name, path and config")
    if any(name not in OPTIONAL_FIELDS for name in found.needs):
        raise DataError(f"the agent needs {', '.join(map(str, found.needs))}, which is not known")
    if found.waypoint_frame is not None and found.waypoint_frame not in WAYPOINT_FRAMES:
        raise DataError(f"unknown waypoint frame {found.waypoint_frame!r}")
