"""Evaluations in TensorBoard."""

from __future__ import annotations

import os
from pathlib import Path

from abotn.errors import ConfigError
from abotn.evaluation.loggers.content import needed, scalars
from abotn.results.types import EvaluationResult


def log(
    result: EvaluationResult,
    *,
    step: int | None = None,
    project: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> str:
    """Write an event file and return its folder.

    Args:
        result: The evaluation. Its JSON goes along as ``evaluation.json``.
        step: Step of a training run; 0 when None.
        project: A folder inside ``folder``, for several evaluations under one roof.
        folder: The log folder, made when absent.

    Raises:
        ConfigError: the package is not installed, or no folder is given.
    """
    summary = needed("tensorboard.summary", "tensorboard")
    if folder is None:
        raise ConfigError("needs a folder for its event files", where="logger tensorboard")
    target = Path(folder) / project if project else Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    writer = summary.Writer(str(target))
    try:
        for tag, value in scalars(result).items():
            writer.add_scalar(tag, value, step=step or 0)
    finally:
        writer.close()
    result.write(target / "evaluation.json")
    return str(target)
