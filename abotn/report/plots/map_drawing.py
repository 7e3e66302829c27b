"""One task drawn into axes: map, reference, path coloured by step, collisions, start, goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abotn.records.types import Trajectory
from abotn.report.plots.map_backdrop import (
    OBSTACLE,
    OUTSIDE,
    WIDENED,
    Window,
    draw_backdrop,
    window_around,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

    from abotn.collision import OccupancyGrid

FloatArray = NDArray[np.float64]

_RED, _GREEN = "#D55E00", "#009E73"
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
        outcome: Lines on how the attempt ended.
    """

    trajectory: Trajectory
    grid: OccupancyGrid | None = None
    widened: float = 0.0
    arrive_threshold: float | None = None
    title: str = ""
    outcome: tuple[str, ...] = ()

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


def fill_map(
    axes: Axes, task: TaskMap, *, window: Window | None = None, steps: int | None = None
) -> None:
    """Draw the picture of one task into axes.

    Args:
        axes: Where to.
        task: What to show.
        window: What part of the world to show; the task's own when None.
        steps: Step at the end of the colour scale; the task's last when None.
    """
    draw_backdrop(axes, window or task.window, task.grid, task.widened)
    reference, goal = task.trajectory.reference, task.trajectory.goal
    axes.plot(*reference.T, **REFERENCE)
    _draw_path(axes, task, step_colours(len(task.path) - 1 if steps is None else steps))
    if task.arrive_threshold:
        axes.plot(*circle(goal, task.arrive_threshold).T, **ARRIVAL)
    axes.plot(*task.path[:1].T, **START)
    axes.plot(*collision_places(task).T, **COLLISION)
    axes.plot(*goal, **GOAL)


def step_colours(last: int) -> ScalarMappable:
    """Return the colours of steps 0 to ``last``; the lightest ones of viridis are left out."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    shades = ListedColormap(colormaps["viridis"](np.linspace(0.0, _LAST_COLOUR, 256)))
    return ScalarMappable(Normalize(0, max(last, 1)), shades)


def key(tasks: Sequence[TaskMap]) -> list[Any]:
    """Return the entries of a legend that explain the pictures of some tasks."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = [
        Line2D([], [], **{**START, "label": "start"}),
        Line2D([], [], **{**GOAL, "label": "goal"}),
    ]
    if any(task.arrive_threshold for task in tasks):
        entries.append(Line2D([], [], **{**ARRIVAL, "label": "arrival"}))
    entries.append(Line2D([], [], **{**REFERENCE, "label": "reference"}))
    if any(task.trajectory.collided.any() for task in tasks):
        entries.append(Line2D([], [], **{**COLLISION, "label": "collision"}))
    if any(task.grid is not None for task in tasks):
        entries.append(Patch(facecolor=OBSTACLE, label="obstacle"))
        entries.append(Patch(facecolor=OUTSIDE, label="off the map"))
    if any(task.grid is not None and task.widened > 0 for task in tasks):
        entries.insert(-1, Patch(facecolor=WIDENED, label="counted free"))
    return entries


START: dict[str, Any] = {
    "marker": "o", "markersize": 5.5, "markerfacecolor": "white", "markeredgecolor": "black",
    "markeredgewidth": 1.2, "linestyle": "none", "zorder": 6,
}  # fmt: skip
GOAL: dict[str, Any] = {
    "marker": "*", "markersize": 9.0, "markerfacecolor": _GREEN, "markeredgecolor": "white",
    "markeredgewidth": 0.6, "linestyle": "none", "zorder": 7,
}  # fmt: skip
COLLISION: dict[str, Any] = {
    "marker": "X", "markersize": 4.5, "markerfacecolor": _RED, "markeredgecolor": "white",
    "markeredgewidth": 0.4, "linestyle": "none", "zorder": 5,
}  # fmt: skip


REFERENCE: dict[str, Any] = {
    "color": "black", "linestyle": (0, (3, 2)), "linewidth": 0.8, "zorder": 3.8,
}  # fmt: skip
ARRIVAL: dict[str, Any] = {"color": _GREEN, "linestyle": "--", "linewidth": 1.0, "zorder": 4}


def circle(centre: FloatArray, radius: float) -> FloatArray:
    """Return the points (P, 2) of a closed circle."""
    angles = np.linspace(0.0, 2.0 * np.pi, 73)
    return np.asarray(centre + radius * np.column_stack([np.cos(angles), np.sin(angles)]))


def _draw_path(axes: Axes, task: TaskMap, colours: ScalarMappable) -> None:
    from matplotlib.collections import LineCollection

    pieces = np.stack([task.path[:-1], task.path[1:]], axis=1)
    drawn = np.isfinite(pieces).all(axis=(1, 2))
    halo = LineCollection(list(pieces[drawn]), colors="white", linewidths=2.8, capstyle="round")
    halo.set_zorder(3)
    line = LineCollection(list(pieces[drawn]), linewidths=1.6, capstyle="round")
    line.set(color=colours.to_rgba(np.flatnonzero(drawn) + 1), zorder=3.5)
    axes.add_collection(halo, autolim=False)
    axes.add_collection(line, autolim=False)


def collision_places(task: TaskMap) -> FloatArray:
    """Return the middles (C, 2) of the steps that collided."""
    middles = (task.path[:-1] + task.path[1:]) / 2
    return np.asarray(middles[task.trajectory.collided], dtype=np.float64)
