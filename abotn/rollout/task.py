"""One attempt at one task: the loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.records.types import ResultRecord, Trajectory
from abotn.rendering.factory import Renderer
from abotn.rollout.observation import Observer
from abotn.rollout.plan import make_plan
from abotn.rollout.pose_hits import PoseHits
from abotn.rollout.protocol import Protocol
from abotn.rollout.render_images import save_images
from abotn.rollout.rules import RunRules, Unit, attempt_seed
from abotn.rollout.scene_maps import SceneMaps
from abotn.rollout.scoring import Ending, score, unplanned_record
from abotn.rollout.stages import AttemptFailed, stage
from abotn.rollout.step import Answer, Choice, choose_pose, read_answer
from abotn.rollout.walk import Walk
from abotn.scenes.task import Task

Images = dict[str, NDArray[np.uint8]]


class Attempt(NamedTuple):
    """What an attempt leaves: its record, and its trajectory when it got as far as a start."""

    record: ResultRecord
    trajectory: Trajectory | None


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
    ) -> Attempt:
        """Make one attempt; whatever fails in it becomes a record with status ``"error"``.

        Args:
            unit: Which attempt it is.
            load: Returns the scene and the task.
            images_folder: Where to keep the views, or None.
        """
        try:
            with stage("scene"):
                maps, task = load()
                plan = make_plan(maps, task, self._rules.protocol)
                walk = Walk(plan, maps, self._rules.camera.extrinsic_height)
        except AttemptFailed as failure:
            return Attempt(unplanned_record(unit, self._rules, failure.entry()), None)
        hits = PoseHits(self._rules.protocol)
        try:
            ending = self._walk(unit, maps, walk, hits, images_folder)
        except AttemptFailed as failure:
            ending = Ending("error", failure=failure)
        return Attempt(*score(unit, self._rules, maps, walk, hits, ending))

    def _walk(
        self, unit: Unit, maps: SceneMaps, walk: Walk, hits: PoseHits, images_folder: Path | None
    ) -> Ending:
        protocol = self._rules.protocol
        observer = Observer(maps, self._rules)
        self._reset(unit)
        for _ in range(self._rules.max_steps):
            self._checkpoint()
            images, render_seconds = self._render(unit, walk, images_folder)
            with stage("scene"):
                observation = observer.observe(walk, images)
            answer, agent_seconds = self._ask(observation, protocol)
            choice = _choose(answer, walk, protocol)
            with stage("scene"):
                walk.advance(choice, agent_seconds=agent_seconds, render_seconds=render_seconds)
                hits.add(partial(maps.pose_collides, choice.xy), walk.distance)
            if hits.ended:
                return Ending("collision", answer.arrive)
            if answer.arrive or choice.within_reach:
                return Ending("stop", answer.arrive)
        return Ending("max_steps")

    def _reset(self, unit: Unit) -> None:
        with stage("agent"):
            seed = getattr(self._agent, "seed", None)
            if callable(seed):
                seed(attempt_seed(self._rules.seed, unit))
            self._agent.reset()

    def _render(self, unit: Unit, walk: Walk, images_folder: Path | None) -> tuple[Images, float]:
        started = time.perf_counter()
        with stage("render"):
            images = self._renderer.render(walk.pose, unit.scene_id)
        seconds = time.perf_counter() - started
        if images_folder is not None and images:
            save_images(images_folder, walk.steps, images)
        return images, seconds

    def _ask(self, observation: Any, protocol: Protocol) -> tuple[Answer, float]:
        started = time.perf_counter()
        with stage("agent"):
            prediction = self._agent.predict(observation)
            seconds = time.perf_counter() - started
            return read_answer(prediction, protocol.waypoint_frame), seconds


def _choose(answer: Answer, walk: Walk, protocol: Protocol) -> Choice:
    return choose_pose(
        answer,
        walk.position[:2],
        walk.yaw,
        walk.plan.goal_xy,
        execute_waypoint=protocol.execute_waypoint,
        auto_arrive_within=protocol.arrive_threshold if protocol.auto_arrive else None,
    )
