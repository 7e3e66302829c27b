"""The published summaries: their numbers against exact fractions, and what they leave out."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.errors import AbotnError, ConfigError, DataError, UnknownNameError
from abotn.evaluation.summaries import summarise_poi_goal, summarise_point_goal
from abotn.evaluation.summary_tables import summary_text

BY_METRIC = {
    "success_rate": "success", "sr_new": "success_new", "spl_new": "spl_new",
    "tcr_new": "tcr_new", "dcr_new": "dcr_new",
    "avg_path_collisions_per_task": "path_collision_count",
    "avg_collision_meters_per_task": "collision_length",
}  # fmt: skip
BY_COLUMN = {
    "avg_steps": "steps", "avg_travel_length": "travel_length",
    "avg_shortest_path_length": "shortest_path_length", "avg_final_distance": "distance_to_goal",
    "avg_initial_distance": "initial_distance_to_goal", "avg_min_distance": "min_distance_to_goal",
}  # fmt: skip


def published(scene: str, task: int, **changes: Any) -> dict[str, Any]:
    """A point-goal result as the published tools write it: no version, no task type."""
    metrics = {
        "initial_distance_to_goal": 9.0, "min_distance_to_goal": 0.4,
        "final_distance_to_goal": 0.4, "success_new": True, "path_collision_count": 1,
        "collision_path_length": 0.5, "total_distance": 20.0, "is_path_collided": True,
        "collision_path_ratio": 0.025, "collision_steps": [3],
    }  # fmt: skip
    inner = changes.pop("metrics", {})
    return {
        "episode_id": scene, "task_id": f"traj_{task}", "status": "stop", "steps": 10,
        "travel_length": 20.0, "shortest_path_length": 10.0, "distance_to_goal": 0.4,
        "success": True, "oracle_success": True, "metrics": {**metrics, **inner}, **changes,
    }  # fmt: skip


def write(folder: Path, documents: list[dict[str, Any]]) -> Path:
    """Write results as anybody may have: with Python's own JSON, NaN tokens included."""
    for document in documents:
        place = folder / document["episode_id"] / document["task_id"]
        place.mkdir(parents=True)
        (place / "result.json").write_text(json.dumps(document))
    return folder


def value_of(record: dict[str, Any], column: str) -> float:
    return record[column] if column in record else record["metrics"][column]


def mean(values: list[float]) -> float | None:
    return float(sum(map(Fraction, values)) / len(values)) if values else None


@pytest.fixture(scope="module")
def cases(shared: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((shared / "cases" / "records.json").read_text())
    # Tasks of the two types share their names, so each case gets a name of its own.
    for row, case in enumerate(found):
        case["record"]["task_id"] = f"traj_{row}"
    return found


@pytest.fixture(scope="module")
def cases_folder(cases: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("cases"), [case["record"] for case in cases])


def check_numbers(found: dict[str, Any], part: list[dict[str, Any]], threshold: int) -> None:
    assert found["count"] == len(part)
    for name, metric in BY_METRIC.items():
        wanted = [case["values"][str(threshold)].get(metric) for case in part]
        assert found[name] == pytest.approx(mean([w for w in wanted if w is not None]), abs=1e-9)
    for name, column in BY_COLUMN.items():
        values = [value_of(case["record"], column) for case in part]
        assert found[name] == pytest.approx(mean(values), abs=1e-9)
    records = [case["record"] for case in part]
    inside = sum(Fraction(r["metrics"]["collision_path_length"]) for r in records)
    total = sum(Fraction(r["metrics"]["total_distance"]) for r in records)
    ratio = float(inside / total) if total else None
    assert found["global_collision_path_ratio"] == pytest.approx(ratio, abs=1e-9)
    hit = [float(r["metrics"]["path_collision_count"] > 0) for r in records]
    assert found["path_collision_task_rate"] == pytest.approx(mean(hit), abs=1e-9)
    inner = [record["metrics"] for record in records]
    seen = [float(m["min_distance_to_goal"] <= m["pointgoal_arrive_threshold"]) for m in inner]
    assert found["oracle_success_rate"] == pytest.approx(mean(seen), abs=1e-9)


@pytest.mark.parametrize("threshold", [1, 3])
def test_point_goal_numbers_of_the_reference_cases(
    cases: list[dict[str, Any]], cases_folder: Path, threshold: int
) -> None:
    summary = summarise_point_goal(cases_folder, collision_threshold=threshold)
    document = summary.document
    own = [case for case in cases if case["record"]["task_type"] == "point_goal"]
    check_numbers(document["overall"], own, threshold)
    bounds = {"short": (5, 20), "medium": (20, 35), "long": (35, math.nextafter(75, 99))}
    grouped = 0
    for label, (least, greatest) in bounds.items():
        part = [c for c in own if least <= c["record"]["shortest_path_length"] < greatest]
        grouped += len(part)
        check_numbers(document["groups"][label], part, threshold)
    assert document["groups"]["out_of_range"]["count"] == len(own) - grouped
    for scene, numbers in summary.per_scene.items():
        check_numbers(numbers, [c for c in own if c["record"]["episode_id"] == scene], threshold)
    assert set(summary.per_scene) == {case["record"]["episode_id"] for case in own}
    assert any("50 records of another task type" in note for note in document["notes"])
    assert document["undefined"] == {}


def test_poi_goal_numbers_of_the_reference_cases(
    cases: list[dict[str, Any]], cases_folder: Path
) -> None:
    document = summarise_poi_goal(cases_folder).document
    own = [case for case in cases if case["record"]["task_type"] == "poi_goal"]
    overall = document["overall"]
    assert overall["count"] == len(own) == 50
    names = {"success_rate": "success", "spl": "poi_spl", "sr_new": "success_new"}
    for name, metric in names.items():
        wanted = mean([case["values"]["3"][metric] for case in own])
        assert overall[name] == pytest.approx(wanted, abs=1e-9)
    for name, column in BY_COLUMN.items():
        wanted = mean([value_of(case["record"], column) for case in own])
        assert overall[name] == pytest.approx(wanted, abs=1e-9)


def test_documented_structure_point_goal(tmp_path: Path) -> None:
    folder = write(tmp_path, [published("cross1", 0), published("park3", 0)])
    document = summarise_point_goal(folder).document
    assert document["task_type"] == "point_goal"
    assert document["result_dir"] == str(tmp_path.resolve())
    assert (document["mode"], document["collision_threshold"]) == ("outdoor", 3)
    assert (document["total_count"], document["status_distribution"]) == (1, {"stop": 1})
    assert document["distance_config"] == {"min_distance": 5.0, "max_distance": 50.0, "step": 15.0}
    assert document["excluded"] == {"park3": 1}
    assert list(document["groups"]) == ["short", "medium", "long"]
    assert document["groups"]["long"]["sr_new"] is None
    assert document["groups"]["short"]["spl_new"] == 0.5
    assert document["overall"]["tcr_new"] == 0.9
    assert document["overall"]["dcr_new"] == pytest.approx(0.975)


def test_scenes_to_leave_out_can_be_chosen(tmp_path: Path) -> None:
    folder = write(tmp_path, [published("cross1", 0), published("park3", 0)])
    for chosen, mode, left in (
        ([], "outdoor", 2), (["cross1"], "outdoor", 1), (None, "indoor", 2),
        (["cross1", "park3", "absent"], "outdoor", 0),
    ):  # fmt: skip
        document = summarise_point_goal(folder, mode, exclude_scenes=chosen).document
        assert document["total_count"] == document["overall"]["count"] == left
    assert document["excluded"] == {"cross1": 1, "park3": 1}
    assert document["overall"]["success_rate"] is None


def test_indoor_groups_are_by_scene(tmp_path: Path) -> None:
    scenes = ("0802_840243", "0861_841783", "0861_841783", "elsewhere")
    folder = write(tmp_path, [published(scene, row) for row, scene in enumerate(scenes)])
    document = summarise_point_goal(folder, "indoor").document
    counts = {label: group["count"] for label, group in document["groups"].items()}
    assert counts == {"easy": 1, "hard": 2, "unknown": 1}
    assert "distance_config" not in document


def test_outdoor_groups_follow_the_distances(tmp_path: Path) -> None:
    lengths = [3.9, 4.0, 5.9, 6.0, 8.0, 15.0, 15.1]
    documents = [published("s", i, shortest_path_length=x) for i, x in enumerate(lengths)]
    folder = write(tmp_path, documents)
    document = summarise_point_goal(folder, min_distance=4.0, max_distance=10.0).document
    counts = {label: group["count"] for label, group in document["groups"].items()}
    assert counts == {"short": 2, "medium": 1, "long": 2, "out_of_range": 2}
    assert document["distance_config"]["step"] == 2.0


def test_results_of_the_published_tools(tmp_path: Path) -> None:
    """Strings for infinities, NaN tokens, ``render_error``, a wrong key, lists in the metrics."""
    folder = write(
        tmp_path,
        [
            published("s", 0),
            published("s", 1, shortest_path_length="inf"),
            published("s", 2, metrics={"collision_path_length": math.nan}),
            published("s", 3, status="render_error", success=False, error="server gone"),
            published("s", 4, status="max_steps", success=False),
        ],
    )
    document = summarise_point_goal(folder).document
    assert document["status_distribution"] == {"stop": 3, "max_steps": 1, "error": 1}
    assert document["errors"]["count"] == 1
    assert document["errors"]["by_stage"] == {"render": 1}
    overall = document["overall"]
    # 3 of 5 succeed; SPL is 1/2 for tasks 0 and 2, 0 for 3 and 4, undefined for 1.
    assert (overall["success_rate"], overall["error_count"]) == (0.6, 1)
    assert overall["spl_new"] == 0.25
    assert overall["avg_steps"] == 10.0
    assert overall["avg_shortest_path_length"] == 10.0
    assert overall["avg_collision_meters_per_task"] == 0.5
    undefined = document["undefined"]
    assert undefined["spl_new"]["count"] == 1
    assert undefined["spl_new"]["records"] == ["s/traj_1"]
    assert undefined["dcr_new"]["records"] == ["s/traj_2"]
    assert undefined["global_collision_path_ratio"]["count"] == 1
    assert "success_rate" not in undefined
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_poi_results_of_the_published_tools(tmp_path: Path) -> None:
    poses = {"collision_count": 2, "collision_rate": 0.2, "collision_terminated": True,
             "collision_step_indices": [1, 2]}  # fmt: skip
    clear = {"collision_count": 0, "collision_rate": 0.0, "collision_terminated": False,
             "collision_step_indices": []}  # fmt: skip
    folder = write(
        tmp_path,
        [
            published("s", 0, gt_taget_instance="Cafe", metrics=clear),
            published(
                "s", 1, gt_taget_instance="Cafe", metrics=poses, status="collision", success=False
            ),
            published("s", 2, metrics={**clear, "poi_name": "Bank"}, travel_length=8.0),
            published("s", 3, status="error", success=False),
        ],
    )
    document = summarise_poi_goal(folder).document
    overall = document["overall"]
    # e = 10 - 2 = 8: 8/20 for task 0, 1 for task 2, 0 for the collision and the error.
    assert overall["spl"] == pytest.approx((0.4 + 1.0) / 4)
    assert overall["collision"] == {
        "tasks_evaluated": 3, "tasks_with_collision": 1,
        "collision_task_rate": pytest.approx(1 / 3), "total_collision_steps": 2,
        "avg_collision_per_task": pytest.approx(2 / 3),
        "avg_collision_rate": pytest.approx(0.2 / 3), "collision_terminated_count": 1,
    }  # fmt: skip
    stats = overall["poi_stats"]
    assert stats["Cafe"] == {
        "total": 2, "success": 1, "success_rate": 0.5, "avg_spl": pytest.approx(0.2),
        "collision_count": 1, "collision_terminated_count": 1, "error_count": 0,
    }  # fmt: skip
    assert stats["Bank"]["avg_spl"] == 1.0
    assert any("for want of a POI name: 1 record" in note for note in document["notes"])
    assert document["arrive_threshold"] == 2.0
    assert set(document["groups"]) == {"easy", "hard", "unknown"}
    assert document["groups"]["unknown"]["collision"] == overall["collision"]


def test_arrival_radius_of_the_record_wins_and_is_told(tmp_path: Path) -> None:
    own = {"pointgoal_arrive_threshold": 4.0}
    folder = write(tmp_path, [published("s", 0, metrics=own), published("s", 1)])
    document = summarise_poi_goal(folder, arrive_threshold=5.0).document
    # (10 - 4) / 20 and (10 - 5) / 20.
    assert document["overall"]["spl"] == pytest.approx((0.3 + 0.25) / 2)
    assert any("arrive_threshold 4, 5" in note for note in document["notes"])


def test_no_record_yet_is_a_summary_of_nothing(tmp_path: Path) -> None:
    manifest = {
        "schema_version": "1", "run_id": "r", "task_type": "point_goal",
        "agent": {"name": "a", "class": "m:A"}, "seed": 0, "versions": {},
        "protocol": {"name": "p", "values": {"collision_threshold": 1}, "modified": []},
        "dataset": {"fingerprint": "", "scenes": 0, "tasks": 0}, "renderer": {"kind": "none"},
    }  # fmt: skip
    (tmp_path / "run.json").write_text(json.dumps(manifest))
    for summary in (summarise_point_goal(tmp_path), summarise_poi_goal(tmp_path)):
        assert summary.document["total_count"] == 0
        assert summary.document["overall"]["success_rate"] is None
        assert summary.document["overall"]["count"] == 0
        assert "0 records (none)" in summary_text(summary, per_scene=True, per_poi=True)
    notes = summarise_point_goal(tmp_path).document["notes"]
    assert notes == ["the run's protocol has collision_threshold 1, this summary uses 3"]


def test_half_a_file_is_skipped_and_named(tmp_path: Path) -> None:
    folder = write(tmp_path, [published("s", 0), published("s", 1)])
    (folder / "s/traj_1/result.json").write_text('{"episode_id": "s", "task')
    document = summarise_point_goal(folder).document
    assert document["total_count"] == 1
    [damaged] = document["damaged"]
    assert damaged["path"].endswith("traj_1/result.json")
    assert damaged["path"] in summary_text(summarise_point_goal(folder))


@pytest.mark.parametrize(
    ("arguments", "kind", "reason"),
    [
        ({"mode": "outdor"}, UnknownNameError, "did you mean: outdoor"),
        ({"min_distance": 9.0, "max_distance": 9.0}, ConfigError, "min_distance < max_distance"),
        ({"min_distance": math.nan}, ConfigError, "min_distance"),
        ({"max_distance": math.inf}, ConfigError, "max_distance"),
    ],
)
def test_arguments_that_cannot_be(
    tmp_path: Path, arguments: dict[str, Any], kind: type[AbotnError], reason: str
) -> None:
    folder = write(tmp_path, [published("s", 0)])
    for summarise in (summarise_point_goal, summarise_poi_goal):
        with pytest.raises(kind, match=reason):
            summarise(folder, **arguments)


def test_folders_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such run folder"):
        summarise_point_goal(tmp_path / "absent")
    with pytest.raises(DataError, match=r"no result\.json"):
        summarise_point_goal(tmp_path)


def test_tables_show_every_part(tmp_path: Path) -> None:
    names = ["\u5496\u5561\u9986", "A|B", "two\nlines"]
    documents = [published("s", i, poi_name=name, task_type="poi_goal", schema_version="1")
                 for i, name in enumerate(names)]  # fmt: skip
    folder = write(tmp_path, documents)
    text = summary_text(summarise_poi_goal(folder), per_scene=True, per_poi=True)
    assert all(name in text for name in ("\u5496\u5561\u9986", "A|B", "two lines"))
    assert "unknown" in text
    assert "tasks_evaluated" in text
    assert summary_text(summarise_poi_goal(folder)).count("avg_spl") == 0


@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.integers(0, 4), st.booleans()), min_size=1, max_size=9
    )
)
def test_errors_count_as_failures_in_rates_alone(
    rows: list[tuple[bool, int, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    documents = [
        published("s", i, success=ok, status="error" if failed else "stop",
                  metrics={"path_collision_count": hits})
        for i, (ok, hits, failed) in enumerate(rows)
    ]  # fmt: skip
    folder = write(tmp_path_factory.mktemp("errors"), documents)
    overall = summarise_point_goal(folder).document["overall"]
    solved = [ok and not failed for ok, _, failed in rows]
    clean = [ok and not failed and hits < 3 for ok, hits, failed in rows]
    counted = [hits for _, hits, failed in rows if not failed]
    assert overall["success_rate"] == pytest.approx(np.mean(solved))
    assert overall["sr_new"] == pytest.approx(np.mean(clean))
    assert overall["avg_path_collisions_per_task"] == (
        pytest.approx(np.mean(counted)) if counted else None
    )
    assert overall["error_count"] == sum(failed for _, _, failed in rows)
