"""One attempt after the other by one agent: the loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from abotn.rendering.factory import Renderer
from abotn.rollout.drawings import Drawings
from abotn.rollout.live import Attempt, LiveAttempt
from abotn.rollout.rules import RunRules, Unit, attempt_seed
from abotn.rollout.scene_maps import SceneMaps
from abotn.rollout.scoring import unplanned_record
from abotn.rollout.stages import AttemptFailed, stage
from abotn.scenes.task import Task


class Rollout:
    """Rolls one agent out, one attempt after the other.

    Args:
        agent: The agent; ``reset`` and ``predict`` are called, and ``seed`` where it has one.
        renderer: Makes the views.
        rules: The rules of the run.
        checkpoint: Called before each step; may raise to stop the attempt without a trace.
    """

    def __init__(
        self,
        agent: Any,
        renderer: Renderer,
        rules: RunRules,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        self._agent = agent
        self._renderer = renderer
        self._rules = rules
        self._checkpoint = checkpoint

    def attempt(
        self,
        unit: Unit,
        load: Callable[[], tuple[SceneMaps, Task]],
        images_folder: Path | None = None,
        drawings: Drawings | None = None,
    ) -> Attempt:
        """Make one attempt; whatever fails in it becomes a record with status ``"error"``.

        Args:
            unit: Which attempt it is.
            load: Returns the scene and the task.
            images_folder: Where to keep the views, or None.
            drawings: Keeps what the agent says about its views, or None.
        """
        try:
            live = LiveAttempt(unit, self._rules, self._renderer, load, images_folder, drawings)
        except AttemptFailed as failure:
            return Attempt(unplanned_record(unit, self._rules, failure.entry()), None)
        try:
            self._reset(unit)
            while not live.ended:
                self._step(live)
        except AttemptFailed as failure:
            live.fail(failure)
        return live.finish()

    def _reset(self, unit: Unit) -> None:
        with stage("agent"):
            seed = getattr(self._agent, "seed", None)
            if callable(seed):
                seed(attempt_seed(self._rules.seed, unit))
            self._agent.reset()

    def _step(self, live: LiveAttempt) -> None:
        self._checkpoint()
        observation = live.observe()
        started = time.perf_counter()
        with stage("agent"):
            prediction = self._agent.predict(observation)
        live.execute(prediction, time.perf_counter() - started)
