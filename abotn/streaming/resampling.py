"""How uncertain pooled figures are: whole scenarios are resampled, never single scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.results.types import ConfidenceInterval
from abotn.streaming.curves import FIGURES, ranking_figures
from abotn.streaming.dataset import Scenario
from abotn.streaming.groups import Group
from abotn.streaming.score_store import ScoreStore, Selection, Weigher

#: Resamples drawn from one generator; part of what a seed means, so not to be tuned.
BLOCK = 64

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Resampling:
    """How to resample.

    Args:
        n_resamples: At least 100.
        level: Nominal coverage, between 0 and 1.
        seed: Whole number of at least 0.

    Raises:
        EvaluationInputError: one of them cannot be used.
    """

    n_resamples: int
    level: float
    seed: int

    def __post_init__(self) -> None:
        _check_whole(self.n_resamples, 100, "bootstrap_ci")
        _check_whole(self.seed, 0, "bootstrap_seed")
        check_level(self.level, "ci_level")


def check_level(level: object, where: str) -> None:
    """Refuse a nominal coverage that does not lie between 0 and 1.

    Raises:
        EvaluationInputError: it does not, or is no number.
    """
    if not isinstance(level, (int, float, np.floating)) or not 0 < level < 1:
        raise EvaluationInputError(f"must lie between 0 and 1, got {level!r}", where=where)


def scenario_draws(scenarios: Sequence[Scenario], resampling: Resampling) -> Iterator[Floats]:
    """Yield how often each scenario is drawn, in blocks of shape (at most 64, scenarios).

    Anomalous and normal scenarios are drawn apart, as many of each as there are: how many of each
    a benchmark holds is its design, not chance.

    Args:
        scenarios: In the order of their keys, so that the order they came in changes nothing.
        resampling: How many, and the seed.
    """
    anomalous = np.array([scenario.is_anomalous for scenario in scenarios], np.bool_)
    for block in range(0, resampling.n_resamples, BLOCK):
        rng = np.random.default_rng([resampling.seed, block // BLOCK])
        drawn = np.zeros((BLOCK, len(scenarios)))
        for kind in (anomalous, ~anomalous):
            size = int(kind.sum())
            if size:
                drawn[:, kind] = rng.multinomial(size, np.full(size, 1 / size), size=BLOCK)
        yield drawn[: resampling.n_resamples - block]


def group_draws(
    store: ScoreStore, groups: Sequence[Group], resampling: Resampling
) -> tuple[Floats, Floats]:
    """Return the figures of each group in each resample, and with every scenario drawn once.

    Returns:
        Shapes (resamples, groups, figures) and (groups, figures), figures in the order of
        ``FIGURES``; NaN where a resample holds no positives or no negatives of the group.
    """
    scenarios = store.scenarios()
    weighers = [
        store.weigher(_mask(scenarios, group.positives), _mask(scenarios, group.negatives))
        for group in groups
    ]
    blocks = chain([np.ones((1, len(scenarios)))], scenario_draws(scenarios, resampling))
    found = np.concatenate(
        [
            np.stack([_figures_of(weigher, drawn) for weigher in weighers], axis=1)
            for drawn in blocks
        ]
    )
    return found[1:], found[0]


def percentile_interval(
    draws: Floats, n_units: int, resampling: Resampling
) -> tuple[ConfidenceInterval | None, str | None]:
    """Return a percentile interval, or None and the reason.

    Args:
        draws: One figure per resample, shape (B,); NaN where undefined. The ends are clipped to
            [0, 1].
        n_units: Scenarios that the figure rests on.
        resampling: How the draws came about.
    """
    defined = draws[~np.isnan(draws)]
    if not defined.size:
        return None, "no resample holds both positives and negatives"
    if n_units < 2:
        return None, "one scenario shows no spread between scenarios"
    tail = (1 - resampling.level) / 2
    lower, upper = np.clip(np.quantile(defined, (tail, 1 - tail)), 0.0, 1.0)
    return (
        ConfidenceInterval(
            lower=float(lower),
            upper=float(upper),
            level=resampling.level,
            method="percentile",
            n_resamples=resampling.n_resamples,
            seed=resampling.seed,
            resampled="scenario_id",
            n_units=n_units,
            degenerate=bool(defined.min() == defined.max()),
            note=_note(draws.size - defined.size, draws.size),
        ),
        None,
    )


def units_of(scenarios: Sequence[Scenario], group: Group) -> int:
    """Return how many scenarios a group's figures rest on."""
    used = _mask(scenarios, group.positives) | _mask(scenarios, group.negatives)
    return int(used.sum())


_NUMBERS_AT_ONCE = 1 << 22


def _figures_of(weigher: tuple[Weigher, int], drawn: Floats) -> Floats:
    """Return one group's figures, shape (resamples, figures)."""
    weigh, levels = weigher
    rows = max(1, _NUMBERS_AT_ONCE // max(1, levels))
    found = [
        ranking_figures(*weigh(drawn[start : start + rows])) for start in range(0, len(drawn), rows)
    ]
    return np.column_stack([np.concatenate([one[name] for one in found]) for name in FIGURES])


def _mask(scenarios: Sequence[Scenario], selection: Selection) -> NDArray[np.bool_]:
    chosen = [selection((scenario.anomaly_type, scenario.town)) for scenario in scenarios]
    return np.array(chosen, np.bool_)


def _note(undefined: int, total: int) -> str:
    note = "anomalous and normal scenarios are resampled apart"
    if undefined:
        note += f"; {undefined} of {total} resamples lack a class and are left out"
    return note


def _check_whole(value: object, least: int, where: str) -> None:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]
        raise EvaluationInputError(
            f"must be a whole number of at least {least}, got {value!r}", where=where
        )
