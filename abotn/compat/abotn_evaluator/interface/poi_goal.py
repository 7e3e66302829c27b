"""The POI-goal agent interface under its published name."""

from abotn.agents.interface import BasePoiGoalAgent, PoiGoalObservation, WaypointPrediction

__all__ = ["BasePoiGoalAgent", "PoiGoalObservation", "WaypointPrediction"]
