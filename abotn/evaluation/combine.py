"""Several evaluations in one file, agent by agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from abotn.errors import EvaluationInputError
from abotn.results.types import EvaluationResult, GroupResult

AGENT_GROUPING = "agent"


def combine(results: Mapping[str, EvaluationResult], *, name: str = "") -> EvaluationResult:
    """Return one evaluation whose groups are the agents.

    There is no figure over all agents, so ``metrics`` is empty. Each agent is a group of grouping
    ``agent``; an agent's own groups stand in ``agent / GROUPING``, labelled ``AGENT / LABEL``.

    Args:
        results: Evaluations by agent name.
        name: Name of the whole.

    Raises:
        EvaluationInputError: there is none.
    """
    if not results:
        raise EvaluationInputError("no evaluation to combine", where="results")
    groups: dict[str, list[GroupResult]] = {AGENT_GROUPING: []}
    for agent, result in results.items():
        scored = result.counts.get("scored", 0)
        groups[AGENT_GROUPING].append(GroupResult(agent, scored, result.metrics))
        for grouping, members in result.groups.items():
            inner = [GroupResult(f"{agent} / {g.label}", g.count, g.metrics) for g in members]
            groups.setdefault(f"{AGENT_GROUPING} / {grouping}", []).extend(inner)
    return EvaluationResult(
        metrics=(),
        groups={label: tuple(members) for label, members in groups.items()},
        counts=_summed([result.counts for result in results.values()]),
        damaged=tuple(one for result in results.values() for one in result.damaged),
        provenance={"agents": {agent: dict(r.provenance) for agent, r in results.items()}},
        name=name,
    )


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    names = dict.fromkeys(name for one in counts for name in one)
    return {name: sum(one.get(name, 0) for one in counts) for name in names}
