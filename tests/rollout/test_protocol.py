"""The four protocols, overrides, and the way through a manifest."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.errors import ConfigError, UnknownNameError
from abotn.plugins.manager import PluginManager
from abotn.rollout.protocol import (
    DEFAULT_PROTOCOLS,
    POIBENCH,
    POINTBENCH_INDOOR,
    POINTBENCH_OUTDOOR,
    STRICT,
    Protocol,
)

ALL = [POINTBENCH_OUTDOOR, POINTBENCH_INDOOR, POIBENCH, STRICT]

# The table of the protocol document, column by column.
TABLE = {
    "arrive_threshold": (0.5, 0.5, 2.0, 0.5),
    "collision_threshold": (3, 1, 3, 1),
    "occ_dilation_meters": (0.5, 0.2, 0.5, 0.0),
    "collision_mode": ("path", "path", "hard", "path"),
    "collision_sampling": ("published", "published", "published", "exact"),
    "execute_waypoint": (1, 1, 2, 0),
    "auto_arrive": (True, True, True, False),
    "require_stop": (False, False, False, True),
    "task_type": ("point_goal", "point_goal", "poi_goal", None),
    "exclude_scenes": (("park3",), (), (), ()),
    "waypoint_frame": ("front_left",) * 4,
    "robot_radius": (0.0,) * 4,
    "occ_obstacle_polarity": ("dark",) * 4,
    "occ_dark_threshold": (64,) * 4,
    "default_max_steps": (100,) * 4,
}


@pytest.mark.parametrize("parameter", TABLE)
def test_named_protocols_have_the_tabled_values(parameter: str) -> None:
    assert tuple(getattr(protocol, parameter) for protocol in ALL) == TABLE[parameter]


def test_they_are_found_by_name_through_the_hook() -> None:
    manager = PluginManager(discover=False)
    names = ["pointbench-outdoor", "pointbench-indoor", "poibench", "strict"]
    assert [manager.named("abotn_protocols", "protocol", name) for name in names] == ALL
    with pytest.raises(UnknownNameError, match="pointbench-indoor"):
        manager.named("abotn_protocols", "protocol", "pointbench_indor")


def test_each_task_has_a_default() -> None:
    assert DEFAULT_PROTOCOLS == {"point_goal": "pointbench-outdoor", "poi_goal": "poibench"}


def test_override_names_what_differs_and_leaves_the_original_alone() -> None:
    changed = STRICT.override(arrive_threshold=1.0, collision_threshold=None, execute_waypoint=0)
    assert changed.arrive_threshold == 1.0
    assert changed.modified == ("arrive_threshold",)
    assert changed.override(occ_dilation_meters=0.1).modified == (
        "arrive_threshold",
        "occ_dilation_meters",
    )
    assert STRICT.arrive_threshold == 0.5
    assert STRICT.modified == ()


def test_agent_that_declares_its_frame_does_not_modify_the_protocol() -> None:
    read = STRICT.read_as("right_front")
    assert read.waypoint_frame == "right_front"
    assert read.modified == ()
    assert STRICT.read_as(None) is STRICT


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("arrive_threshold", -0.1),
        ("arrive_threshold", float("nan")),
        ("arrive_threshold", float("inf")),
        ("arrive_threshold", "0.5"),
        ("arrive_threshold", True),
        ("collision_threshold", -1),
        ("collision_threshold", 1.5),
        ("occ_dilation_meters", -1),
        ("execute_waypoint", -1),
        ("auto_arrive", 1),
        ("robot_radius", -0.1),
        ("occ_dark_threshold", 256),
        ("default_max_steps", 0),
        ("exclude_scenes", "park3"),
    ],
)
def test_values_out_of_range_are_refused_by_name(parameter: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=parameter):
        STRICT.override(**{parameter: value})


@pytest.mark.parametrize(
    ("parameter", "value", "nearest"),
    [
        ("collision_mode", "harder", "hard"),
        ("collision_sampling", "exakt", "exact"),
        ("waypoint_frame", "front_right", "right_front"),
        ("reference", "geodesics", "geodesic"),
        ("occ_obstacle_polarity", "dark ", "dark"),
        ("task_type", "point-goal", "point_goal"),
        ("arrive_treshold", 1.0, "arrive_threshold"),
        ("name", "mine", "known"),
    ],
)
def test_unknown_names_come_with_the_nearest(parameter: str, value: Any, nearest: str) -> None:
    with pytest.raises(UnknownNameError, match=nearest):
        STRICT.override(**{parameter: value})


@pytest.mark.parametrize("protocol", ALL, ids=lambda p: p.name)
def test_manifest_entry_rebuilds_the_protocol(protocol: Protocol) -> None:
    entry = json.loads(json.dumps(protocol.to_manifest()))
    assert Protocol.from_manifest(entry) == protocol


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "arrive_threshold": st.floats(0, 10),
            "collision_threshold": st.integers(0, 9),
            "auto_arrive": st.booleans(),
            "reference": st.sampled_from(["task", "geodesic"]),
            "exclude_scenes": st.lists(st.text(max_size=4), max_size=2),
        },
    )
)
def test_overridden_protocol_survives_a_manifest(values: dict[str, Any]) -> None:
    changed = POIBENCH.override(**values)
    entry = json.loads(json.dumps(changed.to_manifest()))
    assert Protocol.from_manifest(entry) == changed
    differing = {
        name
        for name, value in values.items()
        if (tuple(value) if isinstance(value, list) else value) != getattr(POIBENCH, name)
    }
    assert set(entry["modified"]) == differing


def test_incomplete_manifest_entry_is_an_error() -> None:
    entry = STRICT.to_manifest()
    del entry["values"]["arrive_threshold"]
    with pytest.raises(ConfigError, match="arrive_threshold"):
        Protocol.from_manifest(entry)
