"""The results of a group are those of its records alone."""

from __future__ import annotations

import dataclasses
import math
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.evaluation.evaluator import Evaluator
from abotn.results.types import MetricResult


def record(scene: str, index: int, attempt: int, kind: str, number: float) -> dict[str, object]:
    """Return a good record, one without a path length, or one that ended as an error."""
    row: dict[str, Any] = {
        "episode_id": scene,
        "task_id": f"traj_{index}",
        "attempt": attempt,
        "task_type": "point_goal",
        "status": "stop",
        "steps": int(number),
        "success": number > 5,
        "travel_length": number,
        "shortest_path_length": 4.0,
        "distance_to_goal": 20.0 - number,
        "metrics": {"total_distance": number, "collision_path_length": number / 4},
    }
    if kind == "gap":
        row |= {"travel_length": None, "metrics": dict.fromkeys(row["metrics"])}
    if kind == "error":
        row |= {"status": "error", "success": False}
        row |= {"error": {"stage": "agent", "type": "E", "message": "m"}}
    return row


def bare(metric: MetricResult) -> dict[str, object]:
    """Return a result without what names the whole data set."""
    fields = dataclasses.asdict(metric)
    value = fields.pop("value")
    return {**fields, "value": None if math.isnan(value) else value}


ROWS = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(["good", "good", "good", "gap", "error"]),
        st.floats(0.5, 10.0),
        st.integers(1, 3),
    ),
    min_size=4,
    max_size=14,
)


@settings(max_examples=12, deadline=None)
@given(ROWS, st.booleans())
def test_a_group_is_its_records_alone(rows, repeated):
    records = [
        record(scene, index, attempt, kind, number + attempt)
        for index, (scene, kind, number, attempts) in enumerate(rows)
        for attempt in range(attempts if repeated else 1)
    ]
    evaluator = Evaluator()
    options = {"bootstrap_ci": 100, "keep_values": True, "cluster_by": "episode_id"}
    names = [metric.name for metric in evaluator.evaluate_dataset(records, groupings=None).metrics]
    whole = evaluator.evaluate_dataset(records, metrics=names, groupings=["episode_id"], **options)
    for group in whole.groups["episode_id"]:
        own = [one for one in records if one["episode_id"] == group.label]
        options["cluster_by"] = None
        alone = evaluator.evaluate_dataset(own, metrics=names, groupings=None, **options)
        assert group.count == len(own)
        for found, expected in zip(group.metrics, alone.metrics, strict=True):
            here, there = bare(found), bare(expected)
            if found.ci is not None and expected.ci is not None:
                # Only what was resampled, and where it was said, differs.
                assert dataclasses.replace(
                    found.ci, note=None, resampled="", degenerate=False
                ) == dataclasses.replace(expected.ci, note=None, resampled="", degenerate=False)
            for fields in (here, there):
                fields.pop("ci")
            assert here == there


def test_spread_and_counts_are_those_of_the_finite_values():
    numbers = [1.5, 2.25, 7.0, 9.0]
    records = [record("a", i, 0, "good", number) for i, number in enumerate(numbers)]
    records += [record("a", 8, 0, "gap", 3.0), record("b", 0, 0, "good", 5.0)]
    result = Evaluator().evaluate_dataset(
        records, metrics=["travel_length"], groupings=["episode_id"]
    )
    first, second = (group.metrics[0] for group in result.groups["episode_id"])
    assert (first.minimum, first.maximum, first.value) == (1.5, 9.0, statistics.fmean(numbers))
    assert first.std == pytest.approx(statistics.stdev(numbers), rel=1e-15)
    assert (first.sample_count, first.finite_count, first.undefined_count) == (5, 4, 1)
    assert (second.minimum, second.maximum, second.std) == (5.0, 5.0, None)
    assert np.isclose(result["travel_length"].value, (sum(numbers) + 5.0) / 5)


@pytest.mark.parametrize(
    ("scenes", "shown"),
    [
        (["mine_0", "mine_1"], ["scene"]),
        (["mine_0", "0813_841249"], ["difficulty_indoor", "scene"]),
        (["0802_840243", "0803_840265"], ["difficulty_indoor", "scene"]),
    ],
)
def test_a_difficulty_that_tells_nothing_is_given_only_when_asked_for(scenes, shown):
    rows = [
        {"episode_id": scene, "task_id": f"t{number}", "status": "stop", "success": True}
        for number, scene in enumerate(scenes)
    ]
    made = [{**row, "protocol": "pointbench-indoor"} for row in rows]
    found = Evaluator().evaluate_dataset(made, metrics=["success"])
    assert list(found.groups) == shown
    asked = Evaluator().evaluate_dataset(rows, metrics=["success"], groupings="difficulty_indoor")
    assert list(asked.groups) == ["difficulty_indoor"]
