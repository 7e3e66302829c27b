"""``abotn evaluate``: score the records of a run."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abotn.cli.option_values import (
    listed,
    metric_choice,
    metric_parameters,
    none_or,
    number,
    scene_choice,
)
from abotn.cli.streams import prints_on_stderr
from abotn.errors import ConfigError

if TYPE_CHECKING:
    from abotn.results.types import EvaluationResult


@click.command()
@click.argument("run", type=click.Path())
@click.option(
    "-o", "--output", type=click.Path(), help="Evaluation file; RUN/evaluation.json by default."
)
@click.option("--metrics", default="all", show_default=True, help="Names, comma-separated, or all.")
@click.option("--category", "categories", multiple=True, help="Only metrics of this category.")
@click.option(
    "--group-by",
    "groupings",
    multiple=True,
    help="Groupings, columns or quantiles:COLUMN:K, comma-separated; repeatable.",
)
@click.option("--threshold", "thresholds", multiple=True, metavar="METRIC=VALUE", help="Pass mark.")
@click.option(
    "--set", "parameters", multiple=True, metavar="METRIC.PARAMETER=VALUE", help="Metric parameter."
)
@click.option(
    "--bootstrap", default=10_000, show_default=True, help="Resamples; 0 for no intervals."
)
@click.option("--seed", default=0, show_default=True, help="Seed of the resamples.")
@click.option("--ci-level", default=0.95, show_default=True, help="Nominal coverage.")
@click.option("--ci-method", default="auto", show_default=True, help="Interval method.")
@click.option("--cluster-by", default="auto", show_default=True, help="auto, none, or a column.")
@click.option("--on-error", default="failure", show_default=True, help="failure, exclude or raise.")
@click.option(
    "--exclude-scene", "excluded", multiple=True, help="Scene to leave out ('none' for none)."
)
@click.option("--keep-values", is_flag=True, help="Keep each record's value.")
@click.option("--json", "as_json", is_flag=True, help="Print the evaluation as JSON, nothing else.")
@click.option("--quiet", is_flag=True, help="Print only the path of the evaluation.")
def evaluate(run: str, output: str | None, **options: Any) -> None:
    """Score the records of RUN, a run folder or a result.json.

    Writes the evaluation, prints a table, and prints the evaluation's path last. With some metrics
    only, nothing is written unless -o says where.
    """
    from abotn.cli.damage import warn_of_damage
    from abotn.cli.outputs import say_written
    from abotn.evaluation.evaluator import Evaluator

    target = _target(run, output)
    with prints_on_stderr():
        result = Evaluator().evaluate_dataset(run, **_arguments(options))
    partial = output is None and (options["metrics"] != "all" or options["categories"])
    if not partial:
        result.write(target)
    warn_of_damage(
        ((one["path"], one["reason"]) for one in result.damaged),
        rest=_place_of_list(None if partial else target, as_json=options["as_json"]),
    )
    for note in result.provenance.get("notes", ()):
        click.echo(f"warning: {note}", err=True)
    if options["as_json"]:
        sys.stdout.write(result.to_json())
        return
    if not options["quiet"]:
        _print(result, run, named=options["metrics"] != "all")
    if partial:
        click.echo("some metrics only, so nothing was written; -o FILE keeps them", err=True)
    else:
        say_written(str(Path(run) / "evaluation.json") if output is None else output)


def _place_of_list(written: Path | None, *, as_json: bool) -> str:
    if written is None and not as_json:
        return "-o FILE keeps the whole list"
    where = "the JSON" if written is None else os.path.relpath(written)
    return f"the list 'damaged' in {where} names all"


def _target(run: str, output: str | None) -> Path:
    if output is not None:
        from abotn.cli.outputs import output_file

        own = Path(run) / "evaluation.json" if Path(run).is_dir() else None
        return Path(output_file(output, [run], allowed=own))
    if not Path(run).is_dir():
        if Path(run).exists():
            raise ConfigError("not a run folder, so say where to write", where=run, hint="use -o")
        raise ConfigError("no such run folder or file", where=run)
    return Path(run).absolute() / "evaluation.json"


def _arguments(options: dict[str, Any]) -> dict[str, Any]:
    return {
        "metrics": metric_choice(options["metrics"]),
        "categories": list(options["categories"]) or None,
        "groupings": [one for text in options["groupings"] for one in listed(text)] or "auto",
        "thresholds": dict(_pair(text, "--threshold") for text in options["thresholds"]),
        "metric_kwargs": metric_parameters(options["parameters"]),
        "bootstrap_ci": options["bootstrap"] or None,
        "bootstrap_seed": options["seed"],
        "ci_level": options["ci_level"],
        "ci_method": options["ci_method"],
        "cluster_by": none_or(options["cluster_by"]),
        "on_error": options["on_error"],
        "exclude_scenes": scene_choice(options["excluded"]),
        "keep_values": options["keep_values"],
    }


def _print(result: EvaluationResult, run: str, *, named: bool) -> None:
    from abotn.cli.printing import print_report
    from abotn.report.evaluation_tables import evaluation_report

    name = result.name or Path(run).name
    print_report(evaluation_report(result, name, every_metric=named))
    click.echo()


def _pair(text: str, option: str) -> tuple[str, float]:
    name, mark, value = text.partition("=")
    if not mark or not name.strip():
        raise ConfigError(f"expected NAME=NUMBER, got {text!r}", where=option)
    return name.strip(), float(number(value, f"{option} {name.strip()}"))
