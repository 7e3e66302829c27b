"""Observations with some of their fields: what is exposed is there, what is not is absent."""

from __future__ import annotations

import copy
import pickle
from dataclasses import asdict, fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.agents import Observation, PoiGoalObservation
from abotn.agents.exposure import (
    chosen_fields,
    limited_observation,
    observation_fields,
    provided_fields,
)
from abotn.errors import ConfigError, UnknownNameError

ALL = {"point_goal": Observation, "poi_goal": PoiGoalObservation}
KINDS = st.sampled_from(sorted(ALL))


def values(task_type: str) -> dict[str, Any]:
    """A distinguishable value for every field."""
    return {name: f"value of {name}" for name in observation_fields(task_type)}


@pytest.mark.parametrize("task_type", ALL)
def test_fields_are_those_of_the_observation(task_type: str) -> None:
    assert list(observation_fields(task_type)) == [field.name for field in fields(ALL[task_type])]
    assert ("poi_name" in observation_fields(task_type)) == (task_type == "poi_goal")


@given(KINDS, st.data())
def test_exposed_fields_are_there_and_the_others_are_not(
    task_type: str, data: st.DataObject
) -> None:
    known = observation_fields(task_type)
    exposed = data.draw(st.sets(st.sampled_from(known), min_size=1))
    seen = limited_observation(values(task_type), exposed, task_type)
    assert isinstance(seen, ALL[task_type])
    for twin in (seen, copy.copy(seen), copy.deepcopy(seen), pickle.loads(pickle.dumps(seen))):
        for name in known:
            assert hasattr(twin, name) == (name in exposed)
            if name in exposed:
                assert getattr(twin, name) == f"value of {name}"
            else:
                with pytest.raises(AttributeError, match=rf"'{name}' is not exposed.*--expose"):
                    getattr(twin, name)
        assert set(vars(twin)) == exposed
        assert not any(f"value of {name}" in repr(twin) for name in known)


def test_a_default_is_no_way_round() -> None:
    seen = limited_observation(values("poi_goal"), {"images", "poi_name"}, "poi_goal")
    for name in ("goal_world", "occ_map", "history_poses", "extra"):
        assert getattr(seen, name, "absent") == "absent"
    with pytest.raises(AttributeError, match="target_position"):
        asdict(seen)


def test_an_agent_may_still_put_things_into_its_observation() -> None:
    seen = limited_observation(values("point_goal"), {"images"}, "point_goal")
    seen.heading = 2.0
    assert seen.heading == 2.0
    assert seen == seen
    assert seen != limited_observation(values("point_goal"), {"images"}, "point_goal")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("images", ("images",)),
        (" heading , images,images,", ("images", "heading")),
        (["step_count", "images"], ("images", "step_count")),
        (iter(["poi_name"]), ("poi_name",)),
    ],
)
def test_fields_are_chosen_by_name(given: Any, wanted: tuple[str, ...]) -> None:
    assert chosen_fields(given, "poi_goal") == wanted


def test_unknown_field_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean: images"):
        chosen_fields("image", "point_goal")
    with pytest.raises(UnknownNameError, match="'poi_name'"):
        chosen_fields("poi_name", "point_goal")


def test_something_must_be_exposed() -> None:
    with pytest.raises(ConfigError, match="at least one"):
        chosen_fields(" , ", "point_goal")


def test_what_the_agent_needs_must_be_exposed() -> None:
    with pytest.raises(ConfigError, match="needs meta_data"):
        chosen_fields("occ_map", "point_goal", ("occ_map", "meta_data"))
    assert chosen_fields("occ_map,meta_data", "point_goal", ("occ_map",)) == (
        "occ_map",
        "meta_data",
    )


def test_flags_ask_for_fields() -> None:
    assert provided_fields({}) == []
    assert provided_fields({"provide_history": True, "provide_occ_map": False, "x": 1}) == [
        "history_images",
        "history_poses",
    ]
    flags = dict.fromkeys(("provide_occ_map", "provide_height_map"), True)
    assert set(provided_fields(flags)) == {"occ_map", "height_map", "meta_data"}


def test_images_are_the_same_array() -> None:
    images = {"front": np.zeros((2, 2, 3), dtype=np.uint8)}
    seen = limited_observation({**values("point_goal"), "images": images}, ["images"], "point_goal")
    assert seen.images is images
