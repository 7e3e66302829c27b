"""What several kinds of pictures share: metric labels, dots with intervals, legends, notes."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from abotn.errors import EvaluationInputError, UnknownMetricError
from abotn.report.cells import absence, interval_ends
from abotn.report.notes import described
from abotn.report.numbers import shown_unit
from abotn.report.plots.lettering import readable, readable_names
from abotn.report.plots.looks import Look
from abotn.report.plots.sheet import FAINT, SMALL, WIDTHS
from abotn.report.runs import MODIFIED_MARK, Run, check_runs, is_modified, run_label
from abotn.units import Direction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from abotn.results.types import MetricResult

MODIFIED_NOTE = f"{MODIFIED_MARK} modified protocol."
Ends = tuple[float, float]
_COLUMN_LETTERS = {1: 22, 2: 40}


def shown_names(runs: Sequence[Run], columns: int) -> dict[str, str]:
    """Return the name each run is shown under, marked where its protocol was modified.

    Raises:
        EvaluationInputError: no run, two of one name, or metrics whose units contradict.
    """
    check_runs(runs)
    names = readable_names([name for name, _ in runs], _COLUMN_LETTERS[columns])
    return {name: run_label(names[name], result) for name, result in runs}


def metric_label(name: str, unit: str, direction: str) -> str:
    """Return the label of an axis: the metric, its unit, and an arrow to the better end.

    Example:
        >>> metric_label("collision_length", "m", "lower")
        'collision_length (m) ↓'
    """
    shown = shown_unit(unit)
    return f"{readable(name)}{f' ({shown})' if shown else ''} {Direction(direction).arrow}"


def results_of(runs: Sequence[Run], metric: str) -> dict[str, MetricResult]:
    """Return the result of a metric by run; a run that has none is left out.

    Raises:
        UnknownMetricError: no run has it.
    """
    found = {name: result[metric] for name, result in runs if metric in result}
    if not found:
        known = {one.name for _, result in runs for one in result.metrics}
        raise UnknownMetricError(metric, known)
    return found


def require_value(metrics: Iterable[MetricResult], metric: str) -> None:
    """Refuse a metric that has no value anywhere.

    Raises:
        EvaluationInputError: it has none; says why.
    """
    results = list(metrics)
    if not any(math.isfinite(one.value) for one in results):
        raise EvaluationInputError(
            f"no run has a value: {absence(results[0] if results else None)}", where=metric
        )


def ends(metric: MetricResult) -> Ends:
    """Return the distances from a value down and up to the ends of its interval, 0 without one."""
    lower, upper = interval_ends(metric)
    if lower is None or upper is None or not math.isfinite(lower + upper):
        return 0.0, 0.0
    return max(metric.value - lower, 0.0), max(upper - metric.value, 0.0)


def dot(
    axes: Axes,
    x: float,
    y: float,
    look: Look,
    *,
    across: Ends | None = None,
    up: Ends | None = None,
) -> None:
    """Draw a point, with its interval across, up, or both."""
    axes.errorbar(
        x,
        y,
        color=look.colour,
        marker=look.marker,
        markeredgecolor="white",
        markeredgewidth=0.4,
        markersize=5.0,
        elinewidth=1.2,
        capsize=2.0,
        linestyle="none",
        zorder=3,
        xerr=None if across is None else [[across[0]], [across[1]]],
        yerr=None if up is None else [[up[0]], [up[1]]],
    )


def fit_fraction(axes: Axes, metrics: Iterable[MetricResult], *, axis: str) -> None:
    """Show 0 to 1 whole where a metric without unit stays within it."""
    results = list(metrics)
    numbers = [
        number
        for one in results
        for number in (one.value, *interval_ends(one))
        if number is not None and math.isfinite(number)
    ]
    if all(not one.unit for one in results) and all(0 <= number <= 1 for number in numbers):
        (axes.set_xlim if axis == "x" else axes.set_ylim)(-0.04, 1.04)


def legend(figure: Figure, names: Mapping[str, str], look: Mapping[str, Look], **line: Any) -> None:
    """Put the agents above a figure, in as many columns as fit."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=look[name].colour,
            marker=look[name].marker,
            linestyle=look[name].line,
            markeredgecolor="white",
            markeredgewidth=0.4,
            label=text,
            **line,
        )
        for name, text in names.items()
    ]
    add_legend(figure, handles, "outside upper center")


def add_legend(figure: Figure, handles: Sequence[Any], place: str) -> None:
    """Put a legend beside the axes, in as many columns as fit into the figure's width."""
    longest = max(len(str(handle.get_label())) for handle in handles)
    fitting = int(figure.get_figwidth() / (0.42 + 0.062 * longest))
    chosen: dict[str, Any] = {"loc": place, "ncols": max(1, min(fitting, len(handles)))}
    figure.legend(handles=handles, borderaxespad=0.2, **chosen)


def notes(figure: Figure, columns: int, lines: Iterable[str]) -> None:
    """Put small lines below a figure, broken to its width."""
    letters = int(WIDTHS[columns] * 72 / (SMALL * 0.56))
    text = "\n".join(part for line in lines for part in textwrap.wrap(line, letters))
    if text:
        figure.supxlabel(text, x=0.01, ha="left", fontsize=SMALL, color=FAINT)


def interval_note(metrics: Iterable[MetricResult]) -> list[str]:
    """Return the line that says what the bars are, or why there are none."""
    results = [one for one in metrics if math.isfinite(one.value)]
    how = dict.fromkeys(described(one.ci) for one in results if one.ci is not None)
    if not how:
        return ["No intervals: none were computed."] if results else []
    return [f"Bars: {'; or '.join(how)}."]


def modified_note(runs: Sequence[Run]) -> list[str]:
    """Return the line that explains the mark of a modified protocol, where one is shown."""
    return [MODIFIED_NOTE] if any(is_modified(result) for _, result in runs) else []
