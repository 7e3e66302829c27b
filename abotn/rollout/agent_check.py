"""Whether an agent does what a run expects of it, in words."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.agents.description import AgentDescription
from abotn.agents.loader import make_agent
from abotn.agents.remote import RemoteAgent, let_go
from abotn.errors import AgentError
from abotn.rendering.factory import create_embedded, create_none
from abotn.rendering.render_check import Finding
from abotn.rollout.agent_choice import ChosenAgent
from abotn.rollout.agent_findings import (
    finite_finding,
    frame_finding,
    output_finding,
    resets_finding,
    said,
    stop_finding,
    time_finding,
)
from abotn.rollout.agent_trials import Trial, answers_again, empty_scene, make_trials
from abotn.rollout.protocol import POIBENCH, POINTBENCH_OUTDOOR
from abotn.rollout.rules import RunRules
from abotn.rollout.scene_maps import scene_source
from abotn.rollout.stages import AttemptFailed
from abotn.rollout.step import Answer

_SAME = 1e-6
_RENDERERS = {"embedded": create_embedded, "none": create_none}


def doctor_rules(
    agent: AgentDescription,
    task_type: str,
    *,
    steps: int = 30,
    seed: int = 0,
    waypoint_frame: str | None = None,
    provide: Iterable[str] = (),
) -> RunRules:
    """Return the rules of the walks: the task type's own, but only the agent itself can stop.

    Args:
        agent: The agent; it gets what it declares to need.
        task_type: ``"point_goal"`` or ``"poi_goal"``.
        steps: Largest number of steps of a walk.
        seed: Seed of the walks.
        waypoint_frame: How its waypoints are read; None takes what it declares.
        provide: Optional observation fields that it gets besides.

    Raises:
        UnknownNameError: there is no such frame.
    """
    usual = POIBENCH if task_type == "poi_goal" else POINTBENCH_OUTDOOR
    protocol = usual.read_as(agent.waypoint_frame)
    return RunRules(
        task_type=task_type,
        protocol=protocol.override(auto_arrive=False, waypoint_frame=waypoint_frame),
        max_steps=steps,
        seed=seed,
        provide=frozenset([*agent.needs, *provide]),
    )


def check_agent(
    chosen: ChosenAgent, rules: RunRules, render: str = "embedded"
) -> Iterator[Finding]:
    """Let an agent walk to four goals on an empty map and look at what it does.

    Args:
        chosen: The agent.
        rules: The rules of the walks.
        render: ``"embedded"`` or ``"none"``.

    Yields:
        Findings, as they are made.
    """
    started = time.perf_counter()
    try:
        agent = make_agent(chosen.agent_class, dict(chosen.config))
    except AgentError as error:
        yield Finding("loads", "problem", str(error))
        return
    yield _loading(chosen, time.perf_counter() - started)
    scene = empty_scene(rules.task_type)
    renderer = _RENDERERS[render]("", scene_source(lambda scene_id: scene), rules.camera)
    try:
        with closing(renderer):
            trials = list(make_trials(agent, renderer, rules, scene))
        yield from _findings(trials, rules)
        if all(trial.failure is None for trial in trials):
            yield _leftover(agent, chosen, rules, trials[0])
    finally:
        let_go(agent)


def _findings(trials: list[Trial], rules: RunRules) -> Iterator[Finding]:
    yield resets_finding(trials)
    if any(trial.observations for trial in trials):
        yield output_finding(trials)
        yield finite_finding(trials)
    walked = [trial for trial in trials if trial.steps]
    if not walked:
        return
    frame = frame_finding(walked, rules.protocol.waypoint_frame)
    yield frame
    if all(trial.failure is None for trial in trials):
        radius = rules.protocol.arrive_threshold
        yield stop_finding(trials, radius, found_way=frame.verdict == "ok")
    yield time_finding(walked)


def _loading(chosen: ChosenAgent, seconds: float) -> Finding:
    agent = chosen.description
    where = f" in {chosen.config['url']}" if chosen.agent_class is RemoteAgent else ""
    needs = f"; it needs {', '.join(agent.needs)}" if agent.needs else ""
    return Finding("loads", "ok", f"{agent.path}{where}, made in {seconds:.2f} s{needs}")


def _leftover(agent: Any, chosen: ChosenAgent, rules: RunRules, first: Trial) -> Finding:
    expected = [step.answer for step in first.steps][: len(first.observations)]
    try:
        again = _difference(expected, answers_again(agent, rules, first))
    except AttemptFailed as error:
        return Finding("leftover", "problem", f"it failed when asked again: {said(error.cause)}")
    if again is None:
        message = f"the same {len(expected)} observations after a reset give the same answers"
        return Finding("leftover", "ok", message)
    message = f"the same observations after a reset give other answers from step {again} on"
    try:
        fresh = _difference(expected, _answers_of_another(chosen, rules, first))
    except (AttemptFailed, AgentError) as error:
        reason = said(getattr(error, "cause", error))
        return Finding("leftover", "note", f"{message}; a new agent could not be asked: {reason}")
    if fresh is None:
        message = f"{message}, and those of a new agent are the first ones"
        return Finding("leftover", "problem", f"{message}: reset() leaves something behind")
    hint = "" if callable(getattr(agent, "seed", None)) else "; it has no method seed(seed)"
    message = f"{message}, and so does a new agent: it is left to chance"
    return Finding("leftover", "note", f"{message}, so a run cannot be repeated{hint}")


def _answers_of_another(chosen: ChosenAgent, rules: RunRules, first: Trial) -> list[Answer]:
    other = make_agent(chosen.agent_class, dict(chosen.config))
    try:
        return answers_again(other, rules, first)
    finally:
        let_go(other)


def _difference(first: list[Answer], second: list[Answer]) -> int | None:
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        same = one.arrive == other.arrive and one.waypoints.shape == other.waypoints.shape
        if not same or not (
            _close(one.waypoints, other.waypoints) and _close(one.turns, other.turns)
        ):
            return index
    return None


def _close(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    return bool(np.allclose(first, second, rtol=_SAME, atol=_SAME))
