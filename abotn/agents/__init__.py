"""What an agent is, how it is found and configured, baseline agents, and agents in a server."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from abotn.agents.interface import (
    BasePoiGoalAgent,
    BasePointGoalAgent,
    Observation,
    PoiGoalObservation,
    WaypointPrediction,
)

if TYPE_CHECKING:
    from abotn.agents.baselines import RandomAgent as RandomAgent
    from abotn.agents.baselines import StraightLineAgent as StraightLineAgent
    from abotn.agents.config import load_agent_config as load_agent_config
    from abotn.agents.loader import load_class as load_class
    from abotn.agents.planner import PlannerAgent as PlannerAgent
    from abotn.agents.remote import RemoteAgent as RemoteAgent

_HOMES = {
    "PlannerAgent": "abotn.agents.planner",
    "RandomAgent": "abotn.agents.baselines",
    "RemoteAgent": "abotn.agents.remote",
    "StraightLineAgent": "abotn.agents.baselines",
    "load_agent_config": "abotn.agents.config",
    "load_class": "abotn.agents.loader",
}

__all__ = [
    "BasePoiGoalAgent",
    "BasePointGoalAgent",
    "Observation",
    "PlannerAgent",
    "PoiGoalObservation",
    "RandomAgent",
    "RemoteAgent",
    "StraightLineAgent",
    "WaypointPrediction",
    "load_agent_config",
    "load_class",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'abotn.agents' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
