"""The folder of an evaluator's run: its manifest, and which tasks are still to be made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from abotn.compat.renderers import renderer_entry
from abotn.errors import ConfigError, DataError
from abotn.json_files import write_json
from abotn.plugins.manager import plugin_manager
from abotn.records.files import (
    MANIFEST_NAME,
    read_manifest,
    read_result_bytes,
    record_folder,
)
from abotn.records.types import ResultRecord
from abotn.rollout.dataset import Dataset
from abotn.rollout.folders import already_a_run
from abotn.rollout.manifest import agent_entry, as_written, check_same_run, make_manifest
from abotn.rollout.progress import ProgressListener
from abotn.rollout.resume import pending_units
from abotn.rollout.rules import RunRules, Unit
from abotn.rollout.run_lock import locked_run
from abotn.rollout.session import Session
from abotn.scenes.episode import Episode
from abotn.scenes.fingerprint import dataset_fingerprint
from abotn.scenes.gaussian_scene import GaussianScene
from abotn.scenes.task import Task

EvaluateTask = Callable[[Episode, Task], dict[str, Any]]
UNKNOWN_AGENT = {"name": "agent", "class": "unknown", "config": {}}


class EvaluatorRun:
    """A run over a scene that is in memory already.

    Args:
        scene: The scenes.
        renderer: What renders; named in the manifest.
        rules: The rules of the run.
        folder: The run's folder.
    """

    def __init__(self, scene: GaussianScene, renderer: Any, rules: RunRules, folder: Path) -> None:
        self._renderer = renderer
        self._rules = rules
        self._folder = folder
        self._scene = scene
        self._tasks = {
            Unit(episode.episode_id, task.task_id): (episode, task)
            for episode, task in scene.iter_tasks()
        }

    def open(self, agent_class: type[Any] | None) -> None:
        """Make the folder and its manifest, or check that the run in it may go on.

        Args:
            agent_class: The agent's class; None where nobody knows it.

        Raises:
            ConfigError: there is no task, or the folder holds a run of another kind, or results
                without a manifest.
            DataError: an id cannot be part of a run folder, or the file system refused.
        """
        if not self._tasks:
            raise ConfigError("the scenes have no task", where=self._scene.local_data_path)
        for unit in self._tasks:
            record_folder(self._folder, *unit)
        manifest = self._manifest(agent_class)
        if (self._folder / MANIFEST_NAME).is_file():
            check_same_run(read_manifest(self._folder), as_written(manifest), self._folder)
            return
        if self._folder.is_dir() and next(read_result_bytes(self._folder), None) is not None:
            raise ConfigError(
                f"the folder holds results but no {MANIFEST_NAME}",
                where=self._folder,
                hint="choose a new one; results of another tool can be evaluated, not added to",
            )
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(
                f"cannot make the folder: {error.strerror}", where=self._folder
            ) from error
        try:
            write_json(self._folder / MANIFEST_NAME, manifest, schema="run.v1", new=True)
        except FileExistsError as error:
            raise already_a_run(self._folder) from error

    def pending(self) -> list[tuple[Episode, Task]]:
        """Return the tasks without a good record, in order."""
        return [self._tasks[unit] for unit in pending_units(self._folder, self._tasks)]

    def make(
        self, evaluate: EvaluateTask, progress: ProgressListener | None
    ) -> list[dict[str, Any]]:
        """Evaluate the tasks without a good record, in order, and return their results."""
        crew = _EvaluatorCrew(evaluate, self._tasks)
        session = Session(
            self._folder, self._rules, len(self._tasks), fail_fast=False, progress=progress
        )
        with locked_run(self._folder):
            session.make(crew, pending_units(self._folder, self._tasks))
        return crew.results

    def _manifest(self, agent_class: type[Any] | None) -> dict[str, Any]:
        scene = self._scene
        data_dir, map_dir = scene.local_data_path, scene.local_map_path
        dataset = Dataset(
            str(Path(data_dir).resolve()),
            None if map_dir is None else str(Path(map_dir).resolve()),
            dataset_fingerprint(data_dir, map_dir),
            tuple((unit.scene_id, unit.task_id) for unit in self._tasks),
        )
        return make_manifest(
            self._folder.resolve().name,
            self._rules,
            dataset,
            agent=UNKNOWN_AGENT
            if agent_class is None
            else agent_entry(agent_class.__name__, agent_class, {}),
            renderer=renderer_entry(self._renderer),
            versions=plugin_manager().versions,
        )


class _EvaluatorCrew:
    """Lets an evaluator make the attempts of a session."""

    def __init__(self, evaluate: EvaluateTask, tasks: dict[Unit, tuple[Episode, Task]]) -> None:
        self._evaluate = evaluate
        self._tasks = tasks
        self.results: list[dict[str, Any]] = []

    def run(
        self,
        units: Iterable[Unit],
        run_folder: Path,
        finished: Callable[[ResultRecord], None],
        died: Callable[[Unit, str], ResultRecord],
    ) -> None:
        """Evaluate the tasks one after the other; see :class:`abotn.rollout.crew.Crew`."""
        for unit in units:
            result = self._evaluate(*self._tasks[unit])
            if not isinstance(result, dict) or "status" not in result:
                raise ConfigError("save_result must return the result", where="evaluator")
            self.results.append(result)
            finished(ResultRecord.from_dict(result))

    def close(self) -> None:
        """Nothing is held."""
