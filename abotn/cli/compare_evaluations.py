"""``abotn compare`` of evaluations of anomaly scores: by their resamples, for want of records."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from abotn.errors import AbotnError, ConfigError
from abotn.units import counted

if TYPE_CHECKING:
    from abotn.results.comparison import Comparison
    from abotn.results.types import EvaluationResult

_OF_RECORDS = {
    "metrics": "--metrics",
    "parameters": "--set",
    "bootstrap": "--bootstrap",
    "seed": "--seed",
    "cluster_by": "--cluster-by",
    "on_error": "--on-error",
    "excluded": "--exclude-scene",
    "solved_by": "--solved-by",
    "pictures": "--pictures",
    "data_dir": "--data-dir",
    "map_dir": "--map-dir",
}


def anomaly_evaluations(paths: Sequence[str]) -> list[EvaluationResult] | None:
    """Return the evaluations of anomaly scores in files; None when no file is one.

    Raises:
        ConfigError: some paths are evaluations of anomaly scores and others are not.
    """
    found = {path: _anomaly_evaluation(path) for path in paths}
    results = [found[path] for path in paths]
    known = [result for result in results if result is not None]
    if known and len(known) < len(results):
        (first, other) = (
            next(path for path in paths if (found[path] is None) is absent)
            for absent in (False, True)
        )
        raise ConfigError(f"is no evaluation of anomaly scores, as {first} is", where=other)
    return known or None


def folder_of_records(path: str) -> str:
    """Return what holds the records: the folder of ``RUN/evaluation.json``, else the path itself.

    Raises:
        ConfigError: it is an evaluation that lies away from its records.
    """
    from abotn.records.files import RESULT_NAME
    from abotn.results.files import read_evaluation

    target = Path(path)
    if not target.is_file() or target.name == RESULT_NAME:
        return path
    if target.name == "evaluation.json" and next(target.parent.rglob(RESULT_NAME), None):
        return str(target.parent)
    try:
        read_evaluation(path)
    except AbotnError:
        return path
    raise ConfigError(
        "holds no values per task, which a comparison in pairs needs",
        where=path,
        hint="give the folder of the run",
    )


def compare_evaluations(
    results: Sequence[EvaluationResult],
    paths: Sequence[str],
    options: Mapping[str, Any],
    baseline: Callable[[list[str]], str | None],
) -> Comparison:
    """Compare evaluations of anomaly scores.

    Args:
        results: The evaluations.
        paths: Their files.
        options: Those of ``abotn compare``.
        baseline: Gives the baseline's name, from the names of all.

    Raises:
        ConfigError: an option was given that only records can follow.
    """
    from abotn.report.runs import unique_names
    from abotn.streaming.comparison import compare_results

    _refuse_others()
    given = options["names"]
    if given and len(given) != len(paths):
        raise ConfigError(
            f"{counted(len(given), 'names')} for {counted(len(paths), 'evaluations')}",
            where="--name",
            hint="one for each",
        )
    files = [Path(os.path.normpath(Path(path).absolute())) for path in paths]
    own = [result.name or file.stem for result, file in zip(results, files, strict=True)]
    names = unique_names(list(given) or own, files)
    return compare_results(
        *results, names=names, baseline=baseline(names), level=options["ci_level"]
    )


def _refuse_others() -> None:
    context = click.get_current_context()
    for name, option in _OF_RECORDS.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise ConfigError(
                "cannot be used with evaluations of anomaly scores",
                where=option,
                hint="they are compared as abotn anomaly resampled them",
            )


def _anomaly_evaluation(path: str) -> EvaluationResult | None:
    from abotn.results.files import read_evaluation
    from abotn.streaming.comparison import is_streaming_result

    if not Path(path).is_file():
        return None
    try:
        result = read_evaluation(path)
    except AbotnError:
        return None
    return result if is_streaming_result(result) else None
