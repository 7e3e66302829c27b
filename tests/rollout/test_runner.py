"""Whole runs: the files they write, what stops them before anything is written, and resuming."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abotn import schema_files
from abotn.errors import (
    AbotnError,
    AgentError,
    ConfigError,
    DataError,
    ProtocolMismatchError,
    UnknownNameError,
)
from abotn.plugins.hookspecs import hookimpl
from abotn.plugins.manager import Origin, PluginManager
from abotn.records.files import read_manifest, read_trajectory
from abotn.rollout import Progress, RunOutcome, run
from abotn.rollout.protocol import STRICT
from abotn.scenes import dataset_fingerprint

KEYS = ["hall/traj_0", "room/traj_0", "room/traj_2", "room/traj_10"]


def go(dataset: Path, run_dir: Path | None, agent: Any, **options: Any) -> RunOutcome:
    chosen = {"protocol": "strict", "render": "none", "max_steps": 12, **options}
    return run("point_goal", agent, data_dir=dataset, run_dir=run_dir, **chosen)


def results(folder: Path) -> dict[str, dict[str, Any]]:
    found = {}
    for path in folder.rglob("result.json"):
        found[path.parent.relative_to(folder).as_posix()] = json.loads(path.read_bytes())
    return found


@pytest.fixture(scope="module")
def finished(dataset: Path, agents: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the straight-line agent."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    go(dataset, folder, "abotn.agents:StraightLineAgent")
    return folder


def test_every_task_leaves_a_record_that_fits_its_schema(finished: Path) -> None:
    found = results(finished)
    assert sorted(found) == sorted(KEYS)
    for key, document in found.items():
        assert schema_files.complaint("result.v1", document) is None
        assert f"{document['episode_id']}/{document['task_id']}" == key
        path = finished / key / "trajectory.json"
        assert schema_files.complaint("trajectory.v1", json.loads(path.read_bytes())) is None
        assert len(read_trajectory(path).position) == document["steps"] + 1


def test_no_other_file_is_left(finished: Path) -> None:
    names = {path.name for path in finished.rglob("*") if path.is_file()}
    assert names == {"run.json", "result.json", "trajectory.json"}


def test_result_holds_no_time(finished: Path) -> None:
    text = (finished / KEYS[0] / "result.json").read_text()
    assert not re.search(r"second|time|created|20\d\d-", text)


def test_manifest_says_what_was_run(finished: Path, dataset: Path) -> None:
    manifest = read_manifest(finished)
    assert manifest["run_id"] == "run"
    assert manifest["task_type"] == "point_goal"
    assert manifest["agent"] == {
        "name": "StraightLineAgent",
        "class": "abotn.agents.baselines:StraightLineAgent",
        "config": {},
    }
    assert manifest["protocol"] == STRICT.to_manifest()
    assert manifest["dataset"]["fingerprint"] == dataset_fingerprint(dataset)
    assert (manifest["dataset"]["scenes"], manifest["dataset"]["tasks"]) == (2, 4)
    assert manifest["renderer"] == {"kind": "none"}
    assert (manifest["max_steps"], manifest["attempts"], manifest["seed"]) == (12, 1, 0)
    assert manifest["versions"]["numpy"] == np.__version__
    assert {"abotn", "python"} <= set(manifest["versions"])


def test_overrides_are_recorded(dataset: Path, tmp_path: Path) -> None:
    overrides = {"arrive_threshold": 1.5, "collision_mode": None}
    go(dataset, tmp_path / "run", "abotn.agents:StraightLineAgent", overrides=overrides)
    protocol = read_manifest(tmp_path / "run")["protocol"]
    assert protocol["modified"] == ["arrive_threshold"]
    assert protocol["values"]["arrive_threshold"] == 1.5


def test_agents_own_frame_is_used_and_an_option_wins(
    dataset: Path, agents: str, tmp_path: Path
) -> None:
    own = go(dataset, tmp_path / "own", f"{agents}:Sideways")
    assert own.solved == 4
    manifest = read_manifest(tmp_path / "own")
    assert manifest["protocol"]["values"]["waypoint_frame"] == "right_front"
    assert manifest["protocol"]["modified"] == []
    chosen = {"waypoint_frame": "front_left"}
    other = go(dataset, tmp_path / "other", f"{agents}:Sideways", overrides=chosen)
    assert other.solved == 1


def test_planner_gets_the_map_it_needs_without_a_flag(dataset: Path, tmp_path: Path) -> None:
    outcome = go(dataset, tmp_path / "run", "abotn.agents:PlannerAgent", max_steps=30)
    assert outcome.solved == 4
    found = results(tmp_path / "run")
    assert all(d["metrics"]["path_collision_count_exact"] == 0 for d in found.values())
    assert read_manifest(tmp_path / "run")["provide"] == ["meta_data", "occ_map"]


@pytest.mark.parametrize("agent", ["StraightLineAgent", "PlannerAgent", "RandomAgent"])
def test_baselines_run_poi_tasks(agent: str, dataset: Path, tmp_path: Path) -> None:
    outcome = run(
        "poi_goal",
        f"abotn.agents:{agent}",
        data_dir=dataset,
        run_dir=tmp_path / "run",
        render="none",
        max_steps=30,
    )
    assert outcome.errors == 0
    assert outcome.solved >= (4 if agent == "PlannerAgent" else 1)
    found = results(tmp_path / "run")
    assert found["room/traj_2"]["poi_name"] == "Bank"
    assert found["room/traj_2"]["protocol"] == "poibench"


def test_class_and_mapping_do_as_well_as_names(dataset: Path, agents: str, tmp_path: Path) -> None:
    from abotn.agents import StraightLineAgent

    outcome = go(
        dataset, tmp_path / "run", StraightLineAgent,
        agent_config={"step_length": 0.5}, agent_name="slow", protocol=STRICT, scenes=["hall"],
    )  # fmt: skip
    assert outcome.made == outcome.total == 1
    assert results(tmp_path / "run")["hall/traj_0"]["steps"] == 10
    agent = read_manifest(tmp_path / "run")["agent"]
    assert (agent["name"], agent["config"]) == ("slow", {"step_length": 0.5})


def test_config_file(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text("mode: slow\nslow: {step_length: 0.5}")
    config = tmp_path / "agent.yaml"
    with pytest.raises(AgentError, match="unexpected keyword argument 'mode'"):
        go(dataset, tmp_path / "run", "abotn.agents:StraightLineAgent", agent_config=config)
    config.write_text("step_length: 0.5")
    go(dataset, tmp_path / "run", "abotn.agents:StraightLineAgent", agent_config=config)
    assert read_manifest(tmp_path / "run")["agent"]["config"] == {"step_length": 0.5}


def test_attempts_lie_beside_each_other_and_differ(dataset: Path, tmp_path: Path) -> None:
    go(dataset, tmp_path / "run", "abotn.agents:RandomAgent", attempts=3, scenes=["hall"])
    found = results(tmp_path / "run")
    assert sorted(found) == ["hall/traj_0", "hall/traj_0@1", "hall/traj_0@2"]
    assert [found[key]["attempt"] for key in sorted(found)] == [0, 1, 2]
    assert len({document["distance_to_goal"] for document in found.values()}) == 3


def test_same_seed_same_bytes_other_seed_other_bytes(dataset: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        go(dataset, tmp_path / name, "abotn.agents:RandomAgent", seed=seed)
    texts = {
        name: [(tmp_path / name / key / "result.json").read_bytes() for key in KEYS]
        for name in "abc"
    }
    assert texts["a"] == texts["b"]
    assert texts["a"] != texts["c"]


def test_filters_take_names_and_patterns(dataset: Path, tmp_path: Path) -> None:
    agent = "abotn.agents:StraightLineAgent"
    go(dataset, tmp_path / "a", agent, tasks=["traj_?"])
    assert sorted(results(tmp_path / "a")) == ["hall/traj_0", "room/traj_0", "room/traj_2"]
    go(dataset, tmp_path / "b", agent, scenes=["room"], tasks=["traj_10"])
    assert sorted(results(tmp_path / "b")) == ["room/traj_10"]
    with pytest.raises(UnknownNameError, match="traj_10"):
        go(dataset, tmp_path / "c", agent, tasks=["traj_11"])
    with pytest.raises(ConfigError, match="no task"):
        go(dataset, tmp_path / "c", agent, scenes=["hall"], tasks=["traj_10"])


def test_progress_and_hooks_tell_of_the_run_in_order(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, Any]] = []

    class Listener:
        @hookimpl
        def abotn_run_started(self, manifest: Any) -> None:
            told.append(("started", manifest["run_id"]))

        @hookimpl
        def abotn_episode_finished(self, record: Any) -> None:
            told.append(("episode", f"{record.episode_id}/{record.task_id}"))

        @hookimpl
        def abotn_run_finished(self, run: Any) -> None:
            told.append(("finished", Path(run).name))

    manager = PluginManager(discover=False)
    manager.register(Listener(), Origin("listener", "1.0", "listener"))
    for module in ("runner", "options", "session"):
        monkeypatch.setattr(f"abotn.rollout.{module}.plugin_manager", lambda: manager)
    seen: list[Progress] = []
    go(dataset, tmp_path / "run", "abotn.agents:StraightLineAgent", progress=seen.append)
    assert told == [
        ("started", "run"), *[("episode", key) for key in KEYS], ("finished", "run")
    ]  # fmt: skip
    assert [(event.done, event.total) for event in seen] == [(n, 4) for n in range(5)]
    assert seen[0].record is None
    assert read_manifest(tmp_path / "run")["versions"]["listener"] == "1.0"


def test_views_are_kept_when_asked_for(dataset: Path, tmp_path: Path) -> None:
    import cv2

    go(
        dataset, tmp_path / "run", "abotn.agents:StraightLineAgent",
        render="embedded", save_images=True, tasks=["traj_10"],
    )  # fmt: skip
    folder = tmp_path / "run/room/traj_10/render_images"
    assert sorted(path.name for path in folder.iterdir()) == [
        "0_front.jpg", "0_left.jpg", "0_right.jpg"
    ]  # fmt: skip
    image = cv2.imread(str(folder / "0_front.jpg"))
    assert image is not None
    assert image.shape == (640, 720, 3)
    assert image.std() > 5


def test_runs_get_folders_of_their_own(dataset: Path, tmp_path: Path) -> None:
    folders = [
        run(
            "point-goal", "abotn.agents:StraightLineAgent", data_dir=dataset, render="none",
            output_dir=tmp_path / "runs", scenes=["hall"], agent_name="a/b c",
        ).folder
        for _ in range(3)
    ]  # fmt: skip
    assert len({folder.name for folder in folders}) == 3
    for folder in folders:
        assert folder.parent == tmp_path / "runs"
        assert re.fullmatch(r"\d{8}-\d{6}-a_b_c(-\d)?", folder.name)
        assert read_manifest(folder)["run_id"] == folder.name


class TestNothingIsWritten:
    """What is refused before the run has a folder."""

    @pytest.mark.parametrize(
        ("options", "kind", "reason"),
        [
            ({"agent": "no_colon"}, ConfigError, "one colon"),
            ({"agent": "no_such_module:A"}, ConfigError, "no_such_module"),
            ({"agent": "abotn.agents.baselines:Nope"}, ConfigError, "RandomAgent"),
            ({"agent": "os.path:join"}, ConfigError, "function"),
            ({"agent": None}, ConfigError, "no agent"),
            ({"agent": "AGENTS:NeedsGpu"}, AgentError, "no CUDA device"),
            ({"agent": "AGENTS:NeedsGpu", "workers": 2}, AgentError, "no CUDA device"),
            ({"agent": "AGENTS:Dies", "workers": 2}, AgentError, "exit code 3"),
            ({"agent_config": "gone.yaml"}, ConfigError, "gone.yaml"),
            ({"agent_config": {"speed": 1}}, AgentError, "speed"),
            ({"agent_name": " "}, ConfigError, "empty"),
            ({"protocol": "stric"}, UnknownNameError, "strict"),
            ({"protocol": "poibench"}, ConfigError, "poi_goal"),
            ({"overrides": {"collision_mode": "hart"}}, UnknownNameError, "hard"),
            ({"overrides": {"arrive_threshold": -1}}, ConfigError, "arrive_threshold"),
            ({"render": "embeded"}, UnknownNameError, "embedded"),
            ({"render": "http://"}, ConfigError, "expected a URL"),
            ({"max_steps": 0}, ConfigError, "max steps"),
            ({"attempts": 0}, ConfigError, "attempts"),
            ({"workers": 0}, ConfigError, "workers"),
            ({"seed": 1.5}, ConfigError, "seed"),
            ({"provide": ["occ_mop"]}, UnknownNameError, "occ_map"),
            ({"data_dir": "nowhere"}, DataError, "nowhere"),
            ({"data_dir": None}, ConfigError, "data folder"),
            ({"map_dir": "nowhere"}, DataError, "nowhere"),
            ({"task_type": "point"}, UnknownNameError, "point_goal"),
            ({"output_dir": "x"}, ConfigError, "output dir and run dir"),
        ],
    )
    def test_bad_arguments(
        self,
        options: dict[str, Any],
        kind: type[AbotnError],
        reason: str,
        dataset: Path,
        agents: str,
        tmp_path: Path,
    ) -> None:
        chosen = {
            "task_type": "point_goal",
            "agent": "abotn.agents:StraightLineAgent",
            "data_dir": dataset,
            "run_dir": tmp_path / "run",
            "protocol": "strict",
            "render": "none",
            **options,
        }
        if isinstance(chosen["agent"], str):
            chosen["agent"] = chosen["agent"].replace("AGENTS", agents)
        with pytest.raises(kind, match=reason) as caught:
            run(**chosen)
        assert "\n" not in str(caught.value)
        assert list(tmp_path.iterdir()) == []

    def test_class_that_cannot_be_sent_to_workers(self, dataset: Path, tmp_path: Path) -> None:
        from abotn.agents import StraightLineAgent

        class Local(StraightLineAgent):
            pass

        with pytest.raises(ConfigError, match="importable"):
            go(dataset, tmp_path / "run", Local, workers=2)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("file", "content"),
        [
            ("room/traj_0.json", b'{"trajectory": ['),
            ("room/map/occ_map.png", b"no image"),
            ("room/map/occ_map_meta.txt", b"Top Left: (0, 8)\n"),
        ],
    )
    def test_damaged_dataset(
        self, file: str, content: bytes, dataset: Path, tmp_path: Path
    ) -> None:
        shutil.copytree(dataset, tmp_path / "data")
        (tmp_path / "data" / file).write_bytes(content)
        with pytest.raises(DataError, match=re.escape(Path(file).name)):
            go(tmp_path / "data", tmp_path / "run", "abotn.agents:StraightLineAgent")
        assert not (tmp_path / "run").exists()

    def test_image_that_is_cut_short(self, dataset: Path, tmp_path: Path) -> None:
        shutil.copytree(dataset, tmp_path / "data")
        image = tmp_path / "data/room/map/occ_map.png"
        image.write_bytes(image.read_bytes()[:60])
        with pytest.raises(DataError, match=r"occ_map\.png"):
            go(tmp_path / "data", tmp_path / "run", "abotn.agents:StraightLineAgent")
        assert not (tmp_path / "run").exists()

    def test_folder_that_is_taken(self, finished: Path, dataset: Path, tmp_path: Path) -> None:
        agent = "abotn.agents:StraightLineAgent"
        with pytest.raises(ConfigError, match="--resume-dir"):
            go(dataset, finished, agent)
        (tmp_path / "notes").mkdir()
        (tmp_path / "notes/a.txt").write_text("keep")
        with pytest.raises(ConfigError, match="not empty"):
            go(dataset, tmp_path / "notes", agent)
        with pytest.raises(ConfigError, match="got a file"):
            go(dataset, tmp_path / "notes/a.txt", agent)
        with pytest.raises(ConfigError, match="got a file"):
            run("point_goal", agent, data_dir=dataset, output_dir=tmp_path / "notes/a.txt")
        assert (tmp_path / "notes/a.txt").read_text() == "keep"

    def test_empty_folder_is_not_taken(self, dataset: Path, tmp_path: Path) -> None:
        (tmp_path / "run").mkdir()
        assert go(dataset, tmp_path / "run", "abotn.agents:StraightLineAgent").made == 4


def test_agent_that_fails_in_one_task_goes_on_with_the_next(
    dataset: Path, agents: str, tmp_path: Path
) -> None:
    outcome = go(dataset, tmp_path / "run", f"{agents}:Fails")
    assert (outcome.made, outcome.errors, outcome.solved) == (4, 1, 3)
    found = results(tmp_path / "run")
    assert found["room/traj_0"]["error"]["message"] == "the model said no"
    assert found["room/traj_2"]["status"] == "stop"


def test_fail_fast_stops_at_the_first_error(dataset: Path, agents: str, tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"room/traj_0: stopped.*said no.*--resume-dir"):
        go(dataset, tmp_path / "run", f"{agents}:Fails", fail_fast=True)
    assert sorted(results(tmp_path / "run")) == ["hall/traj_0", "room/traj_0"]


class TestResume:
    """Going on with a run."""

    @pytest.fixture
    def begun(self, finished: Path, tmp_path: Path) -> Path:
        """A run with one record good, one an error, one damaged and one missing."""
        folder = tmp_path / "begun"
        shutil.copytree(finished, folder)
        failed = folder / "room/traj_0/result.json"
        document = json.loads(failed.read_bytes())
        document["status"] = "error"
        document["error"] = {"stage": "render", "type": "X", "message": "server died"}
        failed.write_text(json.dumps(document))
        (folder / "room/traj_2/result.json").write_text('{"schema_version": "1", "epi')
        (folder / "room/traj_10/result.json").unlink()
        return folder

    def resume(self, folder: Path, **options: Any) -> RunOutcome:
        return run(resume_dir=folder, **options)

    def test_makes_what_is_missing_and_keeps_what_is_good(
        self, begun: Path, finished: Path
    ) -> None:
        kept = (begun / "hall/traj_0/result.json").stat().st_mtime_ns
        outcome = self.resume(begun)
        assert (outcome.total, outcome.made, outcome.kept) == (4, 3, 1)
        assert (begun / "hall/traj_0/result.json").stat().st_mtime_ns == kept
        for key in KEYS:
            ours, theirs = (f / key / "result.json" for f in (begun, finished))
            assert ours.read_bytes() == theirs.read_bytes()
        assert (begun / "run.json").read_bytes() == (finished / "run.json").read_bytes()

    def test_finished_run_needs_no_agent_process(
        self, finished: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("abotn.agents.loader.make_agent", None)
        outcome = self.resume(finished, workers=4)
        assert (outcome.made, outcome.kept) == (0, 4)

    def test_same_options_again_are_accepted(self, begun: Path, dataset: Path) -> None:
        outcome = run(
            "point_goal", "abotn.agents:StraightLineAgent", data_dir=dataset, resume_dir=begun,
            protocol="strict", render="none", max_steps=12, seed=0, attempts=1,
        )  # fmt: skip
        assert outcome.made == 3

    @pytest.mark.parametrize(
        ("options", "kind", "reason"),
        [
            ({"protocol": "pointbench-indoor"}, ProtocolMismatchError, "'strict'.*indoor"),
            ({"overrides": {"arrive_threshold": 1.0}}, ProtocolMismatchError, "0.5.*1.0"),
            ({"seed": 1}, ConfigError, "seed 0"),
            ({"max_steps": 13}, ConfigError, "max steps 12"),
            ({"attempts": 2}, ConfigError, "attempts 1"),
            ({"agent": "abotn.agents:RandomAgent"}, ConfigError, "RandomAgent"),
            ({"agent_config": {"step_length": 2.0}}, ConfigError, "agent config"),
            ({"agent_name": "other"}, ConfigError, "agent name"),
            ({"render": "embedded"}, ConfigError, "renderer"),
            ({"provide": ["occ_map"]}, ConfigError, "optional observations"),
            ({"task_type": "poi_goal", "protocol": "strict"}, ConfigError, "task type"),
        ],
    )
    def test_another_run_is_refused(
        self, options: dict[str, Any], kind: type[AbotnError], reason: str, begun: Path
    ) -> None:
        before = {path: path.read_bytes() for path in begun.rglob("*.json")}
        with pytest.raises(kind, match=reason) as caught:
            self.resume(begun, **options)
        assert "\n" not in str(caught.value)
        assert {path: path.read_bytes() for path in begun.rglob("*.json")} == before

    def test_another_dataset_is_refused(self, begun: Path, dataset: Path, tmp_path: Path) -> None:
        shutil.copytree(dataset, tmp_path / "data")
        path = tmp_path / "data/hall/traj_0.json"
        path.write_text(path.read_text().replace("7.0", "6.0"))
        with pytest.raises(ConfigError, match="dataset"):
            self.resume(begun, data_dir=tmp_path / "data")

    def test_same_dataset_elsewhere_is_accepted(
        self, begun: Path, dataset: Path, tmp_path: Path
    ) -> None:
        shutil.copytree(dataset, tmp_path / "moved")
        assert self.resume(begun, data_dir=tmp_path / "moved").made == 3

    def test_record_of_another_task_is_made_again(self, begun: Path, finished: Path) -> None:
        shutil.copy(begun / "hall/traj_0/result.json", begun / "room/traj_10/result.json")
        self.resume(begun)
        ours, theirs = (f / "room/traj_10/result.json" for f in (begun, finished))
        assert ours.read_bytes() == theirs.read_bytes()

    def test_folder_without_a_run(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="no run to resume"):
            self.resume(tmp_path)

    def test_damaged_manifest(self, begun: Path) -> None:
        (begun / "run.json").write_text("{")
        with pytest.raises(DataError, match=r"run\.json"):
            self.resume(begun)
