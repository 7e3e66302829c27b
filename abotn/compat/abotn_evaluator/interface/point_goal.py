"""The point-goal agent interface under its published name."""

from abotn.agents.interface import BasePointGoalAgent, Observation, WaypointPrediction

__all__ = ["BasePointGoalAgent", "Observation", "WaypointPrediction"]
