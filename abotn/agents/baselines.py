"""Baseline agents that need no map: straight to the goal, and at random."""

from __future__ import annotations

import math

import numpy as np

from abotn.agents.interface import BasePointGoalAgent, Observation, WaypointPrediction
from abotn.errors import ConfigError


class StraightLineAgent(BasePointGoalAgent):
    """Walks straight to the goal, through whatever is in the way; for either task.

    Args:
        step_length: Length of a step, metres.
        stop_distance: Distance to the goal after the step at which it declares arrival, metres.

    Example:
        >>> agent = StraightLineAgent(step_length=2.0)
        >>> agent.step_length
        2.0
    """

    def __init__(self, step_length: float = 1.0, stop_distance: float = 0.1) -> None:
        self.step_length = positive(step_length, "step_length")
        self.stop_distance = positive(stop_distance, "stop_distance")

    def reset(self) -> None:
        """Nothing is remembered."""

    def predict(self, observation: Observation) -> WaypointPrediction:
        """Return the point a step towards the goal, or the goal when it is nearer."""
        target = np.asarray(observation.target_position, dtype=np.float64)
        distance = float(np.hypot(*target))
        share = 1.0 if distance <= self.step_length else self.step_length / distance
        left_over = distance * (1.0 - share)
        return WaypointPrediction(target * share, arrive=left_over <= self.stop_distance)


class RandomAgent(BasePointGoalAgent):
    """Walks in a new random direction each step; for either task.

    It stops only when it happens to be near the goal.

    Args:
        seed: Seed of its own generator; a run gives it one per task, see ``BasePointGoalAgent``.
        step_length: Length of a step, metres.
        max_turn: Largest change of direction per step, radians.
        stop_distance: Distance to the goal at which it declares arrival, metres.
    """

    def __init__(
        self,
        seed: int = 0,
        step_length: float = 1.0,
        max_turn: float = math.pi / 2.0,
        stop_distance: float = 0.5,
    ) -> None:
        self.step_length = positive(step_length, "step_length")
        self.max_turn = positive(max_turn, "max_turn")
        self.stop_distance = positive(stop_distance, "stop_distance")
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start the random numbers anew."""
        self._generator = np.random.default_rng(seed)

    def reset(self) -> None:
        """Nothing is remembered."""

    def predict(self, observation: Observation) -> WaypointPrediction:
        """Return a point a step away in a random direction; near the goal, stop."""
        if observation.distance_to_goal <= self.stop_distance:
            return WaypointPrediction(np.zeros(2), arrive=True)
        angle = self._generator.uniform(-self.max_turn, self.max_turn)
        waypoint = self.step_length * np.array([math.cos(angle), math.sin(angle)])
        return WaypointPrediction(waypoint)


def positive(value: float, name: str) -> float:
    """Return ``value`` as a float when it is a positive number.

    Raises:
        ConfigError: it is not.
    """
    usable = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not usable or not 0 < float(value) < math.inf:
        raise ConfigError(f"expected a positive number, got {value!r}", where=name)
    return float(value)
