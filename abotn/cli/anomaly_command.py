"""``abotn anomaly``: evaluate the anomaly scores that a model left in files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abotn.cli.outputs import output_file, say_written
from abotn.errors import ConfigError
from abotn.units import counted

if TYPE_CHECKING:
    from abotn.results.types import EvaluationResult, MetricResult
    from abotn.streaming.stored_evaluation import Coverage


@click.command()
@click.argument("level", metavar="LEVEL")
@click.option("--scores", required=True, type=click.Path(), metavar="FOLDER",
              help="Scores: test/..., NAME/test/... or a table NAME.feather.")  # fmt: skip
@click.option("--dataset", required=True, type=click.Path(), metavar="FOLDER",
              help="Dataset in the CarlAnomaly layout, with test/...")  # fmt: skip
@click.option("--sensor", help="front, left, right, rear or, at sensor level, lidar.")
@click.option("-o", "--output", type=click.Path(), metavar="FILE",
              help="Evaluation file. [default: FOLDER/evaluation-NAME.json]")  # fmt: skip
@click.option("--name", "shown_name", metavar="TEXT",
              help="Name for tables. [default: the folder's name and NAME]")  # fmt: skip
@click.option("--bins", "n_bins", type=int, metavar="N",
              help="Bins of pixel and point scores. [default: 65536]")  # fmt: skip
@click.option("--range", "score_range", type=float, nargs=2, metavar="LO HI",
              help="Range of those bins; without it, asinh of any score.")  # fmt: skip
@click.option("--exact", is_flag=True, help="Keep pixel and point scores instead of counting them.")
@click.option("--nan-policy", default="raise", show_default=True, help="raise or omit.")
@click.option("--negatives", default="carlanomaly", show_default=True,
              help="Negatives of a type: carlanomaly, devkit, own, normal, own_and_normal, all."
              )  # fmt: skip
@click.option(
    "--bootstrap", default=10_000, show_default=True, help="Resamples; 0 for no intervals."
)
@click.option("--seed", default=0, show_default=True, help="Seed of the resamples.")
@click.option("--ci-level", default=0.95, show_default=True, help="Nominal coverage.")
@click.option("--workers", "num_workers", type=int, metavar="N",
              help="Threads that read pixel and point labels. [default: 32]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the evaluation as JSON.")
@click.option("--quiet", is_flag=True, help="Print only the path of the evaluation.")
def anomaly(level: str, scores: str, dataset: str, sensor: str | None, **options: Any) -> None:
    """Evaluate anomaly scores: LEVEL is pixel, point, sensor, timestep or scenario.

    NAME is the level and its sensor, as pixel-front, or just timestep. Pixel and point scores are
    one file per timestep, test/.../SCENARIO/000007.npy; the others a table with scenario_id,
    timestep_id and score, or one file per scenario, test/.../SCENARIO.npy. Files may be npy, npz,
    feather or parquet.

    Writes the evaluation, prints a table, and prints the evaluation's path last.
    """
    from abotn.streaming.stored_evaluation import feed_stored, make_evaluator
    from abotn.streaming.stored_places import score_name

    name = score_name(level, sensor)
    evaluator = make_evaluator(level, sensor, **_evaluator_options(options))
    shown, target = _target(Path(scores), dataset, name, options["output"])
    # An option that cannot be used must be known before hours of reading, not after.
    statistics = _statistics_options(options)
    evaluator.to_result(**statistics)
    with _progress(name) as advance:
        coverage = feed_stored(evaluator, scores, dataset, name=name, progress=advance)
    with _progress("intervals" if options["bootstrap"] else "figures"):
        result = evaluator.to_result(name=_shown_name(scores, name, options), **statistics)
    result = replace(result, provenance={**result.provenance, "dataset": asdict(coverage)})
    result.write(target)
    for warning in [*_warnings(coverage), *result.provenance["streaming"]["warnings"]]:
        click.echo(f"warning: {warning}", err=True)
    if options["as_json"]:
        sys.stdout.write(result.to_json())
        return
    if not options["quiet"]:
        click.echo(_overview(result))
    say_written(shown)


def _evaluator_options(options: dict[str, Any]) -> dict[str, Any]:
    chosen = {
        "nan_policy": options["nan_policy"],
        "by_type_negatives": options["negatives"],
        "num_workers": options["num_workers"],
        "n_bins": options["n_bins"],
        "score_range": options["score_range"],
        "exact": options["exact"] or None,
    }
    return {name: value for name, value in chosen.items() if value is not None}


def _statistics_options(options: dict[str, Any]) -> dict[str, Any]:
    return {
        "bootstrap_ci": options["bootstrap"] or None,
        "ci_level": options["ci_level"],
        "bootstrap_seed": options["seed"],
    }


def _shown_name(scores: str, name: str, options: dict[str, Any]) -> str:
    return options["shown_name"] or f"{Path(scores).absolute().name} {name}"


def _target(scores: Path, dataset: str, name: str, output: str | None) -> tuple[str, Path]:
    """Return the evaluation's path as it is shown, and in full."""
    if output is None:
        folder = scores.parent if scores.is_file() else scores
        target = folder / f"evaluation-{name}.json"
        return str(target), target.absolute()
    if Path(output).is_file() and _is_data(Path(output), scores, Path(dataset)):
        raise ConfigError(
            "is an input, which this command never writes over",
            where=output,
            hint="name another file",
        )
    return output, Path(output_file(output, [str(scores)]))


def _is_data(target: Path, scores: Path, dataset: Path) -> bool:
    """Whether an existing file is one of the dataset, or of the scores, no evaluation."""
    folders = {Path(os.path.realpath(one)) for one in (scores, dataset)}
    place = Path(os.path.realpath(target))
    inside = folders & set(place.parents)
    return bool(inside) and not (place.suffix == ".json" and place.name.startswith("evaluation"))


@contextmanager
def _progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Give what draws a progress bar on stderr, nothing when that is no terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(
        *columns,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bars:
        bar = bars.add_task(label, total=None)
        yield lambda done, total: bars.update(bar, completed=done, total=total)


def _warnings(coverage: Coverage) -> list[str]:
    found = []
    if coverage.scored_scenarios < coverage.scenarios:
        missing = coverage.scenarios - coverage.scored_scenarios
        found.append(f"no scores for {missing} of {counted(coverage.scenarios, 'scenarios')}")
    elif coverage.scored < coverage.expected:
        missing = coverage.expected - coverage.scored
        found.append(f"no scores for {missing} of {counted(coverage.expected, 'timesteps')}")
    if found:
        found[0] += "; figures of a part are not comparable with those of the whole test split"
    if coverage.stray:
        stray = counted(coverage.stray, "scores")
        found.append(f"left out, of no scenario of the dataset: {stray}")
    return found


def _overview(result: EvaluationResult) -> str:
    from abotn.results.export import pipe_table
    from abotn.streaming.curves import FIGURES

    streaming, counts = result.provenance["streaming"], result.counts
    rule = result.provenance["protocol"]["values"]["by_type_negatives"]
    groups = result.groups["anomaly_type"]
    rows = [("all", result.metrics), *((group.label, group.metrics) for group in groups)]
    table = pipe_table(
        ("type", *FIGURES, "positives", "negatives"),
        [(label, *map(_cell, metrics), *_classes(metrics)) for label, metrics in rows],
    )
    line = f"{counted(counts['scored'], 'scores')} of {counted(counts['scenarios'], 'scenarios')}"
    if counts["excluded"]:
        line += f", {counts['excluded']} NaN left out"
    if streaming.get("n_missing_labels"):
        line += f", {streaming['n_missing_labels']} timesteps without a label file"
    convention = streaming["by_type_convention"]
    against = f"Negatives of a type: {rule}" + ("" if convention == rule else f" ({convention})")
    return f"{result.name}: {line}\n\n{table}\n{against}\n"


def _classes(metrics: tuple[MetricResult, ...]) -> tuple[str, str]:
    metadata = metrics[0].metadata
    return str(metadata["n_positive"]), str(metadata["n_negative"])


def _cell(metric: MetricResult) -> str:
    if metric.reason is not None:
        return "–"
    interval = "" if metric.ci is None else f" [{metric.ci.lower:.4f}, {metric.ci.upper:.4f}]"
    return f"{metric.value:.4f}{interval}"
