"""The runs that ``abotn report`` was given, by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from abotn.cli.report_sources import run_folder
from abotn.errors import ConfigError
from abotn.units import counted

if TYPE_CHECKING:
    from abotn.report.runs import Run
    from abotn.results.types import EvaluationResult

_RESAMPLES = 10_000


def load_runs(given: Sequence[str], names: Sequence[str]) -> tuple[list[str], list[Run]]:
    """Return a path per run, and the runs by name.

    An evaluation of several agents, as ``abotn demo`` leaves it, is a run per agent; their folders
    beside it are used where they are all there.

    Args:
        given: Run folders and evaluation files.
        names: Names to show, one per run; the runs' own when empty.

    Raises:
        ConfigError: no such file or folder, or another number of names than of runs.
        EvaluationInputError: one run is given twice.
        DataError: a file is damaged.
    """
    from abotn.report.runs import unique_names

    parts = [part for path in given for part in _parts(path)]
    if names and len(names) != len(parts):
        raise ConfigError(
            f"{counted(len(names), 'names')} for {counted(len(parts), 'runs')}",
            where="--name",
            hint="give one per run",
        )
    paths, folders, own, results = zip(*parts, strict=True)
    shown = unique_names(list(names) or list(own), list(folders))
    return list(paths), list(zip(shown, results, strict=True))


def _parts(path: str) -> Iterator[tuple[str, Path, str, EvaluationResult]]:
    """Yield path, folder, own name and evaluation of each run behind one path."""
    from abotn.evaluation.combine import split

    result, folder = _evaluation(path), run_folder(path)
    agents = split(result)
    if not agents:
        yield path, folder, result.name or folder.name, result
    elif all(Path(agent).name == agent and (folder / agent).is_dir() for agent in agents):
        for agent in agents:
            yield str(folder / agent), folder / agent, agent, _evaluation(str(folder / agent))
    else:
        for agent, one in agents.items():
            yield path, folder / agent, agent, one


def _evaluation(path: str) -> EvaluationResult:
    from abotn.results.files import read_evaluation

    target = Path(path)
    if not target.exists():
        raise ConfigError("no such run folder or evaluation file", where=path)
    if target.is_dir() and _is_stale(target):
        from abotn.evaluation.evaluator import Evaluator

        return Evaluator().evaluate_dataset(path, bootstrap_ci=_RESAMPLES)
    return read_evaluation(target)


def _is_stale(run: Path) -> bool:
    """Whether a run folder has no evaluation, or records newer than it; the latter is said."""
    saved = run / "evaluation.json"
    if not saved.exists():
        return True
    made = saved.stat().st_mtime_ns
    if all(one.stat().st_mtime_ns <= made for one in run.glob("*/*/result.json")):
        return False
    click.echo(
        f"warning: {saved}: older than the run's records, so they are evaluated anew; "
        "abotn evaluate saves that",
        err=True,
    )
    return True
