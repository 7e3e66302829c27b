"""Everything that is wrong with a dataset, file by file."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from abotn.collision import OccupancyGrid, line_collisions
from abotn.errors import DataError
from abotn.scenes.layout import (
    META_NAME,
    OCCUPANCY_NAME,
    MapFiles,
    list_scene_folders,
    map_files,
    named_scene,
    overlooked,
    require_folder,
    same_name,
    task_files,
)
from abotn.scenes.map_images import FREE_GREY, read_height, read_occupancy
from abotn.scenes.meta_text import geometry_of, read_meta
from abotn.scenes.task import Task, named_task

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        path: The file or folder.
        severity: ``"error"`` when results would be wrong or impossible, else ``"warning"``.
        message: What is wrong.
    """

    path: Path
    severity: Severity
    message: str

    def __str__(self) -> str:
        return _printable(f"{self.severity}: {self.path}: {self.message}")


def check_dataset(
    data_dir: str | os.PathLike[str],
    map_dir: str | os.PathLike[str] | None = None,
    progress: Callable[[], None] | None = None,
) -> list[Finding]:
    """Return what is wrong with a dataset, scene by scene; empty when nothing is.

    Args:
        data_dir: Folder of the scenes.
        map_dir: Folder of the maps, when they are kept apart.
        progress: Called after each scene.

    Raises:
        DataError: a folder is missing, or holds no scenes at all.
    """
    if map_dir is not None:
        require_folder(map_dir, "map")
    folders = list_scene_folders(data_dir)
    findings = [Finding(path, "warning", reason) for path, reason in overlooked(data_dir)]
    findings += _clashing(folders)
    for folder in folders:
        findings += _check_scene(folder, map_dir)
        if progress is not None:
            progress()
    return findings


def _check_scene(folder: Path, map_dir: str | os.PathLike[str] | None) -> Iterator[Finding]:
    try:
        named_scene(folder)
    except DataError as error:
        yield _error(folder, error)
    findings: list[Finding] = []
    tasks = _load_tasks(folder, findings)
    grid = _load_grid(folder, map_dir, findings)
    yield from findings
    for path, task in tasks:
        yield from _check_task(path, task, grid)


def _load_tasks(folder: Path, findings: list[Finding]) -> list[tuple[Path, Task]]:
    files = task_files(folder)
    if not files:
        findings.append(Finding(folder, "error", "the scene has no traj_*.json files"))
    findings += _clashing(files)
    tasks = []
    for path in files:
        try:
            tasks.append((path, named_task(path)))
        except DataError as error:
            findings.append(_error(path, error))
    return tasks


def _load_grid(
    folder: Path, map_dir: str | os.PathLike[str] | None, findings: list[Finding]
) -> OccupancyGrid | None:
    try:
        files = map_files(folder, map_dir)
    except DataError as error:
        findings.append(_error(Path(error.where or folder), error))
        return None
    if files is None:
        findings.append(Finding(folder, "error", "the scene has no map"))
        return None
    if files.meta is None or files.occupancy is None:
        missing = META_NAME if files.meta is None else OCCUPANCY_NAME
        findings.append(Finding(files.folder, "error", f"{missing} is missing"))
    if files.height is None:
        message = "there is no height map; the ground is taken to be at -0.1 m"
        findings.append(Finding(files.folder, "warning", message))
    return _read_map(files, findings)


def _read_map(files: MapFiles, findings: list[Finding]) -> OccupancyGrid | None:
    """Read every file that is there, so that one damaged file does not hide another."""
    geometry, shape = None, None
    grey = None
    if files.meta is not None:
        try:
            geometry = geometry_of(read_meta(files.meta), files.meta)
            shape = geometry.shape
        except DataError as error:
            findings.append(_error(files.meta, error))
    if files.occupancy is not None:
        try:
            grey = read_occupancy(files.occupancy, shape)
        except DataError as error:
            findings.append(_error(files.occupancy, error))
    if files.height is not None:
        try:
            read_height(files.height, shape)
        except DataError as error:
            findings.append(_error(files.height, error))
    if grey is None or geometry is None:
        return None
    return OccupancyGrid.from_image(grey, geometry, free_threshold=FREE_GREY)


def _check_task(path: Path, task: Task, grid: OccupancyGrid | None) -> Iterator[Finding]:
    xy = task.positions[:, :2]
    if task.reference_length == 0:
        yield Finding(path, "warning", "the start is the goal")
    if grid is None:
        return
    for name, point in (("start", xy[0]), ("goal", xy[-1])):
        column, row = grid.geometry.cell_of(point)
        place = f"the {name} ({point[0]:.2f}, {point[1]:.2f})"
        if not (0 <= column < grid.geometry.width and 0 <= row < grid.geometry.height):
            yield Finding(path, "error", f"{place} lies outside the map")
        elif not grid.free[row, column]:
            yield Finding(path, "error", f"{place} lies in an obstacle")
    hit, length = line_collisions(grid, xy[:-1], xy[1:], "exact")
    if np.any(hit):
        yield Finding(
            path,
            "warning",
            f"the reference path crosses obstacles in {int(hit.sum())} of {len(hit)} segments, "
            f"{float(length.sum()):.2f} m in all",
        )


def _clashing(paths: Iterable[Path]) -> Iterator[Finding]:
    """Names that some file systems take for one, see :func:`abotn.scenes.layout.same_name`."""
    same: dict[str, list[Path]] = defaultdict(list)
    for path in paths:
        same[same_name(path.name)].append(path)
    for first, *others in same.values():
        for other in others:
            by_case = first.name.casefold() == other.name.casefold()
            how = "by case" if by_case else "in how Unicode writes its letters"
            yield Finding(other, "error", f"the id differs from {first.name!r} only {how}")


def _printable(text: str) -> str:
    """The text on one line of any terminal, what cannot be shown as an escape."""
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )


def _error(path: Path, error: DataError) -> Finding:
    return Finding(path, "error", error.message)
