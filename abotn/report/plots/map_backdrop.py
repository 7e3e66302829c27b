"""What lies behind the paths of a picture: the map, its obstacles, and a scale bar."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from abotn.collision import OccupancyGrid

FREE, OBSTACLE, WIDENED, OUTSIDE = "#ffffff", "#565656", "#bdbdbd", "#e6e9f0"
_LEAST_SIDE = 2.0
_ROOM = 0.12
_BAR = 0.25


class Window(NamedTuple):
    """A square part of the world, metres."""

    left: float
    bottom: float
    side: float

    def joined(self, other: Window) -> Window:
        """Return the least square that holds both."""
        left, bottom = min(self.left, other.left), min(self.bottom, other.bottom)
        right = max(self.left + self.side, other.left + other.side)
        top = max(self.bottom + self.side, other.bottom + other.side)
        return _square(left, bottom, right, top)

    @property
    def corners(self) -> NDArray[np.float64]:
        """(4, 2) world points."""
        right, top = self.left + self.side, self.bottom + self.side
        return np.array(
            [[self.left, self.bottom], [right, self.bottom], [right, top], [self.left, top]]
        )


def window_around(points: NDArray[np.float64]) -> Window:
    """Return a square around points (N, 2), with some room; at least two metres wide.

    Raises:
        EvaluationInputError: no point is finite.
    """
    finite = points[np.isfinite(points).all(axis=1)]
    if not len(finite):
        raise EvaluationInputError("neither path, reference nor goal has a finite point")
    (left, bottom), (right, top) = finite.min(axis=0), finite.max(axis=0)
    room = max(_ROOM * max(right - left, top - bottom), 0.4)
    return _square(left - room, bottom - room, right + room, top + room)


def draw_backdrop(
    axes: Axes, window: Window, grid: OccupancyGrid | None, widened: float = 0.0
) -> None:
    """Draw the part of a map that a window shows, true to scale, with a scale bar.

    Args:
        axes: Where to.
        window: The part of the world.
        grid: The scene's own map; None for an empty ground.
        widened: Metres by which free space is widened; what that adds is drawn in light grey.
    """
    if grid is None:
        axes.set_facecolor(FREE)
    else:
        axes.set_facecolor(OUTSIDE)
        _draw_grid(axes, window, grid, widened)
    axes.set_xlim(window.left, window.left + window.side)
    axes.set_ylim(window.bottom, window.bottom + window.side)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(True)
    _draw_scale(axes, window)


def bar_length(side: float) -> float:
    """Return the length of a scale bar: 1, 2 or 5 times a power of ten, at most a quarter of side.

    Example:
        >>> [bar_length(side) for side in (3.0, 9.0, 30.0)]
        [0.5, 2.0, 5.0]
    """
    most = side * _BAR
    power = 10.0 ** math.floor(math.log10(most))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= most * (1 + 1e-12))


def _square(left: float, bottom: float, right: float, top: float) -> Window:
    side = float(max(right - left, top - bottom, _LEAST_SIDE))
    return Window(float(left + right - side) / 2, float(bottom + top - side) / 2, side)


def _draw_grid(axes: Axes, window: Window, grid: OccupancyGrid, widened: float) -> None:
    from matplotlib.transforms import Affine2D

    from abotn.collision import dilate_free

    shown = _cut(grid, window, widened)
    if shown is None:
        return
    shades = np.array([_rgb(OBSTACLE), _rgb(WIDENED), _rgb(FREE)], dtype=np.uint8)
    image = shades[shown.free.astype(np.intp) + dilate_free(shown, widened).free]
    (cx, cy), (rx, ry) = shown.geometry.column_step, shown.geometry.row_step
    x, y = shown.geometry.origin
    world = Affine2D(np.array([[cx, rx, x], [cy, ry, y], [0.0, 0.0, 1.0]]))
    drawn = axes.imshow(image, extent=(0, shown.shape[1], shown.shape[0], 0))
    drawn.set_transform(world + axes.transData)


def _cut(grid: OccupancyGrid, window: Window, margin: float) -> OccupancyGrid | None:
    """Return the part of a grid that a window and a margin in metres around it show, or None."""
    from abotn.collision import OccupancyGrid
    from abotn.geometry.map_geometry import MapGeometry

    geometry, (height, width) = grid.geometry, grid.shape
    places = geometry.to_map(window.corners)
    # Widening reaches a pixel even where the margin is less, and rounds.
    reach = max(margin, 0.0) / geometry.metres_per_pixel + 2
    left, top = np.clip(np.floor(places.min(axis=0) - reach), 0, (width, height)).astype(int)
    right, bottom = np.clip(np.ceil(places.max(axis=0) + reach), 0, (width, height)).astype(int)
    if left >= right or top >= bottom:
        return None
    x, y = geometry.to_world((left, top))
    steps = geometry.column_step, geometry.row_step
    part = MapGeometry((float(x), float(y)), *steps, int(right - left), int(bottom - top))
    return OccupancyGrid(grid.free[top:bottom, left:right], part)


def _rgb(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def _draw_scale(axes: Axes, window: Window) -> None:
    from matplotlib.patheffects import withStroke

    length = bar_length(window.side)
    left, height = window.left + 0.04 * window.side, window.bottom + 0.04 * window.side
    halo = [withStroke(linewidth=3.0, foreground="white")]
    axes.plot([left, left + length], [height, height], color="black", linewidth=1.5,
              solid_capstyle="butt", zorder=8, path_effects=halo)  # fmt: skip
    axes.annotate(f"{length:g} m", (left + length / 2, height), xytext=(0, 2.5),
                  textcoords="offset points", ha="center", va="bottom", fontsize=7.0, zorder=8,
                  path_effects=halo)  # fmt: skip
