"""What a folder may hold for a dataset to be written to it."""

from __future__ import annotations

import os
from pathlib import Path

from abotn.errors import ConfigError
from abotn.scenes.layout import holds_tasks, looks_like_scene, same_name

PathLike = str | os.PathLike[str]


def check_replacement(target: Path, shown: PathLike, *, overwrite: bool) -> None:
    """Refuse a folder that a new dataset must not take the place of.

    Args:
        target: The folder; it need not exist.
        shown: What the user called it.
        overwrite: Whether a dataset in it may be replaced.

    Raises:
        ConfigError: it is a file, is not empty, or holds what is no scene.
    """
    inside = _inside(target, shown)
    if inside and not overwrite:
        raise ConfigError(
            "the output folder is not empty",
            where=shown,
            hint="choose another, or replace the dataset in it with --overwrite",
        )
    links = [path for path in inside if path.is_symlink()]
    _check_scenes_only(inside, links, shown, "it is not replaced")


def check_addition(target: Path, shown: PathLike, scene_id: str) -> None:
    """Refuse a folder that a scene must not be added to.

    Files beside the scenes are no harm; they stay.

    Args:
        target: The folder.
        shown: What the user called it.
        scene_id: Name of the new scene.

    Raises:
        ConfigError: it is no dataset, or holds a scene of that name.
    """
    inside = _inside(target, shown)
    folders = [path for path in inside if path.is_dir() and not path.name.startswith(".")]
    if holds_tasks(target) or not folders:
        raise ConfigError(
            "the output folder is not empty, and is no dataset that a scene could be added to",
            where=shown,
            hint="choose another folder",
        )
    for path in inside:
        if same_name(path.name) == same_name(scene_id):
            raise ConfigError(
                f"the dataset already holds {path.name!r}; scenes are never written over",
                where=shown,
                hint="give the new scene another name with --scene-id",
            )
    _check_scenes_only(folders, [], shown, "nothing is added to it")


def _inside(target: Path, shown: PathLike) -> list[Path]:
    if not target.exists():
        return []
    if not target.is_dir():
        raise ConfigError("the output must be a folder, got a file", where=shown)
    return list(target.iterdir())


def _check_scenes_only(
    paths: list[Path], refused: list[Path], shown: PathLike, consequence: str
) -> None:
    foreign = sorted(path.name for path in paths if path in refused or not looks_like_scene(path))
    if foreign:
        raise ConfigError(
            f"the output folder holds {foreign[0]!r}, which is no scene, so {consequence}",
            where=shown,
            hint="choose another folder",
        )
