"""The planner: it keeps off obstacles and reaches what can be reached."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from abotn.agents import Observation, PlannerAgent
from abotn.collision import OccupancyGrid, clearance, line_collisions, shortest_path
from abotn.errors import AgentError, ConfigError
from abotn.geometry import MapGeometry, path_length

WIDTH, HEIGHT = 100, 80
GEOMETRY = MapGeometry.from_corners((0, 8), (10, 8), (0, 0), WIDTH, HEIGHT)
META = {
    "TOP_LEFT_X": 0.0,
    "TOP_LEFT_Y": 8.0,
    "TOP_RIGHT_X": 10.0,
    "TOP_RIGHT_Y": 8.0,
    "BOTTOM_LEFT_X": 0.0,
    "BOTTOM_LEFT_Y": 0.0,
    "IMAGE_WIDTH": WIDTH,
    "IMAGE_HEIGHT": HEIGHT,
}
Map = NDArray[np.uint8]


def room(*walls: tuple[float, float, float, float]) -> Map:
    """A free room of 10 m by 8 m with walls ``(x0, y0, x1, y1)`` in metres."""
    grey = np.full((HEIGHT, WIDTH), 255, dtype=np.uint8)
    for x0, y0, x1, y1 in walls:
        grey[round((8 - y1) * 10) : round((8 - y0) * 10), round(x0 * 10) : round(x1 * 10)] = 0
    grey.setflags(write=False)
    return grey


def seen(grey: Map | None, at: Any, goal: Any, yaw: float) -> Observation:
    offset = np.subtract(goal, at)
    turn = np.array([[math.cos(yaw), math.sin(yaw)], [-math.sin(yaw), math.cos(yaw)]])
    return Observation(
        images={},
        target_position=turn @ offset,
        distance_to_goal=float(np.hypot(*offset)),
        position=np.array([*at, 0.5]),
        rotation=np.eye(4),
        heading=yaw,
        step_count=0,
        occ_map=grey,
        meta_data=None if grey is None else META,
    )


def walk(
    agent: PlannerAgent, grey: Map, start: Any, goal: Any, steps: int = 60
) -> tuple[NDArray[np.float64], bool]:
    """Positions of an agent that is put where it asks to be, looking where it goes."""
    at, yaw, path = np.array(start, dtype=float), 0.3, [np.array(start, dtype=float)]
    agent.reset()
    for _ in range(steps):
        prediction = agent.predict(seen(grey, at, goal, yaw))
        front, left = np.asarray(prediction.waypoint).ravel()
        step = np.array(
            [
                math.cos(yaw) * front - math.sin(yaw) * left,
                math.sin(yaw) * front + math.cos(yaw) * left,
            ]
        )
        at = at + step
        yaw = math.atan2(step[1], step[0])
        path.append(at)
        if prediction.arrive:
            return np.array(path), True
    return np.array(path), False


WALL = (5.0, 0.0, 5.3, 6.0)


def test_goes_round_a_wall_at_its_distance() -> None:
    grey = room(WALL)
    grid = OccupancyGrid.from_image(grey, GEOMETRY)
    path, arrived = walk(PlannerAgent(clearance=0.4), grey, (1, 1), (9, 1))
    assert arrived
    assert path[-1] == pytest.approx([9, 1], abs=0.1)
    assert not line_collisions(grid, path[:-1], path[1:])[0].any()
    along = np.vstack([np.linspace(a, b, 20) for a, b in pairwise(path)])
    assert clearance(grid, along).min() >= 0.2
    shortest = shortest_path(grid, (1, 1), (9, 1))
    assert shortest is not None
    assert path_length(path) <= 1.1 * shortest.length


def test_steps_are_no_longer_than_the_look_ahead() -> None:
    path, _ = walk(PlannerAgent(look_ahead=0.6), room(WALL), (1, 1), (9, 1))
    assert np.hypot(*np.diff(path, axis=0).T).max() <= 0.6 + 1e-9


def test_narrow_door_is_passed_at_less_than_the_distance() -> None:
    grey = room((5.0, 0.0, 5.3, 3.9), (5.0, 4.2, 5.3, 8.0))
    path, arrived = walk(PlannerAgent(clearance=0.5), grey, (2, 4), (8, 4))
    grid = OccupancyGrid.from_image(grey, GEOMETRY)
    assert arrived
    assert not line_collisions(grid, path[:-1], path[1:])[0].any()


def test_goal_in_a_wall_is_approached() -> None:
    grey = room(WALL)
    path, arrived = walk(PlannerAgent(), grey, (2, 3), (5.05, 3))
    assert arrived
    assert path[-1] == pytest.approx([5, 3], abs=0.2)


def test_goal_behind_a_closed_wall_is_approached_not_walked_to() -> None:
    grey = room((5.0, 0.0, 5.3, 8.0))
    grid = OccupancyGrid.from_image(grey, GEOMETRY)
    path, arrived = walk(PlannerAgent(), grey, (2, 3), (8, 3))
    assert arrived
    assert path[-1, 0] < 5.0
    assert not line_collisions(grid, path[:-1], path[1:])[0].any()


def test_start_in_a_wall_is_left() -> None:
    path, arrived = walk(PlannerAgent(), room(WALL), (5.1, 3), (9, 3))
    assert arrived
    assert path[-1] == pytest.approx([9, 3], abs=0.1)


def test_map_without_free_space_is_crossed_straight() -> None:
    grey = room((0, 0, 10, 8))
    path, arrived = walk(PlannerAgent(), grey, (2, 3), (8, 3))
    assert arrived
    assert path_length(path) == pytest.approx(6.0)


def test_agent_that_was_carried_away_plans_anew() -> None:
    grey, agent = room(WALL), PlannerAgent()
    agent.predict(seen(grey, (1, 1), (9, 1), 0.0))
    prediction = agent.predict(seen(grey, (9, 7), (9, 1), 0.0))
    assert np.asarray(prediction.waypoint) == pytest.approx([0, -1], abs=1e-6)


def test_next_task_on_another_map_uses_that_map() -> None:
    agent = PlannerAgent()
    walk(agent, room(WALL), (1, 1), (9, 1))
    path, arrived = walk(agent, room(), (1, 1), (9, 1))
    assert arrived
    assert path_length(path) == pytest.approx(8.0)


def test_observation_without_a_map_is_refused() -> None:
    with pytest.raises(AgentError, match="no occupancy map"):
        PlannerAgent().predict(seen(None, (1, 1), (2, 1), 0.0))


def test_arguments_must_be_positive() -> None:
    with pytest.raises(ConfigError, match="clearance"):
        PlannerAgent(clearance=0.0)


WALLS = st.lists(
    st.tuples(st.integers(5, 85), st.integers(5, 65), st.integers(3, 30), st.integers(3, 30)).map(
        lambda w: (w[0] / 10, w[1] / 10, (w[0] + w[2]) / 10, (w[1] + w[3]) / 10)
    ),
    max_size=5,
)


@settings(max_examples=25, deadline=None)
@given(WALLS)
def test_never_collides_and_arrives_wherever_there_is_a_path(
    walls: list[tuple[float, float, float, float]],
) -> None:
    grey = room(*walls)
    grid = OccupancyGrid.from_image(grey, GEOMETRY)
    start, goal = (0.25, 0.25), (9.75, 7.75)
    if shortest_path(grid, start, goal) is None:
        return
    path, arrived = walk(PlannerAgent(), grey, start, goal, steps=80)
    assert arrived
    assert path[-1] == pytest.approx(goal, abs=0.1)
    assert not line_collisions(grid, path[:-1], path[1:])[0].any()
