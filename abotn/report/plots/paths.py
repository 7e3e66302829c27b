"""Kind ``paths``: the map of each task, side by side for several runs or several tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from abotn.errors import EvaluationInputError, UnknownNameError
from abotn.report.map_picture import Panel, draw_maps
from abotn.report.plots.lettering import readable_names
from abotn.report.plots.map_backdrop import Window
from abotn.report.plots.map_drawing import TaskMap
from abotn.report.plots.sheet import check_columns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from abotn.report.task_maps import TaskMaps

MOST_ACROSS = {1: 2, 2: 4}
MOST_TASKS = 12
TASKS_BY_DEFAULT = 4
_NO_PATH = "the record has no trajectory, so there is no path to draw"


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
    if len(runs) == 1:
        maps = next(iter(runs.values()))
        across = min(len(chosen), MOST_ACROSS[columns])
        panels = [Panel(_required(maps, task), task) for task in chosen]
    else:
        across = len(runs)
        panels = [panel for task in chosen for panel in _side_by_side(runs, task)]
    return draw_maps(panels, across, columns=columns)


def choose_tasks(runs: Mapping[str, TaskMaps], most: int = TASKS_BY_DEFAULT) -> list[str]:
    """Return the tasks worth looking at, scenes in turn: first those that some run failed.

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
    return list(dict.fromkeys([*_scenes_in_turn(failed), *_scenes_in_turn(shared)]))[:most]


def _scenes_in_turn(labels: Sequence[str]) -> list[str]:
    """Return the first task of every scene, then the second ones, and so on."""
    turns: dict[str, int] = {}
    ranks = []
    for label in labels:
        scene = label.partition("/")[0]
        ranks.append(turns.get(scene, 0))
        turns[scene] = ranks[-1] + 1
    return [label for _, label in sorted(zip(ranks, labels, strict=True), key=lambda one: one[0])]


def _check_runs(runs: Mapping[str, TaskMaps], columns: int) -> None:
    most = MOST_ACROSS[columns]
    if not runs:
        raise EvaluationInputError("a plot needs at least one run", where="runs")
    if len(runs) > most:
        wider = ", or --columns 2, which holds four" if columns == 1 and len(runs) <= 4 else ""
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


def _side_by_side(runs: Mapping[str, TaskMaps], task: str) -> list[Panel]:
    """Return the panels of one task, which all show one part of the world."""
    cells = [_task_map(maps, task) for maps in runs.values()]
    drawn = [cell.window for cell in cells if cell is not None]
    if not drawn:
        raise EvaluationInputError(_NO_PATH, where=task)
    window = reduce(Window.joined, drawn)
    names = readable_names(list(runs))
    return [
        Panel(cell, names[name], window, "" if place else task)
        for place, (name, cell) in enumerate(zip(runs, cells, strict=True))
    ]


def _required(maps: TaskMaps, task: str) -> TaskMap:
    return maps.task_map(maps.labels.index(task))


def _task_map(maps: TaskMaps, task: str) -> TaskMap | None:
    labels = maps.labels
    row = labels.index(task) if task in labels else None
    return maps.task_map(row) if row is not None and maps.has_path(row) else None
