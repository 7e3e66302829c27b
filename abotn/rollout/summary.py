"""What a run did, in words."""

from __future__ import annotations

from abotn.rollout.session import RunOutcome
from abotn.units import counted

_SHOWN = 5


def summary_lines(outcome: RunOutcome) -> list[str]:
    """Return a line of counts, one of the first error, and what scenes and tasks lack.

    Example:
        >>> from pathlib import Path
        >>> summary_lines(RunOutcome(Path("run"), 3, 2, 1, {"stop": 2}, 2))
        ['2 attempts made, 1 kept from before; 2 reached the goal (2 stop)']
        >>> summary_lines(RunOutcome(Path("run"), 1, 1, 0, {"error": 1}, 0, "a/b: agent: no"))
        ['1 attempt made; 0 reached the goal (1 error)', 'first error: a/b: agent: no']
    """
    counts = ", ".join(f"{count} {status}" for status, count in sorted(outcome.statuses.items()))
    made = f"{outcome.made} attempt{'' if outcome.made == 1 else 's'} made"
    kept = f", {outcome.kept} kept from before" if outcome.kept else ""
    solved = f"{outcome.solved} reached the goal"
    lines = [f"{made}{kept}; {solved}{f' ({counts})' if counts else ''}"]
    if outcome.first_error is not None:
        lines.append(f"first error: {' '.join(outcome.first_error.split())}")
    if outcome.without_map:
        lines.append(_without_map(outcome))
    if outcome.nameless:
        lines.append(_nameless(outcome))
    return lines


def _without_map(outcome: RunOutcome) -> str:
    bare = outcome.without_map
    shown = ", ".join(bare[:_SHOWN]) + (", ..." if len(bare) > _SHOWN else "")
    verb = "has" if len(bare) == 1 else "have"
    of = f"{len(bare)} of {counted(outcome.scenes, 'scenes')}"
    return f"{of} {verb} no map, so nothing is known of collisions there: {shown}"


def _nameless(outcome: RunOutcome) -> str:
    of = f"{outcome.nameless} of {counted(outcome.total, 'attempts')}"
    verb = "has" if outcome.nameless == 1 else "have"
    shown = "so agents were shown an empty name"
    return f"{of} {verb} no POI to name (goal_label of the task), {shown}"
