"""``abotn log``: an evaluation into an experiment tracker."""

from __future__ import annotations

import click


@click.command()
@click.argument("evaluation", type=click.Path())
@click.option(
    "--to",
    "trackers",
    multiple=True,
    required=True,
    metavar="TRACKER",
    help="wandb, mlflow or tensorboard; may be given several times.",
)
@click.option("--project", help="Project of W&B, experiment of MLflow.")
@click.option("--folder", type=click.Path(), help="Where local files go.")
@click.option("--step", type=int, help="Step of a training run.")
def log(
    evaluation: str,
    *,
    trackers: tuple[str, ...],
    project: str | None,
    folder: str | None,
    step: int | None,
) -> None:
    """Log EVALUATION, an evaluation file or a run folder, to experiment trackers.

    Prints the run's id, or TensorBoard's folder. A tracker's own settings, as WANDB_MODE or
    MLFLOW_TRACKING_URI, hold.
    """
    from abotn.errors import UnknownNameError
    from abotn.evaluation.loggers import LOGGERS, log_evaluation
    from abotn.results.files import read_evaluation

    for name in trackers:
        if name not in LOGGERS:
            raise UnknownNameError("logger", name, LOGGERS)
    result = read_evaluation(evaluation)
    for name in trackers:
        place = log_evaluation(result, name, step=step, project=project, folder=folder)
        click.echo(f"{name}: {place}")
