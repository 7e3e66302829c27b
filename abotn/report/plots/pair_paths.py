"""The paths of two runs at one task, on one map: told apart by colour, line, letter and mark."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abotn.report.plots.lettering import readable
from abotn.report.plots.looks import Look
from abotn.report.plots.map_backdrop import OBSTACLE, WIDENED, Window, draw_backdrop
from abotn.report.plots.map_drawing import (
    ARRIVAL,
    GOAL,
    REFERENCE,
    START,
    TaskMap,
    circle,
    collision_places,
)
from abotn.report.plots.sheet import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LETTERS = ("A", "B")
_LINES = ("-", (0, (4, 2)))
_MARKS = ("X", "P")
_REFERENCE: dict[str, Any] = {**REFERENCE, "linestyle": (0, (1, 1.5)), "linewidth": 1.0}
# Half the text of one-column paper, where it is printed as large as it is drawn.
PAIR_WIDTH = 2.35
PAIR_LETTERS = 7.2
_LETTERS_PER_INCH = 17
_EDGE, _TITLE_LINE, _KEY_LINE = 0.05, 0.12, 0.125
_LETTER_LEAN = 6.0
_KEY_COLUMNS = 2


@dataclass(frozen=True)
class PairSide:
    """One run in the picture.

    Attributes:
        name: Name of the run.
        look: Its colour.
        outcome: A line on how its attempt ended.
        task: Its path; None where it has none.
    """

    name: str
    look: Look
    outcome: str = ""
    task: TaskMap | None = None


def draw_pair(sides: Sequence[PairSide], title: str) -> Figure:
    """Return a figure, half a page wide, of what two runs did at one task.

    No letter is smaller than :data:`PAIR_LETTERS` points at that width.
    What both runs share, such as the reference, is drawn once.

    Args:
        sides: The first run and the second; at least one has a path.
        title: Heading, such as ``"scene/task"``.

    Raises:
        EvaluationInputError: a path has no finite point.
    """
    width = PAIR_WIDTH
    letters = int(width * _LETTERS_PER_INCH)
    ends = (f"{letter} {side.name}: {side.outcome}" for letter, side in _lettered(sides))
    lines = [line for text in (title, *ends) for line in _broken(text, letters)]
    entries = list(_key(sides, letters // _KEY_COLUMNS))
    key_height = _KEY_LINE * math.ceil(len(entries) / _KEY_COLUMNS) + 0.08
    head = _TITLE_LINE * len(lines) + 0.08
    side = width - 2 * _EDGE
    height = head + side + key_height + _EDGE
    figure = new_figure(1, height, by_hand=True)
    figure.set_size_inches(width, height)
    axes = figure.add_axes(
        (_EDGE / width, (key_height + _EDGE) / height, side / width, side / height)
    )
    axes.set_title("\n".join(lines), fontsize=PAIR_LETTERS, pad=3.0, loc="left")
    _fill(axes, sides)
    figure.legend(
        handles=entries, loc="lower center", ncols=_KEY_COLUMNS, borderaxespad=0.1,
        fontsize=PAIR_LETTERS, handlelength=1.6, columnspacing=1.0, labelspacing=0.2,
    )  # fmt: skip
    return figure


def _broken(text: str, letters: int) -> list[str]:
    """Return text on two lines at most, the first ending at a space; the rest loses its middle."""
    head, *rest = textwrap.wrap(readable(text, 3 * letters), letters) or [""]
    return [head, readable(" ".join(rest), letters)] if rest else [head]


def _lettered(sides: Sequence[PairSide]) -> Iterator[tuple[str, PairSide]]:
    return zip(LETTERS, sides, strict=True)


def _fill(axes: Axes, sides: Sequence[PairSide]) -> None:
    tasks = [side.task for side in sides if side.task is not None]
    window = reduce(Window.joined, [task.window for task in tasks])
    draw_backdrop(axes, window, tasks[0].grid, tasks[0].widened)
    for reference in _unlike([task.trajectory.reference for task in tasks]):
        axes.plot(*reference.T, **_REFERENCE)
    for x, y, reach in _unlike([_goal(task) for task in tasks]):
        axes.plot(*circle(np.array([x, y]), reach).T, **ARRIVAL)
        axes.plot(x, y, **GOAL)
    for place, side in enumerate(sides):
        if side.task is not None:
            _draw_side(axes, side.task, side.look.colour, place)


def _draw_side(axes: Axes, task: TaskMap, colour: str, place: int) -> None:
    path = task.path[np.isfinite(task.path).all(axis=1)]
    axes.plot(*path.T, color="white", linewidth=3.0, zorder=3)
    axes.plot(*path.T, **_line(colour, place))
    axes.plot(*collision_places(task).T, **_mark(colour, place))
    axes.plot(*path[:1].T, **START)
    axes.plot(*path[-1:].T, marker="o", markersize=3.0, color=colour, zorder=6)
    lean = -_LETTER_LEAN if place == 0 else _LETTER_LEAN
    axes.annotate(
        LETTERS[place], path[-1], xytext=(lean, -lean), textcoords="offset points",
        color="white", fontsize=PAIR_LETTERS, fontweight="bold", ha="center", va="center", zorder=9,
        bbox={"boxstyle": "circle,pad=0.25", "facecolor": colour, "edgecolor": "white"},
    )  # fmt: skip


def _goal(task: TaskMap) -> NDArray[np.float64]:
    """Return (3,) the goal and the arrival radius, 0 where there is none."""
    return np.array([*task.trajectory.goal, task.arrive_threshold or 0.0])


def _unlike(arrays: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Return the arrays that equal no earlier one."""
    found: list[NDArray[np.float64]] = []
    for one in arrays:
        if not any(np.array_equal(one, other, equal_nan=True) for other in found):
            found.append(one)
    return found


def _line(colour: str, place: int) -> dict[str, Any]:
    return {"color": colour, "linestyle": _LINES[place], "linewidth": 1.6, "zorder": 3.5}


def _mark(colour: str, place: int) -> dict[str, Any]:
    return {
        "marker": _MARKS[place], "markersize": 5.0, "markerfacecolor": colour,
        "markeredgecolor": "black", "markeredgewidth": 0.6, "linestyle": "none", "zorder": 5,
    }  # fmt: skip


def _key(sides: Sequence[PairSide], letters: int) -> Iterator[Any]:
    from matplotlib.lines import Line2D

    for place, (letter, side) in enumerate(_lettered(sides)):
        if side.task is not None:
            name = readable(f"{letter} {side.name}", letters)
            yield Line2D([], [], **_line(side.look.colour, place), label=name)
    for place, (letter, side) in enumerate(_lettered(sides)):
        if side.task is not None and side.task.trajectory.collided.any():
            yield Line2D([], [], **_mark(side.look.colour, place), label=f"collision of {letter}")
    yield Line2D([], [], **{**_REFERENCE, "label": "reference"})
    yield Line2D([], [], **{**START, "label": "start"})
    yield Line2D([], [], **{**GOAL, "label": "goal"})
    yield from _ground([side.task for side in sides if side.task is not None])


def _ground(tasks: Sequence[TaskMap]) -> Iterator[Any]:
    """Yield what explains the circle around the goal, and the map."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if any(task.arrive_threshold for task in tasks):
        yield Line2D([], [], **{**ARRIVAL, "label": "arrival"})
    if tasks[0].grid is not None:
        yield Patch(facecolor=OBSTACLE, label="obstacle")
        if tasks[0].widened > 0:
            yield Patch(facecolor=WIDENED, label="counted free")
