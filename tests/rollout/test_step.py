"""From an answer to a pose: shapes, frames, headings, and which pose is executed."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.agents import WaypointPrediction
from abotn.errors import AgentError, UnknownNameError
from abotn.rollout.step import Choice, choose_pose, read_answer

ORIGIN = np.zeros(2)
FAR = np.array([100.0, 0.0])
NUMBERS = st.floats(-20, 20, allow_nan=False)


def read(waypoint: Any, frame: str = "front_left", **more: Any) -> Any:
    return read_answer(WaypointPrediction(waypoint, **more), frame)


def choose(
    waypoint: Any,
    *,
    at: Any = ORIGIN,
    yaw: float = 0.0,
    goal: Any = FAR,
    index: int = 0,
    within: float | None = None,
    **more: Any,
) -> Choice:
    return choose_pose(
        read(waypoint, **more),
        np.asarray(at, dtype=float),
        yaw,
        np.asarray(goal, dtype=float),
        execute_waypoint=index,
        auto_arrive_within=within,
    )


@pytest.mark.parametrize("waypoint", [[1, 2], [[1, 2]], (1, 2), np.array([1, 2], np.float32)])
def test_one_waypoint_in_every_accepted_shape(waypoint: Any) -> None:
    assert read(waypoint).waypoints.tolist() == [[1.0, 2.0]]


def test_right_front_waypoints_are_turned_and_directions_are_not() -> None:
    answer = read([[2.0, 5.0]], "right_front", directions=[[0.0, 1.0]])
    assert answer.waypoints.tolist() == [[5.0, -2.0]]
    assert answer.turns.tolist() == [math.pi / 2]


@pytest.mark.parametrize(
    ("waypoint", "reason"),
    [
        ([1.0], "shape"),
        ([[1.0, 2.0, 3.0]], "shape"),
        (np.zeros((0, 2)), "shape"),
        (np.zeros((1, 1, 2)), "shape"),
        (3.0, "shape"),
        ([math.nan, 0], "finite"),
        ([math.inf, 0], "finite"),
        ([1e7, 0], "within"),
        ("ab", "numbers"),
        (None, "numbers|shape|finite"),
        ([[1, 2], [3]], "numbers"),
    ],
)
def test_unusable_waypoints_are_the_agents_error(waypoint: Any, reason: str) -> None:
    with pytest.raises(AgentError, match=f"waypoint.*({reason})"):
        read(waypoint)


@pytest.mark.parametrize(
    ("directions", "reason"),
    [([[1, 0], [0, 1]], "2 vectors for 1"), ([[math.nan, 0]], "finite"), ([1, 2, 3], "shape")],
)
def test_unusable_directions_are_the_agents_error(directions: Any, reason: str) -> None:
    with pytest.raises(AgentError, match=reason):
        read([1, 0], directions=directions)


def test_answer_of_another_kind_is_the_agents_error() -> None:
    with pytest.raises(AgentError, match=r"NoneType.*WaypointPrediction"):
        read_answer(None, "front_left")


@pytest.mark.parametrize(
    "arrive",
    ["no", "", b"1", None, math.nan, 2, -1, 0.5, [], [True], {}, np.zeros(2), np.zeros((1, 1)),
     np.array("no"), np.array([2]), np.array(math.nan), 1 + 0j, 10**400, Decimal(1)],
)  # fmt: skip
def test_what_is_neither_true_nor_false_is_no_arrival_but_an_error(arrive: Any) -> None:
    with pytest.raises(AgentError, match="arrive must be true, false, 1 or 0, got") as caught:
        read_answer(SimpleNamespace(waypoint=[0, 0], arrive=arrive), "front_left")
    assert str(arrive)[:20] in str(caught.value)


@pytest.mark.parametrize(
    "one", [True, 1, 1.0, np.True_, np.int8(1), np.float32(1), np.array(True), np.array([1])]
)
def test_true_and_false_also_as_numbers_and_alone_in_an_array(one: Any) -> None:
    for arrive, expected in ((one, True), (one * 0, False)):
        found = read_answer(SimpleNamespace(waypoint=[0, 0], arrive=arrive), "front_left").arrive
        assert found is expected


@pytest.mark.parametrize(
    "waypoint",
    [["1", "2"], "12", b"12", np.array([1 + 1j, 0]), [1 + 0j, 2], np.array(["1", "2"]),
     np.array([1, 2], dtype="m8[s]"), [object(), 1], {"front": 1}],
)  # fmt: skip
def test_what_only_looks_like_numbers_is_no_waypoint(waypoint: Any) -> None:
    with pytest.raises(AgentError, match="waypoint must be numbers"):
        read_answer(SimpleNamespace(waypoint=waypoint), "front_left")


def test_whatever_holds_numbers_is_a_waypoint() -> None:
    for waypoint in ([Decimal(1), Fraction(1, 2)], (1, 0.5), np.array([1, 0.5], dtype=object),
                     np.array([1, 0.5], dtype=np.float16), [[True, 0.5]]):  # fmt: skip
        found = read_answer(SimpleNamespace(waypoint=waypoint), "front_left").waypoints
        assert found.tolist() == [[1.0, 0.5]]


def test_anything_with_a_waypoint_will_do() -> None:
    assert read_answer(SimpleNamespace(waypoint=[1, 0]), "front_left").arrive is False
    assert read_answer(SimpleNamespace(waypoint=[1, 0], arrive=np.True_), "front_left").arrive


def test_unknown_frame() -> None:
    with pytest.raises(UnknownNameError, match="right_front"):
        read([1, 0], "right_left")


def test_caller_keeps_its_array() -> None:
    given_array = np.array([[1.0, 2.0]])
    for frame in ("front_left", "right_front"):
        read(given_array, frame).waypoints[:] = 9
    assert given_array.tolist() == [[1.0, 2.0]]


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.floats(-3.1, 3.1))
def test_pose_is_where_complex_numbers_say(
    front: float, left: float, x: float, y: float, yaw: float
) -> None:
    choice = choose([front, left], at=(x, y), yaw=yaw)
    turn = complex(math.cos(yaw), math.sin(yaw))
    expected = complex(x, y) + turn * complex(front, left)
    assert choice.xy == pytest.approx([expected.real, expected.imag], abs=1e-9)
    if math.hypot(front, left) > 1e-3:
        heading = turn * complex(front, left) / abs(complex(front, left))
        assert complex(math.cos(choice.yaw), math.sin(choice.yaw)) == pytest.approx(
            heading, abs=1e-9
        )
    assert -math.pi <= choice.yaw < math.pi
    assert choice.distance == pytest.approx(math.hypot(100 - expected.real, expected.imag))


def test_waypoints_look_to_the_next_and_the_last_along_the_way() -> None:
    answer = read([[1, 0], [1, 1], [0, 1]])
    assert answer.turns == pytest.approx([math.pi / 2, math.pi, math.pi])


def test_single_waypoint_looks_along_itself_and_none_looks_on() -> None:
    assert read([0, -2]).turns == pytest.approx([-math.pi / 2])
    assert read([0, 0]).turns.tolist() == [0.0]
    assert read([[1, 1], [1, 1]]).turns.tolist() == [0.0, 0.0]


def test_zero_length_with_a_direction_is_a_turn_on_the_spot() -> None:
    choice = choose([0, 0], at=(3, 4), yaw=1.0, directions=[[0, 1]])
    assert choice.xy.tolist() == [3.0, 4.0]
    assert choice.yaw == pytest.approx(1.0 + math.pi / 2)


WAYPOINTS = [[1, 0], [2, 0], [3, 0]]


@pytest.mark.parametrize(("index", "executed"), [(0, 0), (1, 1), (2, 2), (7, 2)])
def test_index_is_clamped_to_the_last_waypoint(index: int, executed: int) -> None:
    choice = choose(WAYPOINTS, index=index)
    assert choice.index == executed
    assert choice.xy.tolist() == [executed + 1.0, 0.0]
    assert choice.waypoint.tolist() == [executed + 1.0, 0.0]
    assert not choice.within_reach


def test_first_pose_within_the_radius_is_taken_whatever_the_index() -> None:
    choice = choose(WAYPOINTS, goal=(3, 0), index=0, within=1.5)
    assert (choice.index, choice.within_reach, choice.distance) == (1, True, 1.0)


def test_radius_itself_is_not_within_reach() -> None:
    assert not choose([[2, 0]], goal=(3, 0), within=1.0).within_reach
    assert choose([[2.001, 0]], goal=(3, 0), within=1.0).within_reach


def test_without_auto_arrival_no_pose_is_within_reach() -> None:
    choice = choose(WAYPOINTS, goal=(1, 0), index=2)
    assert (choice.index, choice.within_reach) == (2, False)
