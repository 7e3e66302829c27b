"""Kind ``success-vs-length``: a metric against the length of the reference path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import EvaluationInputError
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
from abotn.report.plots.sheet import FAINT, SMALL
from abotn.report.runs import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from abotn.results.types import GroupResult, MetricResult

FloatArray = NDArray[np.float64]
_BODY = {1: 2.1, 2: 2.7}
MOST_BINS = 5
RECORDS_PER_BIN = 8
GROUPING = "reference length"


def length_edges(lengths: ArrayLike, *, bins: int | None = None) -> FloatArray:
    """Return the edges of bins that hold about equally many records.

    Args:
        lengths: Reference lengths of all records of all runs, metres; NaN and infinite ones are
            passed over.
        bins: Bins at most; about one per eight records and at most five when None.

    Returns:
        (B + 1,) increasing edges, B >= 1; the first and last are the least and greatest length.

    Raises:
        EvaluationInputError: no length is finite.
    """
    values = np.asarray(lengths, dtype=np.float64)
    finite = values[np.isfinite(values)]
    if not finite.size:
        raise EvaluationInputError("no record has a reference length", where="shortest_path_length")
    count = bins or min(MOST_BINS, max(1, len(finite) // RECORDS_PER_BIN))
    edges = np.unique(np.quantile(finite, np.linspace(0.0, 1.0, count + 1)))
    return np.array([edges[0], edges[0] + 1.0]) if len(edges) == 1 else edges


def length_bins(lengths: ArrayLike, edges: FloatArray) -> list[str | None]:
    """Return the bin of each record as a label, ``"0"`` for the first; None without a length.

    A bin holds its lower edge and not its upper one; the last holds both.

    Example:
        >>> length_bins([1.0, 2.0, 3.0, np.nan], np.array([1.0, 2.0, 3.0]))
        ['0', '1', '1', None]
    """
    values = np.asarray(lengths, dtype=np.float64)
    inner = np.clip(np.searchsorted(edges[1:-1], values, side="right"), 0, len(edges) - 2)
    return [
        str(place) if math.isfinite(value) else None
        for value, place in zip(values, inner, strict=True)
    ]


def draw_success_length(
    runs: Sequence[Run], edges: FloatArray, metric: str, *, columns: int = 1
) -> Figure:
    """Return a figure with a point per run and bin of reference lengths.

    Args:
        runs: (name, evaluation) of each run; the evaluation's grouping :data:`GROUPING` has the
            labels of :func:`length_bins`.
        edges: (B + 1,) edges of the bins, metres.
        metric: The metric.
        columns: Text columns the figure is wide, 1 or 2.

    Raises:
        EvaluationInputError: no run, two of one name, or no bin has a value.
        ConfigError: ``columns`` is neither 1 nor 2.
    """
    names = shown_names(runs, columns)
    groups = {name: _by_bin(result.groups.get(GROUPING, ())) for name, result in runs}
    every = [m for bins in groups.values() for g in bins.values() for m in _of(g, metric)]
    require_value(every, metric)
    lines = [*interval_note(every), *modified_note(runs)]
    figure = framed_figure(columns, _BODY[columns], lines, names)
    axes = figure.subplots()
    look = looks(names)
    for index, name in enumerate(names):
        shift = 0.6 * ((index + 0.5) / len(names) - 0.5)
        _draw_run(axes, groups[name], metric, look[name], shift)
    _dress(axes, edges, [groups[name] for name in names])
    axes.set_ylabel(metric_label(metric, every[0].unit, every[0].direction))
    fit_fraction(axes, every, axis="y")
    return figure


def _by_bin(groups: Sequence[GroupResult]) -> dict[int, GroupResult]:
    return {int(group.label): group for group in groups}


def _of(group: GroupResult, metric: str) -> list[MetricResult]:
    return [one for one in group.metrics if one.name == metric]


def _draw_run(
    axes: Axes,
    groups: dict[int, GroupResult],
    metric: str,
    look: Look,
    shift: float,
) -> None:
    points = []
    for place, group in sorted(groups.items()):
        x = place + 0.5 + shift
        for one in _of(group, metric):
            if math.isfinite(one.value):
                dot(axes, x, one.value, look, up=ends(one))
                points.append((x, one.value))
    if points:
        axes.plot(
            *zip(*points, strict=True),
            color=look.colour,
            linestyle=look.line,
            linewidth=0.8,
            zorder=2,
        )


def _dress(axes: Axes, edges: FloatArray, groups: Sequence[dict[int, GroupResult]]) -> None:
    axes.grid()
    axes.set_xlim(0, len(edges) - 1)
    axes.set_xticks(range(len(edges)), labels=[f"{edge:.3g}" for edge in edges])
    axes.set_xlabel("length of the reference path (m), bins of equal counts")
    for place in range(len(edges) - 1):
        counts = dict.fromkeys(bins[place].count for bins in groups if place in bins)
        axes.annotate(
            f"n = {'/'.join(map(str, counts))}" if place == 0 else "/".join(map(str, counts)),
            (place + 0.5, 1.0), xycoords=axes.get_xaxis_transform(), xytext=(0, 2),
            textcoords="offset points", ha="center", va="bottom", fontsize=SMALL, color=FAINT,
        )  # fmt: skip
