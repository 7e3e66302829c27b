"""The picture of one task: map, reference, path coloured by step, collisions, start and goal."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abotn.json_files import write_bytes
from abotn.records.types import Trajectory
from abotn.report.map_backdrop import Window, draw_backdrop, window_around
from abotn.report.plots.lettering import readable
from abotn.report.plots.marks import add_legend
from abotn.report.plots.sheet import new_figure, picture, suffix_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

    from abotn.collision import OccupancyGrid

FloatArray = NDArray[np.float64]

PICTURE_NAME = "map.png"
REFERENCE, COLLISION, GOAL = "#000000", "#D55E00", "#009E73"
_LAST_COLOUR = 0.85


@dataclass(frozen=True)
class TaskMap:
    """What the picture of one task shows.

    Attributes:
        trajectory: The path, the reference and the goal; world metres.
        grid: The scene's own map; None draws the paths on an empty ground.
        widened: Metres by which the protocol widens free space before it looks for collisions.
        arrive_threshold: Arrival radius, metres; None draws no circle.
        title: Heading, such as ``"scene/task"``.
        outcome: How the attempt ended, in a few words.
    """

    trajectory: Trajectory
    grid: OccupancyGrid | None = None
    widened: float = 0.0
    arrive_threshold: float | None = None
    title: str = ""
    outcome: str = ""

    @property
    def path(self) -> FloatArray:
        """(T + 1, 2) positions, world metres."""
        return self.trajectory.position[:, :2]

    @property
    def window(self) -> Window:
        """The square that shows path, reference and arrival circle with some room around.

        Raises:
            EvaluationInputError: no point is finite.
        """
        goal, reach = self.trajectory.goal[None], self.arrive_threshold or 0.0
        points = [self.path, self.trajectory.reference, goal - reach, goal + reach]
        return window_around(np.concatenate(points))


def map_picture(task: TaskMap, suffix: str = ".png", *, columns: int = 1) -> bytes:
    """Return the bytes of the picture of one task.

    Args:
        task: What to show.
        suffix: ``".png"``, ``".svg"`` or ``".pdf"``.
        columns: Text columns the picture is wide, 1 or 2.

    Raises:
        EvaluationInputError: neither path, reference nor goal has a finite point.
        ConfigError: another suffix, or ``columns`` is neither 1 nor 2.
    """
    return picture(partial(draw_map_picture, task, columns=columns), suffix)


def write_map_picture(path: str | os.PathLike[str], task: TaskMap, *, columns: int = 1) -> None:
    """Write the picture of one task, whole or not at all; the ending decides the format.

    Raises:
        As :func:`map_picture`; and DataError: the file cannot be written.
    """
    write_bytes(path, map_picture(task, suffix_of(os.fspath(path)), columns=columns))


def draw_map_picture(task: TaskMap, *, columns: int = 1) -> Figure:
    """Return the figure of :func:`map_picture`, for drawing further things into it."""
    figure = new_figure(columns, 3.75 if columns == 1 else 7.4)
    axes = figure.subplots()
    colours = fill_map(axes, task)
    axes.set_title(heading(task), fontsize=7.0)
    figure.colorbar(colours, ax=axes, label="step", shrink=0.7, aspect=30, pad=0.01)
    add_legend(figure, key(widened=task.widened > 0, circle=bool(task.arrive_threshold)), BELOW)
    return figure


BELOW = "outside lower center"


def fill_map(
    axes: Axes, task: TaskMap, *, window: Window | None = None, steps: int | None = None
) -> ScalarMappable:
    """Draw the picture of one task into axes and return the scale of its colours.

    Args:
        axes: Where to.
        task: What to show.
        window: What part of the world to show; the task's own when None.
        steps: Step at the end of the colour scale; the task's last when None.
    """
    draw_backdrop(axes, window or task.window, task.grid, task.widened)
    reference, goal = task.trajectory.reference, task.trajectory.goal
    axes.plot(*reference.T, color=REFERENCE, linestyle=(0, (3, 2)), linewidth=0.9, zorder=2)
    colours = _draw_path(axes, task, steps)
    if task.arrive_threshold and np.isfinite(goal).all():
        from matplotlib.patches import Circle

        circle = Circle((float(goal[0]), float(goal[1])), task.arrive_threshold, fill=False)
        circle.set(edgecolor=GOAL, linewidth=1.0, linestyle="--", zorder=4)
        axes.add_patch(circle)
    axes.plot(*task.path[:1].T, **_START)
    axes.plot(*_collision_places(task).T, **_COLLISION)
    axes.plot(*goal, **_GOAL)
    return colours


def heading(task: TaskMap, most: int = 56) -> str:
    """Return the heading of a picture: its title, and how the attempt ended below."""
    lines = (readable(task.title, most), readable(task.outcome, most + 10))
    return "\n".join(line for line in lines if line)


def key(*, widened: bool, circle: bool) -> list[Any]:
    """Return the entries that explain the picture."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    from abotn.report.map_backdrop import OBSTACLE, WIDENED

    entries: list[Any] = [
        Line2D([], [], **{**_START, "label": "start"}),
        Line2D([], [], **{**_GOAL, "label": "goal"}),
        Line2D([], [], **{**_COLLISION, "label": "collision"}),
        Line2D([], [], color=REFERENCE, linestyle=(0, (3, 2)), linewidth=0.9, label="reference"),
    ]
    if circle:
        entries.append(Line2D([], [], color=GOAL, linestyle="--", linewidth=1.0, label="arrival"))
    entries.append(Patch(facecolor=OBSTACLE, label="obstacle"))
    if widened:
        entries.append(Patch(facecolor=WIDENED, label="counted free"))
    return entries


_START: dict[str, Any] = {
    "marker": "o", "markersize": 5.5, "markerfacecolor": "white", "markeredgecolor": "black",
    "markeredgewidth": 1.2, "linestyle": "none", "zorder": 6,
}  # fmt: skip
_GOAL: dict[str, Any] = {
    "marker": "*", "markersize": 9.0, "markerfacecolor": GOAL, "markeredgecolor": "white",
    "markeredgewidth": 0.6, "linestyle": "none", "zorder": 7,
}  # fmt: skip
_COLLISION: dict[str, Any] = {
    "marker": "X", "markersize": 5.5, "markerfacecolor": COLLISION, "markeredgecolor": "white",
    "markeredgewidth": 0.5, "linestyle": "none", "zorder": 5,
}  # fmt: skip


def _draw_path(axes: Axes, task: TaskMap, steps: int | None) -> ScalarMappable:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import LineCollection
    from matplotlib.colors import ListedColormap, Normalize

    shades = ListedColormap(colormaps["viridis"](np.linspace(0.0, _LAST_COLOUR, 256)))
    last = len(task.path) - 1 if steps is None else steps
    colours = ScalarMappable(Normalize(0, max(last, 1)), shades)
    pieces = np.stack([task.path[:-1], task.path[1:]], axis=1)
    drawn = np.isfinite(pieces).all(axis=(1, 2))
    halo = LineCollection(list(pieces[drawn]), colors="white", linewidths=2.8, capstyle="round")
    halo.set_zorder(3)
    line = LineCollection(list(pieces[drawn]), linewidths=1.6, capstyle="round")
    line.set(color=colours.to_rgba(np.flatnonzero(drawn) + 1), zorder=3.5)
    axes.add_collection(halo, autolim=False)
    axes.add_collection(line, autolim=False)
    return colours


def _collision_places(task: TaskMap) -> FloatArray:
    """Return the middles (C, 2) of the steps that collided."""
    middles = (task.path[:-1] + task.path[1:]) / 2
    return np.asarray(middles[task.trajectory.collided], dtype=np.float64)
