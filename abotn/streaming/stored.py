"""Scores that a model left in files: find them, read them, feed them to an evaluator."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError
from abotn.streaming.dataset import find_scenarios

SUFFIXES = (".npy", ".npz", ".feather", ".parquet")


class StoredScores(NamedTuple):
    """One timestep's scores in a file.

    Args:
        path: ``{scores}/{scenario below the dataset}/{timestep_id:06d}`` and one of ``SUFFIXES``.
        scenario_id: Path of the scenario's folder.
        timestep_id: Timestep number.
    """

    path: Path
    scenario_id: str
    timestep_id: int


class ScoreTable(NamedTuple):
    """Scores of one number each.

    Args:
        scenario_ids: Paths of scenario folders.
        timestep_ids: Timestep numbers; None at scenario level.
        scores: float64, shape (N,).
    """

    scenario_ids: list[str]
    timestep_ids: list[int] | None
    scores: NDArray[np.float64]


def find_sample_scores(
    scores: str | os.PathLike[str], dataset: str | os.PathLike[str]
) -> tuple[list[StoredScores], list[str]]:
    """Return the files with pixel or point scores, and the scenarios that have none.

    Args:
        scores: Folder that repeats the dataset's, ``test/...``, with one file per timestep.
        dataset: Folder of the dataset.

    Raises:
        DataError: the dataset holds no scenario, or a file's name is no timestep number.
    """
    found, without = [], []
    for scenario in find_scenarios(dataset):
        below = Path(scenario.scenario_id).relative_to(Path(dataset))
        files = sorted(p for p in (Path(scores) / below).glob("*") if p.suffix in SUFFIXES)
        found += [StoredScores(p, scenario.scenario_id, _timestep(p)) for p in files]
        without += [] if files else [scenario.scenario_id]
    return found, without


def read_scores(path: Path) -> NDArray[Any]:
    """Return the array of one file: a ``score`` column, an npz's only array or its ``scores``.

    Raises:
        DataError: it holds no such array.
    """
    try:
        if path.suffix in (".feather", ".parquet"):
            return np.asarray(_read_columns(path, ("score",))["score"])
        with path.open("rb") as file:
            loaded = np.load(file)
            return np.asarray(loaded) if path.suffix == ".npy" else _only_array(loaded, path)
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise DataError(f"cannot read scores: {error}", where=path) from error


def read_score_table(
    path: str | os.PathLike[str], dataset: str | os.PathLike[str], *, per_timestep: bool
) -> ScoreTable:
    """Return a table of scores.

    Args:
        path: A feather or parquet file with columns ``scenario_id`` (a path below the dataset, or
            a whole one), ``score`` and, per timestep, ``timestep_id``.
        dataset: Folder of the dataset.
        per_timestep: Whether there is a score per timestep, not one per scenario.

    Raises:
        DataError: it is no such table.
    """
    names = ("scenario_id", "timestep_id", "score") if per_timestep else ("scenario_id", "score")
    columns = _read_columns(Path(path), names)
    # Joining keeps an absolute path as it is.
    ids = [(Path(dataset) / str(name)).as_posix() for name in columns["scenario_id"]]
    timesteps = [int(t) for t in columns["timestep_id"]] if per_timestep else None
    return ScoreTable(ids, timesteps, np.asarray(columns["score"], np.float64))


def feed_samples(evaluator: Any, stored: list[StoredScores]) -> Iterator[StoredScores]:
    """Feed files to a ``PixelEvaluator`` or ``PointEvaluator``, yielding each when it is taken."""
    for one in stored:
        evaluator.update(read_scores(one.path)[None], [one.scenario_id], [one.timestep_id])
        yield one


def _only_array(archive: Any, path: Path) -> NDArray[Any]:
    names = list(archive)
    if "scores" not in names and len(names) != 1:
        raise DataError(f"expected an array 'scores', found {', '.join(names)}", where=path)
    return np.asarray(archive["scores" if "scores" in names else names[0]])


def _read_columns(path: Path, names: tuple[str, ...]) -> dict[str, Any]:
    from pyarrow import ArrowException, feather, parquet

    read = parquet.read_table if path.suffix == ".parquet" else feather.read_table
    try:
        table = read(path)
    except (ArrowException, OSError, ValueError) as error:
        raise DataError(f"cannot read the table: {error}", where=path) from error
    missing = [name for name in names if name not in table.column_names]
    if missing:
        found = ", ".join(table.column_names) or "none"
        raise DataError(f"expected columns {', '.join(names)}, found {found}", where=path)
    return {name: table.column(name).to_numpy() for name in names}


def _timestep(path: Path) -> int:
    if not path.stem.isdigit():
        raise DataError("expected a timestep number as the file's name", where=path)
    return int(path.stem)
