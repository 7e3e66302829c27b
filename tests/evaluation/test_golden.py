"""``evaluation.json`` of a few fixed records against its golden file.

``ABOTN_WRITE_GOLDEN=1 python -m pytest tests/evaluation/test_golden.py`` writes it anew; look at
the difference before keeping it. Versions are masked, and numbers may differ in the last digits.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from abotn import EvaluationResult, Evaluator, schema_files
from abotn.plugins.manager import PluginManager
from abotn.results.files import read_evaluation

GOLDEN = Path(__file__).parent / "golden" / "evaluation.json"

METRICS = (
    "success", "success_new", "spl", "spl_new", "soft_spl", "collision_length",
    "collision_path_ratio", "travel_length", "min_clearance",
)  # fmt: skip


def record(number: int, scene: str, **more: Any) -> dict[str, Any]:
    travelled = 8.0 + number * number / 4
    made = {
        "schema_version": "1", "episode_id": scene, "task_id": f"traj_{number}", "attempt": 0,
        "task_type": "point_goal", "status": "stop", "steps": 4 + number, "success": True,
        "travel_length": travelled, "shortest_path_length": 8.0 + number,
        "distance_to_goal": 0.125 * number, "protocol": "pointbench-outdoor",
        "metrics": {
            "path_collision_count": number % 4, "collision_path_length": 0.25 * (number % 4),
            "total_distance": travelled, "initial_distance_to_goal": 7.5 + number,
            "min_distance_to_goal": 0.1 * number, "pointgoal_arrive_threshold": 0.5,
        },
    }  # fmt: skip
    return {**made, **more}


def records() -> list[dict[str, Any]]:
    """Solved, unsolved, tried twice, failed, without a reference, excluded, and damaged ones."""
    error = {"stage": "render", "type": "RenderFailureError", "message": "no picture"}
    lost = {"success": False, "status": "max_steps", "distance_to_goal": 6.5}
    return [
        *(record(number, "street") for number in range(5)),
        *(record(number, "square", **lost) for number in range(2)),
        *(record(number, "square", shortest_path_length=30.0 + number) for number in range(2, 5)),
        record(2, "square", attempt=1, **lost),
        record(9, "square", shortest_path_length=None),
        record(10, "street", status="error", success=False, travel_length=None, error=error),
        record(0, "park3"),
        record(11, "street", steps="many"),
    ]


def evaluate() -> EvaluationResult:
    return Evaluator(plugins=PluginManager(discover=False)).evaluate_dataset(
        records(),
        metrics=METRICS,
        groupings=["difficulty_outdoor", "scene"],
        thresholds={"success_new": 0.5, "collision_length": 0.25},
        bootstrap_ci=200,
        bootstrap_seed=7,
        keep_values=True,
    )


def masked(document: Any) -> Any:
    """Return plain values without the versions of this package."""
    document = json.loads(json.dumps(document))
    document["provenance"]["versions"] = dict.fromkeys(document["provenance"]["versions"], "*")
    groups = [group["metrics"] for found in document["groups"].values() for group in found]
    for metrics in (document["metrics"], *groups):
        for one in metrics:
            one["source"]["version"] = "*"
    return document


def approximately(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: approximately(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [approximately(inner) for inner in value]
    return pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value


def test_the_evaluation_is_the_golden_one(tmp_path: Path) -> None:
    path = tmp_path / "evaluation.json"
    evaluate().write(path)
    found = masked(json.loads(path.read_text(encoding="utf-8")))
    if os.environ.get("ABOTN_WRITE_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert list(found) == list(golden)
    for key, value in golden.items():
        assert found[key] == approximately(value), key


def test_the_golden_values_follow_from_the_records() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    values = {one["name"]: one["value"] for one in golden["metrics"]}
    # Street: 5 solved and an error. Square: 2 lost, 2 solved, one in one of two attempts, and the
    # one without a reference, solved.
    assert values["success"] == pytest.approx((5 + 0 + 0 + 2 + 0.5 + 1) / 12)
    assert values["travel_length"] == pytest.approx(golden_travel() / 11)
    assert golden["counts"] == {
        "found": 15, "scored": 13, "errors": 1, "damaged": 1, "missing": 0, "excluded": 1,
        "attempts": 2, "sample_errors": 0,
    }  # fmt: skip
    assert golden["damaged"] == [
        {
            "path": "results[14]",
            "reason": "breaks result.v1: steps: 'many' is not of type 'integer'",
        }
    ]


def golden_travel() -> float:
    """Sum over the 11 tasks without an error; traj_2 of the square has one length twice."""
    return sum(8.0 + n * n / 4 for n in (0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 9))


def test_the_golden_file_fits_its_schema_and_survives_the_round_trip(tmp_path: Path) -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert schema_files.complaint("evaluation.v1", golden) is None
    again = read_evaluation(GOLDEN)
    assert again.to_dict() == golden
    again.write(tmp_path / "evaluation.json")
    assert json.loads((tmp_path / "evaluation.json").read_text(encoding="utf-8")) == golden
