"""The occupancy grid every collision operation works on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.collision.coarse import coarse_freedom
from abotn.errors import DataError
from abotn.geometry.map_geometry import MapGeometry


@dataclass(frozen=True, eq=False)
class OccupancyGrid:
    """Which pixels of a map are free, and where they lie.

    Args:
        free: (rows, columns) bool, row 0 at the top edge; copied, and read-only from then on.
        geometry: The map's affine, of the same size.

    Raises:
        DataError: `free` is not a two-dimensional bool array, or its size is not the geometry's.

    Example:
        >>> geometry = MapGeometry((0, 0), (1, 0), (0, 1), 2, 1)
        >>> OccupancyGrid(np.array([[True, False]]), geometry).is_free([[0.5, 0.5], [1.5, 0.5]])
        array([ True, False])
    """

    free: NDArray[np.bool_]
    geometry: MapGeometry

    def __post_init__(self) -> None:
        free = np.array(self.free, order="C")
        if free.ndim != 2 or free.dtype != np.bool_:
            raise DataError(
                f"expected a bool array (rows, columns), got {free.dtype} of shape {free.shape}",
                where="free",
                hint="OccupancyGrid.from_image takes grey values",
            )
        if free.shape != self.geometry.shape:
            raise DataError(
                f"expected {self.geometry.shape} (rows, columns) as in the map's geometry, "
                f"got {free.shape}",
                where="free",
                hint="the image and its meta data must name one size",
            )
        free.setflags(write=False)
        object.__setattr__(self, "free", free)

    @classmethod
    def from_image(
        cls, grey: ArrayLike, geometry: MapGeometry, free_threshold: int = 128
    ) -> OccupancyGrid:
        """The grid of a grey image: free where a pixel is at least `free_threshold`.

        Args:
            grey: (rows, columns) grey values, 0..255.
            geometry: The map's affine.
            free_threshold: Smallest grey value that is free.

        Raises:
            DataError: The image has another number of dimensions or another size.
        """
        image = np.asarray(grey)
        if image.ndim != 2:
            raise DataError(
                f"expected a grey image (rows, columns), got shape {image.shape}", where="grey"
            )
        return cls(image >= free_threshold, geometry)

    @property
    def shape(self) -> tuple[int, int]:
        """``(rows, columns)``."""
        return self.geometry.shape

    def is_free(self, xy: ArrayLike) -> NDArray[np.bool_]:
        """Whether the pixel each point lies in is free; outside the map nothing is.

        Args:
            xy: (..., 2) world points, metres.

        Returns:
            (...) bool.
        """
        cells = self.geometry.cell_of(xy)
        return ~self.is_obstacle(cells[..., 0], cells[..., 1])

    def is_obstacle(self, columns: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each pixel is an obstacle or lies outside the map.

        Args:
            columns: (...) int64.
            rows: (...) int64.

        Returns:
            (...) bool.
        """
        height, width = self.shape
        column, row = np.clip(columns, -1, width) + 1, np.clip(rows, -1, height) + 1
        return np.asarray(self.walled[row, column] != 0)

    @cached_property
    def walled(self) -> NDArray[np.uint8]:
        """(rows + 2, columns + 2) read-only: 1 at obstacles and in a ring around the map, else 0.

        Pixel ``(column, row)`` stands at ``[row + 1, column + 1]``, so one look-up answers for
        pixels just outside as well.
        """
        walled = np.ones((self.shape[0] + 2, self.shape[1] + 2), dtype=np.uint8)
        np.logical_not(self.free, out=walled[1:-1, 1:-1].view(np.bool_))
        walled.setflags(write=False)
        return walled

    @cached_property
    def strip_codes(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Two flat read-only maps, for lines longer along the columns and along the rows.

        Bit 1 at index ``i`` is ``walled.ravel()[i]``, bit 0 is its successor along that axis: one
        look-up at an edge between two cells answers for both.
        """
        return self._codes(1), self._codes(self.walled.shape[1])

    @cached_property
    def freedom(self) -> NDArray[np.float32]:
        """See `coarse_freedom`."""
        return coarse_freedom(self.walled)

    @cached_property
    def most_freedom(self) -> float:
        """The greatest radius in `freedom`."""
        return float(self.freedom.max())

    def _codes(self, stride: int) -> NDArray[np.uint8]:
        flat = self.walled.ravel()
        codes: NDArray[np.uint8] = flat << np.uint8(1)
        codes[:-stride] |= flat[stride:]
        codes.setflags(write=False)
        return codes

    def __reduce__(self) -> tuple[object, ...]:
        # What is derived is made again where it is needed, so workers are sent the map alone.
        return type(self), (self.free, self.geometry)
