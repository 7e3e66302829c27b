"""Results of two models over the same scenarios, compared in pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from abotn._version import __version__
from abotn.errors import EvaluationInputError, UnknownNameError
from abotn.results.comparison import (
    NO_DIFFERENCE,
    Comparison,
    MetricComparison,
    PairComparison,
)
from abotn.results.types import ConfidenceInterval, EvaluationResult, MetricResult
from abotn.statistics.paired import holm
from abotn.streaming.curves import FIGURES
from abotn.streaming.draws import Floats, decoded
from abotn.streaming.resampling import check_level
from abotn.units import counted

_METHOD = "percentile"
_TEST = "scenario_bootstrap"

Named = tuple[str, EvaluationResult]


def is_streaming_result(result: EvaluationResult) -> bool:
    """Whether ``compare_results`` is what compares a result: it has no records to compare by."""
    return "streaming" in result.provenance


def compare_results(
    *results: EvaluationResult,
    names: Sequence[str] | None = None,
    baseline: str | None = None,
    level: float = 0.95,
) -> Comparison:
    """Compare pooled figures in pairs, by the resamples that the results share.

    Results made with the same number of resamples and the same seed, over the same scenarios,
    have drawn the same scenarios each time. So the figures of resample b differ by
    ``d_b = a_b - b_b``, whose quantiles are the interval of the difference. The p value is
    ``min(1, 2 min(#{d_b <= 0} + 1, #{d_b >= 0} + 1) / (B + 1))``, corrected by Holm over the
    figures compared.

    Args:
        results: Two or more results of ``to_result`` with intervals, at the same level.
        names: Names of the models; those of the results by default.
        baseline: Compare every other one with this one, instead of every pair.
        level: Nominal coverage; a corrected p value below ``1 - level`` makes a winner.

    Raises:
        EvaluationInputError: fewer than two results, or two of them do not rest on the same
            scenarios, level, settings or resamples.
        UnknownNameError: no result has the baseline's name.
    """
    if len(results) < 2:
        raise EvaluationInputError(f"needs two or more, got {len(results)}", where="results")
    check_level(level, "level")
    sides = list(zip(_labels(results, names), results, strict=True))
    chosen = _pairs(sides, baseline)
    first = sides[0][1].provenance
    return Comparison(
        pairs=tuple(_compare(a, b, level) for a, b in chosen),
        baseline=baseline,
        provenance={
            "abotn": __version__,
            "runs": {name: _source(result.provenance) for name, result in sides},
            "statistics": {
                "n_resamples": first["statistics"]["bootstrap_ci"],
                "seed": first["statistics"]["bootstrap_seed"],
                "level": level,
                "cluster_by": "scenario_id",
                "correction": "holm",
            },
        },
    )


def _labels(results: Sequence[EvaluationResult], names: Sequence[str] | None) -> list[str]:
    labels = list(names) if names is not None else [result.name for result in results]
    if len(labels) != len(results):
        raise EvaluationInputError(
            f"{counted(len(labels), 'names')} for {counted(len(results), 'results')}",
            where="names",
        )
    if names is None and len(set(labels)) < len(labels):
        labels = [f"{label} ({i})" for i, label in enumerate(labels, start=1)]
    if len(set(labels)) < len(labels):
        raise EvaluationInputError("two results have one name", where="names")
    return labels


def _pairs(sides: list[Named], baseline: str | None) -> list[tuple[Named, Named]]:
    if baseline is None:
        return list(combinations(sides, 2))
    by_name = dict(sides)
    if baseline not in by_name:
        raise UnknownNameError("baseline", baseline, by_name)
    return [(side, (baseline, by_name[baseline])) for side in sides if side[0] != baseline]


def _compare(a: Named, b: Named, level: float) -> PairComparison:
    _check_same(a, b)
    found = [_figure(a, b, name, level) for name in FIGURES]
    adjusted = holm([one.p_value for one in found])
    return PairComparison(
        run_a=a[0],
        run_b=b[0],
        metrics=tuple(
            _decided(one, float(p), a[0], b[0], 1 - level)
            for one, p in zip(found, adjusted, strict=True)
        ),
        n_pairs=int(a[1].counts["scenarios"]),
        resampled="scenario_id",
    )


def _check_same(a: Named, b: Named) -> None:
    left, right = _basis(*a), _basis(*b)
    for what, mine in left.items():
        if mine != right[what]:
            raise EvaluationInputError(
                f"{a[0]} has {mine}, {b[0]} has {right[what]}",
                where=what,
                hint="evaluate both with the same settings on the same scenarios",
            )


def _basis(name: str, result: EvaluationResult) -> dict[str, Any]:
    """Return what two results must share for their resamples to be pairs."""
    provenance = result.provenance
    if not is_streaming_result(result) or "scenarios" not in provenance["streaming"]:
        raise EvaluationInputError("is no result of a streaming evaluator", where=name)
    statistics = provenance["statistics"]
    if statistics["bootstrap_ci"] is None:
        raise EvaluationInputError("has no resamples", where=name, hint="evaluate with bootstrap")
    dataset = provenance.get("dataset") or {}
    return {
        "level": provenance["streaming"]["level"],
        "sensor": provenance["protocol"]["values"].get("sensor"),
        "scenarios": provenance["streaming"]["scenarios"],
        "dataset": dataset.get("fingerprint"),
        "bootstrap_ci": statistics["bootstrap_ci"],
        "bootstrap_seed": statistics["bootstrap_seed"],
    }


def _figure(a: Named, b: Named, name: str, level: float) -> MetricComparison:
    left, right = a[1][name], b[1][name]
    draws, reason = _differences(left, right)
    difference = left.value - right.value
    ci, p_value = None, math.nan
    if draws is not None:
        ci = _interval(draws, left, level)
        below, above = (np.count_nonzero(draws <= 0), np.count_nonzero(draws >= 0))
        p_value = min(1.0, 2 * (min(below, above) + 1) / (draws.size + 1))
    return MetricComparison(
        name=name,
        unit=left.unit,
        direction=left.direction,
        value_a=left.value,
        value_b=right.value,
        difference=difference,
        ci=ci,
        ci_reason=reason,
        p_value=p_value,
        p_adjusted=math.nan,
        test="none" if draws is None else _TEST,
        n_pairs=int(a[1].counts["scenarios"]),
        n_undefined=0,
        winner=NO_DIFFERENCE,
    )


def _differences(left: MetricResult, right: MetricResult) -> tuple[Floats | None, str | None]:
    for one in (left, right):
        if one.ci is None:
            return None, one.ci_reason
    a, b = decoded(left.metadata), decoded(right.metadata)
    if a is None or b is None or a.shape != b.shape:
        return None, "the figures of the resamples were not kept"
    # Both lack a class in the same resamples, since the labels are the same.
    differences = (a - b)[~np.isnan(a - b)]
    return differences, None


def _interval(draws: Floats, one: MetricResult, level: float) -> ConfidenceInterval:
    tail = (1 - level) / 2
    lower, upper = np.quantile(draws, (tail, 1 - tail))
    ci = one.ci
    assert ci is not None
    return ConfidenceInterval(
        lower=float(lower),
        upper=float(upper),
        level=level,
        method=_METHOD,
        n_resamples=ci.n_resamples,
        seed=ci.seed,
        resampled=ci.resampled,
        n_units=ci.n_units,
        degenerate=bool(draws.min() == draws.max()),
        note=ci.note,
    )


def _decided(
    one: MetricComparison, p_adjusted: float, name_a: str, name_b: str, alpha: float
) -> MetricComparison:
    winner = NO_DIFFERENCE
    if p_adjusted < alpha and one.difference != 0:
        a_is_better = (one.difference > 0) == (one.direction == "higher")
        winner = name_a if a_is_better else name_b
    return replace(one, p_adjusted=p_adjusted, winner=winner)


def _source(provenance: Mapping[str, Any]) -> dict[str, Any]:
    return {key: provenance.get(key) for key in ("protocol", "dataset", "streaming")}
