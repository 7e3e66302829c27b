"""What a run did, in words."""

from __future__ import annotations

from abotn.rollout.session import RunOutcome


def summary_lines(outcome: RunOutcome) -> list[str]:
    """Return one line of counts, and one of the first error where there was one.

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
    return lines
