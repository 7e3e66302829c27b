"""One number for everything a dataset's results depend on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from abotn.errors import DataError
from abotn.scenes.layout import MAP_FOLDER, map_files, require_folder, scene_folders, task_files

_CHUNK_BYTES = 1 << 20


def dataset_fingerprint(
    data_dir: str | os.PathLike[str], map_dir: str | os.PathLike[str] | None = None
) -> str:
    """Return the SHA-256 of a dataset's task and map files.

    Over every file in natural order: its name inside the layout and the SHA-256 of its content.
    Where the maps lie does not matter, only what they hold; other files do not count.

    Args:
        data_dir: Folder of the scenes.
        map_dir: Folder of the maps, when they are kept apart.

    Returns:
        64 hexadecimal digits.

    Raises:
        DataError: a folder is missing or empty, or a file cannot be read.
    """
    if map_dir is not None:
        require_folder(map_dir, "map")
    total = hashlib.sha256()
    for name, path in _dataset_files(data_dir, map_dir):
        total.update(f"{name}\0{_file_digest(path)}\n".encode())
    return total.hexdigest()


def _dataset_files(
    data_dir: str | os.PathLike[str], map_dir: str | os.PathLike[str] | None
) -> Iterator[tuple[str, Path]]:
    for scene in scene_folders(data_dir):
        for path in task_files(scene):
            yield f"{scene.name}/{path.name}", path
        files = map_files(scene, map_dir)
        for name, path in files.present if files else []:
            yield f"{scene.name}/{MAP_FOLDER}/{name}", path


def _file_digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                digest.update(chunk)
    except OSError as error:
        raise DataError(f"cannot read: {error.strerror or error}", where=path) from error
    return digest.hexdigest()
