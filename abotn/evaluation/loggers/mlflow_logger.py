"""Evaluations in MLflow."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from abotn.evaluation.loggers.content import facts, needed, scalars
from abotn.results.types import EvaluationResult

EXPERIMENT = "abotn"
_LONGEST_VALUE = 500
_METRICS_AT_ONCE = 500
_TAGS_AT_ONCE = 50


def log(
    result: EvaluationResult,
    *,
    step: int | None = None,
    project: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> str:
    """Log to the run that is active, else to a new one, and return the run's id.

    Args:
        result: The evaluation. Its JSON goes along as ``evaluation.json``.
        step: Step of a training run; 0 when None.
        project: Name of the experiment of a new run; ``abotn`` when None.
        folder: Where a local database is kept; MLflow's own tracking address when None.

    Raises:
        ConfigError: the package is not installed.
    """
    mlflow = needed("mlflow", "mlflow")
    active = mlflow.active_run() if folder is None else None
    client = mlflow.MlflowClient(tracking_uri=None if folder is None else _database(folder))
    run = active or _new_run(client, result, project, folder)
    run_id = str(run.info.run_id)
    try:
        _write(mlflow, client, run_id, result, step or 0)
    finally:
        if active is None:
            client.set_terminated(run_id)
    return run_id


def _database(folder: str | os.PathLike[str]) -> str:
    target = Path(folder).resolve()
    target.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{(target / 'mlflow.db').as_posix()}"


def _new_run(
    client: Any,
    result: EvaluationResult,
    project: str | None,
    folder: str | os.PathLike[str] | None,
) -> Any:
    name = project or os.environ.get("MLFLOW_EXPERIMENT_NAME") or EXPERIMENT
    found = client.get_experiment_by_name(name)
    if found is not None:
        experiment = found.experiment_id
    else:
        place = None if folder is None else (Path(folder).resolve() / "artifacts").as_uri()
        experiment = client.create_experiment(name, artifact_location=place)
    return client.create_run(experiment, run_name=result.name or None)


def _write(mlflow: Any, client: Any, run_id: str, result: EvaluationResult, step: int) -> None:
    now = int(1000 * time.time())
    metric, tag = mlflow.entities.Metric, mlflow.entities.RunTag
    metrics = [metric(name, value, now, step) for name, value in scalars(result).items()]
    tags = [tag(f"abotn.{k}", str(v)[:_LONGEST_VALUE]) for k, v in facts(result).items()]
    for part in _parts(metrics, _METRICS_AT_ONCE):
        client.log_batch(run_id, metrics=part)
    for part in _parts(tags, _TAGS_AT_ONCE):
        client.log_batch(run_id, tags=part)
    client.log_text(run_id, result.to_json(), "evaluation.json")


def _parts(items: list[Any], size: int) -> Iterator[list[Any]]:
    return (items[first : first + size] for first in range(0, len(items), size))
