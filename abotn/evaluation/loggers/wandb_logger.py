"""Evaluations in Weights & Biases."""

from __future__ import annotations

from abotn.evaluation.loggers.content import facts, needed, scalars
from abotn.results.types import EvaluationResult


def log(
    result: EvaluationResult,
    *,
    step: int | None = None,
    project: str | None = None,
    folder: str | None = None,
) -> str:
    """Log to the run that is active, else to a new one, and return the run's id.

    Args:
        result: The evaluation. Its JSON goes along as an artifact of type ``evaluation``.
        step: Step of a training run.
        project: Project of a new run; W&B's own setting when None.
        folder: Where a new run keeps its files.

    Raises:
        ConfigError: the package is not installed.
    """
    wandb = needed("wandb", "wandb")
    active = wandb.run
    run = active or wandb.init(
        project=project, dir=folder, name=result.name or None, job_type="evaluation"
    )
    try:
        run.config.update({"evaluation": facts(result)}, allow_val_change=True)
        run.log(scalars(result), step=step)
        artifact = wandb.Artifact(f"evaluation-{run.id}", type="evaluation")
        with artifact.new_file("evaluation.json", mode="w", encoding="utf-8") as file:
            file.write(result.to_json())
        run.log_artifact(artifact)
        return str(run.id)
    finally:
        if active is None:
            run.finish()
