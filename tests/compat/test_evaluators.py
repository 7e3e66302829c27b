"""The published evaluators: in one go, step by step, and the records they leave."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from abotn.compat.config import EvalConfig, PoiGoalEvalConfig, make_eval_config
from abotn.compat.evaluators import PoiGoalEvaluator, PointGoalEvaluator
from abotn.errors import AgentError, ConfigError, RenderFailureError, UnknownNameError
from abotn.records.files import read_manifest
from abotn.rollout import run
from abotn.scenes import GaussianScene

URL = "http://localhost:7036/render_gs"
TASKS = [("hall", "traj_0"), ("room", "traj_0"), ("room", "traj_2")]


class Painter:
    """A published-style renderer of tiny views; fails in the scenes it is told to."""

    def __init__(self, *, views: int = 3, broken: str = "") -> None:
        self.views, self.broken, self.asked = views, broken, 0

    def render_at_pose(
        self, pose: Any, scene_id: str, save_dir: Any = None, image_id: int = 0
    ) -> Any:
        self.asked += 1
        assert pose.shape == (4, 4)
        if scene_id == self.broken:
            raise RenderFailureError("no frame came")
        greys = range(1, self.views + 1)
        return [Image.fromarray(np.full((4, 6, 3), grey, dtype=np.uint8)) for grey in greys]


@pytest.fixture
def scene(dataset: Path) -> GaussianScene:
    return GaussianScene(dataset)


@pytest.fixture(scope="module")
def module(agents: str) -> Any:
    return importlib.import_module(agents)


def config(**values: Any) -> EvalConfig:
    chosen = {"max_steps": 12, "save_render_images": False, **values}
    return make_eval_config("indoor", URL, **chosen)


def records(folder: Path) -> dict[str, Any]:
    paths = sorted(folder.rglob("result.json"))
    return {p.parent.relative_to(folder).as_posix(): json.loads(p.read_bytes()) for p in paths}


def test_evaluate_leaves_what_a_run_leaves(
    scene: GaussianScene, dataset: Path, module: Any, tmp_path: Path
) -> None:
    evaluator = PointGoalEvaluator(scene, Painter(), config(), tmp_path / "evaluated")
    results = evaluator.evaluate(module.Blind())
    run("point_goal", module.Blind, data_dir=dataset, run_dir=tmp_path / "run", render="none",
        protocol="pointbench-indoor", max_steps=12)  # fmt: skip
    assert records(tmp_path / "evaluated") == records(tmp_path / "run")
    assert [(r["episode_id"], r["task_id"]) for r in results] == TASKS
    for result in results:
        key = f"{result['episode_id']}/{result['task_id']}"
        assert {"schema_version": "1", **result} == records(tmp_path / "run")[key]
    ours, theirs = read_manifest(tmp_path / "evaluated"), read_manifest(tmp_path / "run")
    assert ours["renderer"] == {"kind": "Painter"}
    for key in ("protocol", "dataset", "agent", "max_steps", "seed", "provide", "camera"):
        assert ours[key] == theirs[key]


def test_agent_gets_views_by_name(scene: GaussianScene, module: Any, tmp_path: Path) -> None:
    evaluator = PointGoalEvaluator(scene, Painter(), config(), tmp_path)
    seen = evaluator.build_observation()
    greys = {name: int(image[0, 0, 0]) for name, image in seen.images.items()}
    assert greys == {"left": 1, "right": 2, "front": 3}
    one = PointGoalEvaluator(scene, Painter(views=1), config(), tmp_path / "one")
    assert list(one.build_observation().images) == ["front"]
    two = PointGoalEvaluator(scene, Painter(views=2), config(), tmp_path / "two")
    with pytest.raises(RenderFailureError, match="3 images or 1, got 2"):
        two.build_observation()


def test_the_loop_of_the_reference_step_by_step(
    scene: GaussianScene, module: Any, tmp_path: Path
) -> None:
    evaluator = PointGoalEvaluator(scene, Painter(), config(), tmp_path)
    agent, results = module.Walker(), []
    for _ in TASKS:
        agent.reset()
        for step in range(12):
            observation = evaluator.build_observation()
            prediction = agent.predict(observation)
            evaluator.step(prediction)
            if prediction.arrive or step + 1 == 12:
                break
        results.append(evaluator.save_result())
    assert [(r["episode_id"], r["task_id"]) for r in results] == TASKS
    with pytest.raises(ConfigError, match="every task"):
        evaluator.build_observation()
    whole = PointGoalEvaluator(scene, Painter(), config(), tmp_path / "whole")
    assert whole.evaluate(module.Walker()) == results


def test_a_chosen_task_and_what_done_says(
    scene: GaussianScene, module: Any, tmp_path: Path
) -> None:
    painter = Painter()
    evaluator = PointGoalEvaluator(scene, painter, config(), tmp_path)
    episode = scene.get_episode_by_id("room")
    assert episode is not None
    assert evaluator.done
    evaluator.start(episode, episode.tasks[1])
    agent, steps = module.Blind(), []
    while not evaluator.done:
        steps.append(evaluator.step(agent.predict(evaluator.build_observation())))
    assert steps == [False] * (len(steps) - 1) + [True]
    asked = painter.asked
    last = evaluator.build_observation()
    assert evaluator.step(agent.predict(last)) is True
    assert painter.asked in (asked, asked + 1)
    result = evaluator.save_result()
    assert (result["task_id"], result["steps"]) == ("traj_2", len(steps))
    assert list(records(tmp_path)) == ["room/traj_2"]
    assert read_manifest(tmp_path)["agent"]["class"] == "unknown"


@pytest.mark.parametrize("call", ["step", "save_result"])
def test_nothing_in_hand(scene: GaussianScene, tmp_path: Path, call: str) -> None:
    evaluator = PointGoalEvaluator(scene, Painter(), config(), tmp_path)
    with pytest.raises(ConfigError, match="no task is in hand"):
        getattr(evaluator, call)(*([None] if call == "step" else []))
    assert list(tmp_path.iterdir()) == []


def test_bad_answer_in_a_step_raises_and_is_recorded(
    scene: GaussianScene, module: Any, tmp_path: Path
) -> None:
    evaluator = PointGoalEvaluator(scene, Painter(), config(), tmp_path)
    evaluator.build_observation()
    with pytest.raises(AgentError, match="finite"):
        evaluator.step(module.WaypointPrediction(np.array([np.nan, 0.0])))
    assert evaluator.done
    result = evaluator.save_result()
    assert (result["status"], result["error"]["stage"]) == ("error", "agent")


def test_failures_are_records_and_the_others_go_on(
    scene: GaussianScene, module: Any, tmp_path: Path
) -> None:
    broken = PointGoalEvaluator(scene, Painter(broken="room"), config(), tmp_path / "render")
    results = broken.evaluate(module.Walker())
    assert [r["status"] for r in results] == ["stop", "error", "error"]
    assert results[1]["error"]["stage"] == "render"
    failing = PointGoalEvaluator(scene, Painter(), config(), tmp_path / "agent")
    assert {r["error"]["message"] for r in failing.evaluate(module.Fails())} == {
        "the model said no"
    }


def test_failed_tasks_are_made_again_and_good_ones_kept(
    scene: GaussianScene, module: Any, tmp_path: Path
) -> None:
    PointGoalEvaluator(scene, Painter(broken="room"), config(), tmp_path).evaluate(module.Walker())
    events: list[tuple[int, int]] = []
    again = PointGoalEvaluator(scene, Painter(), config(), "elsewhere")
    results = again.evaluate(
        module.Walker(),
        resume_dir=tmp_path,
        progress=lambda event: events.append((event.done, event.total)),
    )
    assert [r["episode_id"] for r in results] == ["room", "room"]
    assert events == [(1, 3), (2, 3), (3, 3)]
    assert {r["status"] for r in records(tmp_path).values()} <= {"stop", "max_steps"}
    assert not Path("elsewhere").exists()


def test_folder_of_another_run_is_refused(
    scene: GaussianScene, module: Any, tmp_path: Path
) -> None:
    PointGoalEvaluator(scene, Painter(), config(), tmp_path / "run").evaluate(module.Blind())
    other = PointGoalEvaluator(scene, Painter(), config(max_steps=3), tmp_path / "run")
    with pytest.raises(ConfigError, match="max steps"):
        other.evaluate(module.Blind())
    (tmp_path / "run/run.json").unlink()
    with pytest.raises(ConfigError, match=r"results but no run\.json"):
        PointGoalEvaluator(scene, Painter(), config(), tmp_path / "run").evaluate(module.Blind())


def test_scenes_map_stays_as_it_is(scene: GaussianScene, module: Any, tmp_path: Path) -> None:
    before = {episode.episode_id: np.array(episode.occ_map) for episode in scene}
    first = PointGoalEvaluator(scene, Painter(), config(), tmp_path / "1").evaluate(module.Blind())
    second = PointGoalEvaluator(scene, Painter(), config(), tmp_path / "2").evaluate(module.Blind())
    assert first == second
    for episode in scene:
        assert np.array_equal(episode.occ_map, before[episode.episode_id])


def test_optional_observations(scene: GaussianScene, tmp_path: Path) -> None:
    flags = {"provide_history": True, "provide_occ_map": True, "provide_height_map": True}
    with_all = PointGoalEvaluator(scene, Painter(), config(**flags), tmp_path / "all")
    room = scene.get_episode_by_id("room")
    assert room is not None
    with_all.start(room, room.tasks[0])
    seen = with_all.build_observation()
    assert seen.history_images == []
    assert seen.occ_map is not None
    assert seen.height_map is not None
    assert seen.meta_data is not None
    plain = PointGoalEvaluator(scene, Painter(), config(), tmp_path / "plain").build_observation()
    assert plain.history_images is plain.occ_map is plain.height_map is plain.meta_data is None
    exposed = PointGoalEvaluator(scene, Painter(), config(expose="images"), tmp_path / "exposed")
    assert set(vars(exposed.build_observation())) == {"images"}


def test_views_are_kept_when_asked_for(scene: GaussianScene, module: Any, tmp_path: Path) -> None:
    kept = config(save_render_images=True, max_steps=1)
    PointGoalEvaluator(scene, Painter(), kept, tmp_path).evaluate(module.Walker())
    names = {path.name for path in (tmp_path / "room/traj_0/render_images").iterdir()}
    assert names == {"0_left.jpg", "0_front.jpg", "0_right.jpg"}


def test_a_subclass_may_replace_its_steps(
    scene: GaussianScene, module: Any, tmp_path: Path
) -> None:
    marks: list[Any] = []

    class Reader(module.Blind):  # type: ignore[name-defined, misc]
        def predict(self, observation: Any) -> Any:
            marks.append(observation.extra["mark"])
            return super().predict(observation)

    results = module.Marked(scene, Painter(), config(), tmp_path).evaluate(Reader())
    assert set(marks) == {7}
    assert all(result["marked"] for result in results)

    class Forgetful(PointGoalEvaluator):
        def save_result(self) -> Any:
            super().save_result()

    with pytest.raises(ConfigError, match="save_result must return"):
        Forgetful(scene, Painter(), config(), tmp_path / "none").evaluate(module.Blind())


def test_bug_in_an_evaluator_is_not_blamed_on_the_agent(
    scene: GaussianScene, module: Any, tmp_path: Path
) -> None:
    class Buggy(PointGoalEvaluator):
        def build_observation(self) -> Any:
            raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError):
        Buggy(scene, Painter(), config(), tmp_path).evaluate(module.Blind())
    assert records(tmp_path) == {}


@pytest.mark.parametrize(
    ("mode", "status", "success", "counted"),
    [("off", "stop", True, None), ("soft", "stop", True, 2), ("hard", "collision", False, 1)],
)
def test_poi_collision_modes(
    scene: GaussianScene, module: Any, tmp_path: Path, mode: str, status: str, *,
    success: bool, counted: int | None,
) -> None:  # fmt: skip
    """From (1, 2) to (9, 2) in steps of 1 m past a wall at x = 5.0 to 5.4: the disc of 0.7 m holds
    a piece of it at x = 5 and at x = 6."""
    room = scene.get_episode_by_id("room")
    assert room is not None
    chosen = PoiGoalEvalConfig(
        collision_mode=mode, occ_dilation_meters=0.0, max_steps=60, save_render_images=False,
        robot_radius=0.7,
    )  # fmt: skip
    evaluator = PoiGoalEvaluator(scene, Painter(), chosen, tmp_path)
    evaluator.start(room, room.tasks[1])
    agent = module.PoiWalker()
    agent.reset()
    while not evaluator.done:
        evaluator.step(agent.predict(evaluator.build_observation()))
    result = evaluator.save_result()
    assert set(agent.names) == {"Bank"}
    assert (result["status"], result["success"]) == (status, success)
    assert result["metrics"]["collision_count"] == counted
    assert result["metrics"]["collision_terminated"] in (None, mode == "hard")
    assert result["task_type"] == "poi_goal"


def test_poi_hits_inside_the_arrival_circle_are_exempt(tmp_path: Path, module: Any) -> None:
    from abotn.geometry import MapGeometry
    from abotn.scenes.task import Task
    from abotn.scenes.writer import write_scene

    free = np.ones((80, 100), dtype=bool)
    free[:, 70:] = False
    pose = {"x": 1.0, "y": 4.0, "z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": 0.0}
    task = Task("traj_0", [pose, {**pose, "x": 8.0}], {"extend": {"goal_label": "Door"}})
    corners = MapGeometry.from_corners((0, 8), (10, 8), (0, 0), 100, 80)
    write_scene(tmp_path / "data/wall", tasks=[task], free=free, geometry=corners)
    chosen = PoiGoalEvalConfig(occ_dilation_meters=0.0, save_render_images=False)
    scene = GaussianScene(tmp_path / "data")

    class Through(module.PoiWalker):  # type: ignore[name-defined, misc]
        def predict(self, observation: Any) -> Any:
            answer = super().predict(observation)
            answer.arrive = False
            return answer

    protocol = chosen.protocol()
    assert (protocol.collision_mode, protocol.modified) == ("hard", ("occ_dilation_meters",))
    [result] = PoiGoalEvaluator(scene, Painter(), chosen, tmp_path / "run").evaluate(Through())
    assert (result["status"], result["success"]) == ("stop", True)
    assert result["metrics"]["collision_count"] == 0
    assert result["metrics"]["collision_skipped_near_goal"] == 1


def test_wrong_kinds_are_refused(scene: GaussianScene, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="render_at_pose"):
        PointGoalEvaluator(scene, object(), config(), tmp_path)
    with pytest.raises(ConfigError, match="expected a PoiGoalEvalConfig"):
        PoiGoalEvaluator(scene, Painter(), config(), tmp_path)
    assert PointGoalEvaluator(scene, Painter()).config == EvalConfig()
    assert list(tmp_path.iterdir()) == []


def test_configurations_become_protocols() -> None:
    assert make_eval_config("outdoor", URL).protocol().modified == ()
    assert make_eval_config("outdoor", URL).protocol().name == "pointbench-outdoor"
    ablated = make_eval_config(mode="outdoor", collision_threshold=5).protocol()
    assert (ablated.collision_threshold, ablated.modified) == (5, ("collision_threshold",))
    assert make_eval_config("outdoor").render_url == EvalConfig().render_url
    assert make_eval_config("indoor", URL).protocol().name == "pointbench-indoor"
    assert PoiGoalEvalConfig().protocol().modified == ()
    rules = PoiGoalEvalConfig(waypoint_frame="right_front").rules()
    assert (rules.task_type, rules.protocol.waypoint_frame) == ("poi_goal", "right_front")
    assert config().rules(waypoint_frame="right_front").protocol.waypoint_frame == "right_front"
    assert config(seed=4).rules().seed == 4


@pytest.mark.parametrize(
    ("make", "kind", "reason"),
    [
        (lambda: make_eval_config("outdor", URL), UnknownNameError, "did you mean: outdoor"),
        (lambda: make_eval_config("outdoor", ""), ConfigError, "URL of a render server"),
        (lambda: make_eval_config("outdoor", URL, max_step=3), UnknownNameError, "max_steps"),
        (lambda: EvalConfig(mode="x").protocol(), UnknownNameError, "mode"),
        (lambda: EvalConfig(max_steps=0).rules(), ConfigError, "at least 1"),
        (lambda: EvalConfig(max_steps=2.5).rules(), ConfigError, "whole number"),  # type: ignore[arg-type]
        (lambda: EvalConfig(arrive_threshold=-1).rules(), ConfigError, "arrive_threshold"),
        (lambda: PoiGoalEvalConfig(collision_mode="har").rules(), UnknownNameError, "hard"),
        (lambda: EvalConfig(expose="image").rules(), UnknownNameError, "images"),
        (lambda: EvalConfig(history_resize_ratio=0).rules(), ConfigError, "ratio"),
    ],
)
def test_configurations_that_cannot_be(make: Any, kind: type[Exception], reason: str) -> None:
    with pytest.raises(kind, match=reason):
        make()
