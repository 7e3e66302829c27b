"""Observations and predictions as plain values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abotn.agents.exposure import (
    LimitedObservation,
    LimitedPoiGoalObservation,
    limited_observation,
)
from abotn.agents.interface import (
    TASK_TYPES,
    Observation,
    PoiGoalObservation,
    WaypointPrediction,
)
from abotn.agents.messages import pack
from abotn.errors import AgentError, DataError, name_of

_OPTIONAL = ("arrive", "directions", "confidence", "extra")


def observation_values(observation: Observation) -> dict[str, Any]:
    """Return an observation as values; fields that a run does not expose stay absent."""
    limited = isinstance(observation, LimitedObservation | LimitedPoiGoalObservation)
    task_type = "poi_goal" if isinstance(observation, PoiGoalObservation) else "point_goal"
    return {"task_type": task_type, "limited": limited, "fields": dict(vars(observation))}


def observation_from(values: Mapping[str, Any]) -> Observation:
    """Return the observation that :func:`observation_values` described.

    Raises:
        DataError: a key or a field is missing or unknown.
    """
    try:
        task_type, fields = values["task_type"], values["fields"]
        if task_type not in TASK_TYPES or not isinstance(fields, dict):
            raise TypeError(f"task_type {task_type!r}")
        if values.get("limited"):
            return limited_observation(fields, fields, task_type)
        kind = PoiGoalObservation if task_type == "poi_goal" else Observation
        return kind(**fields)
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"no observation: {error}", where="observation") from error


def prediction_values(prediction: Any) -> dict[str, Any]:
    """Return what an agent answered as values.

    Raises:
        AgentError: it has no waypoint.
    """
    if not hasattr(prediction, "waypoint"):
        raise AgentError(
            f"predict() returned a {name_of(prediction)}, expected a WaypointPrediction"
        )
    values = {name: getattr(prediction, name) for name in _OPTIONAL if hasattr(prediction, name)}
    return {"waypoint": prediction.waypoint, **values}


def travelling(extra: Any) -> dict[str, Any] | None:
    """Return the entries of an agent's ``extra`` that can be sent; None when there is no mapping.

    Example:
        >>> travelling({"note": "left", "model": object()})
        {'note': 'left'}
    """
    return {k: v for k, v in extra.items() if _travels(k, v)} if isinstance(extra, dict) else None


def _travels(key: Any, value: Any) -> bool:
    try:
        pack({key: value})
    except DataError:
        return False
    return True


def prediction_from(values: Any) -> WaypointPrediction:
    """Return the prediction that :func:`prediction_values` described; a run checks its numbers.

    Raises:
        DataError: there is no waypoint.
    """
    if not isinstance(values, dict) or "waypoint" not in values:
        raise DataError("the answer has no waypoint", where="prediction")
    extra = values.get("extra")
    return WaypointPrediction(
        waypoint=values["waypoint"],
        arrive=values.get("arrive", False),
        directions=values.get("directions"),
        confidence=values.get("confidence"),
        extra=extra if isinstance(extra, dict) else {},
    )
