"""Making attempts in one process: an agent, a renderer, the scenes, and files at the end."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from abotn.agents.loader import make_agent
from abotn.agents.remote import let_go
from abotn.errors import AbotnError, ConfigError, DataError, error_text
from abotn.foreign_code import no_way_out_for_children
from abotn.records.files import (
    RESULT_NAME,
    TRAJECTORY_NAME,
    record_folder,
    write_result,
    write_trajectory,
)
from abotn.records.types import ResultRecord
from abotn.rendering.factory import Renderer, RendererFactory
from abotn.rollout.agent_choice import ChosenAgent
from abotn.rollout.drawings import cleared_pictures
from abotn.rollout.live import Attempt
from abotn.rollout.rules import RunRules, Unit
from abotn.rollout.scene_maps import SceneMaps, scene_source
from abotn.rollout.task import Rollout
from abotn.scenes.episode import Episode
from abotn.scenes.task import Task

_SCENES_KEPT = 2


@dataclass(frozen=True)
class Setup:
    """All that a process needs to make attempts; it is sent to workers.

    Attributes:
        rules: The rules of the run.
        agent: What the agents are made from.
        factory: Kind of renderer.
        render: What it is created from, such as ``"embedded"``.
        data_dir: Folder of the scenes.
        map_dir: Folder of the maps, when they are kept apart.
    """

    rules: RunRules
    agent: ChosenAgent
    factory: RendererFactory
    render: str
    data_dir: str
    map_dir: str | None = None


@dataclass
class Executor:
    """Makes attempts and writes their records; scenes are kept while they are in use.

    Args:
        setup: What to run.
        checkpoint: Called before each step.

    Raises:
        AgentError: the agent could not be made.
        ConfigError: the renderer could not be made.
    """

    setup: Setup
    checkpoint: Callable[[], None] = lambda: None
    _scenes: OrderedDict[str, tuple[SceneMaps, dict[str, Task]]] = field(
        default_factory=OrderedDict, init=False
    )

    def __post_init__(self) -> None:
        setup = self.setup
        with no_way_out_for_children():
            self._renderer = _make_renderer(setup, self._episode)
            self._agent = make_agent(setup.agent.agent_class, dict(setup.agent.config))
        self._rollout = Rollout(self._agent, self._renderer, setup.rules, self.checkpoint)

    def run(self, unit: Unit, run_folder: Path) -> ResultRecord:
        """Make one attempt and write its record, trajectory first, result last.

        Raises:
            DataError: the file system refused.
        """
        folder = record_folder(run_folder, *unit)
        pictures = cleared_pictures(folder, self.setup.rules)
        attempt = self._rollout.attempt(unit, lambda: self._load(unit), *pictures)
        # Nothing is written into a run that was stopped meanwhile; another process may be in it.
        self.checkpoint()
        write_attempt(folder, attempt)
        return attempt.record

    def close(self) -> None:
        """Let go of the agent, the renderer and the scenes."""
        let_go(self._agent)
        self._scenes.clear()
        try:
            with no_way_out_for_children():
                self._renderer.close()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Whatever a plugin's renderer says now, the records are made.
            print(f"warning: closing the renderer: {error_text(error)}", file=sys.stderr)

    def _load(self, unit: Unit) -> tuple[SceneMaps, Task]:
        maps, tasks = self._scene(unit.scene_id)
        if unit.task_id not in tasks:
            raise DataError(f"there is no task {unit.task_id!r}", where=maps.episode.scene_path)
        return maps, tasks[unit.task_id]

    def _episode(self, scene_id: str) -> Episode:
        return self._scene(scene_id)[0].episode

    def _scene(self, scene_id: str) -> tuple[SceneMaps, dict[str, Task]]:
        if scene_id not in self._scenes:
            folder = Path(self.setup.data_dir) / scene_id
            episode = Episode.from_scene_dir(folder, self.setup.map_dir)
            maps = SceneMaps(episode, self.setup.rules.protocol)
            self._scenes[scene_id] = maps, {task.task_id: task for task in episode.tasks}
        self._scenes.move_to_end(scene_id)
        while len(self._scenes) > _SCENES_KEPT:
            self._scenes.popitem(last=False)
        return self._scenes[scene_id]


def write_attempt(folder: Path, attempt: Attempt) -> None:
    """Write an attempt into its folder, which is made; what an earlier one left is replaced.

    Raises:
        DataError: the file system refused.
    """
    record = attempt.record
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # While the trajectory is being replaced there must be no result for it.
        (folder / RESULT_NAME).unlink(missing_ok=True)
        (folder / TRAJECTORY_NAME).unlink(missing_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot write: {error.strerror or error}", where=error.filename or folder
        ) from error
    if attempt.trajectory is not None:
        identity = {name: getattr(record, name) for name in ("episode_id", "task_id", "attempt")}
        write_trajectory(folder, attempt.trajectory, identity)
    write_result(folder, record)


def _make_renderer(setup: Setup, find: Callable[[str], Episode]) -> Renderer:
    try:
        return setup.factory.create(setup.render, scene_source(find), setup.rules.camera)
    except (AbotnError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(
            f"could not be made: {error_text(error)}", where=f"renderer {setup.render}"
        ) from error
