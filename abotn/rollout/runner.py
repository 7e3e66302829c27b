"""A whole run: from options to a folder of records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from abotn.errors import ConfigError
from abotn.json_files import write_json
from abotn.plugins.manager import plugin_manager
from abotn.records.files import MANIFEST_NAME
from abotn.rendering.factory import described
from abotn.rollout.crew import make_crew
from abotn.rollout.dataset import Dataset, plan_units, read_dataset
from abotn.rollout.executor import Setup
from abotn.rollout.folders import (
    already_a_run,
    check_exact_folder,
    exact_run_folder,
    new_run_folder,
)
from abotn.rollout.manifest import as_written, check_same_run, make_manifest
from abotn.rollout.options import (
    PathLike,
    RunOptions,
    agent_name_of,
    attempts_of,
    resolve,
    whole_number,
)
from abotn.rollout.progress import ProgressListener
from abotn.rollout.resume import pending_units, read_old_manifest
from abotn.rollout.rules import Unit
from abotn.rollout.run_lock import locked_run
from abotn.rollout.session import RunOutcome, Session

_MOST_WORKERS = 1024


@dataclass(frozen=True)
class _Prepared:
    setup: Setup
    dataset: Dataset
    units: list[Unit]
    manifest: Callable[[str], dict[str, Any]]


def run(
    task_type: str | None = None,
    agent: Any = None,
    *,
    data_dir: PathLike | None = None,
    output_dir: PathLike | None = None,
    run_dir: PathLike | None = None,
    resume_dir: PathLike | None = None,
    workers: int = 1,
    isolated: bool = False,
    scenes: Iterable[str] = (),
    tasks: Iterable[str] = (),
    fail_fast: bool = False,
    progress: ProgressListener | None = None,
    started: Callable[[Path], None] | None = None,
    **options: Any,
) -> RunOutcome:
    """Roll an agent out over a dataset and write its records.

    Nothing is written before the dataset was read, the protocol is known, and every worker has
    made its agent and its renderer.

    Args:
        task_type: ``"point_goal"`` or ``"poi_goal"``.
        agent: ``"package.module:ClassName"``, a class, or the URL of an agent server.
        data_dir: Folder of the scenes.
        output_dir: The run gets a new folder in it, named by the time; ``"runs"`` by default.
        run_dir: The run's folder itself, new or empty, instead of ``output_dir``.
        resume_dir: Folder of a run to go on with; attempts without a good record are made.
        workers: Number of processes; 1 stays in this one. More need an importable agent class.
        isolated: Whether a single worker is a process of its own too. Then an agent that ends its
            process costs the attempt it was making, and not this process.
        scenes: Names or patterns of the scenes to run; none means all.
        tasks: Names or patterns of the tasks to run; none means all.
        fail_fast: Whether the first attempt that ends with an error stops the run.
        progress: Called at the start and after each attempt.
        started: Called with the run's folder once it is there.
        options: Fields of :class:`abotn.rollout.options.RunOptions`, such as ``protocol``,
            ``overrides``, ``map_dir``, ``agent_config``, ``render``, ``max_steps``, ``seed`` and
            ``attempts``.

    Returns:
        What was done; the records are in its ``folder``.

    Raises:
        ConfigError: an argument cannot be used, or does not fit the run that is resumed, or
            another process is at work in it.
        DataError: the dataset is damaged, or the file system refused.
        AgentError: the agent could not be made, or ``fail_fast`` met an error.
    """
    _check_places(output_dir, run_dir, resume_dir)
    whole_number(workers, "workers", 1, _MOST_WORKERS)
    asked = RunOptions(task_type, agent, data_dir=data_dir, **options)
    old = None if resume_dir is None else read_old_manifest(resume_dir)
    with ExitStack() as held:
        if resume_dir is not None:
            held.enter_context(locked_run(resume_dir))
        prepared = _prepare(asked, old, scenes, tasks)
        if resume_dir is not None:
            check_same_run(old or {}, as_written(prepared.manifest("")), resume_dir)
            pending = pending_units(resume_dir, prepared.units)
        else:
            pending = prepared.units
        crew = held.enter_context(
            closing(make_crew(prepared.setup, workers, pending, isolated=isolated))
        )
        if resume_dir is None:
            folder = _new_folder(prepared, output_dir, run_dir)
            held.enter_context(locked_run(folder))
        else:
            folder = Path(resume_dir)
        if started is not None:
            started(folder)
        # An agent in this process may change the working folder; the records must not follow it.
        session = Session(
            folder.absolute(),
            prepared.setup.rules,
            len(prepared.units),
            fail_fast=fail_fast,
            progress=progress,
        )
        return replace(session.make(crew, pending), folder=folder, **_lacks(prepared))


def _prepare(
    asked: RunOptions,
    old: Mapping[str, Any] | None,
    scenes: Iterable[str],
    tasks: Iterable[str],
) -> _Prepared:
    setup = resolve(asked, old)
    name = agent_name_of(asked, old, setup)
    dataset = read_dataset(setup.data_dir, setup.map_dir)
    versions, attempts = plugin_manager().versions, attempts_of(asked, old)
    units = plan_units(dataset, attempts, scenes, tasks)

    def manifest(run_id: str) -> dict[str, Any]:
        return make_manifest(
            run_id,
            setup.rules,
            dataset,
            agent=setup.agent.entry(name),
            renderer=described(setup.factory, setup.render),
            versions=versions,
            attempts=attempts,
            planned=len(units),
            command=asked.command,
        )

    return _Prepared(setup, dataset, units, manifest)


def _lacks(prepared: _Prepared) -> dict[str, Any]:
    """Return what the run's scenes and tasks lack; see :class:`RunOutcome`."""
    dataset = prepared.dataset
    scenes = dict.fromkeys(unit.scene_id for unit in prepared.units)
    bare = tuple(scene for scene in scenes if scene in dataset.without_map)
    poi = prepared.setup.rules.task_type == "poi_goal"
    units = prepared.units if poi else ()
    nameless = sum((unit.scene_id, unit.task_id) in dataset.nameless for unit in units)
    return {"scenes": len(scenes), "without_map": bare, "nameless": nameless}


def _new_folder(prepared: _Prepared, output_dir: PathLike | None, run_dir: PathLike | None) -> Path:
    if run_dir is not None:
        folder = exact_run_folder(run_dir)
    else:
        label = prepared.manifest("")["agent"]["name"]
        folder = new_run_folder("runs" if output_dir is None else output_dir, label)
    manifest = prepared.manifest(folder.resolve().name)
    try:
        # Another process may have found the folder empty too; only one of them makes the file.
        write_json(folder / MANIFEST_NAME, manifest, schema="run.v1", new=True)
    except FileExistsError as error:
        raise already_a_run(folder) from error
    except BaseException:
        _remove_empty(folder)
        raise
    return folder


def _remove_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return


def _check_places(
    output_dir: PathLike | None, run_dir: PathLike | None, resume_dir: PathLike | None
) -> None:
    given = [
        name
        for name, value in (
            ("output dir", output_dir), ("run dir", run_dir), ("resume dir", resume_dir)
        )
        if value is not None
    ]  # fmt: skip
    if len(given) > 1:
        raise ConfigError(f"give one of them, got {' and '.join(given)}", where="run folder")
    if run_dir is not None:
        check_exact_folder(run_dir)
    if output_dir is not None and Path(output_dir).exists() and not Path(output_dir).is_dir():
        raise ConfigError("the output must be a folder, got a file", where=output_dir)
