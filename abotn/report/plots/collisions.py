"""Kind ``collisions``: how many records have how many collisions, and how long these are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from abotn.report.plots.distribution import (
    Sample,
    check_samples,
    counts_note,
    fill_distribution,
    scale_note,
)
from abotn.report.plots.looks import looks
from abotn.report.plots.marks import (
    dot,
    ends,
    framed_figure,
    interval_note,
    modified_note,
    shown_names,
)
from abotn.report.plots.sheet import FAINT, SMALL
from abotn.report.runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from abotn.results.types import EvaluationResult, MetricResult

_BODY = {1: 3.7, 2: 2.1}
MOST_COUNT = 10
_PREFIX = "at_least_"


def count_name(count: int) -> str:
    """Return the name of the metric "at least ``count`` collisions"."""
    return f"{_PREFIX}{count}"


def draw_collisions(
    runs: Sequence[Run],
    lengths: Sequence[Sample],
    *,
    thresholds: Mapping[str, int] | None = None,
    columns: int = 1,
) -> Figure:
    """Return a figure of two panels: shares of records by number, and lengths of collisions.

    Args:
        runs: (name, evaluation) of each run; the evaluation's metrics are
            ``count_name(1)``, ``count_name(2)``, ... with the share of records as their value.
        lengths: Metres inside obstacles per record, one sample per run.
        thresholds: Count that spoils a success, by run.
        columns: Text columns the figure is wide, 1 or 2.

    Raises:
        EvaluationInputError: no run, two of one name, or no record has a length.
        ConfigError: ``columns`` is neither 1 nor 2.
    """
    names = shown_names(runs, columns)
    check_samples(lengths)
    every = [metric for _, result in runs for metric in result.metrics]
    lines = [*scale_note(lengths), counts_note(lengths, names), *interval_note(every)]
    figure = framed_figure(columns, _BODY[columns], [*lines, *modified_note(runs)], names)
    left, right = figure.subplots(*((2, 1) if columns == 1 else (1, 2)))
    _fill_counts(left, runs)
    _mark_thresholds(left, thresholds or {})
    fill_distribution(right, lengths)
    return figure


def _fill_counts(axes: Axes, runs: Sequence[Run]) -> None:
    look = looks(name for name, _ in runs)
    most = 1
    for index, (name, result) in enumerate(runs):
        shift = 0.5 * ((index + 0.5) / len(runs) - 0.5)
        shares = _shares(result)
        most = max(most, *shares, 1)
        places = [count + shift for count in shares]
        line, values = look[name], [one.value for one in shares.values()]
        axes.plot(places, values, color=line.colour, linestyle=line.line, linewidth=0.7, zorder=2)
        for place, metric in zip(places, shares.values(), strict=True):
            dot(axes, place, metric.value, look[name], up=ends(metric))
    axes.set_xlabel("collisions")
    axes.set_ylabel("share of records with\nat least so many ↓")
    axes.set_ylim(-0.04, 1.04)
    axes.set_xlim(0.5, most + 0.5)
    axes.set_xticks(range(1, most + 1))
    axes.grid(axis="y")


def _shares(result: EvaluationResult) -> dict[int, MetricResult]:
    return {
        int(metric.name.removeprefix(_PREFIX)): metric
        for metric in result.metrics
        if metric.name.startswith(_PREFIX) and math.isfinite(metric.value)
    }


def _mark_thresholds(axes: Axes, thresholds: Mapping[str, int]) -> None:
    low, high = axes.get_xlim()
    for threshold in sorted(set(thresholds.values())):
        if not low <= threshold - 0.5 <= high:
            continue
        axes.axvline(threshold - 0.5, color=FAINT, linewidth=0.8, linestyle="--", zorder=1)
        axes.annotate(
            f"{threshold} or more spoil a success", (threshold - 0.5, 1.0),
            xycoords=axes.get_xaxis_transform(), xytext=(0, 2), textcoords="offset points",
            fontsize=SMALL, color=FAINT, va="bottom",
        )  # fmt: skip
