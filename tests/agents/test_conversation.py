"""Observations and predictions as values: the same on the other side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abotn.agents.conversation import (
    observation_from,
    observation_values,
    prediction_from,
    prediction_values,
)
from abotn.agents.exposure import limited_observation
from abotn.agents.interface import Observation, PoiGoalObservation, WaypointPrediction
from abotn.agents.messages import pack, unpack
from abotn.errors import AgentError, DataError

FIELDS: dict[str, Any] = {
    "images": {"front": np.arange(24, dtype=np.uint8).reshape(2, 4, 3)},
    "target_position": np.array([1.0, 0.1 + 0.2]),
    "distance_to_goal": 1.0440306508910550,
    "position": np.array([0.1, 0.2, 0.3]),
    "rotation": np.eye(4),
    "heading": -0.1,
    "step_count": 3,
    "history_images": [{"front": np.ones((1, 2, 3), dtype=np.uint8)}],
    "history_poses": [np.eye(4)],
    "occ_map": np.full((3, 5), 255, dtype=np.uint8),
    "height_map": np.zeros((3, 5), dtype=np.float32),
    "meta_data": {"TOP_LEFT_X": 0.1, "IMAGE_WIDTH": 5},
}


def over_the_wire(values: dict[str, Any]) -> dict[str, Any]:
    return unpack(pack(values))


def assert_same(first: Any, second: Any) -> None:
    assert type(first) is type(second)
    assert vars(first).keys() == vars(second).keys()
    for name, value in vars(first).items():
        np.testing.assert_equal(vars(second)[name], value, err_msg=name)
        if isinstance(value, np.ndarray):
            assert vars(second)[name].dtype == value.dtype


@pytest.mark.parametrize(
    "observation",
    [
        Observation(**FIELDS, goal_world=np.array([5.0, 6.0])),
        PoiGoalObservation(**FIELDS, poi_name="Café"),
        Observation(**{**FIELDS, "images": {}, "occ_map": None}),
    ],
)
def test_an_observation_is_the_same_on_the_other_side(observation: Observation) -> None:
    assert_same(observation, observation_from(over_the_wire(observation_values(observation))))


@pytest.mark.parametrize("task_type", ["point_goal", "poi_goal"])
def test_a_field_that_is_not_exposed_stays_absent(task_type: str) -> None:
    shown = limited_observation({**FIELDS, "poi_name": "a"}, ["images", "step_count"], task_type)
    found = observation_from(over_the_wire(observation_values(shown)))
    assert_same(shown, found)
    with pytest.raises(AttributeError, match="'position' is not exposed"):
        _ = found.position


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"task_type": "walk"}, "task_type 'walk'"),
        ({"fields": None}, "task_type"),
        ({"fields": {**FIELDS, "smell": 1}}, "smell"),
        ({"fields": {"images": {}}}, "missing"),
    ],
)
def test_what_is_no_observation_is_refused(change: dict[str, Any], reason: str) -> None:
    values = {**observation_values(Observation(**FIELDS)), **change}
    with pytest.raises(DataError, match=f"observation: no observation: .*{reason}"):
        observation_from(values)
    with pytest.raises(DataError, match="task_type"):
        observation_from({})


def test_a_prediction_is_the_same_on_the_other_side() -> None:
    prediction = WaypointPrediction(
        np.array([[1.0, 2.0], [3.0, 0.1 + 0.2]]),
        arrive=True,
        directions=np.array([[1.0, 0.0], [0.0, 1.0]]),
        confidence=0.25,
        extra={"pixels": np.arange(4), "why": "left of the door"},
    )
    assert_same(prediction, prediction_from(over_the_wire(prediction_values(prediction))))
    plain = WaypointPrediction([1.0, 2.0])
    assert_same(plain, prediction_from(over_the_wire(prediction_values(plain))))


def test_an_answer_of_another_kind_is_told_as_a_run_tells_it() -> None:
    with pytest.raises(AgentError, match=r"predict\(\) returned a NoneType, expected a Waypoint"):
        prediction_values(None)
    with pytest.raises(DataError, match="prediction: the answer has no waypoint"):
        prediction_from(None)
    with pytest.raises(DataError, match="no waypoint"):
        prediction_from({"arrive": True})
