"""Scores that a model left in files: read them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError, EvaluationInputError
from abotn.streaming.dataset import find_scenarios, scenario_below

SUFFIXES = (".npy", ".npz", ".feather", ".parquet")
TABLE_SUFFIXES = (".feather", ".parquet", ".npz")


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
        DataError: the dataset holds no scenario, a file's name is no timestep number, or two files
            are of one timestep.
    """
    found, without = [], []
    for scenario in find_scenarios(dataset):
        below = Path(scenario.scenario_id).relative_to(Path(dataset))
        files = sorted(p for p in (Path(scores) / below).glob("*") if p.suffix in SUFFIXES)
        by_timestep: dict[int, Path] = {}
        for path in files:
            other = by_timestep.setdefault(_timestep(path), path)
            if other is not path:
                raise DataError(f"is of the same timestep as {other.name}", where=path)
        found += [StoredScores(p, scenario.scenario_id, t) for t, p in sorted(by_timestep.items())]
        without += [] if files else [scenario.scenario_id]
    return found, without


def read_scores(path: Path, ndim: int | None = None) -> NDArray[Any]:
    """Return the array of one file.

    In an npz that is its only array or the one called ``scores``; in a table the column ``score``,
    with a list per row where there are two dimensions.

    Args:
        path: A file with one of ``SUFFIXES``.
        ndim: Wanted number of dimensions; None for any.

    Raises:
        DataError: it holds no such array, or one that is not of numbers.
    """
    try:
        if path.suffix in (".feather", ".parquet"):
            array = np.asarray(_read_columns(path, ("score",))["score"])
            array = np.stack(list(array)) if array.dtype == object and array.size else array
        else:
            with path.open("rb") as file:
                loaded = np.load(file)
                array = loaded if isinstance(loaded, np.ndarray) else _only_array(loaded, path)
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise DataError(f"cannot read scores: {error}", where=path) from error
    if array.dtype.kind not in "fiub":
        raise DataError(f"expected numbers, found {array.dtype}", where=path)
    if ndim is not None and array.ndim != ndim:
        form = {1: "(N,)", 2: "(H, W)"}[ndim]
        raise DataError(f"expected scores of shape {form}, found {array.shape}", where=path)
    return np.asarray(array)


def read_score_table(
    path: str | os.PathLike[str], dataset: str | os.PathLike[str], *, per_timestep: bool
) -> ScoreTable:
    """Return a table of scores.

    Args:
        path: A feather or parquet file, or an npz with an array per column: ``scenario_id`` (a
            path of which only the part from ``test/`` on counts), ``score`` and, per timestep,
            ``timestep_id``.
        dataset: Folder of the dataset.
        per_timestep: Whether there is a score per timestep, not one per scenario.

    Raises:
        DataError: it is no such table.
    """
    path = Path(path)
    names = ("scenario_id", "timestep_id", "score") if per_timestep else ("scenario_id", "score")
    columns = _read_columns(path, names)
    if len({column.shape for column in columns.values()}) > 1:
        raise DataError(f"columns {', '.join(names)} differ in length", where=path)
    ids = _scenario_ids(columns["scenario_id"], Path(dataset), path)
    timesteps = _whole_numbers(columns["timestep_id"], path) if per_timestep else None
    return ScoreTable(ids, timesteps, _numbers(columns["score"], path))


def feed_samples(evaluator: Any, stored: list[StoredScores]) -> Iterator[StoredScores]:
    """Feed files to a ``PixelEvaluator`` or ``PointEvaluator``, yielding each when it is taken."""
    from abotn.streaming.pixel import PixelEvaluator

    ndim = 2 if isinstance(evaluator, PixelEvaluator) else 1
    for one in stored:
        scores = read_scores(one.path, ndim)
        evaluator.update(scores[None], [one.scenario_id], [one.timestep_id])
        yield one


def _only_array(archive: Any, path: Path) -> NDArray[Any]:
    names = list(archive)
    if "scores" not in names and len(names) != 1:
        raise DataError(f"expected an array 'scores', found {', '.join(names)}", where=path)
    return np.asarray(archive["scores" if "scores" in names else names[0]])


def _read_columns(path: Path, names: tuple[str, ...]) -> dict[str, Any]:
    from pyarrow import ArrowException, feather, parquet

    readers = {".parquet": parquet.read_table, ".feather": feather.read_table, ".npz": _read_npz}
    if path.suffix not in readers:
        raise DataError(f"expected a file ending in {', '.join(TABLE_SUFFIXES)}", where=path)
    try:
        table = readers[path.suffix](path)
    except (ArrowException, OSError, ValueError, EOFError, BadZipFile) as error:
        raise DataError(f"cannot read the table: {error}", where=path) from error
    found = list(table) if isinstance(table, dict) else table.column_names
    if any(name not in found for name in names):
        raise DataError(
            f"expected columns {', '.join(names)}, found {', '.join(found) or 'none'}", where=path
        )
    return {
        name: table[name] if isinstance(table, dict) else table.column(name).to_numpy()
        for name in names
    }


def _read_npz(path: Path) -> dict[str, NDArray[Any]]:
    with path.open("rb") as file:
        archive = np.load(file)
        if isinstance(archive, np.ndarray):
            raise ValueError("a single array, not an archive")
        return dict(archive)


def _scenario_ids(names: Any, dataset: Path, path: Path) -> list[str]:
    # Mostly few scenarios with many rows each, so each path is looked at once.
    known: dict[Any, str] = {}
    for name in names:
        if name in known:
            continue
        try:
            known[name] = (dataset / scenario_below(name)).as_posix()
        except EvaluationInputError as error:
            shown = str(name) if isinstance(name, str) else name
            raise DataError(f"scenario_id {shown!r}: {error.message}", where=path) from error
    return [known[name] for name in names]


def _whole_numbers(column: Any, path: Path) -> list[int]:
    values = _numbers(column, path, "timestep_id")
    wrong = np.flatnonzero(~((values >= 0) & (values == np.floor(values)) & (values < 2**31)))
    if wrong.size:
        raise DataError(
            f"expected whole numbers from 0 as timestep_id, found {column[wrong[0]]} in row "
            f"{wrong[0]}",
            where=path,
        )
    return [int(value) for value in values]


def _numbers(column: Any, path: Path, name: str = "score") -> NDArray[np.float64]:
    try:
        return np.array(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"expected numbers as {name}: {error}", where=path) from error


def _timestep(path: Path) -> int:
    if not path.stem.isdecimal():
        raise DataError("expected a timestep number as the file's name", where=path)
    return int(path.stem)
