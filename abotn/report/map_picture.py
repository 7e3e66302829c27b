"""Pictures of tasks on their maps, one or many on a sheet."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from abotn.json_files import write_bytes
from abotn.report.plots.lettering import readable
from abotn.report.plots.map_backdrop import Window
from abotn.report.plots.map_drawing import TaskMap, fill_map, key, step_colours
from abotn.report.plots.sheet import (
    FAINT,
    SMALL,
    WIDTHS,
    check_columns,
    new_figure,
    picture,
    suffix_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LETTERS_PER_INCH = 22
_EDGE, _GAP, _HEAD, _SIDE_LABEL = 0.05, 0.08, 0.4, 0.16
_SCALE, _SCALE_WIDTH = 0.47, 0.08
_KEY_ROW, _KEY_ENTRY = 0.15, 0.78


class Panel(NamedTuple):
    """One map on a sheet.

    Attributes:
        task: What it shows; None for a run that has no path of this task.
        title: First line above it.
        window: The part of the world it shows; the task's own when None.
        side_label: Text at its left.
    """

    task: TaskMap | None
    title: str
    window: Window | None = None
    side_label: str = ""


def map_picture(task: TaskMap, suffix: str = ".png", *, columns: int = 1) -> bytes:
    """Return the bytes of the picture of one task; the same task gives the same bytes.

    Args:
        task: What to show.
        suffix: ``".png"``, ``".svg"`` or ``".pdf"``.
        columns: Text columns the picture is wide, 1 or 2.

    Raises:
        EvaluationInputError: neither path, reference nor goal has a finite point.
        ConfigError: another suffix, or ``columns`` is neither 1 nor 2.
    """
    return picture(partial(draw_maps, [Panel(task, task.title)], 1, columns=columns), suffix)


def write_map_picture(path: str | os.PathLike[str], task: TaskMap, *, columns: int = 1) -> None:
    """Write the picture of one task, whole or not at all; the ending decides the format.

    Raises:
        As :func:`map_picture`; and DataError: the file cannot be written.
    """
    write_bytes(path, map_picture(task, suffix_of(os.fspath(path)), columns=columns))


def draw_maps(panels: Sequence[Panel], across: int, *, columns: int = 1) -> Figure:
    """Return a figure of square maps, with one scale of steps and one legend.

    Args:
        panels: The maps, row by row; at least one has a task.
        across: Maps side by side.
        columns: Text columns the figure is wide, 1 or 2.

    Raises:
        EvaluationInputError: a task has no finite point.
        ConfigError: ``columns`` is neither 1 nor 2.
    """
    drawn = [panel.task for panel in panels if panel.task is not None]
    entries = key(drawn)
    width = WIDTHS[check_columns(columns)]
    left = _EDGE + (_SIDE_LABEL if any(panel.side_label for panel in panels) else 0.0)
    side = (width - left - _SCALE - (across - 1) * _GAP) / across
    key_columns = min(int(width / _KEY_ENTRY), len(entries))
    key_height = _KEY_ROW * math.ceil(len(entries) / key_columns) + 0.08
    down = math.ceil(len(panels) / across)
    figure = new_figure(columns, down * (_HEAD + side) + key_height + _EDGE, by_hand=True)
    last = max(len(task.path) - 1 for task in drawn)
    for place, panel in enumerate(panels):
        row, column = divmod(place, across)
        bottom = key_height + _EDGE + (down - 1 - row) * (side + _HEAD)
        axes = _axes(figure, left + column * (side + _GAP), bottom, side, side)
        _fill(axes, panel, last, int(side * _LETTERS_PER_INCH))
    _draw_scale(figure, last, key_height + _EDGE, side)
    figure.legend(handles=entries, loc="lower center", ncols=key_columns, borderaxespad=0.1)
    return figure


def _axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Return axes at a place given in inches."""
    across, up = figure.get_size_inches()
    return figure.add_axes((left / across, bottom / up, width / across, height / up))


def _fill(axes: Axes, panel: Panel, last: int, letters: int) -> None:
    if panel.side_label:
        axes.set_ylabel(readable(panel.side_label, letters), fontsize=SMALL, labelpad=2.0)
    lines = [panel.title] if panel.task is None else [panel.title, *panel.task.outcome]
    axes.set_title("\n".join(readable(line, letters) for line in lines), fontsize=SMALL, pad=3.0)
    if panel.task is not None:
        fill_map(axes, panel.task, window=panel.window, steps=last)
        return
    axes.set(xticks=[], yticks=[])
    axes.text(0.5, 0.5, "no path", transform=axes.transAxes, ha="center", color=FAINT)


def _draw_scale(figure: Figure, last: int, bottom: float, side: float) -> None:
    from matplotlib.ticker import MaxNLocator

    left = float(figure.get_figwidth()) - _SCALE + _GAP
    axes = _axes(figure, left, bottom + 0.1 * side, _SCALE_WIDTH, 0.8 * side)
    scale = figure.colorbar(step_colours(last), cax=axes, ticks=MaxNLocator(6, integer=True))
    scale.set_label("step", labelpad=1.0)
    scale.outline.set_linewidth(0.5)
