"""One scene: its tasks and its map."""

from __future__ import annotations

import math
import os
import warnings
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.collision import OccupancyGrid, dilate_free_pixels
from abotn.collision.dilation import pixels_of
from abotn.errors import DataError
from abotn.geometry.map_geometry import MapGeometry
from abotn.scenes.ground import ground_height
from abotn.scenes.layout import (
    META_NAME,
    OCCUPANCY_NAME,
    TAKE_ANEW,
    MapFiles,
    map_files,
    named_scene,
    require_folder,
    task_files,
)
from abotn.scenes.map_array import MapArray, Pending
from abotn.scenes.map_images import (
    FREE_GREY,
    check_height_size,
    check_occupancy_size,
    read_height,
    read_occupancy,
)
from abotn.scenes.meta_text import geometry_of, read_meta
from abotn.scenes.task import Task, named_task


@dataclass(eq=False, repr=False)
class Episode:
    """One scene with its tasks and, where it has one, its map.

    Attributes:
        episode_id: Name of the scene; of its folder, when it was read from one.
        scene_path: Absolute path of the scene's folder, empty when it was made in memory.
        tasks: The scene's tasks in natural order.
        occ_map: uint8 grey (rows, columns), ``>= 128`` is free; or None. Read when first used,
            read-only; assign a new array to change it.
        height_map: float32 metres (rows, columns), or None. Read when first used, read-only.
        meta_data: Corners, size and extent of the map under their published keys, or None.
    """

    episode_id: str
    scene_path: str = ""
    tasks: list[Task] = field(default_factory=list)
    occ_map: MapArray = MapArray()  # noqa: RUF009
    height_map: MapArray = MapArray()  # noqa: RUF009
    meta_data: dict[str, Any] | None = None

    @classmethod
    def from_scene_dir(
        cls, scene_dir: str | os.PathLike[str], map_dir: str | os.PathLike[str] | None = None
    ) -> Episode:
        """Read a scene's folder: its tasks and its map's metadata now, its images when needed.

        Args:
            scene_dir: The scene's folder.
            map_dir: Folder of the maps of all scenes, when they are kept apart.

        Raises:
            DataError: a task or metadata file is damaged, or an image has another size than the
                metadata says; names the file and the key or line.
        """
        # Not resolved: a scene that is a link keeps the name of the link.
        folder = Path(os.path.abspath(require_folder(scene_dir, "scene")))  # noqa: PTH100
        episode = cls(named_scene(folder), str(folder))
        episode.tasks = [named_task(path) for path in task_files(folder)]
        files = map_files(folder, map_dir)
        if files is not None:
            episode._attach_map(files)
        return episode

    @property
    def num_tasks(self) -> int:
        """Number of tasks."""
        return len(self.tasks)

    def has_map_data(self) -> bool:
        """Whether there are an occupancy map, its metadata and a height map."""
        return self.has_grid() and self._has("height_map")

    def has_grid(self) -> bool:
        """Whether there are an occupancy map and its metadata, all that collisions need."""
        return self._has("occ_map") and self.meta_data is not None

    @cached_property
    def geometry(self) -> MapGeometry:
        """Where the map lies in the world.

        Raises:
            DataError: the scene has no map metadata, or it is incomplete.
        """
        if self.meta_data is None:
            raise DataError(
                "the scene has no map metadata",
                where=self.scene_path or None,
                hint="give the folder of the maps as map_dir",
            )
        return geometry_of(self.meta_data, self.scene_path or self.episode_id)

    @cached_property
    def grid(self) -> OccupancyGrid:
        """The occupancy map as a grid of free cells, as it is now (dilated, if it was).

        Raises:
            DataError: the scene has no map, or it is not grey.
        """
        occupancy = self._occupancy()
        return OccupancyGrid.from_image(occupancy, self.geometry, free_threshold=FREE_GREY)

    def get_meter_per_pixel(self) -> float | None:
        """Mean side of a pixel in metres, or None when there is no metadata."""
        return None if self.meta_data is None else float(self.geometry.metres_per_pixel)

    def ground_height(self, xy: ArrayLike) -> NDArray[np.float64]:
        """Ground height (...) in metres under points (..., 2); -0.1 where there is no map."""
        if not self._has("height_map") or self.meta_data is None:
            return ground_height(xy, None, None)
        return ground_height(xy, self.height_map, self.geometry)

    def dilate_free_space_by_meter(self, dilation_meters: float) -> None:
        """Widen this episode's free space by a distance, which shrinks its obstacles.

        ``max(1, round(metres / metres_per_pixel))`` pixels, see :meth:`dilate_free_space`.
        Without metadata, or for a distance that is not positive, nothing happens but a warning.

        Args:
            dilation_meters: Distance in metres.
        """
        resolution = self.get_meter_per_pixel()
        if resolution is None or not self._has("occ_map"):
            self._warn_skipped("it has no map or no map metadata")
        elif not 0 < dilation_meters < math.inf:
            self._warn_skipped(f"the distance must be positive and finite, got {dilation_meters}")
        else:
            self.dilate_free_space(pixels_of(dilation_meters, resolution))

    def dilate_free_space(self, dilation_pixels: int) -> None:
        """Widen this episode's free space by pixels with an elliptical kernel.

        The map as it was before any dilation is what is dilated, so that a second call does not
        add to the first: the same distance twice is that distance once, and another distance
        replaces it.

        Args:
            dilation_pixels: Radius of the kernel; not positive does nothing but warn.
        """
        if not self._has("occ_map"):
            self._warn_skipped("it has no map")
        elif dilation_pixels <= 0:
            self._warn_skipped(f"the distance must be positive, got {dilation_pixels} pixels")
        else:
            original = self._undilated()
            free = OccupancyGrid.from_image(original, self._any_geometry(original))
            dilated = dilate_free_pixels(free, int(dilation_pixels))
            self.occ_map = np.where(dilated.free, np.uint8(255), np.uint8(0))
            self.__dict__["_original"] = original

    def load_maps(self) -> Episode:
        """Read the images now, so that a damaged one is found now; return this episode.

        Raises:
            DataError: an image is damaged.
        """
        _ = self.occ_map, self.height_map
        return self

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)
        if name in ("occ_map", "meta_data"):
            self.__dict__.pop("grid", None)
            self.__dict__.pop("geometry" if name == "meta_data" else "_original", None)

    def __repr__(self) -> str:
        held = "with" if self.has_grid() else "without"
        return f"Episode({self.episode_id!r}, {self.num_tasks} tasks, {held} map)"

    def _has(self, name: str) -> bool:
        descriptor: MapArray = Episode.__dict__[name]
        return descriptor.is_set(self)

    def _occupancy(self) -> NDArray[np.uint8]:
        occupancy = self.occ_map
        if occupancy is None:
            raise DataError(
                "the scene has no occupancy map",
                where=self.scene_path or None,
                hint="give the folder of the maps as map_dir",
            )
        if occupancy.ndim != 2:
            raise DataError(
                f"occ_map must be grey (rows, columns), got shape {occupancy.shape}",
                where=self.scene_path or None,
            )
        return occupancy

    def _undilated(self) -> NDArray[np.uint8]:
        original: NDArray[np.uint8] | None = self.__dict__.get("_original")
        return self._occupancy() if original is None else original

    def _any_geometry(self, occupancy: NDArray[np.uint8]) -> MapGeometry:
        if self.meta_data is not None:
            return self.geometry
        rows, columns = occupancy.shape
        return MapGeometry.from_corners((0, 0), (columns, 0), (0, rows), columns, rows)

    def _warn_skipped(self, reason: str) -> None:
        warnings.warn(
            f"scene {self.episode_id!r} was not dilated: {reason}", UserWarning, stacklevel=3
        )

    def _attach_map(self, files: MapFiles) -> None:
        if files.meta is None or files.occupancy is None:
            missing = META_NAME if files.meta is None else OCCUPANCY_NAME
            raise DataError(
                f"{missing} is missing beside {files.present[0][0]}",
                where=files.folder,
                hint=TAKE_ANEW,
            )
        self.meta_data = read_meta(files.meta)
        shape = self.meta_data["IMAGE_HEIGHT"], self.meta_data["IMAGE_WIDTH"]
        check_occupancy_size(files.occupancy, shape)
        self.occ_map = Pending(partial(read_occupancy, files.occupancy, shape))
        if files.height is not None:
            check_height_size(files.height, shape)
            self.height_map = Pending(partial(read_height, files.height, shape))
