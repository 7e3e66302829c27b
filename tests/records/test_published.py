"""What only the published tools write into a result, and what becomes of it."""

from __future__ import annotations

from typing import Any

import pytest

from abotn import schema_files
from abotn.records.published import normalise
from abotn.records.readers import read_records


def result(number: int = 0, **metrics: Any) -> dict[str, Any]:
    return {
        "episode_id": "s", "task_id": f"traj_{number}", "status": "stop", "steps": 3,
        "success": True, "metrics": metrics,
    }  # fmt: skip


@pytest.mark.parametrize("steps", [[], [3], [0, 2, 5]])
def test_lists_among_the_metrics_are_valid(steps: list[int]) -> None:
    document = normalise(result(collision_steps=steps))
    assert schema_files.complaint("result.v1", document) is None
    schema = schema_files.load_schema("result.v1")
    assert schema_files.accepts_all(schema, [document])


def test_lists_of_one_length_stay_items_of_one_column() -> None:
    steps = [[1, 2], [3, 4], [5, 6]]
    documents = [result(number, collision_steps=one) for number, one in enumerate(steps)]
    column = read_records(documents).table.column("collision_steps")
    assert column.shape == (3,)
    assert column.tolist() == steps


def test_name_of_a_poi_among_the_metrics_gets_its_place() -> None:
    assert normalise(result(poi_name="Cafe"))["poi_name"] == "Cafe"
    both = {**result(poi_name="Cafe"), "poi_name": "Bank"}
    assert normalise(both)["poi_name"] == "Bank"
    documents = [result(0, poi_name="Cafe"), {**result(1), "gt_taget_instance": "Bank"}]
    names = read_records(documents).table.column("poi_name").tolist()
    assert names == ["Cafe", "Bank"]
