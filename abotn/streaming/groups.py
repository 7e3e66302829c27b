"""Which positives stand against which negatives, overall, by anomaly type and by town."""

from __future__ import annotations

from dataclasses import dataclass

from abotn.errors import ConfigError
from abotn.streaming.dataset import Scenario
from abotn.streaming.score_store import Place, Selection

#: What a type's own positives are compared with: its own negatives, the normal scenarios' scores,
#: both, or every negative there is.
NEGATIVES = ("own", "normal", "own_and_normal", "all")

#: Named conventions: the rule of each level.
CONVENTIONS = {
    # As the benchmark describes it: above sample level, against all normal data.
    "carlanomaly": {
        "sample": "own",
        "sensor": "normal",
        "timestep": "normal",
        "scenario": "normal",
    },
    # As its devkit computes it: there the type's own anomaly-free timesteps count as well.
    "devkit": {
        "sample": "own",
        "sensor": "own_and_normal",
        "timestep": "own_and_normal",
        "scenario": "own_and_normal",
    },
}


@dataclass(frozen=True)
class Group:
    """One comparison.

    Args:
        positives: The places whose positives count.
        negatives: The places whose negatives count.
        members: The places whose scores belong to the group itself, for its counts.
    """

    positives: Selection
    negatives: Selection
    members: Selection


def resolve_negatives(by_type_negatives: str, level: str) -> str:
    """Return the rule of a level, one of ``NEGATIVES``.

    Args:
        by_type_negatives: One of ``NEGATIVES`` or of ``CONVENTIONS``.
        level: ``"sample"``, ``"sensor"``, ``"timestep"`` or ``"scenario"``.

    Raises:
        ConfigError: the rule is not known.
    """
    if by_type_negatives in CONVENTIONS:
        return CONVENTIONS[by_type_negatives][level]
    if by_type_negatives not in NEGATIVES:
        known = ", ".join((*CONVENTIONS, *NEGATIVES))
        raise ConfigError(
            f"expected one of {known}, got {by_type_negatives!r}", where="by_type_negatives"
        )
    return by_type_negatives


def overall() -> Group:
    """Return the group of all scores."""
    return Group(_everywhere, _everywhere, _everywhere)


def of_type(anomaly_type: str, negatives: str) -> Group:
    """Return the group of one anomaly type under one of ``NEGATIVES``."""

    def own(place: Place) -> bool:
        return place[0] == anomaly_type

    rules: dict[str, Selection] = {
        "own": own,
        "normal": _is_normal,
        "own_and_normal": lambda place: own(place) or _is_normal(place),
        "all": _everywhere,
    }
    return Group(own, rules[negatives], own)


def of_town(town: str) -> Group:
    """Return the group of one town: its positives against its negatives."""

    def here(place: Place) -> bool:
        return place[1] == town

    return Group(here, here, here)


def groupings(scenarios: list[Scenario], negatives: str) -> dict[str, dict[str, Group]]:
    """Return the groups that ``scenarios`` fall into, by grouping and name, sorted."""
    types = sorted({s.anomaly_type for s in scenarios if s.anomaly_type is not None})
    towns = sorted({s.town for s in scenarios})

    return {
        "anomaly_type": {name: of_type(name, negatives) for name in types},
        "town": {name: of_town(name) for name in towns},
    }


def _everywhere(place: Place) -> bool:
    return True


def _is_normal(place: Place) -> bool:
    return place[0] is None
