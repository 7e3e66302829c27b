"""Filling the pixels of one view: sky, then ground, then walls over both."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from abotn.rendering.pinhole import PixelRays
from abotn.rendering.textures import (
    CLEAR_METRES,
    FLOOR_TEXEL_METRES,
    FLOOR_TEXELS,
    SKY_COLUMNS,
    WALL_TEXELS,
    Picture,
    Textures,
    clearness,
)

FloatArray = NDArray[np.float64]
Map = NDArray[np.float32]

# Walls nearer than this are drawn so large that single texels would show.
_SMOOTH_DEPTH = 2.0
_WALL_COLUMNS = 120
_BAND_ROWS = 64
_NO_WALL = -9.0
_NO_MAP = np.empty(0, dtype=np.float32)
_FARTHEST = 5000.0


@dataclass(frozen=True)
class ViewWalls:
    """The wall seen in each of the W columns of one view.

    Args:
        depth: (W,) metres along the optical axis; inf where there is none.
        top: (W,) image row of its top edge, pixels from the top of the image; inf where none.
        bottom: (W,) image row of its foot; -inf where there is none.
        hidden: (W,) image row from which downward nearer ground hides it.
        slope: (W,) wall heights per image row; 0 where there is none.
        start: (W,) wall heights from image row 0 down to the foot; below -1 where there is none.
    """

    depth: FloatArray
    top: FloatArray
    bottom: FloatArray
    hidden: FloatArray
    slope: FloatArray
    start: FloatArray

    @classmethod
    def between(
        cls, depth: FloatArray, top: FloatArray, bottom: FloatArray, hidden: FloatArray
    ) -> ViewWalls:
        """Walls from their edges; where the depth is inf there is none."""
        stands = np.isfinite(depth)
        slope = np.where(stands, 1.0 / np.where(stands, bottom - top, 1.0), 0.0)
        return cls(
            depth,
            np.where(stands, top, np.inf),
            np.where(stands, bottom, -np.inf),
            hidden,
            slope,
            np.where(stands, slope * bottom, _NO_WALL),
        )

    def heights(
        self, rows: FloatArray, columns: slice, *, top: float = 1.0, foot: float = 0.0
    ) -> Map:
        """How high on its wall each pixel lies.

        Args:
            rows: (R,) pixel centres, pixels from the top edge.
            columns: Which C of the columns.
            top: What the top of a wall counts.
            foot: What its foot counts.

        Returns:
            (R, C) float32, outside ``[foot, top]`` where the pixel shows no wall.
        """
        span = top - foot
        slope, start = -span * self.slope[columns], span * self.start[columns] + foot
        heights = _outer_sum(rows, slope, start)
        hidden = self.hidden[columns]
        if hidden.min() < rows[-1]:
            np.putmask(heights, np.greater.outer(rows, hidden), np.float32(foot + _NO_WALL))
        return heights

    def open_above(self, rows: int) -> int:
        """One past the last row in which some column shows what is above its wall."""
        return int(np.clip(np.ceil(self.top.max()), 0, rows))

    def open_below(self, rows: int) -> int:
        """First row in which some column shows the ground before its wall."""
        return int(np.clip(np.floor(np.minimum(self.bottom, self.hidden).min()), 0, rows))


def paint_sky(
    image: Picture, rays: PixelRays, textures: Textures, yaw: float, last_row: int
) -> None:
    """Paint the sky at least down to ``last_row`` (exclusive), for a view along ``yaw``."""
    if last_row <= 0:
        return
    middle = round(-yaw * (SKY_COLUMNS / (2.0 * np.pi)))
    start = (middle - rays.sky_margin) % SKY_COLUMNS
    seen = textures.sky[:, start : start + rays.sky_width]
    where = rays.sky[: (last_row + 1) // 2]
    coarse = cv2.remap(seen, where, _NO_MAP, cv2.INTER_NEAREST)
    target = image[: 2 * coarse.shape[0]]
    size = (target.shape[1], target.shape[0])
    cv2.resize(coarse, size, dst=target, interpolation=cv2.INTER_LINEAR)


def faded_rows(inverse_depth: Map) -> int:
    """How many of the rows, from the first, show ground so far that haze lies over it."""
    far = np.flatnonzero(inverse_depth.min(axis=1) < 1.0 / CLEAR_METRES)
    return int(far[-1]) + 1 if far.size else 0


def paint_ground(
    ground: Picture,
    inverse_depth: Map,
    faded: int,
    textures: Textures,
    start: FloatArray,
    directions: FloatArray,
) -> None:
    """Paint the ground over what the image holds, fading into it with depth.

    Args:
        ground: (R, width, 4), changed: the rows of the image from the first with ground to the
            last.
        inverse_depth: (R, width) or (R, 1), 1/m, of these rows.
        faded: How many of them fade, from the first.
        textures: What to paint from.
        start: (2,) floor position under the camera, metres.
        directions: (width, 2) floor metres per metre of depth.
    """
    depth = np.float32(1.0) / np.maximum(inverse_depth, np.float32(1.0 / _FARTHEST))
    veiled = np.empty_like(ground[:faded])
    for begin, end, level in _bands(depth, faded, ground.shape[1]):
        target = veiled if end <= faded else ground
        texel = FLOOR_TEXEL_METRES * 2.0**level
        at = (start / texel) % (FLOOR_TEXELS >> level) - 0.5
        cv2.remap(
            textures.floor[level],
            _positions(depth[begin:end], directions[:, 0] / texel, at[0]),
            _positions(depth[begin:end], directions[:, 1] / texel, at[1]),
            cv2.INTER_LINEAR if level == 0 else cv2.INTER_NEAREST,
            dst=target[begin:end],
            borderMode=cv2.BORDER_WRAP,
        )
    if faded:
        _blend(ground[:faded], veiled, depth[:faded])


def paint_walls(image: Picture, walls: ViewWalls, rays: PixelRays, strips: Picture) -> None:
    """Paint the walls over what the image holds.

    Args:
        image: (height, width, 4), changed.
        walls: Where they stand.
        rays: The camera's.
        strips: (width + 1, WALL_TEXELS, 4) uint8, what each column shows from foot to top; the
            last is not seen.
    """
    height, width = image.shape[:2]
    starts = np.arange(0, width, _WALL_COLUMNS)
    firsts = np.clip(np.floor(np.minimum.reduceat(walls.top, starts)), 0, height).astype(int)
    lasts = np.clip(np.ceil(np.maximum.reduceat(walls.bottom, starts)), 0, height).astype(int)
    nearest = np.minimum.reduceat(walls.depth, starts)
    for begin, first, last, depth in zip(starts, firsts, lasts, nearest, strict=True):
        if first >= last:
            continue
        columns = slice(begin, begin + _WALL_COLUMNS)
        # Each range is exactly what the interpolation accepts as inside the strip.
        smooth = bool(depth < _SMOOTH_DEPTH)
        foot, top = (0.0, WALL_TEXELS - 1.0) if smooth else (-0.5, WALL_TEXELS - 0.5)
        cv2.remap(
            strips,
            walls.heights(rays.rows[first:last], columns, top=top, foot=foot),
            rays.columns[first:last, columns],
            cv2.INTER_LINEAR if smooth else cv2.INTER_NEAREST,
            dst=image[first:last, columns],
            borderMode=cv2.BORDER_TRANSPARENT,
        )


def _positions(depth: Map, slope: FloatArray, offset: float) -> Map:
    if depth.shape[1] == 1:
        return _outer_sum(depth[:, 0], slope, np.full(slope.size, offset))
    positions = depth * slope.astype(np.float32)
    positions += np.float32(offset)
    return positions


def _outer_sum(rows: NDArray[np.floating], slopes: FloatArray, offsets: FloatArray) -> Map:
    """``rows[i] * slopes[j] + offsets[j]``, as a matrix product, which is the fastest way."""
    left = np.ones((rows.size, 2), dtype=np.float32)
    left[:, 0] = rows
    right = np.stack([slopes, offsets]).astype(np.float32)
    return np.asarray(left @ right, dtype=np.float32)


def _bands(depth: Map, faded: int, width: int) -> list[tuple[int, int, int]]:
    """Runs of rows, cut at ``faded``, that share a level of the floor's pyramid.

    No run is so long that its positions outgrow the processor's cache.
    """
    typical = depth[:, depth.shape[1] // 2]
    spread = np.abs(np.diff(typical, append=typical[-1:]))
    texels = np.maximum(spread, typical / width) / FLOOR_TEXEL_METRES
    level = np.clip(np.rint(np.log2(np.maximum(texels, 1.0))), 0, 5).astype(int)
    changes = np.flatnonzero(np.diff(level)) + 1
    cuts = {*range(0, level.size, _BAND_ROWS), *changes.tolist(), faded, level.size}
    return [(first, last, int(level[first])) for first, last in pairwise(sorted(cuts))]


def _blend(image: Picture, floor: Picture, depth: Map) -> None:
    """Put the floor on the image; the farther, the more shows of what the image held."""
    share = np.where(depth < _FARTHEST, clearness(depth), np.float32(0.0))
    weight = np.ascontiguousarray(np.broadcast_to(share, image.shape[:2]))
    cv2.blendLinear(floor, image, weight, np.float32(1.0) - weight, dst=image)
