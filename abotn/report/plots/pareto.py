"""Kind ``pareto``: two metrics against each other, and the agents that no other one beats."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import EvaluationInputError
from abotn.report.plots.looks import looks
from abotn.report.plots.marks import (
    dot,
    ends,
    fit_fraction,
    framed_figure,
    interval_note,
    metric_label,
    modified_note,
    results_of,
    shown_names,
)
from abotn.report.plots.sheet import FAINT
from abotn.report.runs import Run
from abotn.units import Direction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from abotn.results.types import MetricResult

_BODY = {1: 2.1, 2: 3.0}
_AIMS = ("success", "success_new", "spl_new", "spl", "poi_spl")
_COSTS = ("collision_length", "collision_rate", "path_collision_task_rate", "travel_length")


def draw_pareto(runs: Sequence[Run], metrics: Sequence[str] = (), *, columns: int = 1) -> Figure:
    """Return a figure with a point per run, and a line through those that no other run beats.

    Args:
        runs: (name, evaluation) of each run.
        metrics: The metric across and the metric up; when empty, a cost across and an aim up.
        columns: Text columns the figure is wide, 1 or 2.

    Raises:
        EvaluationInputError: not two metrics, no run, or no run has a value of both.
        UnknownMetricError: no run has a metric.
        ConfigError: ``columns`` is neither 1 nor 2.
    """
    names = shown_names(runs, columns)
    across, up = _pair(runs, metrics)
    xs, ys = results_of(runs, across), results_of(runs, up)
    shown = [name for name in names if _has_value(xs, name) and _has_value(ys, name)]
    if not shown:
        raise EvaluationInputError("no run has a value of both", where=f"{across}, {up}")
    every = [*(xs[name] for name in shown), *(ys[name] for name in shown)]
    lines = [_front_note(names, shown), *interval_note(every), *modified_note(runs)]
    named = {name: names[name] for name in shown}
    figure = framed_figure(columns, _BODY[columns], lines, named, with_lines=False)
    axes = figure.subplots()
    look = looks(names)
    _front(axes, xs, ys, shown)
    for name in shown:
        x, y = xs[name], ys[name]
        dot(axes, x.value, y.value, look[name], across=ends(x), up=ends(y))
    _label(axes, xs[shown[0]], ys[shown[0]])
    fit_fraction(axes, [xs[name] for name in shown], axis="x")
    fit_fraction(axes, [ys[name] for name in shown], axis="y")
    return figure


def not_beaten(values: ArrayLike, directions: Sequence[str]) -> NDArray[np.bool_]:
    """Return which rows no other row beats.

    A row beats another when it is at least as good in every column and better in one.

    Args:
        values: (N, M) finite values.
        directions: ``"higher"`` or ``"lower"`` is better, per column.

    Returns:
        (N,) bool.

    Example:
        >>> not_beaten([[1, 5], [2, 5], [2, 9]], ["higher", "lower"]).tolist()
        [False, True, False]
    """
    signs = [1.0 if Direction(one) is Direction.HIGHER else -1.0 for one in directions]
    scores = np.asarray(values, dtype=np.float64) * signs
    as_good = (scores[:, None, :] >= scores[None, :, :]).all(axis=2)
    better = (scores[:, None, :] > scores[None, :, :]).any(axis=2)
    return np.asarray(~(as_good & better).any(axis=0), dtype=bool)


def _pair(runs: Sequence[Run], metrics: Sequence[str]) -> tuple[str, str]:
    if metrics:
        if len(metrics) != 2 or metrics[0] == metrics[1]:
            raise EvaluationInputError(
                f"expected two different metrics, got {len(metrics)}: {', '.join(metrics)}",
                where="metrics",
            )
        return metrics[0], metrics[1]
    present = {m.name for _, result in runs for m in result.metrics if math.isfinite(m.value)}
    cost = next((name for name in _COSTS if name in present), None)
    aim = next((name for name in _AIMS if name in present), None)
    if cost is None or aim is None:
        raise EvaluationInputError(
            "no pair of metrics to choose by itself", where="metrics", hint="name two metrics"
        )
    return cost, aim


def _has_value(results: Mapping[str, MetricResult], name: str) -> bool:
    return name in results and math.isfinite(results[name].value)


def _front(
    axes: Axes,
    xs: Mapping[str, MetricResult],
    ys: Mapping[str, MetricResult],
    shown: Sequence[str],
) -> None:
    points = np.array([(xs[name].value, ys[name].value) for name in shown])
    directions = (xs[shown[0]].direction, ys[shown[0]].direction)
    best = points[not_beaten(points, directions)]
    best = best[np.lexsort((best[:, 1], best[:, 0]))]
    # The steps go round by the corner that the points do dominate, the worse one of the two.
    style = "steps-post" if directions[0] == "lower" else "steps-pre"
    axes.plot(best[:, 0], best[:, 1], drawstyle=style, color=FAINT, linewidth=0.8, linestyle=":")
    ring: dict[str, Any] = {
        "markerfacecolor": "none",
        "markeredgecolor": "black",
        "markeredgewidth": 0.7,
    }
    axes.plot(best[:, 0], best[:, 1], "o", markersize=9.0, clip_on=False, zorder=4, **ring)


def _label(axes: Axes, x: MetricResult, y: MetricResult) -> None:
    axes.set_xlabel(metric_label(x.name, x.unit, x.direction))
    axes.set_ylabel(metric_label(y.name, y.unit, y.direction))
    axes.grid()


def _front_note(names: Mapping[str, str], shown: Sequence[str]) -> str:
    missing = [text for name, text in names.items() if name not in shown]
    left_out = f" Left out, without a value: {', '.join(missing)}." if missing else ""
    return f"Ringed: no other run is better in one and at least as good in the other.{left_out}"
