"""The published evaluators: an agent over a scene, in one go or step by step."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from abotn.agents.interface import Observation
from abotn.agents.loader import needs_of
from abotn.compat.config import EvalConfig, PoiGoalEvalConfig
from abotn.compat.evaluator_run import EvaluatorRun
from abotn.compat.renderers import as_renderer
from abotn.errors import ConfigError
from abotn.records.files import record_folder
from abotn.rollout.drawings import cleared_pictures
from abotn.rollout.executor import write_attempt
from abotn.rollout.live import Attempt, LiveAttempt
from abotn.rollout.progress import ProgressListener
from abotn.rollout.rules import RunRules, Unit, attempt_seed
from abotn.rollout.scene_maps import SceneMaps
from abotn.rollout.scoring import unplanned_record
from abotn.rollout.stages import AttemptFailed, stage
from abotn.scenes.episode import Episode
from abotn.scenes.gaussian_scene import GaussianScene
from abotn.scenes.task import Task


class PointGoalEvaluator:
    """Evaluates point-goal agents over a scene.

    In one go: ``results = evaluator.evaluate(agent)``. Step by step::

        evaluator.start(episode, task)
        agent.reset()
        while not evaluator.done:
            evaluator.step(agent.predict(evaluator.build_observation()))
        result = evaluator.save_result()

    A subclass may replace ``build_observation``, ``step`` and ``save_result``; ``evaluate`` calls
    them.

    Args:
        scene: The scenes; their maps stay as they are, whatever the configuration widens.
        renderer: An object with ``render_at_pose(pose, scene_id)``.
        config: The configuration; the defaults of the class otherwise.
        output_dir: The run's folder; made with the first record.

    Raises:
        ConfigError: the renderer or the configuration is of the wrong kind.
    """

    config_class: ClassVar[type[EvalConfig]] = EvalConfig

    def __init__(
        self,
        scene: GaussianScene,
        renderer: Any,
        config: EvalConfig | None = None,
        output_dir: str | os.PathLike[str] = "./eval_output",
    ) -> None:
        as_renderer(renderer)
        self.scene = scene
        self.renderer = renderer
        self.config = self.config_class() if config is None else config
        if not isinstance(self.config, self.config_class):
            raise ConfigError(
                f"expected a {self.config_class.__name__}, got a {type(self.config).__name__}",
                where="config",
            )
        self.output_dir = os.fspath(output_dir)
        self._run: EvaluatorRun | None = None
        self._rules: RunRules | None = None
        self._maps: tuple[Episode, SceneMaps] | None = None
        self._hand: _Hand | None = None

    @property
    def done(self) -> bool:
        """Whether the attempt in hand is over; also when there is none."""
        hand = self._hand
        return hand is None or hand.live is None or hand.failure is not None or hand.live.ended

    def evaluate(
        self,
        agent: Any,
        resume_dir: str | os.PathLike[str] | None = None,
        *,
        progress: ProgressListener | None = None,
    ) -> list[dict[str, Any]]:
        """Evaluate an agent over every task that has no good record yet.

        Args:
            agent: The agent; ``reset`` and ``predict`` are called, and ``seed`` where it has one.
            resume_dir: Folder of a run to go on with, instead of ``output_dir``.
            progress: Called at the start and after each task.

        Returns:
            The results of the tasks evaluated now, in order.

        Raises:
            ConfigError: the folder holds a run of another kind, or a value cannot be used.
            DataError: the file system refused.
        """
        if resume_dir is not None:
            self.output_dir = os.fspath(resume_dir)
        kind = type(agent)
        rules = self.config.rules(needs_of(kind), getattr(kind, "waypoint_frame", None))
        self._begin(rules, kind)
        assert self._run is not None
        return self._run.make(
            lambda episode, task: self._evaluate_task(agent, episode, task), progress
        )

    def start(self, episode: Episode, task: Task) -> None:
        """Take a task in hand; one that was in hand and not saved is forgotten.

        Raises:
            AbotnError: the task cannot be started; ``save_result`` then records an error.
        """
        if self._run is None:
            self._begin(self.config.rules(), None)
        assert self._rules is not None
        hand = _Hand(Unit(episode.episode_id, task.task_id))
        self._hand = hand
        folder = record_folder(self.output_dir, *hand.unit)
        with _noting_failure(hand):
            hand.live = LiveAttempt(
                hand.unit,
                self._rules,
                as_renderer(self.renderer),
                lambda: (self._scene_maps(episode), task),
                *cleared_pictures(folder, self._rules),
            )

    def build_observation(self) -> Observation:
        """Return what the agent sees now; with no task in hand, the next one is started.

        Raises:
            RenderFailureError: the views did not come; ``save_result`` then records an error.
            ConfigError: there is no task left.
        """
        if self._hand is None:
            self._start_next()
        hand, live = self._in_hand()
        if hand.observation is None or not live.ended:
            with _noting_failure(hand):
                hand.observation = live.observe()
        hand.asked_at = time.perf_counter()
        return hand.observation

    def step(self, prediction: Any) -> bool:
        """Execute what the agent answered; return whether the task is over.

        A step after the end changes nothing.

        Raises:
            ConfigError: no task is in hand.
            AgentError: the answer cannot be used; ``save_result`` then records an error.
        """
        hand, live = self._in_hand()
        if not live.ended:
            seconds = time.perf_counter() - hand.asked_at
            with _noting_failure(hand):
                live.execute(prediction, seconds)
        return live.ended

    def save_result(self) -> dict[str, Any]:
        """Write the record of the task in hand and return it; a task is then no longer in hand.

        Raises:
            ConfigError: no task is in hand.
            DataError: the file system refused.
        """
        hand, rules = self._hand, self._rules
        if hand is None or rules is None:
            raise ConfigError("no task is in hand", hint="start one first")
        attempt = hand.finish(rules)
        write_attempt(record_folder(self.output_dir, *hand.unit), attempt)
        self._hand = None
        return attempt.record.to_dict()

    def _evaluate_task(self, agent: Any, episode: Episode, task: Task) -> dict[str, Any]:
        try:
            self.start(episode, task)
            hand, _ = self._in_hand()
            with _noting_failure(hand), stage("agent"):
                _reset(agent, attempt_seed(self.config.seed, hand.unit))
            while not self.done:
                observation = self.build_observation()
                with _noting_failure(hand), stage("agent"):
                    prediction = agent.predict(observation)
                self.step(prediction)
        except (Exception, SystemExit):
            if self._hand is None or self._hand.failure is None:
                raise
        return self.save_result()

    def _in_hand(self) -> tuple[_Hand, LiveAttempt]:
        if self._hand is None or self._hand.live is None:
            raise ConfigError("no task is in hand", hint="start one first")
        return self._hand, self._hand.live

    def _begin(self, rules: RunRules, agent_class: type[Any] | None) -> None:
        run = EvaluatorRun(self.scene, self.renderer, rules, Path(self.output_dir))
        run.open(agent_class)
        self._run, self._rules, self._maps = run, rules, None

    def _start_next(self) -> None:
        if self._run is None:
            self._begin(self.config.rules(), None)
        assert self._run is not None
        pending = self._run.pending()
        if not pending:
            raise ConfigError(
                "every task of the scene has a record", where=self.output_dir, hint="choose another"
            )
        self.start(*pending[0])

    def _scene_maps(self, episode: Episode) -> SceneMaps:
        assert self._rules is not None
        if self._maps is None or self._maps[0] is not episode:
            self._maps = episode, SceneMaps(episode, self._rules.protocol)
        return self._maps[1]


class PoiGoalEvaluator(PointGoalEvaluator):
    """Evaluates POI-goal agents over a scene; see :class:`PointGoalEvaluator`."""

    config_class: ClassVar[type[EvalConfig]] = PoiGoalEvalConfig


def _reset(agent: Any, seed: int) -> None:
    if callable(getattr(agent, "seed", None)):
        agent.seed(seed)
    agent.reset()


@dataclass
class _Hand:
    """A task in hand."""

    unit: Unit
    live: LiveAttempt | None = None
    failure: AttemptFailed | None = None
    observation: Observation | None = None
    asked_at: float = 0.0

    def finish(self, rules: RunRules) -> Attempt:
        """Return what it leaves."""
        if self.live is None:
            assert self.failure is not None
            return Attempt(unplanned_record(self.unit, rules, self.failure.entry()), None)
        if self.failure is not None:
            self.live.fail(self.failure)
        return self.live.finish()


@contextmanager
def _noting_failure(hand: _Hand) -> Iterator[None]:
    """Remember a failure for the record, and raise what caused it."""
    try:
        yield
    except AttemptFailed as failure:
        hand.failure = failure
        raise failure.cause from None
