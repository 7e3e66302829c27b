"""What several kinds of pictures share: metric labels, dots with intervals, legends, notes."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from abotn.errors import EvaluationInputError, UnknownMetricError
from abotn.report.cells import absence, interval_ends
from abotn.report.notes import described
from abotn.report.numbers import shown_unit
from abotn.report.plots.lettering import readable, readable_names
from abotn.report.plots.looks import Look, looks
from abotn.report.plots.sheet import FAINT, SMALL, WIDTHS, check_columns, new_figure
from abotn.report.runs import MODIFIED_MARK, Run, check_runs, is_modified, run_label
from abotn.report.texts import width as text_width
from abotn.units import Direction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from abotn.results.types import MetricResult

MODIFIED_NOTE = f"{MODIFIED_MARK} modified protocol."
Ends = tuple[float, float]
_LEGEND_ROW, _NOTE_ROW = 0.145, 0.115
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


def framed_figure(
    columns: int,
    body: float,
    lines: Iterable[str],
    names: Mapping[str, str] | None = None,
    *,
    with_lines: bool = True,
) -> Figure:
    """Return a figure with the agents above and notes below, and room for axes between.

    Args:
        columns: Text columns it is wide, 1 or 2.
        body: Height of the axes with their labels, inches.
        lines: Notes; broken to the figure's width.
        names: Shown name of each agent; None for a figure that names them at its axes.
        with_lines: Whether agents are drawn as lines too, not as points only.

    Raises:
        ConfigError: ``columns`` is neither 1 nor 2.
    """
    width = WIDTHS[check_columns(columns)]
    letters = int(width * 72 / (SMALL * 0.56))
    note = "\n".join(part for line in lines for part in textwrap.wrap(line, letters))
    longest = max((text_width(text) for text in (names or {}).values()), default=0)
    across = max(1, min(int(width / (0.42 + 0.062 * longest)), len(names or {})))
    rows = math.ceil(len(names or {}) / across)
    height = body + rows * _LEGEND_ROW + (note.count("\n") + 1 if note else 0) * _NOTE_ROW
    figure = new_figure(columns, height)
    if names:
        entries = _entries(names, with_lines=with_lines)
        figure.legend(handles=entries, loc="outside upper center", ncols=across, borderaxespad=0.2)
    if note:
        figure.supxlabel(note, x=0.01, ha="left", fontsize=SMALL, color=FAINT)
    return figure


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


def _entries(names: Mapping[str, str], *, with_lines: bool) -> list[Line2D]:
    from matplotlib.lines import Line2D

    look = looks(names)
    return [
        Line2D(
            [],
            [],
            color=look[name].colour,
            marker=look[name].marker,
            linestyle=look[name].line if with_lines else "none",
            markeredgecolor="white",
            markeredgewidth=0.4,
            # Matplotlib leaves out what begins with an underscore.
            label=f" {text}" if text.startswith("_") else text,
        )
        for name, text in names.items()
    ]
