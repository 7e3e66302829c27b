"""The ground that the embedded renderer's camera stands on and looks along."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

GROUND_WITHOUT_MAP = -0.1
HIGHEST_GROUND = 5.0

_FLAT_WITHIN = 1e-3
_NEAREST, _FARTHEST, _SAMPLES = 0.15, 250.0, 72
_COLUMN_PIXELS = 12


@dataclass(frozen=True)
class GroundProfile:
    """What the ground hides and shows, seen by C groups of neighbouring image columns.

    Args:
        depths: (K,) metres along the optical axis, increasing.
        top_row: (C, K) image row, pixels from the top edge, of the highest ground up to each
            depth.
    """

    depths: FloatArray
    top_row: FloatArray

    def inverse_depth(self, rows: FloatArray) -> NDArray[np.float32]:
        """One over the depth of the ground seen at image rows.

        Args:
            rows: (R,) pixels from the top edge, increasing.

        Returns:
            (R, C) float32, 1/m; 0 where no ground is seen.
        """
        inverse = 1.0 / self.depths[::-1]
        seen = np.empty((self.top_row.shape[0], rows.size), dtype=np.float32)
        for group, tops in enumerate(self.top_row):
            seen[group] = np.interp(rows, tops[::-1], inverse, left=0.0)
        return np.ascontiguousarray(seen.T)

    def hides_below(self, groups: NDArray[np.int64], depth: FloatArray) -> FloatArray:
        """The image row from which downward nearer ground hides what stands at a depth.

        Args:
            groups: (N,) index of the column group.
            depth: (N,) metres along the optical axis.

        Returns:
            (N,) pixels from the top edge; inf where no nearer ground was looked at.
        """
        nearer = np.searchsorted(self.depths, depth) - 1
        rows = self.top_row[groups, np.maximum(nearer, 0)]
        return np.where(nearer < 0, np.inf, rows)


class Ground:
    """Ground heights over a map, or one height everywhere.

    Heights above 5 m count as 0, as in the evaluation; a height that is not finite counts as 0
    too. An obstacle's ground is that of the nearest free cell, so that its roof is not ground.

    Args:
        heights: (rows, columns) metres, or None for ``GROUND_WITHOUT_MAP`` everywhere.
        free: (rows, columns) bool.
    """

    def __init__(self, heights: NDArray[np.floating] | None, free: NDArray[np.bool_]) -> None:
        self._shape = free.shape
        self._heights: NDArray[np.float32] | None = None
        self._level = GROUND_WITHOUT_MAP
        if heights is None:
            return
        usable = np.isfinite(heights) & (np.nan_to_num(heights) <= HIGHEST_GROUND)
        ground = _spread(np.where(usable, heights, 0.0).astype(np.float32), free)
        self._level = float(ground.flat[0])
        if np.ptp(ground) > _FLAT_WITHIN:
            self._heights = ground

    @property
    def flat(self) -> bool:
        """Whether the ground has one height everywhere."""
        return self._heights is None

    def at(self, column: NDArray[np.int64], row: NDArray[np.int64]) -> FloatArray:
        """Height of cells, clamped to the map.

        Args:
            column: (N,) columns.
            row: (N,) rows.

        Returns:
            (N,) metres.
        """
        if self._heights is None:
            return np.full(np.shape(column), self._level)
        rows, columns = self._shape
        nearest = self._heights[np.clip(row, 0, rows - 1), np.clip(column, 0, columns - 1)]
        return nearest.astype(np.float64)

    def between(self, points: FloatArray) -> FloatArray:
        """Height between cell centres, interpolated, clamped to the map.

        Args:
            points: (M, N, 2) map coordinates ``(column, row)``.

        Returns:
            (M, N) metres.
        """
        if self._heights is None:
            return np.full(points.shape[:2], self._level)
        rows, columns = self._shape
        centred = np.clip(points - 0.5, 0.0, (columns - 1, rows - 1)).astype(np.float32)
        border = cv2.BORDER_REPLICATE
        heights = cv2.remap(
            self._heights, centred[..., 0], centred[..., 1], cv2.INTER_LINEAR, borderMode=border
        )
        return np.asarray(heights, dtype=np.float64)


def group_centres(width: int) -> FloatArray:
    """Where in the image the column groups of a terrain profile lie, pixels from the left edge."""
    groups = -(-width // _COLUMN_PIXELS)
    return (np.arange(groups) + 0.5) * width / groups


def profile(
    ground: Ground,
    origin: FloatArray,
    directions: FloatArray,
    *,
    camera_z: float,
    focal: float,
    centre: float,
) -> GroundProfile:
    """Follow the ground outward from the camera.

    ``row = centre + focal * (camera_z - height) / depth``.

    Args:
        ground: The ground.
        origin: (2,) the camera, map coordinates.
        directions: (C, 2) map coordinates per metre of depth.
        camera_z: Height of the camera, metres, in the heights' frame.
        focal: Focal length along the rows, pixels.
        centre: Principal point, pixels from the top edge.
    """
    depths = np.geomspace(_NEAREST, _FARTHEST, _SAMPLES)
    points = origin + directions[:, None, :] * depths[:, None]
    rise = centre + focal * (camera_z - ground.between(points)) / depths
    return GroundProfile(depths, np.minimum.accumulate(rise, axis=1))


def _spread(heights: NDArray[np.float32], free: NDArray[np.bool_]) -> NDArray[np.float32]:
    if free.all() or not free.any():
        return heights
    occupied = (~free).astype(np.uint8)
    _, labels = cv2.distanceTransformWithLabels(
        occupied, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    of_label = np.zeros(int(labels.max()) + 1, dtype=np.float32)
    of_label[labels[free]] = heights[free]
    return np.asarray(of_label[labels], dtype=np.float32)
