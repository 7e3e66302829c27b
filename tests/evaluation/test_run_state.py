import json
import os
import shutil
from pathlib import Path

import pytest

from abotn.errors import ConfigError, DataError, UnknownMetricError
from abotn.evaluation.evaluator import Evaluator
from abotn.evaluation.run_files import RunFiles
from abotn.evaluation.run_state import PEEK_NOTE, RESAMPLES, RunWatch
from abotn.metrics.registry import MetricRegistry
from abotn.metrics.spec import metric

MANIFEST = {
    "schema_version": "1", "run_id": "run", "task_type": "point_goal",
    "agent": {"name": "a", "class": "m:A"},
    "protocol": {"name": "strict", "values": {"collision_threshold": 1}, "modified": []},
    "dataset": {"fingerprint": "f", "scenes": 2, "tasks": 6}, "renderer": {"kind": "none"},
    "seed": 0, "versions": {}, "planned_attempts": 6,
}  # fmt: skip


def record(task, *, success=True, scene="s", attempt=0, status="stop", **more):
    return {
        "schema_version": "1", "episode_id": scene, "task_id": task, "attempt": attempt,
        "task_type": "point_goal", "status": status, "steps": 5, "travel_length": 6.0,
        "shortest_path_length": 5.0, "distance_to_goal": 0.1 if success else 2.5,
        "success": success, "metrics": {"path_collision_count": 0}, **more,
    }  # fmt: skip


def put(run, document, *, written=None):
    attempt = document["attempt"]
    name = document["task_id"] + (f"@{attempt}" if attempt else "")
    path = Path(run) / document["episode_id"] / name / "result.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(".tmp-1~")
    temporary.write_text(json.dumps(document), encoding="utf-8")
    temporary.replace(path)
    if written is not None:
        os.utime(path, (written, written))
    return path


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    set_manifest(folder)
    return folder


def set_manifest(folder, **changes):
    document = {**MANIFEST, **changes}
    kept = {key: value for key, value in document.items() if value is not None}
    (folder / "run.json").write_text(json.dumps(kept), encoding="utf-8")


def test_a_run_is_followed_from_its_empty_folder_to_its_end(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    watched = RunWatch(folder)
    state = watched.look()
    assert (state.manifest, state.planned, state.left, state.is_finished) == (None,) * 3 + (False,)
    set_manifest(folder)
    state = watched.look()
    assert (state.planned, state.done, state.left, state.no_metrics) == (6, 0, 6, "no record yet")
    for number in range(5):
        put(folder, record(f"t{number}", success=number % 2 == 0))
    state = watched.look()
    assert (state.done, state.left, state.is_finished) == (5, 1, False)
    assert state.causes == {"solved": 3, "wrong stop": 2}
    put(folder, record("t5", status="error", success=False,
                       error={"stage": "agent", "type": "E", "message": "no"}))  # fmt: skip
    state = watched.look()
    assert (state.done, state.left, state.errors, state.is_finished) == (6, 0, 1, True)
    assert state.to_dict()["note"] is None


def test_the_numbers_are_those_of_an_evaluation_of_the_same_records(run):
    for number in range(5):
        put(run, record(f"t{number}", success=number % 2 == 0, travel_length=5.0 + number))
    state = RunWatch(run, ["success", "spl", "distance_to_goal"]).look()
    expected = Evaluator().evaluate_dataset(
        run, metrics=["success", "spl", "distance_to_goal"], bootstrap_ci=RESAMPLES
    )
    assert state.metrics == expected.metrics
    assert state.to_dict()["note"] == PEEK_NOTE


def test_by_default_the_metrics_of_the_task_type_that_have_a_value(run):
    put(run, record("t0", metrics={"success_new": True, "spl_new": 0.8, "collision_count": 3}))
    names = [metric.name for metric in RunWatch(run).look().metrics]
    assert names[0] == "success"
    assert not {"poi_spl", "collision_rate"} & set(names)
    assert len(RunWatch(run, "all").look().metrics) > len(names)
    set_manifest(run, task_type="poi_goal")
    metrics = {"initial_distance_to_goal": 5.0, "pointgoal_arrive_threshold": 2.0}
    put(run, record("t0", task_type="poi_goal", poi_name="Bank", metrics=metrics))
    assert "poi_spl" in [metric.name for metric in RunWatch(run).look().metrics]


def test_a_plugin_with_a_built_in_name_takes_only_that_metric_from_the_display(run):
    @metric(unit="", better="higher", name="success_new", category="navigation")
    def other(steps):
        """Another."""
        return steps

    built_in = list(Evaluator().registry)
    registry = MetricRegistry([*built_in, other.from_distribution("dist", "1")])
    put(run, record("t0"))
    state = RunWatch(run, evaluator=Evaluator(registry)).look()
    names = [one.name for one in state.metrics]
    assert "success" in names
    assert "success_new" not in names


def test_the_last_failures_come_first(run):
    put(run, record("t0"), written=50.0)
    put(run, record("t1", success=False), written=40.0)
    put(run, record("t2", success=False, status="max_steps", attempt=1), written=60.0)
    failing = {"stage": "agent", "type": "ValueError", "message": "no"}
    put(run, record("t3", success=False, status="error", error=failing), written=20.0)
    found = RunWatch(run).look(now=100.0).failures
    assert [(one.label, one.cause, one.time) for one in found] == [
        ("s/t2@1", "time-out", 60.0), ("s/t1", "wrong stop", 40.0), ("s/t3", "error", 20.0),
    ]  # fmt: skip
    assert [one.error for one in found] == [None, None, "agent: ValueError: no"]
    assert [one.distance_to_goal for one in found] == [2.5, 2.5, 2.5]


def test_only_what_changed_is_read_again(run, monkeypatch):
    paths = [put(run, record(f"t{number}"), written=1000.0) for number in range(3)]
    files = RunFiles(run)
    opened = []
    read_bytes = Path.read_bytes

    def noted(path):
        opened.append(path)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", noted)
    assert files.refresh()
    assert sorted(path for path in opened if path.name == "result.json") == paths
    opened.clear()
    assert not files.refresh()
    assert opened == []
    put(run, record("t1", success=False), written=1000.0)
    put(run, record("t3"))
    assert files.refresh()
    assert sorted(opened) == [paths[1], paths[1].parent.parent / "t3" / "result.json"]
    assert files.documents[str(paths[1])]["success"] is False


def test_a_state_without_news_keeps_its_revision_and_its_numbers(run):
    put(run, record("t0"), written=10.0)
    watched = RunWatch(run)
    first, second = watched.look(now=20.0), watched.look(now=30.0)
    assert first.revision == second.revision == 1
    assert second.metrics is first.metrics
    assert (first.pace.seconds_since_last, second.pace.seconds_since_last) == (10.0, 20.0)
    put(run, record("t1"))
    assert watched.look().revision == 2


def test_a_record_that_is_made_again_is_left_again(run):
    path = put(run, record("t0"))
    watched = RunWatch(run)
    assert watched.look().done == 1
    path.unlink()
    state = watched.look()
    assert (state.done, state.left, state.no_metrics) == (0, 6, "no record yet")


def test_damaged_records_are_counted_and_named_and_do_not_keep_a_run_from_ending(run):
    for number in range(4):
        put(run, record(f"t{number}"))
    half = put(run, record("t4"))
    half.write_text('{"schema_version": "1", "episode', encoding="utf-8")
    wrong = put(run, record("t5", status="gone"))
    (run / "s" / "t6").mkdir()
    (run / "s" / "t6" / ".tmp-1-ab~").write_text('{"half', encoding="utf-8")
    watched = RunWatch(run)
    state = watched.look()
    assert (state.done, state.left, state.is_finished) == (4, 0, True)
    assert [one.path for one in state.damaged] == [str(half), str(wrong)]
    assert "breaks result.v1: status" in state.damaged[1].reason
    put(run, record("t4"))
    state = watched.look()
    assert (state.done, len(state.damaged)) == (5, 1)


def test_a_place_that_is_no_file_is_named(run):
    (run / "s" / "t0" / "result.json").mkdir(parents=True)
    state = RunWatch(run).look()
    assert [one.reason for one in state.damaged] == ["not a file"]


def test_two_records_of_one_attempt_stop_no_one_from_watching(run):
    put(run, record("t0"))
    put(run, record("t1"))
    shutil.copytree(run / "s" / "t0", run / "other" / "t0")
    state = RunWatch(run).look()
    assert (state.done, state.metrics) == (2, ())
    assert "two records for s/t0" in state.no_metrics


def test_attempts_count_each(run):
    set_manifest(run, attempts=3, planned_attempts=None)
    put(run, record("t0"))
    put(run, record("t0", attempt=2, success=False))
    state = RunWatch(run, ["success"]).look()
    assert (state.planned, state.done, state.left) == (18, 2, 16)
    assert state.is_plan_certain is False
    assert state.metrics[0].value == 0.5


def test_excluded_scenes_alone_are_no_values(run):
    values = {**MANIFEST["protocol"]["values"], "exclude_scenes": ["s"]}
    set_manifest(run, protocol={**MANIFEST["protocol"], "values": values})
    put(run, record("t0"))
    state = RunWatch(run).look()
    assert (state.done, state.metrics) == (1, ())
    assert "no record is left to score" in state.no_metrics


def test_a_linked_run_folder_is_watched(run, tmp_path):
    put(run, record("t0"))
    link = tmp_path / "latest"
    link.symlink_to(run, target_is_directory=True)
    assert RunWatch(link).look().done == 1


def test_nothing_is_written(run):
    put(run, record("t0"))
    put(run, record("t1", success=False))

    def inside():
        files = [run, *sorted(run.rglob("*"))]
        return {p: (p.stat().st_mtime_ns, p.is_file() and p.read_bytes()) for p in files}

    before = inside()
    watched = RunWatch(run)
    watched.look()
    watched.look()
    assert inside() == before


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda folder: None, "no such run folder"),
        (lambda folder: folder.write_text("x"), "got a file"),
        (lambda folder: (folder / "scene").mkdir(parents=True), r"there is no run\.json"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path, prepare, message):
    folder = tmp_path / "it"
    prepare(folder)
    with pytest.raises(ConfigError, match=message):
        RunWatch(folder).look()


def test_above_a_run_the_hint_names_it(run):
    with pytest.raises(ConfigError, match=f"give {run}"):
        RunWatch(run.parent).look()


@pytest.mark.parametrize("take_away", [shutil.rmtree, lambda run: (run / "run.json").unlink()])
def test_a_run_that_is_removed_meanwhile_is_an_error(run, take_away):
    put(run, record("t0"))
    watched = RunWatch(run)
    watched.look()
    take_away(run)
    with pytest.raises(ConfigError, match="removed while it was watched"):
        watched.look()


def test_a_damaged_manifest_is_an_error(run):
    (run / "run.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="not valid JSON"):
        RunWatch(run).look()


def test_metrics_that_cannot_be_shown_are_refused_before_anything_is_read(run):
    with pytest.raises(UnknownMetricError, match="success"):
        RunWatch(run, ["succes"])
    with pytest.raises(ConfigError, match="'ndtw' needs the trajectories"):
        RunWatch(run, ["ndtw"])
