"""What the embedded renderer keeps of a scene: where things stand, and how they look."""

from __future__ import annotations

import zlib

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import DataError
from abotn.geometry.map_geometry import MapGeometry
from abotn.rendering.ground import Ground
from abotn.rendering.raycast import RayGrid, RayHits
from abotn.rendering.textures import WALL_COLOURS

FloatArray = NDArray[np.float64]

_SMOOTHING_CELLS = 2.0
_BLOCK_METRES = 2.4
_SUN_SHARE = 0.26

# Unit vectors in map coordinates; code 0 means that no direction is known.
_CODES = 256
_TURN = (np.arange(_CODES) - 1) * (2.0 * np.pi / (_CODES - 1))
_FACING = np.stack([np.cos(_TURN), np.sin(_TURN)], axis=-1)


class SceneMap:
    """A scene made ready for rendering; keeps copies, never the caller's arrays.

    Args:
        scene_id: Decides, with the seed, which colours stand where.
        free: (rows, columns) bool, True where a robot may be.
        geometry: Where the cells lie in the world.
        height: (rows, columns) ground height in metres, or None.
        seed: Decides the colours.

    Raises:
        DataError: A shape differs from the geometry's.
    """

    def __init__(
        self,
        scene_id: str,
        free: ArrayLike,
        geometry: MapGeometry,
        height: ArrayLike | None,
        *,
        seed: int,
    ) -> None:
        cells = np.asarray(free).astype(bool)
        heights = None if height is None else np.asarray(height, dtype=np.float64)
        _check_shape(scene_id, "free", cells, geometry)
        if heights is not None:
            _check_shape(scene_id, "height", heights, geometry)
        self.geometry = geometry
        self.grid = RayGrid(cells)
        self.ground = Ground(heights, cells)
        steps = np.array([geometry.column_step, geometry.row_step])
        self._to_map = np.linalg.inv(steps)
        self._facing = _facing_angles(cells)
        self._salt = np.uint32(zlib.crc32(f"{seed}/{scene_id}".encode()))
        self._sun = 2.0 * np.pi * float(self._salt) / 2.0**32

    @property
    def offset(self) -> FloatArray:
        """(2,) metres by which the floor's picture is shifted in this scene."""
        return np.array([self._salt % 1021, self._salt % 769]) / 37.0

    def to_map(self, directions: FloatArray) -> FloatArray:
        """World direction vectors (..., 2), metres, as map coordinates per metre."""
        return np.asarray(directions @ self._to_map)

    def wall_normals(self, hits: RayHits) -> FloatArray:
        """Which way the walls that were hit face, smoothed over a few cells.

        Returns:
            (N, 2) world unit vectors; where nothing was hit, any.
        """
        codes = self._facing[hits.before_row + 1, hits.before_column + 1]
        step = np.stack([hits.before_column - hits.column, hits.before_row - hits.row], axis=-1)
        outward = np.where((codes == 0)[:, None], step, _FACING[codes]) @ self._to_map.T
        length = np.hypot(outward[:, 0], outward[:, 1])
        return np.asarray(outward / np.where(length > 0.0, length, 1.0)[:, None])

    def wall_positions(self, points: FloatArray, normals: FloatArray) -> FloatArray:
        """How far along its wall each hit lies, metres.

        Args:
            points: (N, 2) map coordinates of the hits.
            normals: (N, 2) world normals.
        """
        across = np.abs(normals @ np.array([self.geometry.column_step, self.geometry.row_step]).T)
        faces_columns = across[:, 0] * self.geometry.row_metres > (
            across[:, 1] * self.geometry.column_metres
        )
        along_rows = points[:, 1] * self.geometry.row_metres
        return np.where(faces_columns, along_rows, points[:, 0] * self.geometry.column_metres)

    def wall_looks(
        self, hits: RayHits, normals: FloatArray, variants: int
    ) -> tuple[FloatArray, NDArray[np.int64]]:
        """Colour under this scene's sun, and texture, of the walls that were hit.

        Returns:
            (N, 3) RGB, and (N,) variant below ``variants``.
        """
        block = max(1, round(_BLOCK_METRES / self.geometry.metres_per_pixel))
        mixed = _mix((hits.column + 1) // block, (hits.row + 1) // block, self._salt)
        colours = WALL_COLOURS[mixed % len(WALL_COLOURS)].astype(np.float64)
        sun = np.array([np.cos(self._sun), np.sin(self._sun)])
        light = (1.0 - _SUN_SHARE) + _SUN_SHARE * (normals @ sun)
        tone = 0.9 + 0.2 * ((mixed >> 16) % 64) / 63.0
        return colours * (light * tone)[:, None], ((mixed >> 8) % variants).astype(np.int64)


def _check_shape(
    scene_id: str, name: str, array: NDArray[np.generic], geometry: MapGeometry
) -> None:
    if array.shape != geometry.shape:
        raise DataError(
            f"expected shape {geometry.shape} of the map geometry, got {array.shape}",
            where=f"scene {scene_id}: {name}",
        )


def _facing_angles(free: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Which way is away from obstacles, for each cell of the map and a ring around it.

    Codes 1..255 are angles in map coordinates; 0 says that no side prevails.
    """
    occupied = np.ones((free.shape[0] + 2, free.shape[1] + 2), dtype=np.float32)
    occupied[1:-1, 1:-1] = ~free
    soft = cv2.GaussianBlur(occupied, (0, 0), _SMOOTHING_CELLS, borderType=cv2.BORDER_REPLICATE)
    right = cv2.Sobel(soft, cv2.CV_32F, 1, 0, ksize=3, borderType=cv2.BORDER_REPLICATE)
    down = cv2.Sobel(soft, cv2.CV_32F, 0, 1, ksize=3, borderType=cv2.BORDER_REPLICATE)
    degrees = cv2.phase(-right, -down, angleInDegrees=True)
    steps = np.rint(degrees * ((_CODES - 1) / 360.0)).astype(np.int64) % (_CODES - 1)
    codes = (steps + 1).astype(np.uint8)
    codes[np.abs(right) + np.abs(down) < 1e-2] = 0
    return np.asarray(codes, dtype=np.uint8)


def _mix(column: NDArray[np.int64], row: NDArray[np.int64], salt: np.uint32) -> NDArray[np.uint32]:
    """A number for each block of cells that looks random but is always the same."""
    mixed = column.astype(np.uint32) * np.uint32(0x9E3779B1) ^ salt
    mixed = (mixed ^ (mixed >> np.uint32(15))) + row.astype(np.uint32) * np.uint32(0x85EBCA77)
    mixed = (mixed ^ (mixed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return np.asarray(mixed ^ (mixed >> np.uint32(16)), dtype=np.uint32)
