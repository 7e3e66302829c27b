"""How large a run has to be to show a difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.evaluation.evaluator import Evaluator
from abotn.evaluation.metric_options import metric_parameters, require_evaluated
from abotn.evaluation.options import EvaluationOptions, check_finite, scene_tuple
from abotn.evaluation.scene_names import require_scenes
from abotn.evaluation.scoring import Scored
from abotn.evaluation.selection import MetricChoice, select
from abotn.evaluation.task_values import (
    FloatArray,
    Rows,
    TaskValues,
    cluster_labels,
    shared_tasks,
)
from abotn.metrics.spec import MetricSpec
from abotn.statistics.mcnemar_power import (
    Discordance,
    discordance_at,
    discordance_of_rates,
    mcnemar_power_at,
)
from abotn.statistics.power import (
    Spread,
    least_reaching,
    least_units,
    measure_spread,
    power_at,
    required_units,
)


@dataclass(frozen=True)
class PowerRow:
    """What one metric needs.

    Attributes:
        metric: Name of the metric.
        unit: Its unit, which is delta's too.
        value: The run's value; None where undefined.
        spread: Standard deviation of one task's paired difference; None where it is unknown.
        icc: Intraclass correlation of the tasks of one cluster, 0 without clusters.
        n_tasks: Tasks of the run that have a value.
        n_clusters: Clusters of the run, or None where tasks are independent.
        power_now: Chance that a comparison of this size shows delta.
        tasks: Tasks needed, or None with the reason in ``note``.
        clusters: Clusters needed, each as large as the run's; None where tasks are independent.
        note: Why there is no number, or what the least p value of the test means for it.
    """

    metric: str
    unit: str
    value: float | None
    spread: float | None
    icc: float
    n_tasks: int
    n_clusters: int | None
    power_now: float | None
    tasks: int | None
    clusters: int | None
    note: str = ""


@dataclass(frozen=True)
class PowerPlan:
    """What each metric needs to show a difference of delta.

    Attributes:
        rows: One entry per metric.
        delta: The difference to be shown, in each metric's unit.
        power: Wanted chance of showing it.
        alpha: Two-sided level of the test.
        basis: ``"paired differences"`` of two runs, or ``"one run"`` with the assumed correlation.
        correlation: Assumed correlation of two runs' values on one task; None for two runs.
        clustered_by: The cluster column, or None where tasks are independent.
    """

    rows: tuple[PowerRow, ...]
    delta: float
    power: float
    alpha: float
    basis: str
    correlation: float | None
    clustered_by: str | None

    def __getitem__(self, metric: str) -> PowerRow:
        for row in self.rows:
            if row.metric == metric:
                return row
        raise KeyError(metric)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**asdict(self), "rows": [asdict(row) for row in self.rows]}


def power(
    run: Any,
    *,
    delta: float,
    against: Any = None,
    metrics: MetricChoice = "all",
    target: float = 0.8,
    alpha: float = 0.05,
    correlation: float = 0.0,
    cluster_by: str | None = "auto",
    on_error: str = "failure",
    exclude_scenes: Iterable[str] | str | None = None,
    metric_kwargs: Mapping[str, Mapping[str, Any]] | None = None,
    evaluator: Evaluator | None = None,
) -> PowerPlan:
    """Say how many tasks or scenes would show a difference of ``delta``.

    A task's value is the mean over its attempts. From one run a second one is taken to be delta
    better or worse, whichever is harder to show, with ``correlation`` between their values on one
    task; with ``against`` the spread of the differences is measured instead. Values that are 0 or
    1 on independent tasks are planned by the power of exact McNemar's test, others by that of a t
    test of the paired differences. A fraction m has a second run of variance in proportion to
    ``m (1 - m)``, other metrics one of the same variance. A ratio of sums is planned by its linear
    form, ``(a_i - R b_i) / mean(b)``.

    Args:
        run: What ``Evaluator.evaluate_dataset`` takes.
        delta: The difference to be shown, in the metric's unit.
        against: A second run on the same tasks.
        metrics: Names, or ``"all"`` that are fractions (bounds 0 to 1).
        target: Wanted power.
        alpha: Two-sided level of the test.
        correlation: Between two runs' values on one task; runs that find the same tasks hard have
            one above 0, and need fewer tasks.
        cluster_by: Column of the clusters; ``"auto"`` takes scenes when at least five hold several
            tasks; None takes tasks as independent.
        on_error: What an error record counts: ``"failure"``, ``"exclude"`` or ``"raise"``.
        exclude_scenes: Scenes to leave out; None takes the run's protocol's.
        metric_kwargs: Parameters per metric.
        evaluator: Where metrics come from; one with the default registry by default.

    Returns:
        A row per metric.

    Raises:
        EvaluationInputError: an argument is out of range, or the runs share no task.
        UnknownNameError: an unknown metric or policy.
    """
    wanted = _Wanted(delta, target, alpha, correlation)
    evaluator = evaluator or Evaluator()
    selection = select(evaluator.registry, metrics, None)
    options = EvaluationOptions(
        metric_kwargs=metric_parameters(metric_kwargs, evaluator.registry, selection),
        cluster_by=cluster_by,
        on_error=on_error,
        exclude_scenes=scene_tuple(exclude_scenes),
    )
    found = evaluator.score_records(run, selection, options)
    require_evaluated(options.metric_kwargs, found)
    require_scenes(options, found)
    first = TaskValues.of(found)
    second = None
    if against is not None:
        second = TaskValues.of(evaluator.score_records(against, selection, options))
    columns, at = _columns(first, second)
    labels, column = cluster_labels(first, at, options)
    if selection.automatic:
        columns = [column for column in columns if _is_fraction(column.one.spec)]
    return PowerPlan(
        rows=tuple(_row(column, labels, wanted) for column in columns),
        delta=delta,
        power=target,
        alpha=alpha,
        basis="one run" if second is None else "paired differences",
        correlation=correlation if second is None else None,
        clustered_by=None if labels is None else column,
    )


@dataclass(frozen=True)
class _Wanted:
    delta: float
    target: float
    alpha: float
    correlation: float

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            check_finite(value, name)
        if self.delta == 0:
            raise EvaluationInputError("must not be 0", where="delta")
        for name in ("target", "alpha"):
            if not 0 < getattr(self, name) < 1:
                raise EvaluationInputError(
                    f"must lie between 0 and 1, got {getattr(self, name)!r}", where=name
                )
        if not -1 <= self.correlation < 1:
            raise EvaluationInputError(
                f"must lie from -1 to below 1, got {self.correlation!r}", where="correlation"
            )


@dataclass(frozen=True)
class _Column:
    """One metric: its value, and what varies from task to task.

    ``rates`` are the success rate of one run or, of two runs, how often one alone solves a task;
    None where values are not all 0 or 1.
    """

    one: Scored
    value: float
    varying: FloatArray
    rates: float | Discordance | None
    paired: bool


def _columns(first: TaskValues, second: TaskValues | None) -> tuple[list[_Column], Rows]:
    """Return each metric's column, and the tasks used."""
    if second is None:
        everything = np.arange(len(first.tasks), dtype=np.int64)
        return [_column_of_one(one, first.sums(one)) for one in first.found.scored], everything
    shared, in_first, in_second = shared_tasks(first, second)
    if not shared.size:
        raise EvaluationInputError("has no task in common with the run", where="against")
    of_second = {one.spec.name: one for one in second.found.scored}
    columns = [
        _column_of_two(
            one,
            first.sums(one)[in_first],
            second.sums(of_second[one.spec.name])[in_second],
        )
        for one in first.found.scored
        if one.spec.name in of_second
    ]
    return columns, in_first


def _column_of_one(one: Scored, sums: FloatArray) -> _Column:
    value, varying = _linear(sums)
    tops = sums[~np.isnan(varying), 0]
    rate = float(tops.mean()) if len(tops) > 1 and _is_zero_one(one.spec, tops) else None
    return _Column(one, value, varying, rate, paired=False)


def _column_of_two(one: Scored, ours: FloatArray, theirs: FloatArray) -> _Column:
    value, left = _linear(ours)
    differences = left - _linear(theirs)[1]
    both = ~np.isnan(differences)
    a, b = ours[both, 0], theirs[both, 0]
    rates = None
    if len(a) > 1 and _is_zero_one(one.spec, a) and _is_zero_one(one.spec, b):
        rates = Discordance(float((a > b).mean()), float((b > a).mean()))
    return _Column(one, value, differences, rates, paired=True)


def _is_fraction(spec: MetricSpec) -> bool:
    return spec.bounds == (0, 1)


def _is_zero_one(spec: MetricSpec, values: FloatArray) -> bool:
    return not spec.ratio and bool(np.isin(values, (0.0, 1.0)).all())


def _linear(sums: FloatArray) -> tuple[float, FloatArray]:
    """Return the ratio R of the sums and its linear form per task, R + (a - R b) / mean(b)."""
    defined = ~np.isnan(sums[:, 0])
    bottom = sums[defined, 1].sum()
    if not bottom:
        return math.nan, np.full(len(sums), np.nan)
    ratio = float(sums[defined, 0].sum() / bottom)
    mean = bottom / defined.sum()
    return ratio, ratio + (sums[:, 0] - ratio * sums[:, 1]) / mean


def _row(column: _Column, labels: NDArray[Any] | None, wanted: _Wanted) -> PowerRow:
    try:
        spread = measure_spread(column.varying, labels)
    except ValueError as error:
        note = column.one.error or str(error).partition(": ")[2]
        return _unknown(column.one, column.value, column.varying, note)
    if labels is None and column.rates is not None:
        rates = _hardest(column.rates, wanted)
        if rates is not None:
            return _planned_by_mcnemar(column, rates, spread.n_tasks, wanted)
    if not column.paired:
        spread = replace(spread, variance=_variance_of_pair(column, spread.variance, wanted))
    return _planned(column, spread, wanted)


def _hardest(rates: float | Discordance, wanted: _Wanted) -> Discordance | None:
    """Return the chances under which delta is hardest to show; None where it cannot be."""
    delta = abs(wanted.delta)
    if isinstance(rates, Discordance):
        total = rates.first + rates.second
        return discordance_at(total, delta) if total > 0 and delta <= 1 else None
    others = _rates_apart(rates, delta)
    found = [discordance_of_rates(rates, other, wanted.correlation) for other in others]
    # The more tasks only one run solves, the more of them are chance.
    return max(found, key=lambda one: one.variance, default=None)


def _rates_apart(rate: float, delta: float) -> list[float]:
    """Return the rates that lie delta from a rate and between 0 and 1, rounding forgiven."""
    nearby = (rate - delta, rate + delta)
    return [min(max(one, 0.0), 1.0) for one in nearby if -1e-9 <= one <= 1 + 1e-9]


def _variance_of_pair(column: _Column, variance: float, wanted: _Wanted) -> float:
    """Return that of a task's difference with a second run, the worst of delta up and down."""
    own, others = column.value * (1.0 - column.value), [variance]
    if _is_fraction(column.one.spec) and not column.one.spec.ratio and own > 0:
        rates = _rates_apart(column.value, abs(wanted.delta))
        others += [variance * rate * (1.0 - rate) / own for rate in rates]
    return max(
        variance + other - 2.0 * wanted.correlation * math.sqrt(variance * other)
        for other in others
    )


def _unknown(one: Scored, value: float, varying: FloatArray, note: str) -> PowerRow:
    return PowerRow(
        metric=one.spec.name,
        unit=one.spec.unit.value,
        value=value if math.isfinite(value) else None,
        spread=None,
        icc=0.0,
        n_tasks=int((~np.isnan(varying)).sum()),
        n_clusters=None,
        power_now=None,
        tasks=None,
        clusters=None,
        note=note,
    )


def _planned(column: _Column, spread: Spread, wanted: _Wanted) -> PowerRow:
    needed = required_units(spread, delta=wanted.delta, power=wanted.target, alpha=wanted.alpha)
    units = spread.n_tasks if spread.n_scenes is None else spread.n_scenes
    now = power_at(spread, delta=wanted.delta, units=units, alpha=wanted.alpha)
    kind = "tasks" if spread.n_scenes is None else "clusters"
    return PowerRow(
        metric=column.one.spec.name,
        unit=column.one.spec.unit.value,
        value=column.value,
        spread=math.sqrt(spread.variance),
        icc=spread.icc,
        n_tasks=spread.n_tasks,
        n_clusters=spread.n_scenes,
        power_now=None if spread.variance == 0 else now,
        tasks=needed.tasks,
        clusters=needed.scenes,
        note=needed.note or _too_few(units, kind, wanted.alpha),
    )


def _planned_by_mcnemar(
    column: _Column, rates: Discordance, n_tasks: int, wanted: _Wanted
) -> PowerRow:
    def reached(units: int) -> float:
        return mcnemar_power_at(rates, units=units, alpha=wanted.alpha)

    needed = least_reaching(reached, wanted.target)
    return PowerRow(
        metric=column.one.spec.name,
        unit=column.one.spec.unit.value,
        value=column.value,
        spread=math.sqrt(rates.variance),
        icc=0.0,
        n_tasks=n_tasks,
        n_clusters=None,
        power_now=reached(n_tasks),
        tasks=needed,
        clusters=None,
        note="delta is too small" if needed is None else _too_few(n_tasks, "tasks", wanted.alpha),
    )


def _too_few(units: int, kind: str, alpha: float) -> str:
    """Say where a comparison of the present size cannot show anything."""
    least = least_units(alpha)
    if units >= least:
        return ""
    return f"{units} {kind} show nothing: fewer than {least} allow no p value below {alpha:g}"
