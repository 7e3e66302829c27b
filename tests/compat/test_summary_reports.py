"""``analyze_and_report`` and the summary commands: written, printed, returned; any time."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from abotn.compat.summary_command import poi_goal_metrics, point_goal_metrics
from abotn.compat.summary_reports import analyze_poi_goal, analyze_point_goal
from abotn.errors import DataError
from abotn.rollout import run

STRAIGHT = "abotn.agents:StraightLineAgent"


@pytest.fixture(scope="module")
def point_run(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("point") / "run"
    run("point_goal", STRAIGHT, data_dir=dataset, run_dir=folder, render="none", max_steps=20)
    return folder


@pytest.fixture(scope="module")
def poi_run(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("poi") / "run"
    run("poi_goal", STRAIGHT, data_dir=dataset, run_dir=folder, render="none", max_steps=20)
    return folder


def test_point_goal_report(point_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = analyze_point_goal(point_run, mode="outdoor", per_scene=True)
    assert json.loads((point_run / "eval_summary.json").read_bytes()) == report
    shown = capsys.readouterr().out
    for part in ("short", "medium", "long", "overall", "sr_new", "hall", "room"):
        assert part in shown
    assert report["overall"]["success_rate"] == 1.0


def test_numbers_are_those_of_the_evaluation(point_run: Path) -> None:
    from abotn import Evaluator

    report = analyze_point_goal(point_run, collision_threshold=1)
    kwargs = {name: {"collision_threshold": 1} for name in ("success_new", "spl_new", "tcr_new")}
    result = Evaluator().evaluate_dataset(point_run, metric_kwargs=kwargs)
    for ours, metric in (("sr_new", "success_new"), ("spl_new", "spl_new"), ("tcr_new", "tcr_new"),
                         ("success_rate", "success"), ("avg_steps", "steps"),
                         ("global_collision_path_ratio", "collision_path_ratio")):  # fmt: skip
        assert report["overall"][ours] == pytest.approx(result[metric].value, abs=1e-12)


def test_poi_goal_report(poi_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = analyze_poi_goal(poi_run)
    assert json.loads((poi_run / "poi_goal_analysis.json").read_bytes()) == report
    assert set(report["overall"]["poi_stats"]) == {"Bank", "Cafe"}
    assert report["overall"]["poi_stats"]["Bank"]["total"] == 2
    shown = capsys.readouterr().out
    assert "Cafe" in shown
    assert "tasks_evaluated" in shown


def test_output_path(point_run: Path, tmp_path: Path) -> None:
    target = tmp_path / "mine.json"
    report = analyze_point_goal(point_run, output_path=target)
    assert json.loads(target.read_bytes()) == report
    with pytest.raises(DataError, match="cannot write"):
        analyze_point_goal(point_run, output_path=tmp_path / "absent" / "mine.json")


def test_reports_while_a_run_is_being_written(dataset: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    counts: list[int] = []

    def looked(event: Any) -> None:
        counts.append(analyze_point_goal(folder, mode="indoor")["total_count"])

    run("point_goal", STRAIGHT, data_dir=dataset, run_dir=folder, render="none", max_steps=3,
        progress=looked)  # fmt: skip
    assert counts == [0, 1, 2, 3]


def test_reports_from_another_thread_at_any_moment(dataset: Path, tmp_path: Path) -> None:
    folder, seen, over = tmp_path / "run", [], threading.Event()

    def watch() -> None:
        while not over.is_set():
            if (folder / "run.json").is_file():
                target = tmp_path / "seen.json"
                seen.append(analyze_point_goal(folder, output_path=target)["total_count"])
                json.loads(target.read_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        run("point_goal", STRAIGHT, data_dir=dataset, run_dir=folder, render="embedded",
            max_steps=3, attempts=2)  # fmt: skip
    finally:
        over.set()
        watcher.join()
    assert seen == sorted(seen)
    assert set(seen) <= set(range(7))


def test_commands(
    point_run: Path, poi_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.json"
    code = point_goal_metrics(
        ["--result-dir", str(point_run), "--mode", "outdoor", "--collision-threshold", "1",
         "--min-distance", "2", "--max-distance", "11", "--exclude-scenes", "hall", "park3",
         "--per-scene", "--output-path", str(target)]
    )  # fmt: skip
    assert code == 0
    document = json.loads(target.read_bytes())
    assert (document["total_count"], document["excluded"]) == (2, {"hall": 1})
    assert document["distance_config"] == {"min_distance": 2.0, "max_distance": 11.0, "step": 3.0}
    assert point_goal_metrics(["--result-dir", str(point_run), "--exclude-scenes"]) == 0
    assert poi_goal_metrics(
        ["--result-dir", str(poi_run), "--mode", "indoor", "--arrive-threshold", "2.0", "--per-poi"]
    ) == 0  # fmt: skip
    assert "Cafe" in capsys.readouterr().out
    assert poi_goal_metrics(["--result-dir", str(poi_run), "--no-per-poi"]) == 0
    assert "Cafe" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "--result-dir"),
        (["--result-dir", "absent"], "no such run folder"),
        (["--result-dir", "."], "no result.json"),
        (["--result-dir", ".", "--mode", "x"], "invalid choice"),
        (["--result-dir", ".", "--min-distance", "9", "--max-distance", "1"], "min_distance"),
    ],
)
@pytest.mark.parametrize("command", [point_goal_metrics, poi_goal_metrics])
def test_bad_input_is_one_line_and_exit_2(
    command: Any, arguments: list[str], reason: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert command(arguments) == 2
    output, messages = capsys.readouterr()
    assert output == ""
    assert len(messages.splitlines()) == 1
    assert reason in messages
    assert list(tmp_path.iterdir()) == []
