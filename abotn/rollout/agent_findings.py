"""What walks on an empty map say about an agent, in words."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import AgentError, error_text, text_of
from abotn.geometry.frames import world_to_local
from abotn.rendering.render_check import Finding
from abotn.rollout.agent_trials import StepTaken, Trial

FloatArray = NDArray[np.float64]

_NEAR_GOAL = 1.0
_CLEAR = 0.5
_MUCH_BETTER = 0.2
_LONGEST_STEP = 20.0
_SHORTEST = 1e-6
_AXES = {"front": (1.0, 0.0), "back": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
_FRAMES = MappingProxyType({"front_left": "[front, left]", "right_front": "[right, front]"})
_WORLD = "the world's [x, y]"


def resets_finding(trials: list[Trial]) -> Finding:
    """Whether the agent could be seeded and reset before each walk."""
    unseen = [trial for trial in trials if trial.failure and not trial.observations]
    if unseen:
        cause = _cause(unseen[0])
        return Finding("resets", "problem", f"{len(unseen)} of {len(trials)} failed: {cause}")
    longest = 1000.0 * max(trial.reset_seconds for trial in trials)
    return Finding("resets", "ok", f"{len(trials)} times, the longest took {longest:.1f} ms")


def output_finding(trials: list[Trial]) -> Finding:
    """Whether its answers are waypoints, and how many."""
    failed = [trial for trial in trials if trial.failure and trial.observations]
    seen = [trial for trial in failed if not _not_finite(trial)]
    if seen:
        trial = seen[0]
        when = f"at step {len(trial.steps)} of the walk to a goal {_side(trial.goal)}"
        return Finding("output", "problem", f"{_cause(trial)} ({when})")
    counts = sorted({len(step.waypoints) for trial in trials for step in trial.steps})
    if not counts:
        return Finding("output", "note", "no answer could be used")
    numbers = " or ".join(map(str, counts))
    plural = "" if counts == [1] else "s"
    answers = sum(len(trial.steps) for trial in trials)
    return Finding("output", "ok", f"{numbers} waypoint{plural} in each of {answers} answers")


def finite_finding(trials: list[Trial]) -> Finding:
    """Whether its numbers are finite, and plausible as metres."""
    broken = [trial for trial in trials if _not_finite(trial)]
    if broken:
        return Finding("finite", "problem", _cause(broken[0]))
    lengths = [np.hypot(*step.waypoints.T).max() for trial in trials for step in trial.steps]
    if not lengths:
        return Finding("finite", "note", "no answer to look at")
    longest = float(max(lengths))
    message = f"all numbers are; the farthest waypoint is {longest:.3g} m away"
    if longest > _LONGEST_STEP:
        return Finding("finite", "note", f"{message}; are its numbers metres?")
    return Finding("finite", "ok", message)


def frame_finding(trials: list[Trial], waypoint_frame: str) -> Finding:
    """Whether its waypoints lead to its goals, and under which other reading they would.

    A reading's score is ``sum(w . t) / sum(|w|)`` over the executed waypoints ``w`` and the unit
    vectors ``t`` to the goal: 1 when all waypoints point at the goal, -1 when all point away.

    Args:
        trials: Walks with at least one step.
        waypoint_frame: The frame that the run reads them in.
    """
    steps = [step for trial in trials for step in trial.steps]
    far = [step for step in steps if np.hypot(*step.target) > _NEAR_GOAL]
    given = np.array([step.waypoints[step.executed] for step in far]).reshape(-1, 2)
    if np.hypot(*given.T).sum() < _SHORTEST:
        return Finding("frame", "note", "the agent does not move, so its frame cannot be told")
    if _one_direction(given):
        message = "walks in one direction wherever its goal is, so its frame cannot be told"
        return Finding("frame", "note", message)
    scores = _scores(given, far)
    shown = _FRAMES[waypoint_frame]
    here, best = scores[shown], max(scores, key=lambda reading: scores[reading])
    cosine = f"(mean cosine to the goal {here:.2f})"
    if here >= _CLEAR and scores[best] - here < _MUCH_BETTER:
        return Finding("frame", "ok", f"walks towards its goals, read as {shown} {cosine}")
    if scores[best] < _CLEAR:
        message = f"walks towards its goals neither read as {shown} {cosine} nor otherwise"
        return Finding("frame", "note", message)
    way = "away from" if here < -_CLEAR else "not straight to" if here >= _CLEAR else "past"
    message = f"walks {way} its goals, read as {shown} {cosine}"
    return Finding("frame", "problem", f"{message}; {_way_out(best, scores[best])}")


def stop_finding(trials: list[Trial], radius: float, *, found_way: bool) -> Finding:
    """Whether it declares arrival where it has arrived, and nowhere else.

    Args:
        trials: All walks, none of which failed.
        radius: Arrival radius, metres.
        found_way: Whether it walks towards its goals at all.
    """
    wrong = [trial for trial in trials if trial.stopped and trial.distances[-1] > radius]
    right = [trial for trial in trials if trial.stopped and trial.distances[-1] <= radius]
    if wrong:
        farthest = max(trial.distances[-1] for trial in wrong)
        message = f"declares arrival {farthest:.3g} m from its goal; the radius is {radius:g} m"
        verdict = "problem" if found_way else "note"
        return Finding("stop", verdict, f"{message} ({len(wrong)} of {len(trials)} walks)")
    if len(right) == len(trials):
        return Finding("stop", "ok", f"declares arrival within {radius:g} m of its goal, always")
    near = [trial for trial in trials if not trial.stopped and min(trial.distances) <= radius]
    if near:
        return Finding(
            "stop", "note",
            f"came within {radius:g} m and did not declare arrival in {len(near)} of "
            f"{len(trials)} walks; a protocol that requires a stop counts these as failures",
        )  # fmt: skip
    nearest = min(min(trial.distances) for trial in trials if not trial.stopped)
    steps = max(len(trial.steps) for trial in trials)
    return Finding(
        "stop", "note", f"came no nearer than {nearest:.3g} m in {steps} steps, so it is not known"
    )


def time_finding(trials: list[Trial]) -> Finding:
    """How long its answers take."""
    seconds = [step.seconds for trial in trials for step in trial.steps]
    first, median, longest = seconds[0], float(np.median(seconds)), max(seconds)
    return Finding(
        "time", "ok",
        f"median {1000 * median:.1f} ms a step, longest {1000 * longest:.1f} ms, "
        f"the first {1000 * first:.1f} ms",
    )  # fmt: skip


def said(cause: BaseException) -> str:
    """Return what an error says, with its type unless it is an answer that cannot be used."""
    return text_of(cause) if isinstance(cause, AgentError) else error_text(cause)


def _one_direction(given: FloatArray) -> bool:
    lengths = np.hypot(*given.T)
    looks = given[lengths > _SHORTEST] / lengths[lengths > _SHORTEST, np.newaxis]
    return bool(np.ptp(looks, axis=0).max() < _SHORTEST)


def _scores(given: FloatArray, steps: list[StepTaken]) -> Mapping[str, float]:
    targets = np.array([step.target / np.hypot(*step.target) for step in steps])
    read = {
        f"[{first}, {second}]": given @ np.array([ahead, beside])
        for first, ahead in _AXES.items()
        for second, beside in _AXES.items()
        if np.dot(ahead, beside) == 0.0
    }
    read[_WORLD] = world_to_local(given, (0.0, 0.0), [step.heading for step in steps])
    length = float(np.hypot(*given.T).sum())
    return {name: float((local * targets).sum()) / length for name, local in read.items()}


def _way_out(reading: str, score: float) -> str:
    found = f"as {reading} they would lead there ({score:.2f})"
    for frame, shown in _FRAMES.items():
        if shown == reading:
            option = f"run it with --waypoint-frame {frame}"
            return f'{found}: set waypoint_frame = "{frame}" in its class, or {option}'
    return f"{found}, which is no frame of a run: convert them to [front, left]"


def _not_finite(trial: Trial) -> bool:
    with suppress(TypeError, ValueError):
        for name in ("waypoint", "directions"):
            value: Any = getattr(trial.prediction, name, None)
            if value is not None and not np.isfinite(np.asarray(value, dtype=np.float64)).all():
                return True
    return False


def _cause(trial: Trial) -> str:
    assert trial.failure is not None
    return said(trial.failure.cause)


def _side(goal: str) -> str:
    return goal if goal in ("ahead", "behind") else f"to the {goal}"
