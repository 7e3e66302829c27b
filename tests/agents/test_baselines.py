"""The two baselines without a map, walked by a loop written here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.agents import Observation, RandomAgent, StraightLineAgent
from abotn.errors import ConfigError

COORDINATES = st.floats(-50, 50, allow_nan=False)


def seen(target: tuple[float, float]) -> Observation:
    return Observation(
        images={},
        target_position=np.array(target),
        distance_to_goal=math.hypot(*target),
        position=np.zeros(3),
        rotation=np.eye(4),
        heading=0.0,
        step_count=0,
    )


@given(COORDINATES, COORDINATES, st.floats(0.1, 5))
def test_straight_line_goes_a_step_towards_the_goal(x: float, y: float, step: float) -> None:
    prediction = StraightLineAgent(step_length=step).predict(seen((x, y)))
    waypoint = np.asarray(prediction.waypoint)
    distance = math.hypot(x, y)
    assert np.hypot(*waypoint) == pytest.approx(min(step, distance), abs=1e-9)
    assert waypoint[0] * y == pytest.approx(waypoint[1] * x, abs=1e-6)
    assert np.hypot(x - waypoint[0], y - waypoint[1]) == pytest.approx(
        max(0.0, distance - step), abs=1e-9
    )


@given(COORDINATES, COORDINATES)
def test_straight_line_arrives_at_the_goal_and_only_there(x: float, y: float) -> None:
    agent, target = StraightLineAgent(), np.array([x, y])
    taken = 0
    while taken < 100:
        taken += 1
        prediction = agent.predict(seen((target[0], target[1])))
        target = target - np.asarray(prediction.waypoint)
        if prediction.arrive:
            break
    assert prediction.arrive
    assert np.hypot(*target) <= agent.stop_distance
    assert taken <= math.ceil(math.hypot(x, y) + 1e-9) + 1


def walk(agent: RandomAgent, steps: int = 20) -> np.ndarray[Any, Any]:
    return np.array([agent.predict(seen((30.0, 0.0))).waypoint for _ in range(steps)])


def test_random_steps_have_the_length_and_stay_within_the_turn() -> None:
    waypoints = walk(RandomAgent(seed=1, step_length=0.7, max_turn=1.0), 200)
    assert np.hypot(*waypoints.T) == pytest.approx(np.full(200, 0.7))
    angles = np.arctan2(waypoints[:, 1], waypoints[:, 0])
    assert np.abs(angles).max() <= 1.0
    assert angles.min() < -0.9
    assert angles.max() > 0.9


def test_random_numbers_come_from_the_seed_alone() -> None:
    agent = RandomAgent(seed=1)
    first = walk(agent)
    np.random.seed(0)  # noqa: NPY002 - the agent must not look at the global generator
    agent.seed(1)
    agent.reset()
    assert np.array_equal(walk(agent), first)
    assert np.array_equal(walk(RandomAgent(seed=1)), first)
    assert not np.array_equal(walk(RandomAgent(seed=2)), first)


def test_random_agent_leaves_the_global_generator_alone() -> None:
    np.random.seed(7)  # noqa: NPY002 - it is what must stay as it is
    before = str(np.random.get_state())  # noqa: NPY002
    walk(RandomAgent(seed=1))
    assert str(np.random.get_state()) == before  # noqa: NPY002


def test_random_agent_stops_near_the_goal() -> None:
    near = RandomAgent(stop_distance=0.5).predict(seen((0.3, 0.4)))
    assert near.arrive
    assert np.array_equal(near.waypoint, [0.0, 0.0])
    assert not RandomAgent(stop_distance=0.5).predict(seen((0.3, 0.5))).arrive


@pytest.mark.parametrize("value", [0, -1.0, math.inf, math.nan, "1", True, None])
@pytest.mark.parametrize("agent", [StraightLineAgent, RandomAgent])
def test_step_length_must_be_a_positive_number(agent: type[Any], value: object) -> None:
    with pytest.raises(ConfigError, match="step_length"):
        agent(step_length=value)
