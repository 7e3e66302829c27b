"""Evaluations in experiment trackers: Weights & Biases, MLflow and TensorBoard.

Each needs its extra (``pip install 'abotn[wandb]'``) and is imported when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from abotn.errors import UnknownNameError

if TYPE_CHECKING:
    from abotn.results.types import EvaluationResult

LOGGERS = {
    "wandb": "abotn.evaluation.loggers.wandb_logger",
    "mlflow": "abotn.evaluation.loggers.mlflow_logger",
    "tensorboard": "abotn.evaluation.loggers.tensorboard_logger",
}


def log_evaluation(
    result: EvaluationResult, to: str, *, step: int | None = None, **options: Any
) -> str:
    """Log an evaluation: values, ends of intervals, counts, groups, and where it comes from.

    Args:
        result: The evaluation.
        to: ``"wandb"``, ``"mlflow"`` or ``"tensorboard"``.
        step: Step of a training run, where there is one.
        options: ``project`` (W&B's project, MLflow's experiment) and ``folder`` (where local files
            go; TensorBoard needs it). Everything else is the tracker's own configuration, as
            ``WANDB_MODE`` or ``MLFLOW_TRACKING_URI``.

    Returns:
        The name or place of what was written.

    Raises:
        UnknownNameError: no such logger.
        ConfigError: its package is not installed, or an option is missing.
    """
    if to not in LOGGERS:
        raise UnknownNameError("logger", to, LOGGERS)
    log = import_module(LOGGERS[to]).log
    return str(log(result, step=step, **options))
