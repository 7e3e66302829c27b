"""Every reader refuses another major version and keeps what a newer minor one adds."""

import json

import pytest

from abotn import Evaluator
from abotn.errors import DataError, SchemaError
from abotn.evaluation.compare import compare
from abotn.json_files import read_json
from abotn.records.files import read_manifest, read_trajectory, write_result, write_trajectory
from abotn.records.readers import read_records
from abotn.records.types import ResultRecord
from abotn.results.comparison import Comparison
from abotn.results.files import read_evaluation


def record(task, success):
    return {"episode_id": "s", "task_id": task, "status": "stop", "steps": 3, "success": success,
            "travel_length": 4.0, "shortest_path_length": 3.0, "metrics": {}}  # fmt: skip


ROWS = [record(f"t{i}", i % 2 == 0) for i in range(6)]


@pytest.fixture(scope="module")
def evaluation():
    result = Evaluator().evaluate_dataset(
        ROWS, metrics=["success", "spl"], groupings=["status"], bootstrap_ci=100
    )
    return json.loads(result.to_json())


@pytest.fixture(scope="module")
def comparison():
    return json.loads(compare(ROWS, ROWS, metrics=["spl"], n_resamples=100).to_json())


def newer(document):
    """The document as a later minor version would write it: a new field at every level."""
    if isinstance(document, dict):
        return {**{key: newer(value) for key, value in document.items()}, "later": [1]}
    return [newer(one) for one in document] if isinstance(document, list) else document


def write(path, document):
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_an_evaluation_keeps_new_fields_at_every_level(evaluation, tmp_path):
    document = newer({**evaluation, "summary": {}}) | {"schema_version": "1.7"}
    document["counts"].pop("later")
    document["skipped"].pop("later")
    document["groups"].pop("later")
    path = write(tmp_path / "evaluation.json", document)
    read_evaluation(path).write(tmp_path / "again.json")
    again = read_json(tmp_path / "again.json")
    for name in document.keys() - {"summary"}:
        assert again[name] == document[name]


def test_a_comparison_keeps_new_fields_at_every_level(comparison, tmp_path):
    document = newer(comparison) | {"schema_version": "1.7"}
    path = write(tmp_path / "comparison.json", document)
    Comparison.read(path).write(tmp_path / "again.json")
    assert read_json(tmp_path / "again.json") == document


def test_a_result_keeps_new_fields(tmp_path):
    document = {"schema_version": "1.2", "later": {"a": [1]}, **ROWS[0]}
    write(tmp_path / "result.json", document)
    table = read_records(tmp_path).table
    assert table.column("later")[0] == {"a": [1]}
    write_result(tmp_path, ResultRecord.from_dict(document))
    again = read_json(tmp_path / "result.json")
    assert (again["later"], again["schema_version"]) == ({"a": [1]}, "1.2")


TRAJECTORY = {
    "schema_version": "1.2", "episode_id": "s", "task_id": "t", "attempt": 0,
    "position": [[0, 0, 0], [1, 0, 0]], "yaw": [0, 0], "waypoint": [[1, 0]],
    "executed_index": [0], "distance_to_goal": [1, 0], "collided": [False],
    "collision_length": [0], "agent_seconds": [0.1], "render_seconds": [0.1],
    "reference": [[0, 0], [1, 0]], "goal": [1, 0], "later": [7],
}  # fmt: skip


def test_a_trajectory_keeps_new_fields(tmp_path):
    path = write(tmp_path / "trajectory.json", TRAJECTORY)
    identity = {name: TRAJECTORY[name] for name in ("episode_id", "task_id", "attempt")}
    write_trajectory(tmp_path, read_trajectory(path), identity)
    assert read_json(path)["later"] == [7]


@pytest.mark.parametrize("version", ["2", "0", "2.1", "one", 1])
def test_another_major_version_is_refused(evaluation, comparison, tmp_path, version):
    for reader, document in (
        (read_evaluation, evaluation),
        (Comparison.read, comparison),
        (read_trajectory, TRAJECTORY),
    ):
        path = write(tmp_path / "file.json", {**document, "schema_version": version})
        with pytest.raises(SchemaError, match="schema_version"):
            reader(path)
    write(tmp_path / "run.json", {"schema_version": version})
    with pytest.raises(SchemaError, match="schema_version"):
        read_manifest(tmp_path)
    write(tmp_path / "result.json", {**ROWS[0], "schema_version": version})
    with pytest.raises(DataError, match="schema_version"):
        read_records(tmp_path / "result.json")
