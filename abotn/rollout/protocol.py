"""The protocol: every parameter that decides what a number means, under a name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from abotn.errors import ConfigError, UnknownNameError, text_of
from abotn.geometry.frames import WAYPOINT_FRAMES

COLLISION_MODES = ("path", "off", "soft", "hard")
SAMPLINGS = ("exact", "published")
REFERENCES = ("task", "geodesic")
POLARITIES = ("dark", "light")

MOST_WHOLE = (1 << 63) - 1
_LARGEST = sys.float_info.max


@dataclass(frozen=True)
class Protocol:
    """What is measured, and by which rules.

    Attributes:
        name: Name of the protocol.
        task_type: The task it is for, ``"point_goal"`` or ``"poi_goal"``; None for both.
        arrive_threshold: Arrival radius around the goal in the XY plane, metres.
        collision_threshold: First count of path collisions that spoils ``success_new``.
        occ_dilation_meters: How far free space is widened before collisions are looked for, metres.
        collision_mode: ``"soft"`` counts poses on obstacles, ``"hard"`` ends the task at the
            first one; ``"path"`` and ``"off"`` look at no pose. The lines between poses are
            looked at whatever it is.
        collision_sampling: Rule that decides whether a step collided, ``"exact"`` or
            ``"published"``.
        execute_waypoint: Index of the predicted waypoint that is executed; the last one where
            there are fewer.
        auto_arrive: Whether a predicted pose nearer than ``arrive_threshold`` is executed and ends
            the task, whatever the agent says.
        require_stop: Whether success needs the agent's own stop.
        waypoint_frame: Meaning of the two numbers of a waypoint.
        reference: ``"task"`` takes the task's path as the shortest one, ``"geodesic"`` computes it.
        robot_radius: Radius of the disc around a pose, metres.
        occ_obstacle_polarity: ``"dark"`` or ``"light"`` pixels are obstacles for poses.
        occ_dark_threshold: Grey value up to which (from which, for light) a pixel is one.
        exclude_scenes: Scenes that an evaluation leaves out.
        groupings: Names of the groupings an evaluation makes.
        default_max_steps: Steps per task where a run does not say.
        modified: Names of parameters that were overridden.
    """

    name: str
    task_type: str | None
    arrive_threshold: float
    collision_threshold: int
    occ_dilation_meters: float
    collision_mode: str
    collision_sampling: str
    execute_waypoint: int
    auto_arrive: bool
    require_stop: bool
    waypoint_frame: str = "front_left"
    reference: str = "task"
    robot_radius: float = 0.0
    occ_obstacle_polarity: str = "dark"
    occ_dark_threshold: int = 64
    exclude_scenes: tuple[str, ...] = ()
    groupings: tuple[str, ...] = ("scene",)
    default_max_steps: int = 100
    modified: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for parameter, check in _CHECKS.items():
            check(parameter, getattr(self, parameter))

    def override(self, **values: Any) -> Protocol:
        """Return this protocol with other values; those that differ are named in ``modified``.

        Args:
            values: Parameters by name; None leaves a parameter as it is.

        Raises:
            UnknownNameError: no parameter has that name, or a value is not one of its names.
            ConfigError: a value is out of range.
        """
        given = {name: _plain(value) for name, value in values.items() if value is not None}
        for name in given:
            if name not in _PARAMETERS:
                raise UnknownNameError("protocol parameter", name, _PARAMETERS)
        changed = {name for name, value in given.items() if value != getattr(self, name)}
        modified = [name for name in _PARAMETERS if name in changed or name in self.modified]
        return replace(self, **given, modified=tuple(modified))

    def read_as(self, waypoint_frame: str | None) -> Protocol:
        """Return this protocol for an agent that declares its waypoint frame.

        How an agent's numbers are read is part of the run, but no change of the rules.
        """
        return self if waypoint_frame is None else replace(self, waypoint_frame=waypoint_frame)

    def to_values(self) -> dict[str, Any]:
        """Return every parameter, ready for JSON."""
        values = {name: getattr(self, name) for name in _PARAMETERS}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}

    def to_manifest(self) -> dict[str, Any]:
        """Return the ``protocol`` entry of a run's manifest."""
        return {"name": self.name, "values": self.to_values(), "modified": list(self.modified)}

    @classmethod
    def from_manifest(cls, entry: Mapping[str, Any]) -> Protocol:
        """Rebuild a protocol from the ``protocol`` entry of a manifest.

        Raises:
            ConfigError: a value is missing or unusable.
        """
        known = {name: _plain(v) for name, v in entry["values"].items() if name in _PARAMETERS}
        try:
            return cls(name=entry["name"], modified=tuple(entry["modified"]), **known)
        except TypeError as error:
            raise ConfigError(f"the protocol is incomplete: {error}", where="run.json") from error


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _number(least: float) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        numeric = isinstance(value, int | float) and not isinstance(value, bool)
        if not numeric or not least <= value <= _LARGEST:
            raise ConfigError(
                f"expected a number of at least {least:g}, got {text_of(value, 40)}", where=name
            )

    return check


def _integer(least: int, most: int = MOST_WHOLE) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            wanted = f"of at least {least}" if most == MOST_WHOLE else f"from {least} to {most}"
            bound = " and at most 64 bits" if isinstance(value, int) and value > most else ""
            raise ConfigError(
                f"expected a whole number {wanted}{bound}, got {text_of(value, 40)}", where=name
            )

    return check


def _one_of(*names: Any) -> Callable[[str, Any], None]:
    def check(parameter: str, value: Any) -> None:
        if value not in names:
            kind = parameter.replace("_", " ")
            raise UnknownNameError(kind, value, [str(name) for name in names])

    return check


def _flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ConfigError(f"expected true or false, got {value!r}", where=name)


def _names(name: str, value: Any) -> None:
    if not isinstance(value, tuple) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"expected a list of names, got {value!r}", where=name)


_CHECKS: dict[str, Callable[[str, Any], None]] = {
    "task_type": _one_of("point_goal", "poi_goal", None),
    "arrive_threshold": _number(0.0),
    "collision_threshold": _integer(0),
    "occ_dilation_meters": _number(0.0),
    "collision_mode": _one_of(*COLLISION_MODES),
    "collision_sampling": _one_of(*SAMPLINGS),
    "execute_waypoint": _integer(0),
    "auto_arrive": _flag,
    "require_stop": _flag,
    "waypoint_frame": _one_of(*WAYPOINT_FRAMES),
    "reference": _one_of(*REFERENCES),
    "robot_radius": _number(0.0),
    "occ_obstacle_polarity": _one_of(*POLARITIES),
    "occ_dark_threshold": _integer(0, 255),
    "exclude_scenes": _names,
    "groupings": _names,
    "default_max_steps": _integer(1),
}
_PARAMETERS = tuple(
    field.name for field in fields(Protocol) if field.name not in ("name", "modified")
)

_PUBLISHED = MappingProxyType(
    {"collision_sampling": "published", "auto_arrive": True, "require_stop": False}
)

POINTBENCH_OUTDOOR = Protocol(
    name="pointbench-outdoor",
    task_type="point_goal",
    arrive_threshold=0.5,
    collision_threshold=3,
    occ_dilation_meters=0.5,
    collision_mode="path",
    execute_waypoint=1,
    exclude_scenes=("park3",),
    groupings=("difficulty_outdoor", "scene"),
    **_PUBLISHED,  # type: ignore[arg-type]
)
POINTBENCH_INDOOR = Protocol(
    name="pointbench-indoor",
    task_type="point_goal",
    arrive_threshold=0.5,
    collision_threshold=1,
    occ_dilation_meters=0.2,
    collision_mode="path",
    execute_waypoint=1,
    groupings=("difficulty_indoor", "scene"),
    **_PUBLISHED,  # type: ignore[arg-type]
)
POIBENCH = Protocol(
    name="poibench",
    task_type="poi_goal",
    arrive_threshold=2.0,
    collision_threshold=3,
    occ_dilation_meters=0.5,
    collision_mode="hard",
    execute_waypoint=2,
    groupings=("poi", "scene"),
    **_PUBLISHED,  # type: ignore[arg-type]
)
STRICT = Protocol(
    name="strict",
    task_type=None,
    arrive_threshold=0.5,
    collision_threshold=1,
    occ_dilation_meters=0.0,
    collision_mode="path",
    collision_sampling="exact",
    execute_waypoint=0,
    auto_arrive=False,
    require_stop=True,
)
DEFAULT_PROTOCOLS = MappingProxyType({"point_goal": "pointbench-outdoor", "poi_goal": "poibench"})
