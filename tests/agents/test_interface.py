"""The data an agent gets and gives: fields, order and defaults of the published tables."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from abotn.agents import (
    BasePoiGoalAgent,
    BasePointGoalAgent,
    Observation,
    PoiGoalObservation,
    WaypointPrediction,
)

REQUIRED = [
    "images",
    "target_position",
    "distance_to_goal",
    "position",
    "rotation",
    "heading",
    "step_count",
]
OPTIONAL = [
    "goal_world",
    "history_images",
    "history_poses",
    "occ_map",
    "height_map",
    "meta_data",
]


def an_observation(kind: type[Observation] = Observation, **fields: object) -> Observation:
    required = {
        "images": {},
        "target_position": np.zeros(2),
        "distance_to_goal": 0.0,
        "position": np.zeros(3),
        "rotation": np.eye(4),
        "heading": 0.0,
        "step_count": 0,
    }
    return kind(**{**required, **fields})  # type: ignore[arg-type]


def test_observation_has_the_published_fields_and_defaults() -> None:
    fields = dataclasses.fields(Observation)
    assert [f.name for f in fields] == [*REQUIRED, *OPTIONAL, "extra"]
    without_default = [
        f.name
        for f in fields
        if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
    ]
    assert without_default == REQUIRED
    observation = an_observation()
    assert all(getattr(observation, name) is None for name in OPTIONAL)
    assert observation.extra == {}


def test_extra_is_not_shared_between_observations() -> None:
    first, second = an_observation(), an_observation()
    first.extra["seen"] = 1
    assert second.extra == {}


def test_poi_observation_adds_the_name() -> None:
    observation = an_observation(PoiGoalObservation, poi_name="Cafe")
    assert isinstance(observation, PoiGoalObservation)
    assert isinstance(observation, Observation)
    assert observation.poi_name == "Cafe"
    assert [f.name for f in dataclasses.fields(PoiGoalObservation)][-1] == "poi_name"


def test_prediction_has_the_published_fields_and_defaults() -> None:
    names = [f.name for f in dataclasses.fields(WaypointPrediction)]
    assert names == ["waypoint", "arrive", "directions", "confidence", "extra"]
    prediction = WaypointPrediction(np.zeros(2))
    assert prediction.arrive is False
    assert prediction.directions is None
    assert prediction.confidence is None
    assert prediction.extra == {}


@pytest.mark.parametrize("base", [BasePointGoalAgent, BasePoiGoalAgent])
def test_both_methods_must_be_written(base: type) -> None:
    half = type("Half", (base,), {"reset": lambda self: None})
    with pytest.raises(TypeError, match="predict"):
        half()
