"""From the records of a run to the pictures of its tasks."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abotn.errors import DataError, EvaluationInputError
from abotn.records.readers import RecordSource, read_records
from abotn.report.map_picture import write_map_picture
from abotn.report.page_causes import causes
from abotn.report.plots.map_drawing import TaskMap

if TYPE_CHECKING:
    from abotn.collision import OccupancyGrid

PathLike = str | os.PathLike[str]
PICTURE_NAME = "map.png"


class TaskMaps:
    """The pictures of the records of one run.

    The maps are read from the folders that the run's manifest names, unless others are given. A
    scene without a map, or a run that names no folder, gives pictures without one.

    Args:
        source: The records, as :func:`abotn.records.readers.read_records` returns them.
        data_dir: Folder of the scenes; the manifest's when None.
        map_dir: Folder of the maps, when they are kept apart.

    Raises:
        DataError: ``data_dir`` was given and is no folder.
    """

    def __init__(
        self,
        source: RecordSource,
        *,
        data_dir: PathLike | None = None,
        map_dir: PathLike | None = None,
    ) -> None:
        self.source = source
        manifest = source.manifest or {}
        self._values: Mapping[str, Any] = manifest.get("protocol", {}).get("values", {})
        if data_dir is None:
            dataset = manifest.get("dataset", {})
            data_dir, map_dir = dataset.get("data_dir"), dataset.get("map_dir")
        elif not Path(data_dir).is_dir():
            raise DataError("the data folder does not exist", where=data_dir)
        self._grid = _grid_reader(data_dir, map_dir)

    @property
    def labels(self) -> list[str]:
        """``scene/task``, or ``scene/task@attempt``, of every record."""
        return [self.source.table.label(row) for row in range(len(self.source.table))]

    @property
    def scenes_are_known(self) -> bool:
        """Whether there is a folder of scenes to read maps from."""
        return self._grid is not None

    def has_path(self, row: int) -> bool:
        """Whether a record has a trajectory."""
        return self._trajectory(row) is not None

    def task_map(self, row: int) -> TaskMap:
        """Return what the picture of a record shows.

        Raises:
            EvaluationInputError: the record has no trajectory.
            DataError: its scene's map is damaged.
        """
        trajectory = self._trajectory(row)
        label = self.source.table.label(row)
        if trajectory is None:
            raise EvaluationInputError(
                "the record has no trajectory, so there is no path to draw", where=label
            )
        scene = str(self.source.table.column("episode_id")[row])
        return TaskMap(
            trajectory,
            None if self._grid is None else self._grid(scene),
            widened=float(self._values.get("occ_dilation_meters", 0.0)),
            arrive_threshold=self._values.get("arrive_threshold"),
            title=label,
            outcome=self._outcome(row, int(trajectory.collided.sum())),
        )

    @cached_property
    def _causes(self) -> list[str]:
        return causes(self.source.table, self.source.manifest or {})

    def _trajectory(self, row: int) -> Any:
        table = self.source.table
        return table.column("trajectory")[row] if "trajectory" in table else None

    def _outcome(self, row: int, collisions: int) -> tuple[str, ...]:
        ending = self._causes[row]
        counted = f"{collisions} collision{'' if collisions == 1 else 's'}"
        distance = self._value("distance_to_goal", row)
        if distance is None or distance != distance:
            return ending, counted
        return ending, f"{distance:.{2 if distance < 10 else 1}f} m to goal, {counted}"

    def _value(self, name: str, row: int) -> Any:
        return self.source.table.column(name)[row] if name in self.source.table else None


def write_run_maps(
    run: PathLike, *, data_dir: PathLike | None = None, map_dir: PathLike | None = None
) -> list[Path]:
    """Write ``map.png`` into the folder of every attempt of a run that has a trajectory.

    Args:
        run: The run's folder.
        data_dir: Folder of the scenes; the one the run was made with when None.
        map_dir: Folder of the maps, when they are kept apart.

    Returns:
        The files written.

    Raises:
        DataError: a file cannot be read or written.
        ConfigError: there is no such run.
    """
    maps = TaskMaps(read_records(run), data_dir=data_dir, map_dir=map_dir)
    written = []
    for row, result in enumerate(maps.source.table.column("result_path")):
        if maps.has_path(row):
            target = Path(result).parent / PICTURE_NAME
            write_map_picture(target, maps.task_map(row))
            written.append(target)
    return written


def _grid_reader(
    data_dir: PathLike | None, map_dir: PathLike | None
) -> Callable[[str], OccupancyGrid | None] | None:
    """Return the function that reads a scene's map, the last few kept; None without scenes."""
    if data_dir is None or not Path(data_dir).is_dir():
        return None
    folder = Path(data_dir)

    @lru_cache(maxsize=4)
    def read(scene: str) -> OccupancyGrid | None:
        from abotn.scenes.episode import Episode

        if not (folder / scene).is_dir():
            return None
        episode = Episode.from_scene_dir(folder / scene, map_dir)
        return episode.grid if episode.has_grid() else None

    return read
