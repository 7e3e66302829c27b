"""Kind ``paths``: the map of each task, side by side for several runs or several tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from abotn.errors import EvaluationInputError, UnknownNameError
from abotn.report.map_backdrop import Window
from abotn.report.map_picture import BELOW, TaskMap, fill_map, heading, key
from abotn.report.plots.lettering import readable_names
from abotn.report.plots.marks import add_legend
from abotn.report.plots.sheet import FAINT, SMALL, WIDTHS, check_columns, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from abotn.report.task_maps import TaskMaps

MOST_ACROSS = {1: 2, 2: 4}
MOST_TASKS = 12
TASKS_BY_DEFAULT = 4
_LETTERS_PER_INCH = 18
_MAP_SHARE = 0.87
_HEAD, _LEGEND = 0.36, 0.5


class _Panel(NamedTuple):
    title: str
    task: TaskMap | None
    window: Window


def draw_paths(
    runs: Mapping[str, TaskMaps], tasks: Sequence[str] = (), *, columns: int = 1
) -> Figure:
    """Return a figure of maps: what each run did at each task.

    Several runs stand side by side, with a row per task; the tasks of one run fill the rows.

    Args:
        runs: The maps of each run by name.
        tasks: ``scene/task`` or ``scene/task@attempt``; :func:`choose_tasks` when empty.
        columns: Text columns the figure is wide, 1 or 2; they hold two and four maps side by side.

    Raises:
        EvaluationInputError: no run, more runs or tasks than fit, or no trajectory.
        UnknownNameError: no run has a task.
        ConfigError: ``columns`` is neither 1 nor 2.
    """
    _check_runs(runs, check_columns(columns))
    chosen = list(dict.fromkeys(tasks)) or choose_tasks(runs)
    _check_tasks(runs, chosen)
    across = len(runs) if len(runs) > 1 else min(len(chosen), MOST_ACROSS[columns])
    side = WIDTHS[columns] * _MAP_SHARE / across
    letters = int(side * _LETTERS_PER_INCH)
    panels = [panel for task in chosen for panel in _panels(runs, task, letters)]
    down = math.ceil(len(panels) / across)
    figure = new_figure(columns, down * (side + _HEAD) + _LEGEND)
    _fill(figure, panels, down, across, letters)
    return figure


def choose_tasks(runs: Mapping[str, TaskMaps], most: int = TASKS_BY_DEFAULT) -> list[str]:
    """Return the tasks worth looking at: those some run failed first, then the others in order.

    Only tasks that every run has a trajectory of are taken while there are any.

    Args:
        runs: The maps of each run by name.
        most: Tasks at most.

    Raises:
        EvaluationInputError: no run has a trajectory.
    """
    outcomes = [_outcomes(maps) for maps in runs.values()]
    every = list(dict.fromkeys(label for run in outcomes for label in run))
    if not every:
        raise EvaluationInputError(
            "no run has a trajectory, so there is no path to draw",
            where=", ".join(runs),
            hint="only runs made by 'abotn run' keep them",
        )
    shared = [label for label in every if all(label in run for run in outcomes)] or every
    failed = [label for label in shared if not all(run.get(label, True) for run in outcomes)]
    return list(dict.fromkeys([*failed, *shared]))[:most]


def _check_runs(runs: Mapping[str, TaskMaps], columns: int) -> None:
    most = MOST_ACROSS[columns]
    if not runs:
        raise EvaluationInputError("a plot needs at least one run", where="runs")
    if len(runs) > most:
        wider = "; two columns hold four" if columns == 1 else ""
        raise EvaluationInputError(
            f"{len(runs)} runs, but {most} maps fit side by side",
            where="runs",
            hint=f"give fewer runs{wider}",
        )


def _check_tasks(runs: Mapping[str, TaskMaps], tasks: Sequence[str]) -> None:
    if len(tasks) > MOST_TASKS:
        raise EvaluationInputError(
            f"{len(tasks)} tasks, a picture holds {MOST_TASKS}", where="tasks"
        )
    known = {label for maps in runs.values() for label in maps.labels}
    for task in tasks:
        if task not in known:
            raise UnknownNameError("task", task, known)


def _outcomes(maps: TaskMaps) -> dict[str, bool]:
    """Return whether each task with a trajectory was solved."""
    table = maps.source.table
    solved = table.column("success") if "success" in table else [0.0] * len(table)
    return {
        label: solved[row] == 1.0 for row, label in enumerate(maps.labels) if maps.has_path(row)
    }


def _panels(runs: Mapping[str, TaskMaps], task: str, letters: int) -> list[_Panel]:
    """Return the panels of one task, which all show one part of the world."""
    cells = [_task_map(maps, task) for maps in runs.values()]
    drawn = [cell.window for cell in cells if cell is not None]
    if not drawn:
        raise EvaluationInputError(
            "the record has no trajectory, so there is no path to draw", where=task
        )
    window = reduce(Window.joined, drawn)
    names = readable_names(list(runs), letters).values()
    return [
        _Panel(f"{task}, {name}" if len(runs) > 1 else task, cell, window)
        for name, cell in zip(names, cells, strict=True)
    ]


def _task_map(maps: TaskMaps, task: str) -> TaskMap | None:
    labels = maps.labels
    row = labels.index(task) if task in labels else None
    return maps.task_map(row) if row is not None and maps.has_path(row) else None


def _fill(figure: Figure, panels: Sequence[_Panel], down: int, across: int, letters: int) -> None:
    drawn = [panel.task for panel in panels if panel.task is not None]
    last = max(len(task.path) - 1 for task in drawn)
    grid = figure.subplots(down, across, squeeze=False)
    scale = None
    for axes, panel in zip(grid.flat, panels, strict=False):
        if panel.task is None:
            _say_missing(axes, panel.title)
            continue
        scale = fill_map(axes, panel.task, window=panel.window, steps=last)
        axes.set_title(heading(replace(panel.task, title=panel.title), letters), fontsize=SMALL)
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_visible(False)
    if scale is not None:
        figure.colorbar(scale, ax=grid, label="step", shrink=0.6, aspect=40, pad=0.01)
    widened = any(task.widened > 0 and task.grid is not None for task in drawn)
    circle = any(task.arrive_threshold for task in drawn)
    add_legend(figure, key(widened=widened, circle=circle), BELOW)


def _say_missing(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=SMALL)
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.text(0.5, 0.5, "no path", transform=axes.transAxes, ha="center", color=FAINT)
