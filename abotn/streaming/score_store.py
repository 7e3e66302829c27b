"""What holds scores answers: counts of positives and negatives, all in all and per scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abotn.streaming.dataset import Scenario
from abotn.streaming.resolution import Resolution
from abotn.streaming.tally import Tally

#: Anomaly type (None for normal scenarios) and town.
Place = tuple["str | None", str]

#: Whether the scores of a place belong to what is counted.
Selection = Callable[[Place], bool]

#: From how often each scenario is taken, shape (B, scenarios) in the order of
#: ``ScoreStore.scenarios``, to counts of shape (B, levels).
Weigher = Callable[[NDArray[np.float64]], Tally]


class ScoreStore(Protocol):
    """Scores in histograms, or kept; both answer the same questions."""

    def clear(self) -> None:
        """Forget all scores."""
        ...

    def scenarios(self) -> list[Scenario]:
        """Return the scenarios that were seen, sorted by key."""
        ...

    def tally(self, positives: Selection, negatives: Selection) -> Tally:
        """Return the positives of some places and the negatives of some places."""
        ...

    def scenario_tallies(self) -> Iterator[Tally]:
        """Yield the counts of each scenario, in the order of ``scenarios``."""
        ...

    def weigher(
        self, positives: NDArray[np.bool_], negatives: NDArray[np.bool_]
    ) -> tuple[Weigher, int]:
        """Return what counts the positives of some scenarios and the negatives of some.

        Args:
            positives: Whose positives count, shape (scenarios,), in the order of ``scenarios``.
            negatives: Whose negatives count, same shape.

        Returns:
            What gives the counts with every scenario taken some number of times, and its levels.
        """
        ...

    def merge(self, other: Any) -> None:
        """Add all scores of an equally configured store."""
        ...

    def state(self) -> dict[str, Any]:
        """Return a copy of everything as plain values and arrays."""
        ...

    def prepared(self, state: Mapping[str, Any]) -> Callable[[], None]:
        """Return what replaces everything by ``state``; it is checked at once.

        Raises:
            ValueError: it is damaged.
        """
        ...

    def resolution(self) -> Resolution | None:
        """Return how finely scores are told apart; None where each keeps its value."""
        ...
