"""Kind ``groups``: one metric group by group, the agents side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from abotn.errors import EvaluationInputError, UnknownMetricError, UnknownNameError
from abotn.report.plots.intervals import default_metrics
from abotn.report.plots.lettering import readable
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
    shown_names,
)
from abotn.report.runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from abotn.results.types import GroupResult, MetricResult

MOST_GROUPS = 60
_BAND = "#f4f4f4"
_LABEL_LETTERS = {1: 26, 2: 44}

Cells = Mapping[tuple[str, str], "MetricResult"]


def draw_groups(
    runs: Sequence[Run],
    metric: str | None = None,
    *,
    grouping: str | None = None,
    columns: int = 1,
) -> Figure:
    """Return a figure with a row per group, the runs below each other in it.

    Args:
        runs: (name, evaluation) of each run.
        metric: The metric; the first headline one with a value when None.
        grouping: The grouping; the first one of the runs with more than one group when None.
        columns: Text columns the figure is wide, 1 or 2.

    Raises:
        EvaluationInputError: no run, no groups or too many, or no group has a value.
        UnknownMetricError: no group has the metric.
        UnknownNameError: no run has the grouping.
        ConfigError: ``columns`` is neither 1 nor 2.
    """
    names = shown_names(runs, columns)
    chosen = _grouping(runs, grouping)
    metric = metric or next(iter(default_metrics(runs)), "")
    groups = {name: result.groups.get(chosen, ()) for name, result in runs}
    labels = list(dict.fromkeys(group.label for members in groups.values() for group in members))
    if len(labels) > MOST_GROUPS:
        raise EvaluationInputError(
            f"has {len(labels)} groups, a picture holds {MOST_GROUPS}",
            where=f"grouping {chosen}",
            hint="choose another grouping",
        )
    cells = _cells(groups, metric)
    require_value(cells.values(), metric)
    row = max(0.24, 0.13 * len(runs) + 0.06)
    lines = [*interval_note(cells.values()), *modified_note(runs)]
    figure = framed_figure(columns, row * len(labels) + 0.75, lines, names, with_lines=False)
    axes = figure.subplots()
    _fill(axes, labels, names, cells, looks(names))
    axes.set_yticks(range(len(labels)), labels=_counted(labels, groups, columns))
    axes.set_title(f"by {readable(chosen)}", loc="left", fontsize=7.0)
    return figure


def _grouping(runs: Sequence[Run], asked: str | None) -> str:
    known = list(dict.fromkeys(name for _, result in runs for name in result.groups))
    if not known:
        raise EvaluationInputError("no run has groups", hint="evaluate with groupings")
    if asked is not None and asked not in known:
        raise UnknownNameError("grouping", asked, known)
    return asked or next((name for name in known if _group_count(runs, name) > 1), known[0])


def _group_count(runs: Sequence[Run], grouping: str) -> int:
    return len({one.label for _, result in runs for one in result.groups.get(grouping, ())})


def _cells(
    groups: Mapping[str, Sequence[GroupResult]], metric: str
) -> dict[tuple[str, str], MetricResult]:
    found = {
        (name, group.label): one
        for name, members in groups.items()
        for group in members
        for one in group.metrics
        if one.name == metric
    }
    if not found:
        known = {m.name for members in groups.values() for g in members for m in g.metrics}
        raise UnknownMetricError(metric, known)
    return found


def _fill(
    axes: Axes,
    labels: Sequence[str],
    names: Mapping[str, str],
    cells: Cells,
    look: Mapping[str, Look],
) -> None:
    first = next(iter(cells.values()))
    axes.set_xlabel(metric_label(first.name, first.unit, first.direction))
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for position, label in enumerate(labels):
        if position % 2:
            axes.axhspan(position - 0.5, position + 0.5, color=_BAND, linewidth=0, zorder=0)
        for index, name in enumerate(names):
            result = cells.get((name, label))
            if result is not None and math.isfinite(result.value):
                shift = 0.8 * ((index + 0.5) / len(names) - 0.5)
                dot(axes, result.value, position + shift, look[name], across=ends(result))
    fit_fraction(axes, cells.values(), axis="x")


def _counted(
    labels: Sequence[str], groups: Mapping[str, Sequence[GroupResult]], columns: int
) -> list[str]:
    texts = []
    for label in labels:
        counts = dict.fromkeys(
            group.count for members in groups.values() for group in members if group.label == label
        )
        shown = "/".join(map(str, counts)) if len(counts) < 4 else f"{min(counts)}–{max(counts)}"
        texts.append(f"{readable(label, _LABEL_LETTERS[columns])} (n = {shown})")
    return texts
