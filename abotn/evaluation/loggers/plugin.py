"""Logging every run that ends, where the environment asks for it.

``ABOTN_LOG=wandb,tensorboard abotn run ...`` scores the run when it ends and hands the evaluation
to the trackers named. Without the variable nothing happens.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pluggy

VARIABLE = "ABOTN_LOG"
RESAMPLES = 10_000
hookimpl = pluggy.HookimplMarker("abotn")


@hookimpl
def abotn_run_finished(run: Any) -> None:
    """Score a run that ended and log it to the trackers in ``ABOTN_LOG``."""
    names = [name.strip() for name in os.environ.get(VARIABLE, "").split(",") if name.strip()]
    if not names:
        return
    from abotn.evaluation.evaluator import Evaluator
    from abotn.evaluation.loggers import log_evaluation

    result = Evaluator().evaluate_dataset(run, bootstrap_ci=RESAMPLES)
    for name in names:
        folder = Path(run) / "tensorboard" if name == "tensorboard" else None
        log_evaluation(result, name, folder=folder)
