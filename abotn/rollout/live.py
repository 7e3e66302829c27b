"""One attempt while it is being made, step by step: observe, execute, observe, ..., finish."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.agents.interface import Observation
from abotn.records.types import ResultRecord, Trajectory
from abotn.rendering.factory import Renderer
from abotn.rollout.drawings import Drawings
from abotn.rollout.observation import Observer
from abotn.rollout.plan import make_plan
from abotn.rollout.pose_hits import PoseHits
from abotn.rollout.protocol import Protocol
from abotn.rollout.render_images import checked_views, save_images
from abotn.rollout.rules import RunRules, Unit
from abotn.rollout.scene_maps import SceneMaps
from abotn.rollout.scoring import Ending, score
from abotn.rollout.stages import AttemptFailed, stage
from abotn.rollout.step import Answer, Choice, choose_pose, read_answer
from abotn.rollout.walk import Walk
from abotn.scenes.task import Task

Images = dict[str, NDArray[np.uint8]]


class Attempt(NamedTuple):
    """What an attempt leaves: its record, and its trajectory when it got as far as a start."""

    record: ResultRecord
    trajectory: Trajectory | None


class LiveAttempt:
    """One attempt at one task.

    Args:
        unit: Which attempt it is.
        rules: The rules of the run.
        renderer: Makes the views.
        load: Returns the scene and the task.
        images_folder: Where to keep the views, or None.
        drawings: Keeps what the agent says about its views, or None.

    Raises:
        AttemptFailed: the scene or the task cannot be used.
    """

    def __init__(
        self,
        unit: Unit,
        rules: RunRules,
        renderer: Renderer,
        load: Callable[[], tuple[SceneMaps, Task]],
        images_folder: Path | None = None,
        drawings: Drawings | None = None,
    ) -> None:
        self.unit = unit
        self._rules = rules
        self._renderer = renderer
        self._images_folder = images_folder
        self._drawings = drawings
        self._images: Images = {}
        with stage("scene"):
            self._maps, task = load()
            plan = make_plan(self._maps, task, rules.protocol)
            self._walk = Walk(plan, self._maps, rules.camera.extrinsic_height)
            self._observer = Observer(self._maps, rules)
        self._hits = PoseHits(rules.protocol)
        self._ending: Ending | None = None
        self._render_seconds = 0.0

    @property
    def ended(self) -> bool:
        """Whether it is over, for whatever reason."""
        return self._ending is not None

    def observe(self) -> Observation:
        """Render the views of the last pose and return what the agent sees there.

        Raises:
            AttemptFailed: the renderer failed.
            DataError: a view cannot be kept.
        """
        started = time.perf_counter()
        with stage("render"):
            images = checked_views(self._renderer.render(self._walk.pose, self.unit.scene_id))
        self._images = images if self._drawings is not None else {}
        self._render_seconds = time.perf_counter() - started
        if self._images_folder is not None and images:
            save_images(self._images_folder, self._walk.steps, images)
        with stage("scene"):
            return self._observer.observe(self._walk, images)

    def execute(self, prediction: Any, agent_seconds: float = 0.0) -> None:
        """Execute what the agent answered to the last observation.

        Args:
            prediction: A ``WaypointPrediction``.
            agent_seconds: How long the agent took.

        Raises:
            AttemptFailed: the answer cannot be used.
            DataError: a drawing cannot be kept.
        """
        protocol, walk = self._rules.protocol, self._walk
        with stage("agent"):
            answer = read_answer(prediction, protocol.waypoint_frame)
            extra = getattr(prediction, "extra", None)
        if self._drawings is not None:
            self._drawings.draw(walk.steps, self._images, extra)
        choice = _choose(answer, walk, protocol)
        with stage("scene"):
            walk.advance(choice, agent_seconds=agent_seconds, render_seconds=self._render_seconds)
            self._hits.add(partial(self._maps.pose_collides, choice.xy), walk.distance)
        self._ending = self._ending_after(answer, choice)

    def fail(self, failure: AttemptFailed) -> None:
        """End it as an error."""
        self._ending = Ending("error", failure=failure)

    def finish(self) -> Attempt:
        """Return the record and the trajectory; one that has not ended ran out of steps."""
        ending = self._ending or Ending("max_steps")
        return Attempt(*score(self.unit, self._rules, self._maps, self._walk, self._hits, ending))

    def _ending_after(self, answer: Answer, choice: Choice) -> Ending | None:
        if self._hits.ended:
            return Ending("collision", answer.arrive)
        if answer.arrive or choice.within_reach:
            return Ending("stop", answer.arrive)
        return Ending("max_steps") if self._walk.steps >= self._rules.max_steps else None


def _choose(answer: Answer, walk: Walk, protocol: Protocol) -> Choice:
    return choose_pose(
        answer,
        walk.position[:2],
        walk.yaw,
        walk.plan.goal_xy,
        execute_waypoint=protocol.execute_waypoint,
        auto_arrive_within=protocol.arrive_threshold if protocol.auto_arrive else None,
    )
