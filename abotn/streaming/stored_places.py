"""Where the scores of a level lie in a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from abotn.errors import ConfigError, DataError, UnknownNameError
from abotn.streaming.stored import SUFFIXES, TABLE_SUFFIXES, ScoreTable, read_scores

LEVELS = ("pixel", "point", "sensor", "timestep", "scenario")

_OF_A_SENSOR = ("pixel", "sensor")


def score_name(level: str, sensor: str | None) -> str:
    """Return the name of a level's scores.

    Args:
        level: One of ``LEVELS``.
        sensor: The sensor, at the levels ``pixel`` and ``sensor``; else None.

    Raises:
        UnknownNameError: the level is not known.
        ConfigError: the level needs a sensor and none is given, or the other way round.

    Example:
        >>> score_name("pixel", "front"), score_name("timestep", None)
        ('pixel-front', 'timestep')
    """
    if level not in LEVELS:
        raise UnknownNameError("level", level, LEVELS)
    if level in _OF_A_SENSOR and sensor is None:
        raise ConfigError(f"the level {level} needs one, such as front", where="sensor")
    if level not in _OF_A_SENSOR and sensor is not None:
        raise ConfigError(f"the level {level} has none, got {sensor!r}", where="sensor")
    return level if sensor is None else f"{level}-{sensor}"


def find_scores(scores: Path, name: str) -> Path:
    """Return the table, or the folder with ``test`` in it, that holds the scores of a name.

    Args:
        scores: A table; or a folder with ``{name}/test/...``, a table ``{name}`` or ``test/...``.
        name: As ``score_name`` returns it.

    Raises:
        ConfigError: there is no such folder or file.
        DataError: it holds no scores of that name, or more than one set of them.
    """
    if not scores.exists():
        raise ConfigError("no such folder or table of scores", where=scores)
    if scores.is_file():
        return scores
    places = [scores / name, *(scores / f"{name}{suffix}" for suffix in TABLE_SUFFIXES)]
    found = [path for path in places if path.exists()]
    if (scores / "test").is_dir():
        found.append(scores)
    if len(found) == 1:
        return found[0]
    shown = " and ".join("test" if path == scores else path.name for path in found)
    raise DataError(
        f"holds both {shown}" if found else f"holds no scores of {name}",
        where=scores,
        hint=f"expected {name}/test/..., a table as {name}.feather, or test/...",
    )


def read_score_tree(
    root: Path, dataset: Path, scenario_ids: list[str], *, per_timestep: bool
) -> ScoreTable:
    """Return the scores in a file per scenario, entry i of which is timestep i.

    Args:
        root: Folder that repeats the dataset's: ``{root}/test/...`` and one of ``SUFFIXES``.
        dataset: Folder of the dataset.
        scenario_ids: Paths of its scenarios.
        per_timestep: Whether there is a score per timestep, not one per scenario.

    Raises:
        DataError: a file is damaged or of another form, or two are of one scenario.
    """
    ids: list[str] = []
    timesteps: list[int] = []
    scores = [np.empty(0)]
    for scenario_id in scenario_ids:
        path = _file_of(root / Path(scenario_id).relative_to(dataset))
        if path is None:
            continue
        values = np.atleast_1d(read_scores(path))
        if values.ndim != 1 or (values.size != 1 and not per_timestep):
            form = "(timesteps,)" if per_timestep else "(1,)"
            raise DataError(f"expected scores of shape {form}, found {values.shape}", where=path)
        ids += [scenario_id] * values.size
        timesteps += range(values.size)
        scores.append(values.astype(np.float64))
    return ScoreTable(ids, timesteps if per_timestep else None, np.concatenate(scores))


def count_score_files(root: Path) -> int:
    """Return how many files of scores lie below ``root/test``."""
    return sum(path.suffix in SUFFIXES for path in (root / "test").rglob("*"))


def _file_of(stem: Path) -> Path | None:
    files = [stem.with_name(f"{stem.name}{suffix}") for suffix in SUFFIXES]
    found = [path for path in files if path.is_file()]
    if len(found) > 1:
        raise DataError(f"is of the same scenario as {found[1].name}", where=found[0])
    return found[0] if found else None
