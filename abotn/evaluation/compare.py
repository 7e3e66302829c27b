"""Comparing runs over the tasks they share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn._version import __version__
from abotn.errors import EvaluationInputError, UnknownNameError
from abotn.evaluation.evaluator import Evaluator, ScoredRecords
from abotn.evaluation.metric_options import metric_parameters, require_evaluated
from abotn.evaluation.options import EvaluationOptions, scene_tuple
from abotn.evaluation.provenance import run_entry
from abotn.evaluation.scene_names import require_scenes
from abotn.evaluation.scoring import Scored
from abotn.evaluation.selection import MetricChoice, select
from abotn.evaluation.solved import SOLVED_BY, SolvedTasks, canonical_metric, who_solves
from abotn.evaluation.task_values import FloatArray, TaskValues, cluster_labels, shared_tasks
from abotn.results.comparison import (
    NO_DIFFERENCE,
    Comparison,
    MetricComparison,
    PairComparison,
)
from abotn.results.types import ConfidenceInterval
from abotn.statistics.interval import Interval, NoInterval
from abotn.statistics.paired import PairedResult, compare_columns, holm
from abotn.units import counted


def compare(
    *runs: Any,
    names: Sequence[str] | None = None,
    baseline: str | None = None,
    metrics: MetricChoice = "all",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    cluster_by: str | None = "auto",
    on_error: str = "failure",
    exclude_scenes: Iterable[str] | str | None = None,
    metric_kwargs: Mapping[str, Mapping[str, Any]] | None = None,
    solved_by: str = SOLVED_BY,
    evaluator: Evaluator | None = None,
) -> Comparison:
    """Compare runs in pairs, over the tasks both have.

    A task's value is the mean over its attempts. What only one side has is counted and named,
    never mixed in. The p values of one pair are corrected by Holm over the metrics compared.

    Args:
        runs: Two or more of what ``Evaluator.evaluate_dataset`` takes.
        names: Names of the runs; those of their agents by default.
        baseline: Compare every other run with this one, instead of every pair.
        metrics: ``"all"`` applicable ones, or names.
        n_resamples: Resamples of the intervals and sign patterns of the tests, at least 100.
        level: Nominal coverage of the intervals; a difference counts when its corrected p value
            is below ``1 - level``.
        seed: Seed of the resamples.
        cluster_by: Column whose groups are resampled as wholes; ``"auto"`` takes scenes when at
            least five hold several tasks; None resamples tasks.
        on_error: What an error record counts: ``"failure"``, ``"exclude"`` or ``"raise"``.
        exclude_scenes: Scenes to leave out; None takes each run's protocol's.
        metric_kwargs: Parameters per metric.
        solved_by: 0/1 metric that says which tasks are solved: those where it is 1 in more than
            half of the attempts.
        evaluator: Where metrics come from; one with the default registry by default.

    Returns:
        The paired comparisons.

    Raises:
        EvaluationInputError: fewer than two runs, names that do not fit, or no shared task;
            ``solved_by`` is no 0/1 metric of these runs.
        UnknownNameError: an unknown metric, baseline or option.
    """
    evaluator = evaluator or Evaluator()
    if len(runs) < 2:
        raise EvaluationInputError(f"needs two or more, got {len(runs)}", where="runs")
    selection = select(evaluator.registry, metrics, None)
    options = _options(
        metric_kwargs=metric_parameters(metric_kwargs, evaluator.registry, selection),
        bootstrap_ci=n_resamples,
        bootstrap_seed=seed,
        ci_level=level,
        cluster_by=cluster_by,
        on_error=on_error,
        exclude_scenes=scene_tuple(exclude_scenes),
    )
    found = [evaluator.score_records(run, selection, options) for run in runs]
    for one in found:
        require_evaluated(options.metric_kwargs, one)
    require_scenes(options, *found)
    labels = _labels(names, [one.source.name for one in found])
    judge = SolvedTasks(evaluator, canonical_metric(evaluator.registry, solved_by), options)
    sides = [_side(label, one, judge) for label, one in zip(labels, found, strict=True)]
    chosen = _pairs(sides, baseline)
    return Comparison(
        tuple(_compare_pair(a, b, options, judge.metric) for a, b in chosen),
        baseline,
        _provenance(sides, options),
    )


_NAMES_HERE = {"bootstrap_ci": "n_resamples", "bootstrap_seed": "seed", "ci_level": "level"}


def _options(**values: Any) -> EvaluationOptions:
    """Return checked options; an error names the argument as it is called here."""
    if values["bootstrap_ci"] is None:
        raise EvaluationInputError("a comparison needs resamples, got None", where="n_resamples")
    try:
        return EvaluationOptions(**values)
    except EvaluationInputError as error:
        where = _NAMES_HERE.get(error.where or "", error.where)
        raise EvaluationInputError(error.message, where=where, hint=error.hint) from None


@dataclass(frozen=True)
class _Side:
    name: str
    values: TaskValues
    solved: FloatArray

    @property
    def found(self) -> ScoredRecords:
        return self.values.found


def _side(name: str, found: ScoredRecords, judge: SolvedTasks) -> _Side:
    values = TaskValues.of(found)
    return _Side(name, values, judge.of(name, values))


def _labels(names: Sequence[str] | None, own: Sequence[str]) -> list[str]:
    if names is not None and len(names) != len(own):
        raise EvaluationInputError(
            f"{counted(len(names), 'names')} for {counted(len(own), 'runs')}", where="names"
        )
    labels = list(names) if names is not None else [n or f"run {i + 1}" for i, n in enumerate(own)]
    if len(set(labels)) == len(labels):
        return labels
    if names is not None:
        raise EvaluationInputError(f"names must differ, got {labels}", where="names")
    return [f"{label} ({position + 1})" for position, label in enumerate(labels)]


def _pairs(sides: list[_Side], baseline: str | None) -> list[tuple[_Side, _Side]]:
    if baseline is None:
        return list(combinations(sides, 2))
    by_name = {side.name: side for side in sides}
    if baseline not in by_name:
        raise UnknownNameError("baseline", baseline, by_name)
    return [(side, by_name[baseline]) for side in sides if side.name != baseline]


def _compare_pair(a: _Side, b: _Side, options: EvaluationOptions, solved_by: str) -> PairComparison:
    shared, in_a, in_b = shared_tasks(a.values, b.values)
    if not shared.size:
        raise EvaluationInputError(f"{a.name} and {b.name} have no task in common", where="runs")
    clusters, resampled = cluster_labels(a.values, in_a, options)
    shown = _both(a.found.scored, b.found.scored)
    means_a = [a.values.sums(one)[in_a] for one, _ in shown]
    means_b = [b.values.sums(one)[in_b] for _, one in shown]
    raw = _tested([one for one, _ in shown], means_a, means_b, clusters, options)
    adjusted = holm([result.p_value for result in raw])
    metrics = tuple(
        _metric(pair[0], result, float(p), a.name, b.name, options, resampled)
        for pair, result, p in zip(shown, raw, adjusted, strict=True)
    )
    return PairComparison(
        run_a=a.name,
        run_b=b.name,
        metrics=metrics,
        n_pairs=len(shared),
        only_a=tuple(np.setdiff1d(a.values.tasks, shared).tolist()),
        only_b=tuple(np.setdiff1d(b.values.tasks, shared).tolist()),
        resampled=resampled,
        solved_by=solved_by,
        **who_solves(shared, a.solved[in_a], b.solved[in_b]),
    )


def _both(left: Sequence[Scored], right: Sequence[Scored]) -> list[tuple[Scored, Scored]]:
    of_right = {one.spec.name: one for one in right}
    return [
        (one, of_right[one.spec.name])
        for one in left
        if one.spec.name in of_right and one.error is None and of_right[one.spec.name].error is None
    ]


def _tested(
    specs: Sequence[Scored],
    left: list[FloatArray],
    right: list[FloatArray],
    clusters: NDArray[Any] | None,
    options: EvaluationOptions,
) -> list[PairedResult]:
    common: dict[str, Any] = {
        "clusters": clusters,
        "n_resamples": options.bootstrap_ci,
        "level": options.ci_level,
        "seed": options.bootstrap_seed,
    }
    results: dict[int, PairedResult] = {}
    for ratio in (False, True):
        at = [i for i, one in enumerate(specs) if one.spec.ratio is ratio]
        if not at:
            continue
        top_a, top_b = (np.column_stack([s[i][:, 0] for i in at]) for s in (left, right))
        bottom_a, bottom_b = (np.column_stack([s[i][:, 1] for i in at]) for s in (left, right))
        bottoms = (bottom_a, bottom_b) if ratio else None
        found = compare_columns(top_a, top_b, denominators=bottoms, **common)
        results.update(zip(at, found, strict=True))
    return [results[i] for i in range(len(specs))]


def _metric(
    one: Scored,
    result: PairedResult,
    p_adjusted: float,
    name_a: str,
    name_b: str,
    options: EvaluationOptions,
    resampled: str,
) -> MetricComparison:
    interval = result.interval
    return MetricComparison(
        name=one.spec.name,
        unit=one.spec.unit.value,
        direction=one.spec.direction.value,
        value_a=result.value_a,
        value_b=result.value_b,
        difference=result.difference,
        ci=_confidence(interval, one, resampled) if isinstance(interval, Interval) else None,
        ci_reason=interval.reason if isinstance(interval, NoInterval) else None,
        p_value=result.p_value,
        p_adjusted=p_adjusted,
        test=result.test,
        n_pairs=result.n_pairs,
        n_undefined=result.n_undefined,
        winner=_winner(one, result, p_adjusted, name_a, name_b, 1 - options.ci_level),
    )


def _confidence(interval: Interval, one: Scored, resampled: str) -> ConfidenceInterval:
    """Return the interval, cut at what a difference of two bounded means cannot leave."""
    least, greatest = one.spec.bounds or (-math.inf, math.inf)
    width = greatest - least
    found = {**vars(interval), "resampled": resampled}
    found["lower"] = min(max(interval.lower, -width), width)
    found["upper"] = max(min(interval.upper, width), -width)
    if not interval.n_resamples:
        found["n_resamples"] = found["seed"] = None
    return ConfidenceInterval.from_dict(found)


def _winner(
    one: Scored, result: PairedResult, p: float, name_a: str, name_b: str, alpha: float
) -> str:
    if not p < alpha or not math.isfinite(result.difference) or result.difference == 0:
        return NO_DIFFERENCE
    return name_a if one.spec.direction.better(result.value_a, result.value_b) else name_b


def _left_out(found: ScoredRecords) -> dict[str, str]:
    """Return the metrics that cannot be compared for this run, with the reason."""
    errors = {one.spec.name: one.error for one in found.scored if one.error is not None}
    return {**found.skipped, **errors}


def _provenance(sides: Sequence[_Side], options: EvaluationOptions) -> dict[str, Any]:
    manifests = {side.name: side.found.source.manifest or {} for side in sides}
    return {
        "abotn": __version__,
        "runs": {
            name: {
                **{key: manifest.get(key) for key in ("run_id", "protocol", "dataset")},
                "run": run_entry(manifest) or None,
            }
            for name, manifest in manifests.items()
        },
        "on_error": options.on_error,
        "left_out": {side.name: _left_out(side.found) for side in sides},
        "statistics": {
            "n_resamples": options.bootstrap_ci,
            "seed": options.bootstrap_seed,
            "level": options.ci_level,
            "cluster_by": options.cluster_by,
            "correction": "holm",
        },
    }
