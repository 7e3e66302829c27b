"""The figures of an evaluator as an ``EvaluationResult``, for reports, comparisons and gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from abotn._version import __version__
from abotn.results.types import ConfidenceInterval, EvaluationResult, GroupResult, MetricResult
from abotn.streaming.curves import FIGURES, ranking_figures, undefined_reason
from abotn.streaming.draws import Floats, encoded, scenarios_digest
from abotn.streaming.groups import Group, groupings, overall
from abotn.streaming.resampling import Resampling, group_draws, percentile_interval, units_of
from abotn.streaming.score_store import ScoreStore
from abotn.units import Direction

DIRECTIONS = {
    "auroc": Direction.HIGHER,
    "aupr": Direction.HIGHER,
    "ap": Direction.HIGHER,
    "fpr95": Direction.LOWER,
}

_COARSE = "the bins are coarse for these scores, see the evaluation's provenance.streaming.warnings"


@dataclass(frozen=True)
class Context:
    """What a result says about the evaluator it came from.

    Args:
        level: ``"sample"``, ``"sensor"``, ``"timestep"`` or ``"scenario"``.
        config: The evaluator's configuration.
        counters: What it counted beside scores; ``n_nan`` among them.
        name: What was evaluated, such as the model's name.
        convention: The name that the negatives of the types were asked for by.
    """

    level: str
    config: Mapping[str, Any]
    counters: Mapping[str, int]
    name: str
    convention: str


class _Interval(NamedTuple):
    """An interval, or why there is none; and the figure of each resample, if it is kept."""

    ci: ConfidenceInterval | None
    reason: str | None
    draws: Floats | None = None


def evaluation_result(
    store: ScoreStore, context: Context, resampling: Resampling | None
) -> EvaluationResult:
    """Return the figures of all scores and of each anomaly type and town.

    Args:
        store: The scores.
        context: Where they came from.
        resampling: How to make intervals; None for none.
    """
    scenarios, resolution = store.scenarios(), store.resolution()
    named = groupings(scenarios, context.config["by_type_negatives"])
    groups = [overall(), *(group for by_name in named.values() for group in by_name.values())]
    warnings = [] if resolution is None else resolution.warnings()
    results = iter(_metric_results(store, groups, context, resampling, warned=bool(warnings)))
    metrics = next(results)
    found = store.tally(overall().members, overall().members)
    n_scores = found.n_positive + found.n_negative
    return EvaluationResult(
        metrics=metrics,
        groups={
            grouping: tuple(
                GroupResult(label, _size(store, group), next(results))
                for label, group in by_name.items()
            )
            for grouping, by_name in named.items()
        },
        counts={
            "found": n_scores + context.counters["n_nan"],
            "scored": n_scores,
            "errors": 0,
            "damaged": 0,
            "excluded": context.counters["n_nan"],
            "scenarios": len(scenarios),
        },
        provenance=_provenance(
            context,
            resampling,
            {
                "scenarios": scenarios_digest(scenarios),
                "binning": None if resolution is None else resolution.describe(),
                "warnings": warnings,
            },
        ),
        name=context.name,
    )


def _metric_results(
    store: ScoreStore,
    groups: Sequence[Group],
    context: Context,
    resampling: Resampling | None,
    *,
    warned: bool,
) -> list[tuple[MetricResult, ...]]:
    if resampling is None or not store.scenarios():
        reason = "not asked for" if resampling is None else "no scores"
        intervals = [dict.fromkeys(FIGURES, _Interval(None, reason)) for _ in groups]
    else:
        intervals = _intervals(store, groups, resampling)
    if warned:
        intervals = [{name: _noted(one) for name, one in found.items()} for found in intervals]
    return [
        _results_of(store, group, found, context)
        for group, found in zip(groups, intervals, strict=True)
    ]


def _intervals(
    store: ScoreStore, groups: Sequence[Group], resampling: Resampling
) -> list[dict[str, _Interval]]:
    draws, once = group_draws(store, groups, resampling)
    scenarios, found = store.scenarios(), []
    for i, group in enumerate(groups):
        figures = ranking_figures(*store.tally(group.positives, group.negatives))
        exact = np.array([figures[name] for name in FIGURES])
        # What a figure differs between the coarse bins that are resampled and the fine ones.
        shifted = draws[:, i] + (exact - once[i])
        n_units = units_of(scenarios, group)
        # Only those of all scores are kept, for comparisons: they are many.
        found.append(
            {
                name: _Interval(
                    *percentile_interval(shifted[:, j], n_units, resampling),
                    shifted[:, j] if i == 0 else None,
                )
                for j, name in enumerate(FIGURES)
            }
        )
    return found


def _noted(interval: _Interval) -> _Interval:
    if interval.ci is None:
        return interval
    note = f"{interval.ci.note}; {_COARSE}"
    return interval._replace(ci=replace(interval.ci, note=note))


def _results_of(
    store: ScoreStore, group: Group, intervals: Mapping[str, _Interval], context: Context
) -> tuple[MetricResult, ...]:
    tally = store.tally(group.positives, group.negatives)
    figures = ranking_figures(*tally)
    reason = undefined_reason(tally.n_positive, tally.n_negative)
    n_scores = tally.n_positive + tally.n_negative
    classes = {"n_positive": tally.n_positive, "n_negative": tally.n_negative}
    return tuple(
        MetricResult(
            name=name,
            value=float(figures[name]),
            direction=str(DIRECTIONS[name]),
            ci=intervals[name].ci if reason is None else None,
            ci_reason=intervals[name].reason if reason is None else reason,
            reason=reason,
            sample_count=n_scores,
            finite_count=n_scores if reason is None else 0,
            undefined_count=0 if reason is None else n_scores,
            parameters=dict(context.config),
            source={"distribution": "abotn", "version": __version__},
            category="anomaly",
            metadata={**classes, **_kept(intervals[name])},
        )
        for name in FIGURES
    )


def _kept(interval: _Interval) -> dict[str, str]:
    return {} if interval.ci is None or interval.draws is None else encoded(interval.draws)


def _size(store: ScoreStore, group: Group) -> int:
    members = store.tally(group.members, group.members)
    return members.n_positive + members.n_negative


def _provenance(
    context: Context, resampling: Resampling | None, found: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "protocol": {"name": f"carlanomaly-{context.level}", "values": dict(context.config)},
        "run": None,
        "dataset": None,
        "versions": {"abotn": __version__},
        "recorded_with": None,
        "streaming": {
            "level": context.level,
            "by_type_convention": context.convention,
            **found,
            **context.counters,
        },
        "statistics": {
            "bootstrap_ci": None if resampling is None else resampling.n_resamples,
            "bootstrap_seed": 0 if resampling is None else resampling.seed,
            "ci_level": 0.95 if resampling is None else resampling.level,
            "ci_method": "percentile",
            "cluster_by": "scenario_id",
            "resampled": "scenario_id",
        },
    }
