"""The published folder layout: where scenes, tasks and maps lie.

::

    {data_dir}/{scene_id}/traj_*.json
    {data_dir}/{scene_id}/map/occ_map.png, occ_map_meta.txt, occ_map_height.tiff
    {map_dir}/{scene_id}/map/...  or  {map_dir}/{scene_id}/...   when maps are kept apart
"""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from abotn.errors import DataError
from abotn.records.files import check_scene_id

MAP_FOLDER = "map"
OCCUPANCY_NAME = "occ_map.png"
META_NAME = "occ_map_meta.txt"
HEIGHT_NAME = "occ_map_height.tiff"
TASK_PATTERN = "traj_*.json"

# The way out of a damaged file, wherever it is met.
TAKE_ANEW = "take it from the dataset anew or write it again; abotn scenes check DIR finds all such"

_NO_MAP = f"{TAKE_ANEW}; without it the scene has no map"
_DIGITS = re.compile(r"([0-9]+)")


@dataclass(frozen=True)
class MapFiles:
    """The files of one scene's map; a file that does not exist is None."""

    folder: Path
    occupancy: Path | None
    meta: Path | None
    height: Path | None

    @property
    def present(self) -> list[tuple[str, Path]]:
        """The files that exist, each with its published name."""
        pairs = [
            (OCCUPANCY_NAME, self.occupancy),
            (META_NAME, self.meta),
            (HEIGHT_NAME, self.height),
        ]
        return [(name, path) for name, path in pairs if path is not None]


def natural_key(name: str) -> tuple[tuple[str | int, ...], str]:
    """Return a sort key that counts: ``traj_2`` before ``traj_10``."""
    parts = _DIGITS.split(name)
    return tuple(int(part) if index % 2 else part for index, part in enumerate(parts)), name


def require_folder(path: str | os.PathLike[str], kind: str) -> Path:
    """Return ``path`` when it is a folder.

    Raises:
        DataError: it does not exist, or is a file.
    """
    folder = Path(path)
    if not folder.exists():
        raise DataError(f"the {kind} folder does not exist", where=path, hint="check the path")
    if not folder.is_dir():
        raise DataError(
            f"the {kind} must be a folder, got a file", where=path, hint="name its folder"
        )
    return folder


def scene_folders(data_dir: str | os.PathLike[str]) -> list[Path]:
    """Return the scene folders of a data folder in natural order; hidden folders are no scenes.

    Raises:
        DataError: the data folder is missing or has no scene in it, or a folder's name cannot be
            a scene id.
    """
    found = list_scene_folders(data_dir)
    for path in found:
        named_scene(path)
    return found


def named_scene(folder: Path) -> str:
    """Return the scene id that a folder's name is.

    Raises:
        DataError: it cannot be one; names the folder.
    """
    try:
        return check_scene_id(folder.name)
    except DataError as error:
        raise DataError(error.message, where=folder, hint=error.hint) from error


def list_scene_folders(data_dir: str | os.PathLike[str]) -> list[Path]:
    """Return the scene folders as :func:`scene_folders` does, whatever their names.

    Raises:
        DataError: the data folder is missing or has no scene in it.
    """
    folder = require_folder(data_dir, "data")
    found = [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")]
    if not found or holds_tasks(folder):
        raise DataError(_no_scenes(folder), where=data_dir, hint=_no_scenes_hint(folder))
    return sorted(found, key=lambda path: natural_key(path.name))


def overlooked(data_dir: str | os.PathLike[str]) -> list[tuple[Path, str]]:
    """Return what looks like a scene of a data folder and is none, each with the reason.

    Raises:
        DataError: the data folder is missing.
    """
    found = []
    for path in sorted(require_folder(data_dir, "data").iterdir()):
        if path.name.startswith(".") and looks_like_scene(path):
            found.append((path, "not taken as a scene, as its name begins with a dot"))
        elif path.is_symlink() and not path.exists():
            found.append((path, "not taken as a scene, as it is a link to nothing"))
    return found


def looks_like_scene(folder: Path) -> bool:
    """Whether a folder has tasks or a map in it; False where one may not look into it."""
    try:
        return (folder / MAP_FOLDER).is_dir() or (folder.is_dir() and holds_tasks(folder))
    except OSError:
        return False


def holds_tasks(folder: Path) -> bool:
    """Whether a folder has ``traj_*.json`` files, as that of one scene has."""
    return next(folder.glob(TASK_PATTERN), None) is not None


def same_name(name: str) -> str:
    """Return what names have in common that some file system takes for one.

    Some ignore case, and some the ways in which Unicode writes one letter.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def task_files(scene_dir: str | os.PathLike[str]) -> list[Path]:
    """Return the ``traj_*.json`` files of a scene in natural order."""
    return sorted(Path(scene_dir).glob(TASK_PATTERN), key=lambda path: natural_key(path.stem))


def map_files(
    scene_dir: str | os.PathLike[str], map_dir: str | os.PathLike[str] | None = None
) -> MapFiles | None:
    """Return the map files of a scene, or None when it has no map.

    Looks in ``{map_dir}/{scene_id}/map``, then ``{map_dir}/{scene_id}``, then in the scene's own
    ``map`` folder; the first that holds any map file is taken whole.

    Args:
        scene_dir: Folder of the scene; its name is the scene id.
        map_dir: Folder of the maps when they are kept apart.

    Raises:
        DataError: something of a map's name is no file, or a map folder no folder.
    """
    scene = Path(scene_dir)
    places = [scene / MAP_FOLDER]
    if map_dir is not None:
        own = Path(map_dir) / scene.name
        places = [own / MAP_FOLDER, own, *places]
    for place in places:
        files = _files_in(place)
        if files.present:
            return files
    return None


def _files_in(folder: Path) -> MapFiles:
    """Return the map files in a folder, which may not exist; what is there must be usable."""
    if os.path.lexists(folder) and not folder.is_dir():
        raise DataError(f"expected a folder, got {_what(folder)}", where=folder, hint=_NO_MAP)

    def existing(name: str) -> Path | None:
        path = folder / name
        if path.is_file():
            return path
        if os.path.lexists(path):
            raise DataError(f"expected a file, got {_what(path)}", where=path, hint=_NO_MAP)
        return None

    return MapFiles(folder, existing(OCCUPANCY_NAME), existing(META_NAME), existing(HEIGHT_NAME))


def _what(path: Path) -> str:
    if path.is_symlink() and not path.exists():
        return "a link to nothing"
    if path.is_dir():
        return "a folder"
    return "a file" if path.is_file() else "something else"


def _no_scenes(folder: Path) -> str:
    if holds_tasks(folder):
        return "expected a folder of scenes, got the folder of one scene"
    return "the data folder holds no scenes"


def _no_scenes_hint(folder: Path) -> str:
    if holds_tasks(folder):
        return f"pass its parent, {folder.resolve().parent}"
    for path, reason in overlooked(folder):
        return f"{path.name!r} is {reason}"
    return "each scene is a folder with traj_*.json files; make some with 'abotn scenes generate'"
