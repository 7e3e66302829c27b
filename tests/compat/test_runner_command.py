"""``python -m abotn_evaluator.*.runner`` and ``abotn run`` with agents of the published kind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from abotn.cli.main import run_command_line
from abotn.compat.runner_command import poi_goal_runner, point_goal_runner
from abotn.records.files import read_manifest
from abotn.rendering.server import RenderServer

SMALL = ["--camera-width", "60", "--camera-height", "48"]


def point(dataset: Path, tmp_path: Path, agent: str, *more: str) -> int:
    return point_goal_runner(
        ["--agent-module", agent, "--data-dir", str(dataset), "--render-url", "none",
         "--output-dir", str(tmp_path / "out"), "--max-steps", "12", *more]
    )  # fmt: skip


def poi(dataset: Path, tmp_path: Path, agent: str, *more: str) -> int:
    return poi_goal_runner(
        ["--agent-module", agent, "--data-dir", str(dataset), "--render-url", "none",
         "--output-dir", str(tmp_path / "out"), "--max-steps", "12", *more]
    )  # fmt: skip


def only_run(tmp_path: Path) -> Path:
    [folder] = (tmp_path / "out").iterdir()
    return folder


@pytest.fixture(scope="module")
def server(dataset: Path) -> Iterator[RenderServer]:
    with RenderServer(dataset, port=0) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def test_point_goal_run_with_its_summary(
    dataset: Path, agents: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert point(dataset, tmp_path, f"{agents}:Blind", "--mode", "indoor", "--per-scene") == 0
    folder = only_run(tmp_path)
    manifest = read_manifest(folder)
    assert (manifest["protocol"]["name"], manifest["protocol"]["modified"]) == (
        "pointbench-indoor",
        [],
    )
    summary = json.loads((folder / "eval_summary.json").read_bytes())
    assert (summary["total_count"], summary["collision_threshold"]) == (3, 1)
    assert (summary["mode"], summary["task_type"]) == ("indoor", "point_goal")
    shown = capsys.readouterr().out
    assert "success_rate" in shown
    assert "hall" in shown
    assert f"saved {folder / 'eval_summary.json'}" in shown


def test_flags_reach_the_run(dataset: Path, agents: str, tmp_path: Path) -> None:
    config = tmp_path / "agent.yaml"
    config.write_text("step_size: 0.5\n")
    code = point(
        dataset, tmp_path, f"{agents}:Blind", "--agent-config", str(config), "--map-dir",
        str(dataset), "--arrive-threshold", "0.7", "--collision-threshold", "5",
        "--occ-dilation-meters", "0.1", "--provide-history", "--provide-occ-map",
        "--provide-height-map", "--max-history-frames", "4", "--history-resize-ratio", "0.5",
        "--extrinsic-height", "1.1", *SMALL, "--camera-fx", "30", "--camera-fy", "31",
        "--waypoint-frame", "front_left", "--no-save-render-images", "--skip-metrics",
    )  # fmt: skip
    assert code == 0
    manifest = read_manifest(only_run(tmp_path))
    assert manifest["agent"]["config"] == {"step_size": 0.5}
    values = manifest["protocol"]["values"]
    assert (values["arrive_threshold"], values["collision_threshold"]) == (0.7, 5)
    assert manifest["protocol"]["modified"] == [
        "arrive_threshold", "collision_threshold", "occ_dilation_meters",
    ]  # fmt: skip
    assert manifest["camera"] == {
        "width": 60, "height": 48, "fx": 30.0, "fy": 31.0, "cx": 30.0, "cy": 24.0,
        "extrinsic_height": 1.1,
    }  # fmt: skip
    assert manifest["history"] == {"max_frames": 4, "resize_ratio": 0.5}
    assert set(manifest["provide"]) == {
        "history_images", "history_poses", "occ_map", "height_map", "meta_data"
    }  # fmt: skip
    assert manifest["max_steps"] == 12
    assert not list(tmp_path.rglob("eval_summary.json"))


def test_poi_goal_run_with_its_summary(
    dataset: Path, agents: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = poi(dataset, tmp_path, f"{agents}:PoiWalker", "--collision-mode", "soft",
               "--robot-radius", "0.2", "--occ-obstacle-polarity", "dark",
               "--occ-dark-threshold", "100")  # fmt: skip
    assert code == 0
    folder = only_run(tmp_path)
    values = read_manifest(folder)["protocol"]["values"]
    assert (values["collision_mode"], values["robot_radius"]) == ("soft", 0.2)
    summary = json.loads((folder / "poi_goal_analysis.json").read_bytes())
    assert set(summary["overall"]["poi_stats"]) == {"Bank", "Cafe"}
    assert "Cafe" in capsys.readouterr().out


def test_no_table_by_poi_when_told(
    dataset: Path, agents: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert poi(dataset, tmp_path, f"{agents}:PoiWalker", "--no-per-poi") == 0
    assert "Cafe" not in capsys.readouterr().out


def test_resuming_makes_what_is_missing(dataset: Path, agents: str, tmp_path: Path) -> None:
    assert point(dataset, tmp_path, f"{agents}:Blind") == 0
    folder = only_run(tmp_path)
    record = folder / "hall/traj_0/result.json"
    before = record.read_bytes()
    record.unlink()
    resume = ["--resume-dir", str(folder)]
    assert point(dataset, tmp_path, f"{agents}:Blind", *resume) == 0
    assert record.read_bytes() == before
    assert only_run(tmp_path) == folder
    new = tmp_path / "chosen"
    assert point(dataset, tmp_path, f"{agents}:Blind", "--resume-dir", str(new)) == 0
    assert (new / "eval_summary.json").is_file()


def test_through_http_the_published_agent_file_works_unchanged(
    dataset: Path, agents: str, tmp_path: Path, server: RenderServer
) -> None:
    both = []
    for kind, url in (("http", server.url), ("embedded", "embedded")):
        out = tmp_path / kind
        code = point(dataset, tmp_path, f"{agents}:Walker", "--render-url", url, *SMALL,
                     "--output-dir", str(out), "--skip-metrics")  # fmt: skip
        assert code == 0
        [folder] = out.iterdir()
        results = [json.loads(path.read_bytes()) for path in sorted(folder.rglob("result.json"))]
        assert [result["status"] for result in results].count("error") == 0
        assert len(list(folder.rglob("0_front.jpg"))) == 3
        both.append(results)
    assert both[0] == both[1]


def test_custom_evaluator(dataset: Path, agents: str, tmp_path: Path, server: RenderServer) -> None:
    marked = ["--evaluator-module", f"{agents}:Marked", "--render-url", server.url, *SMALL]
    assert point(dataset, tmp_path, f"{agents}:Blind", *marked) == 0
    folder = only_run(tmp_path)
    assert len(list(folder.rglob("result.json"))) == 3
    assert json.loads((folder / "eval_summary.json").read_bytes())["total_count"] == 3
    (folder / "hall/traj_0/result.json").unlink()
    resume = [*marked, "--resume-dir", str(folder)]
    assert point(dataset, tmp_path, f"{agents}:Blind", *resume) == 0
    assert (folder / "hall/traj_0/result.json").is_file()


@pytest.mark.parametrize("kind", ["embedded", "none"])
def test_custom_evaluator_without_a_server(
    dataset: Path, agents: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    options = ["--evaluator-module", f"{agents}:Marked", "--render-url", kind, "--skip-metrics",
               *SMALL]  # fmt: skip
    agent = "Walker" if kind == "embedded" else "Blind"
    assert point(dataset, tmp_path, f"{agents}:{agent}", *options) == 0
    folder = only_run(tmp_path)
    assert read_manifest(folder)["renderer"] == {"kind": kind}
    results = [json.loads(path.read_bytes()) for path in folder.rglob("result.json")]
    assert len(results) == 3
    assert all(result["status"] != "error" for result in results)
    output, messages = capsys.readouterr()
    assert output.splitlines() == [str(folder)]
    assert "3 attempts made" in messages


@pytest.mark.parametrize(
    ("evaluator", "said"),
    [("BuggyEvaluator", "ZeroDivisionError: a bug"), ("LeavingEvaluator", "SystemExit")],
)
def test_evaluator_that_fails_is_one_line(
    dataset: Path, agents: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    evaluator: str, said: str,
) -> None:  # fmt: skip
    options = ["--evaluator-module", f"{agents}:{evaluator}"]
    assert point(dataset, tmp_path, f"{agents}:Blind", *options) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert lines[-1].startswith(f"error: evaluator {agents}:{evaluator}: {said}")
    assert f"{agents}.py:" in lines[-1]
    assert not any("Traceback" in line for line in lines)


@pytest.mark.parametrize("more", [[], ["--evaluator-module", "{agents}:Marked"]])
def test_without_metrics_the_run_and_its_counts_are_told(
    dataset: Path, agents: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    options = [part.format(agents=agents) for part in more]
    assert point(dataset, tmp_path, f"{agents}:Fails", "--skip-metrics", *options) == 0
    output, messages = capsys.readouterr()
    assert output.splitlines() == [str(only_run(tmp_path))]
    assert "3 attempts made; 0 reached the goal (3 error)" in messages
    assert "first error: hall/traj_0: agent: ValueError: the model said no" in messages


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--agent-module", "no_colon"], "one colon"),
        (["--agent-module", "{agents}:Missing"], "no class 'Missing'"),
        (["--mode", "indor"], "invalid choice: 'indor'"),
        (["--max-steps", "many"], "invalid int value"),
        (["--max-steps", "0"], "at least 1"),
        (["--evaluator-module", "{agents}:Nobody"], "evaluator"),
        (["--evaluator-module", "{agents}:NoEvaluator"], "expected a subclass of PointGoalEval"),
        (["--data-dir", "nowhere"], "nowhere"),
        (["--resume-dir", "{dataset}"], "not empty"),
        (["--agent-config", "none.yaml"], "none.yaml"),
        (["--camera-fx", "0"], "fx"),
        (["--render-url", "http://127.0.0.1:1/render_gs"], "no render server"),
        (["--history-resize-ratio", "2"], "ratio"),
        (["--no-such-flag"], "unrecognized arguments"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    arguments: list[str], reason: str, dataset: Path, agents: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("abotn.rendering.http.time.sleep", lambda seconds: None)
    given = [part.format(agents=agents, dataset=dataset) for part in arguments]
    assert point(dataset, tmp_path, f"{agents}:Blind", *given) == 2
    output, messages = capsys.readouterr()
    assert output == ""
    assert len(messages.splitlines()) == 1
    assert messages.startswith("error: ")
    assert reason in messages
    assert not (tmp_path / "out").exists()


def test_required_options_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert point_goal_runner([]) == 2
    assert "--agent-module, --data-dir" in capsys.readouterr().err


def test_from_the_shell_and_by_abotn_run_with_workers(
    dataset: Path, tmp_path: Path, agents: str
) -> None:
    home = Path(sys.modules[agents].__file__ or "").parent if agents in sys.modules else None
    source = next(Path(folder, f"{agents}.py") for folder in sys.path
                  if folder and Path(folder, f"{agents}.py").is_file())  # fmt: skip
    assert home in (None, source.parent)
    (tmp_path / "my_agents.py").write_text(source.read_text())
    done = subprocess.run(
        [sys.executable, "-m", "abotn_evaluator.point_goal.runner", "--agent-module",
         "my_agents:Blind", "--data-dir", str(dataset), "--render-url", "none",
         "--max-steps", "12", "--output-dir", "out"],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    also = subprocess.run(
        [sys.executable, "-m", "abotn", "run", "point-goal", "--agent", "my_agents:Blind",
         "--data-dir", str(dataset), "--render", "none", "--max-steps", "12", "--workers", "2",
         "--run-dir", "also"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert also.returncode == 0, also.stderr
    one, two = only_run(tmp_path), tmp_path / "also"
    names = sorted(path.relative_to(two) for path in two.rglob("result.json"))
    assert len(names) == 3
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in names)


def test_abotn_run_loads_an_agent_of_the_published_kind(
    dataset: Path, agents: str, tmp_path: Path
) -> None:
    code = run_command_line(
        ["run", "poi-goal", "--agent", f"{agents}:PoiWalker", "--data-dir", str(dataset),
         "--render", "none", "--run-dir", str(tmp_path / "run"), "--expose",
         "poi_name,target_position,distance_to_goal,goal_world"]
    )  # fmt: skip
    assert code == 0
    results: list[Any] = [json.loads(p.read_bytes()) for p in tmp_path.rglob("result.json")]
    assert {result["status"] for result in results} <= {"stop", "collision"}
