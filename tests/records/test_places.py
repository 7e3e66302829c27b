"""Records in the wrong folder, tasks without a record, and what is no regular file."""

from __future__ import annotations

import json
import os
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from abotn import Evaluator
from abotn.errors import DataError, EvaluationInputError
from abotn.records.places import MissingRecords, misplaced
from abotn.records.readers import read_records

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")


def manifest(tasks: int, **more: Any) -> dict[str, Any]:
    """Return the content of ``run.json`` of a run over a dataset with so many tasks."""
    return {
        "schema_version": "1",
        "run_id": "run",
        "task_type": "point_goal",
        "agent": {"name": "Agent", "class": "package:Agent"},
        "protocol": {"name": "strict", "values": {}, "modified": []},
        "dataset": {"fingerprint": "0" * 64, "scenes": 1, "tasks": tasks},
        "renderer": {"kind": "none"},
        "seed": 0,
        "versions": {},
        **more,
    }


def document(task: str, scene: str = "s", **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "1", "episode_id": scene, "task_id": task, "status": "stop", "steps": 1,
        "success": True, "metrics": {}, **more,
    }  # fmt: skip


def put(run: Path, place: str, content: dict[str, Any]) -> Path:
    folder = run / place
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Three results of another tool, each in the folder of its task."""
    for task in ("t1", "t2", "t3"):
        put(tmp_path / "run", f"s/{task}", document(task))
    return tmp_path / "run"


@pytest.fixture
def run(published: Path) -> Path:
    """The same with a manifest that plans three tasks."""
    (published / "run.json").write_text(
        json.dumps(manifest(tasks=9, planned_attempts=3)), encoding="utf-8"
    )
    return published


def names(source: Any) -> list[str]:
    return source.table.column("task_id").tolist()


@pytest.mark.parametrize("kind", ["run", "published"])
def test_a_result_copied_into_another_folder_is_named_counted_and_skipped(
    kind: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(kind)
    shutil.copy(folder / "s/t1/result.json", folder / "s/t2/result.json")
    source = read_records(folder)
    assert names(source) == ["t1", "t3"]
    (only,) = source.damaged
    assert only.path == str(folder / "s/t2/result.json")
    assert only.reason == "is the record of s/t1, so it lies in the wrong folder"
    counts = Evaluator().evaluate_dataset(folder, metrics=["success"]).counts
    assert (counts["found"], counts["scored"], counts["damaged"]) == (3, 2, 1)


@pytest.mark.parametrize("kind", ["run", "published"])
def test_a_result_whose_ids_are_not_those_of_its_folder_is_skipped(
    kind: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(kind)
    put(folder, "s/t4", document("t9"))
    put(folder, "other/t1@2", document("t1", "other", attempt=1))
    source = read_records(folder)
    assert names(source) == ["t1", "t2", "t3"]
    assert [one.reason.split(",")[0] for one in source.damaged] == [
        "is the record of other/t1@1", "is the record of s/t9",
    ]  # fmt: skip


def test_attempts_lie_in_folders_of_their_own(run: Path) -> None:
    put(run, "s/t1@2", document("t1", attempt=2))
    assert read_records(run).damaged == ()
    assert len(read_records(run).table) == 4


def test_in_a_run_a_copy_further_down_does_not_count(run: Path) -> None:
    shutil.copytree(run / "s", run / "kept" / "s")
    source = read_records(run)
    assert (len(source.table), len(source.damaged)) == (3, 3)


def test_results_in_folders_of_any_name_are_read_where_no_manifest_promises_others(
    tmp_path: Path,
) -> None:
    for number in range(3):
        put(tmp_path, f"results/{number}", document(f"t{number}"))
    put(tmp_path, "s/t9", document("t9"))
    assert names(read_records(tmp_path)) == ["t0", "t1", "t2", "t9"]


def test_of_two_results_of_a_task_the_one_in_its_own_folder_counts(tmp_path: Path) -> None:
    for number in range(3):
        put(tmp_path, f"results/{number}", document(f"t{number}"))
    put(tmp_path, "s/t1", document("t1", success=False))
    source = read_records(tmp_path)
    assert source.table.column("success").tolist() == [1.0, 0.0, 1.0]
    assert [one.path for one in source.damaged] == [str(tmp_path / "results/1/result.json")]
    paths = sorted(tmp_path.rglob("result.json"))
    listed = read_records(paths)
    assert listed.table.column("success").tolist() == [1.0, 0.0, 1.0]
    assert listed.damaged == source.damaged


def test_where_nothing_tells_which_result_counts_both_are_named(tmp_path: Path) -> None:
    for place in ("x", "y"):
        put(tmp_path, place, document("t1"))
    with pytest.raises(EvaluationInputError, match=r"two records for s/t1: .*x.* and .*y"):
        read_records(tmp_path)
    with pytest.raises(EvaluationInputError, match="two records for s/t1"):
        read_records([document("t1"), document("t1")])
    for place in ("a", "b"):
        put(tmp_path, f"{place}/s/t1", document("t1"))
    with pytest.raises(EvaluationInputError, match="evaluate one run at a time"):
        read_records([tmp_path / "a/s/t1/result.json", tmp_path / "b/s/t1/result.json"])


def test_a_single_result_of_a_run_must_lie_in_its_place(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert names(read_records(run / "s/t1/result.json")) == ["t1"]
    shutil.copy(run / "s/t1/result.json", run / "s/t2/result.json")
    with pytest.raises(DataError, match="the record of s/t1"):
        read_records(run / "s/t2/result.json")
    for folder, path in ((run, "."), (run / "s/t1", "result.json"), (run / "s", "../s/t3")):
        monkeypatch.chdir(folder)
        assert len(read_records(path).table) >= 1


def test_accents_may_be_written_either_way() -> None:
    composed, parted = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    key = (composed, "t", 0)
    path = str(Path("/runs/one", parted, "t", "result.json"))
    assert misplaced([path], [key], str(Path("/runs/one"))) == {}
    paths = [path, *(str(Path("/runs/one/s", f"t{k}", "result.json")) for k in range(3))]
    keys = [key, *(("s", f"t{k}", 0) for k in range(3))]
    assert misplaced(paths, keys, None) == {}


def test_tasks_without_a_result_are_counted_and_said(run: Path) -> None:
    (run / "s/t2/result.json").rename(run / "s/t2/trajectory.json")
    result = Evaluator().evaluate_dataset(run, metrics=["success"])
    assert result.counts["missing"] == 1
    note = "1 of 3 tasks has no result; begun and not ended: s/t2"
    assert result.provenance["notes"] == [note]
    assert result.provenance["missing"] == {"count": 1, "planned": 3, "begun": ["s/t2"]}


def test_a_complete_run_has_no_note(run: Path) -> None:
    result = Evaluator().evaluate_dataset(run, metrics=["success"])
    assert result.counts["missing"] == 0
    assert not {"notes", "missing"} & result.provenance.keys()


def test_a_damaged_result_is_damaged_and_not_missing(run: Path) -> None:
    (run / "s/t2/result.json").write_text("{", encoding="utf-8")
    source = read_records(run)
    assert (len(source.damaged), source.missing.count) == (1, 0)


def test_a_task_whose_folder_holds_another_ones_result_is_missing(run: Path) -> None:
    shutil.copy(run / "s/t1/result.json", run / "s/t2/result.json")
    assert read_records(run).missing.count == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"tasks": 5, "planned_attempts": 4}, "1 of 4 tasks has no result"),
        ({"tasks": 5}, "2 of 5 tasks in the run's dataset have no result"),
        ({"tasks": 5, "attempts": 2}, "7 of 10 attempts in the run's dataset have no result"),
        ({"tasks": 5, "planned_attempts": 3}, None),
        ({"tasks": 1}, None),
    ],
)
def test_the_manifest_says_how_many_were_planned(
    run: Path, more: dict[str, int], said: str | None
) -> None:
    (run / "run.json").write_text(json.dumps(manifest(**more)), encoding="utf-8")
    assert read_records(run).missing.note() == said


def test_a_trajectory_without_its_result_is_noticed_without_a_manifest_too(published: Path) -> None:
    (published / "s/t9").mkdir()
    assert read_records(published).missing == MissingRecords()
    (published / "s/t9/trajectory.json").write_text("{}", encoding="utf-8")
    missing = read_records(published).missing
    assert missing.note() == "1 task has no result; begun and not ended: s/t9"
    assert read_records([published, published / "s/t1"][:1]).missing == missing


def test_several_runs_lack_what_each_of_them_lacks(tmp_path: Path) -> None:
    for name, planned in (("one", 2), ("two", 4)):
        put(tmp_path / name, f"{name}/t1", document("t1", name))
        content = json.dumps(manifest(tasks=planned))
        (tmp_path / name / "run.json").write_text(content, encoding="utf-8")
    missing = read_records([tmp_path / "one", tmp_path / "two"]).missing
    assert (missing.count, missing.planned) == (4, 6)


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_folder(path: Path) -> None:
    path.mkdir()


def make_link_to_nothing(path: Path) -> None:
    path.symlink_to(path.parent / "absent")


def make_link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


ODD = [
    pytest.param(make_pipe, marks=needs_pipes),
    make_folder,
    make_link_to_nothing,
    pytest.param(make_link_to_a_device, marks=needs_pipes),
]


@pytest.mark.parametrize("make", ODD)
def test_a_result_that_is_no_regular_file_is_damaged(run: Path, make: Any) -> None:
    path = run / "s/t2/result.json"
    path.unlink()
    make(path)
    source = read_records(run)
    assert names(source) == ["t1", "t3"]
    assert [one.path for one in source.damaged] == [str(path)]
    assert "not a regular file" in source.damaged[0].reason or "link" in source.damaged[0].reason


def test_a_link_to_a_regular_file_is_read(run: Path, tmp_path: Path) -> None:
    path = run / "s/t2/result.json"
    path.rename(tmp_path / "elsewhere.json")
    path.symlink_to(tmp_path / "elsewhere.json")
    assert names(read_records(run)) == ["t1", "t2", "t3"]
    assert names(read_records(path)) == ["t2"]


def test_a_run_is_read_through_a_link_to_it_but_links_below_are_not_followed(
    run: Path, tmp_path: Path
) -> None:
    (run / "s/again").symlink_to(run / "s")
    (tmp_path / "latest").symlink_to(run)
    assert names(read_records(tmp_path / "latest")) == ["t1", "t2", "t3"]


@pytest.mark.parametrize("make", ODD)
def test_a_manifest_that_cannot_be_read_is_an_error_not_no_manifest(run: Path, make: Any) -> None:
    (run / "run.json").unlink()
    make(run / "run.json")
    for path in (run, run / "s/t1/result.json"):
        with pytest.raises(DataError, match=r"run\.json: cannot read"):
            read_records(path)


@pytest.mark.parametrize("make", ODD)
def test_a_trajectory_that_is_no_regular_file_is_named(run: Path, make: Any) -> None:
    make(run / "s/t2/trajectory.json")
    source = read_records(run)
    assert source.table.column("trajectory").tolist() == [None] * 3
    assert [one.path for one in source.all_damaged] == [str(run / "s/t2/trajectory.json")]


def trajectory(task: str, **more: Any) -> dict[str, Any]:
    steps = [0.0]
    return {
        "schema_version": "1", "episode_id": "s", "task_id": task, "position": [[0, 0, 0]] * 2,
        "yaw": [0, 0], "waypoint": [[1, 0]], "executed_index": [0], "distance_to_goal": [1, 0],
        "collided": [False], "collision_length": steps, "agent_seconds": steps,
        "render_seconds": steps, "reference": [[0, 0]], "goal": [0, 0], **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (trajectory("t1"), "is of s/t1, its record is of s/t2"),
        (trajectory("t2", attempt=1), "is of s/t2@1, its record is of s/t2"),
        (
            trajectory(
                "t2", position=[[0, 0, 0]], yaw=[0], distance_to_goal=[0], waypoint=[],
                executed_index=[], collided=[], collision_length=[], agent_seconds=[],
                render_seconds=[],
            ),
            "has 0 steps, its record 1",
        ),
        (trajectory("t2", yaw=[0]), "yaw has 1 rows, position 2"),
        (trajectory("t2", executed_index=[2**70]), "a number is too large"),
    ],
)  # fmt: skip
def test_a_trajectory_of_another_record_is_not_used(
    run: Path, content: dict[str, Any], reason: str
) -> None:
    for task in ("t1", "t2", "t3"):
        made = content if task == "t2" else trajectory(task)
        (run / "s" / task / "trajectory.json").write_text(json.dumps(made), encoding="utf-8")
    source = read_records(run)
    loaded = source.table.column("trajectory")
    assert [one is None for one in loaded] == [False, True, False]
    assert [one.reason for one in source.all_damaged] == [reason]
