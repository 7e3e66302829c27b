"""Kind ``intervals``: every agent's value and interval, a panel per metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from abotn.report.build import HEADLINE
from abotn.report.plots.looks import Look, looks
from abotn.report.plots.marks import (
    dot,
    ends,
    fit_fraction,
    framed_figure,
    interval_note,
    metric_label,
    modified_note,
    require_value,
    results_of,
    shown_names,
)
from abotn.report.plots.sheet import FAINT, SMALL
from abotn.report.runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from abotn.results.types import MetricResult

_MOST_BY_DEFAULT = 6
_ROW, _FRAME = 0.19, 0.42


def default_metrics(runs: Sequence[Run]) -> list[str]:
    """Return the headline metrics that some run has a value of, at most six; else the first ones.

    Args:
        runs: (name, evaluation) of each run.
    """
    valued = dict.fromkeys(
        metric.name
        for _, result in runs
        for metric in result.metrics
        if math.isfinite(metric.value)
    )
    return ([name for name in HEADLINE if name in valued] or list(valued))[:_MOST_BY_DEFAULT]


def draw_intervals(runs: Sequence[Run], metrics: Sequence[str] = (), *, columns: int = 1) -> Figure:
    """Return a figure with a panel per metric and a row per run.

    Args:
        runs: (name, evaluation) of each run, shown from top to bottom.
        metrics: Metrics in order; :func:`default_metrics` when empty.
        columns: Text columns the figure is wide, 1 or 2.

    Raises:
        EvaluationInputError: no run, two of one name, or nothing has a value.
        UnknownMetricError: no run has a metric.
        ConfigError: ``columns`` is neither 1 nor 2.
    """
    names = shown_names(runs, columns)
    asked = list(metrics) or default_metrics(runs)
    results = {metric: results_of(runs, metric) for metric in asked}
    every = [one for found in results.values() for one in found.values()]
    require_value(every, ", ".join(asked) or "metrics")
    across = min(3, len(asked)) if columns == 2 else 1
    down = math.ceil(len(asked) / across)
    lines = [*interval_note(every), *modified_note(runs)]
    figure = framed_figure(columns, down * (_ROW * len(runs) + _FRAME) + 0.1, lines)
    panels = figure.subplots(down, across, squeeze=False, sharey=True).flat
    look = looks(names)
    for panel, metric in zip(panels, asked, strict=False):
        _fill(panel, metric, results[metric], names, look)
    for panel in list(panels)[len(asked) :]:
        panel.set_visible(False)
    return figure


def _fill(
    axes: Axes,
    metric: str,
    results: Mapping[str, MetricResult],
    names: Mapping[str, str],
    look: Mapping[str, Look],
) -> None:
    first = next(iter(results.values()))
    axes.set_xlabel(metric_label(metric, first.unit, first.direction))
    axes.set_yticks(range(len(names)), labels=list(names.values()))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for row, name in enumerate(names):
        result = results.get(name)
        if result is not None and math.isfinite(result.value):
            dot(axes, result.value, row, look[name], across=ends(result))
        else:
            _say_missing(axes, row)
    fit_fraction(axes, results.values(), axis="x")


def _say_missing(axes: Axes, row: int) -> None:
    place = axes.get_yaxis_transform()
    axes.text(
        0.5, row, "no value", transform=place, ha="center", va="center", fontsize=SMALL, color=FAINT
    )
