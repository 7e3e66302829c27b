"""The kinds of pictures by name, and the question each answers. Imports nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass

from abotn.errors import UnknownNameError


@dataclass(frozen=True)
class PlotKind:
    """One kind of picture.

    Attributes:
        name: Name on the command line.
        question: What a reader learns from it.
        metrics: How many metrics it shows at most; 0 where it takes none.
        needs: What it reads: ``"evaluations"``, ``"records"`` or ``"trajectories"``.
    """

    name: str
    question: str
    metrics: int
    needs: str


MOST_METRICS = 12

KINDS = {
    kind.name: kind
    for kind in (
        PlotKind(
            "intervals",
            "Which agent is better, and is the difference larger than chance?",
            MOST_METRICS,
            "evaluations",
        ),
        PlotKind("groups", "On which tasks is an agent weak?", 1, "evaluations"),
        PlotKind("cdf", "How is a metric spread over the records?", 1, "records"),
        PlotKind("success-vs-length", "Do longer tasks fail more often?", 1, "records"),
        PlotKind("paths", "Where did the agent go, and what went wrong?", 0, "trajectories"),
        PlotKind("collisions", "How often and how long does an agent collide?", 0, "records"),
        PlotKind("pareto", "Which agents are best when two aims compete?", 2, "evaluations"),
    )
}


def plot_kind(name: str) -> PlotKind:
    """Return a kind by name.

    Raises:
        UnknownNameError: there is none of that name; the nearest ones are given.
    """
    if name not in KINDS:
        raise UnknownNameError("kind of plot", name, KINDS)
    return KINDS[name]
