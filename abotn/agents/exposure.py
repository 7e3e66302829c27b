"""Observations with some of their fields: what a run exposes, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any, NoReturn

from abotn.agents.interface import Observation, PoiGoalObservation
from abotn.errors import ConfigError, UnknownNameError


def observation_fields(task_type: str) -> tuple[str, ...]:
    """Return the names of all fields of a task type's observation, in order."""
    kind = PoiGoalObservation if task_type == "poi_goal" else Observation
    return tuple(field.name for field in fields(kind))


def chosen_fields(
    names: Iterable[str] | str, task_type: str, needs: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the fields to expose, each once, in the observation's order.

    Args:
        names: Names of fields, or one text with commas between them.
        task_type: ``"point_goal"`` or ``"poi_goal"``.
        needs: Fields that the agent cannot work without.

    Raises:
        UnknownNameError: the observation has no such field.
        ConfigError: no field is named, or one that the agent needs is not.

    Example:
        >>> chosen_fields("poi_name, images", "poi_goal")
        ('images', 'poi_name')
    """
    parts = names.split(",") if isinstance(names, str) else [str(name) for name in names]
    wanted = [part.strip() for part in parts if part.strip()]
    known = observation_fields(task_type)
    for name in wanted:
        if name not in known:
            raise UnknownNameError("observation field", name, known)
    hidden = [name for name in needs if name not in wanted]
    if not wanted:
        raise ConfigError("expected at least one observation field, got none", where="expose")
    if hidden:
        raise ConfigError(
            f"the agent needs {', '.join(hidden)}, which is not exposed",
            where="expose",
            hint="name it too, or leave the option out",
        )
    return tuple(name for name in known if name in wanted)


def provided_fields(flags: Mapping[str, Any]) -> list[str]:
    """Return the optional observation fields that ``provide_*`` flags ask for."""
    asked = [fields for flag, fields in _PROVIDED.items() if flags.get(flag)]
    return [field for fields in asked for field in fields]


def limited_observation(
    values: Mapping[str, Any], exposed: Collection[str], task_type: str
) -> Observation:
    """Return an observation that has the exposed fields alone.

    Any other field is absent: reading it raises an AttributeError that names it, ``hasattr`` is
    false, and ``vars()`` does not show it.

    Args:
        values: All fields by name.
        exposed: Names of the fields to keep.
        task_type: ``"point_goal"`` or ``"poi_goal"``.
    """
    kind = LimitedPoiGoalObservation if task_type == "poi_goal" else LimitedObservation
    return kind({name: value for name, value in values.items() if name in exposed})


_PROVIDED = {
    "provide_history": ("history_images", "history_poses"),
    "provide_occ_map": ("occ_map", "meta_data"),
    "provide_height_map": ("height_map", "meta_data"),
}


class _Hidden:
    """A field that an instance lacks unless it stands in the instance's own dictionary."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type[Any]) -> NoReturn:
        shown = ", ".join(vars(instance)) if instance is not None else ""
        raise AttributeError(
            f"the observation field {self._name!r} is not exposed in this run "
            f"(--expose {shown or 'nothing'})"
        )


class LimitedObservation(Observation):
    """An observation with some of its fields; the others are absent.

    Args:
        values: The exposed fields.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(vars(self))})"

    def __eq__(self, other: object) -> bool:
        return self is other


class LimitedPoiGoalObservation(PoiGoalObservation):
    """The same for POI-goal.

    Args:
        values: The exposed fields.
    """

    __init__ = LimitedObservation.__init__
    __repr__ = LimitedObservation.__repr__
    __eq__ = LimitedObservation.__eq__


def _hide(kind: type[Observation], task_type: str) -> None:
    for name in observation_fields(task_type):
        setattr(kind, name, _Hidden(name))


_hide(LimitedObservation, "point_goal")
_hide(LimitedPoiGoalObservation, "poi_goal")
