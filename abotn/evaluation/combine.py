"""Several evaluations in one file, agent by agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

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
        damaged=tuple(
            {**one, "agent": agent} for agent, result in results.items() for one in result.damaged
        ),
        provenance={
            "agents": {agent: dict(result.provenance) for agent, result in results.items()},
            "agent_counts": {agent: dict(result.counts) for agent, result in results.items()},
        },
        name=name,
    )


def split(result: EvaluationResult) -> dict[str, EvaluationResult]:
    """Return the evaluations that :func:`combine` put together, empty for any other one.

    Metrics that an agent's evaluation left out as not computable are not kept.
    """
    provenance = result.provenance.get("agents")
    if result.metrics or not provenance or AGENT_GROUPING not in result.groups:
        return {}
    kept = result.provenance.get("agent_counts") or {}
    agents = {group.label: group for group in result.groups[AGENT_GROUPING]}
    return {
        agent: EvaluationResult(
            metrics=group.metrics,
            groups=dict(_own_groups(result, agent)),
            counts=kept.get(agent, {"scored": group.count}),
            damaged=tuple(one for one in result.damaged if one.get("agent") == agent),
            provenance=provenance.get(agent, {}),
            name=agent,
        )
        for agent, group in agents.items()
    }


def _own_groups(
    result: EvaluationResult, agent: str
) -> Iterator[tuple[str, tuple[GroupResult, ...]]]:
    """Yield an agent's groupings and their groups, under the names they had."""
    outer, inner = f"{AGENT_GROUPING} / ", f"{agent} / "
    agents = [group.label for group in result.groups[AGENT_GROUPING]]
    for grouping, groups in result.groups.items():
        own = [group for group in groups if _owner(group.label, agents) == agent]
        if grouping.startswith(outer) and own:
            yield (
                grouping.removeprefix(outer),
                tuple(replace(g, label=g.label.removeprefix(inner)) for g in own),
            )


def _owner(label: str, agents: Sequence[str]) -> str:
    """Return the agent that a label starts with, the longest where one name starts another."""
    return max((a for a in agents if label.startswith(f"{a} / ")), key=len, default="")


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    names = dict.fromkeys(name for one in counts for name in one)
    return {name: sum(one.get(name, 0) for one in counts) for name in names}
