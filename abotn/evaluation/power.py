"""How large a run has to be to show a difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.evaluation.evaluator import Evaluator
from abotn.evaluation.options import EvaluationOptions, check_finite, scene_tuple
from abotn.evaluation.scoring import Scored
from abotn.evaluation.selection import MetricChoice, select
from abotn.evaluation.task_values import (
    FloatArray,
    Rows,
    TaskValues,
    cluster_labels,
    shared_tasks,
)
from abotn.statistics.power import Spread, measure_spread, power_at, required_units


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
        note: Why there is no number.
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

    A task's value is the mean over its attempts. From one run the paired difference with a run
    like it is taken to have variance ``2 s^2 (1 - correlation)``; with ``against`` the variance of
    the differences is measured instead. A ratio of sums is planned by its linear form, ``(a_i - R
    b_i) / mean(b)``.

    Args:
        run: What ``Evaluator.evaluate_dataset`` takes.
        delta: The difference to be shown, in the metric's unit.
        against: A second run on the same tasks.
        metrics: Names, or ``"all"`` that are fractions (bounds 0 to 1).
        target: Wanted power.
        alpha: Two-sided level of the test.
        correlation: Between two runs' values on one task; 0 is cautious.
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
    options = EvaluationOptions(
        metric_kwargs={evaluator.registry.get(n).name: v for n, v in (metric_kwargs or {}).items()},
        cluster_by=cluster_by,
        on_error=on_error,
        exclude_scenes=scene_tuple(exclude_scenes),
    )
    selection = select(evaluator.registry, metrics, None)
    first = TaskValues.of(evaluator.score_records(run, selection, options))
    second = None
    if against is not None:
        second = TaskValues.of(evaluator.score_records(against, selection, options))
    columns, at = _columns(first, second)
    labels, column = cluster_labels(first, at, options)
    if selection.automatic:
        columns = [item for item in columns if item[0].spec.bounds == (0, 1)]
    return PowerPlan(
        rows=tuple(_row(*item, labels, wanted, paired=second is not None) for item in columns),
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


Column = tuple[Scored, float, FloatArray]


def _columns(first: TaskValues, second: TaskValues | None) -> tuple[list[Column], Rows]:
    """Return each metric with its value and what varies from task to task, and the tasks used."""
    if second is None:
        everything = np.arange(len(first.tasks), dtype=np.int64)
        return [(one, *_linear(first.sums(one))) for one in first.found.scored], everything
    shared, in_first, in_second = shared_tasks(first, second)
    if not shared.size:
        raise EvaluationInputError("has no task in common with the run", where="against")
    of_second = {one.spec.name: one for one in second.found.scored}
    columns: list[Column] = []
    for one in first.found.scored:
        if one.spec.name in of_second:
            value, ours = _linear(first.sums(one)[in_first])
            _, theirs = _linear(second.sums(of_second[one.spec.name])[in_second])
            columns.append((one, value, ours - theirs))
    return columns, in_first


def _linear(sums: FloatArray) -> tuple[float, FloatArray]:
    """Return the ratio R of the sums and its linear form per task, R + (a - R b) / mean(b)."""
    defined = ~np.isnan(sums[:, 0])
    bottom = sums[defined, 1].sum()
    if not bottom:
        return math.nan, np.full(len(sums), np.nan)
    ratio = float(sums[defined, 0].sum() / bottom)
    mean = bottom / defined.sum()
    return ratio, ratio + (sums[:, 0] - ratio * sums[:, 1]) / mean


def _row(
    one: Scored,
    value: float,
    varying: FloatArray,
    labels: NDArray[Any] | None,
    wanted: _Wanted,
    *,
    paired: bool,
) -> PowerRow:
    spec = one.spec
    try:
        spread = measure_spread(varying, labels)
    except ValueError as error:
        note = one.error or str(error).partition(": ")[2]
        return _unknown(one, value, varying, note)
    if not paired:
        spread = spread.as_difference(wanted.correlation)
    return _planned(spec.name, spec.unit.value, value, spread, wanted)


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


def _planned(name: str, unit: str, value: float, spread: Spread, wanted: _Wanted) -> PowerRow:
    needed = required_units(spread, delta=wanted.delta, power=wanted.target, alpha=wanted.alpha)
    units = spread.n_tasks if spread.n_scenes is None else spread.n_scenes
    now = power_at(spread, delta=wanted.delta, units=units, alpha=wanted.alpha)
    return PowerRow(
        metric=name,
        unit=unit,
        value=value,
        spread=math.sqrt(spread.variance),
        icc=spread.icc,
        n_tasks=spread.n_tasks,
        n_clusters=spread.n_scenes,
        power_now=None if spread.variance == 0 else now,
        tasks=needed.tasks,
        clusters=needed.scenes,
        note=needed.note or "",
    )
