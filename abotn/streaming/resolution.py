"""How far the bins of a histogram can move its figures."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.streaming.curves import FIGURES, ranking_figures
from abotn.streaming.tally import Tally

#: A figure that may be off by more than this is warned about. Scores spread over 600 neighbouring
#: bins, one in twenty positive, come near it; over 1,600 the worst was 0.0018.
FINE_LIMIT = 0.005

#: The same for what the scenarios' coarser bins change: intervals and ``scenario_macro`` rest on
#: them. Scores spread over several units of the default bins stay below half of it.
COARSE_LIMIT = 0.01

_WAY_OUT = "set the range of the bins to that of the scores, or keep all scores (exact)"


class Resolution(NamedTuple):
    """How finely bins tell scores apart; both mappings are by figure, NaN where undefined.

    Args:
        n_bins: Bins in all.
        occupied: Bins that hold scores.
        scenario_bins: Coarser bins in all.
        scenario_occupied: Coarser bins that hold scores.
        uncertainty: How far a figure can lie from that of the scores themselves.
        scenario_shift: How far it lies from that of the coarser bins.
    """

    n_bins: int
    occupied: int
    scenario_bins: int
    scenario_occupied: int
    uncertainty: dict[str, float]
    scenario_shift: dict[str, float]

    def describe(self) -> dict[str, Any]:
        """Return the numbers as plain values, None where undefined."""
        return {
            "occupied_bins": self.occupied,
            "occupied_scenario_bins": self.scenario_occupied,
            "uncertainty": _plain(self.uncertainty),
            "scenario_shift": _plain(self.scenario_shift),
        }

    def warnings(self) -> list[str]:
        """Return a line for each reason not to trust the figures, none where there is none."""
        found = []
        name, most = _largest(self.uncertainty)
        if most > FINE_LIMIT:
            found.append(
                f"the scores lie in {self.occupied} of {self.n_bins} bins, which can move {name} "
                f"by {most:.2g}: {_WAY_OUT}"
            )
        name, most = _largest(self.scenario_shift)
        if most > COARSE_LIMIT:
            found.append(
                f"the scores lie in {self.scenario_occupied} of the {self.scenario_bins} bins of "
                f"the scenarios, which move {name} by {most:.2g}, so that intervals and "
                f"scenario_macro are coarse: {_WAY_OUT}"
            )
        return found


def resolution(tally: Tally, scenario_bins: int, n_clamped: int) -> Resolution:
    """Return how finely bins tell the scores of a tally apart.

    Within a bin the scores count as tied. The figures with all positives of a bin above its
    negatives, and with all below, enclose those of any order, so the farther of the two is how far
    a figure can be off. A bin without a neighbour is taken for one value, as scores on a grid make
    it, unless it is the only one or an end bin that holds clamped scores.

    Args:
        tally: Counts of shape (n_bins,).
        scenario_bins: How many coarser bins there are.
        n_clamped: Scores beyond the range of the bins.
    """
    coarse = Tally(*(one.reshape(scenario_bins, -1).sum(axis=1) for one in tally))
    figures, coarse_figures = _figures(tally), _figures(coarse)
    uncertain = [_distances(_figures(_ordered(tally, n_clamped, up)), figures) for up in (0, 1)]
    return Resolution(
        n_bins=tally.positives.size,
        occupied=_count_used(tally),
        scenario_bins=scenario_bins,
        scenario_occupied=_count_used(coarse),
        uncertainty={name: max(one[name] for one in uncertain) for name in FIGURES},
        scenario_shift=_distances(coarse_figures, figures),
    )


def _figures(tally: Tally) -> dict[str, float]:
    return {name: float(value) for name, value in ranking_figures(*tally).items()}


def _distances(one: dict[str, float], other: dict[str, float]) -> dict[str, float]:
    return {name: abs(one[name] - other[name]) for name in FIGURES}


def _ordered(tally: Tally, n_clamped: int, positives_above: int) -> Tally:
    """Return two levels per bin, one for each class, or both in one where a bin is one value."""
    positives, negatives = (np.stack([one, np.zeros_like(one)], axis=1) for one in tally)
    moved = positives if positives_above else negatives
    crowded = _crowded(tally, n_clamped)
    moved[crowded] = moved[crowded, ::-1]
    return Tally(positives.reshape(-1), negatives.reshape(-1))


def _crowded(tally: Tally, n_clamped: int) -> NDArray[np.bool_]:
    used: NDArray[np.bool_] = (tally.positives + tally.negatives) > 0
    if used.sum() < 2:
        return used
    beside = np.zeros_like(used)
    beside[1:] |= used[:-1]
    beside[:-1] |= used[1:]
    if n_clamped:
        beside[[0, -1]] = True
    beside &= used
    return beside


def _count_used(tally: Tally) -> int:
    return int(np.count_nonzero(tally.positives + tally.negatives))


def _largest(by_figure: dict[str, float]) -> tuple[str, float]:
    name = max(FIGURES, key=lambda figure: by_figure[figure])
    return name, by_figure[name]


def _plain(by_figure: dict[str, float]) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in by_figure.items()}
