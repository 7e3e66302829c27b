"""A run that a class of the user's own makes, instead of the evaluator of this package."""

from __future__ import annotations

import argparse
import os
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from abotn.agents.config import agent_config_from
from abotn.agents.loader import load_agent_class, load_class, make_agent
from abotn.compat.config import EvalConfig
from abotn.compat.evaluators import PointGoalEvaluator
from abotn.errors import AbotnError, ConfigError, DataError
from abotn.rollout.progress import Progress, ProgressListener
from abotn.rollout.session import RunOutcome
from abotn.scenes.episode import Episode
from abotn.scenes.gaussian_scene import GaussianScene


def run_with_evaluator(given: argparse.Namespace, config: EvalConfig) -> RunOutcome:
    """Let the class that ``--evaluator-module`` names make the run.

    Args:
        given: The options of a published runner.
        config: The configuration they stand for.

    Raises:
        AbotnError: an option cannot be used, or the class failed.
    """
    from abotn.rollout.folders import new_run_folder
    from abotn.rollout.progress import progress_bar

    evaluator_class = _evaluator_class(given.evaluator_module)
    agent_class = load_agent_class(given.agent_module)
    scene = GaussianScene(given.data_dir, given.map_dir)
    agent = make_agent(agent_class, agent_config_from(given.agent_config) or {})
    renderer = _renderer(config, scene)
    folder = given.resume_dir
    if folder is None:
        folder = new_run_folder(given.output_dir, agent_class.__name__)
    with progress_bar(given.agent_module) as listen, _in_one_line(given.evaluator_module):
        count = _Count(listen)
        evaluator = evaluator_class(
            scene=scene, renderer=renderer, config=config, output_dir=os.fspath(folder)
        )
        evaluator.evaluate(agent, resume_dir=given.resume_dir, progress=count)
    return count.outcome(Path(folder))


def _evaluator_class(module_path: str) -> type[PointGoalEvaluator]:
    where = f"evaluator {module_path}"
    try:
        found = load_class(module_path)
    except (ValueError, ImportError, AttributeError, TypeError) as error:
        raise ConfigError(str(error), where=where) from error
    if not issubclass(found, PointGoalEvaluator):
        raise ConfigError(
            f"expected a subclass of PointGoalEvaluator or PoiGoalEvaluator, got {found.__name__}",
            where=where,
        )
    return found


def _renderer(config: EvalConfig, scene: GaussianScene) -> Any:
    from abotn.plugins.manager import plugin_manager
    from abotn.rendering.camera import CameraConfig
    from abotn.rendering.factory import choose_factory
    from abotn.rollout.scene_maps import scene_source

    def find(scene_id: str) -> Episode:
        episode = scene.get_episode_by_id(scene_id)
        if episode is None:
            raise DataError(f"there is no scene {scene_id!r}", where=scene.local_data_path)
        return episode

    kinds = [offer.value for offer in plugin_manager().offers("abotn_renderers")]
    factory = choose_factory(config.render_url, kinds)
    camera = config.camera_config or CameraConfig()
    return factory.create(config.render_url, scene_source(find), camera)


@contextmanager
def _in_one_line(module_path: str) -> Iterator[None]:
    """Say in one line what a class of the user's own raised, also when it wanted to exit."""
    try:
        yield
    except (AbotnError, OSError):
        raise
    except (Exception, SystemExit) as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise ConfigError(
            f"{type(error).__name__}: {error}",
            where=f"evaluator {module_path}",
            hint=f"raised at {place.filename}:{place.lineno}",
        ) from error


class _Count:
    """Counts the records of a run on their way to another listener."""

    def __init__(self, listen: ProgressListener | None) -> None:
        self._listen = listen
        self._statuses: Counter[str] = Counter()
        self._solved = self._kept = self._total = 0
        self._first_error: str | None = None

    def __call__(self, event: Progress) -> None:
        record = event.record
        self._total = event.total
        if record is None:
            self._kept = event.done
        else:
            self._statuses[record.status] += 1
            self._solved += record.success
            if record.error is not None and self._first_error is None:
                said = ": ".join(str(record.error[key]) for key in ("stage", "type", "message"))
                self._first_error = f"{record.episode_id}/{record.task_id}: {said}"
        if self._listen is not None:
            self._listen(event)

    def outcome(self, folder: Path) -> RunOutcome:
        """Return what the run did."""
        made = self._statuses.total()
        counts = dict(self._statuses)
        return RunOutcome(
            folder, self._total, made, self._kept, counts, self._solved, self._first_error
        )
