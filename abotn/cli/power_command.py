"""``abotn power``: how many tasks would show a difference."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from abotn.cli.option_values import metric_choice, metric_parameters, none_or, scene_choice
from abotn.cli.streams import prints_on_stderr

if TYPE_CHECKING:
    from abotn.evaluation.power import PowerPlan, PowerRow

_HEADER = ("metric", "value", "sd", "icc", "tasks", "scenes", "power", "tasks needed", "scenes")


@click.command()
@click.argument("run", type=click.Path())
@click.option("--delta", type=float, required=True, help="Difference to show, in metric units.")
@click.option("--metrics", default="all", show_default=True, help="Names, or all fractions.")
@click.option("--against", metavar="RUN", type=click.Path(), help="Measure paired differences.")
@click.option("--power", "target", default=0.8, show_default=True, help="Wanted power.")
@click.option("--alpha", default=0.05, show_default=True, help="Two-sided level of the test.")
@click.option(
    "--correlation", default=0.0, show_default=True, help="Of two runs on a task, with one run."
)
@click.option("--cluster-by", default="auto", show_default=True, help="auto, none, or a column.")
@click.option("--on-error", default="failure", show_default=True, help="failure, exclude or raise.")
@click.option(
    "--exclude-scene", "excluded", multiple=True, help="Scene to leave out ('none' for none)."
)
@click.option(
    "--set", "parameters", multiple=True, metavar="METRIC.PARAMETER=VALUE", help="Metric parameter."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def power(run: str, **options: Any) -> None:
    """Say how many tasks or scenes like those of RUN would show a difference of --delta.

    From RUN alone, a second run like it is assumed; --against measures the paired differences of
    two runs on the same tasks, which mostly needs fewer.
    """
    from abotn.evaluation.power import power as plan

    with prints_on_stderr():
        found = plan(
            run,
            delta=options["delta"],
            against=options["against"],
            metrics=metric_choice(options["metrics"]),
            target=options["target"],
            alpha=options["alpha"],
            correlation=options["correlation"],
            cluster_by=none_or(options["cluster_by"]),
            on_error=options["on_error"],
            exclude_scenes=scene_choice(options["excluded"]),
            metric_kwargs=metric_parameters(options["parameters"]),
        )
    click.echo(json.dumps(found.to_dict(), indent=2) if options["as_json"] else _shown(found))


def _shown(plan: PowerPlan) -> str:
    from abotn.results.export import pipe_table

    basis = plan.basis
    if plan.correlation is not None:
        basis = f"one run, and another like it with correlation {plan.correlation:g}"
    units = "independent tasks" if plan.clustered_by is None else f"clusters by {plan.clustered_by}"
    lines = [
        f"To show a difference of {plan.delta:g} with {100 * plan.power:g} % power at the "
        f"{100 * plan.alpha:g} % level, from {basis}, over {units}:\n",
        pipe_table(_HEADER, [_row(row) for row in plan.rows]),
        *(f"{row.metric}: {row.note}" for row in plan.rows if row.note),
    ]
    return "\n".join(lines).rstrip()


def _row(row: PowerRow) -> tuple[str, ...]:
    name = f"{row.metric} ({row.unit})" if row.unit else row.metric
    numbers = (row.value, row.spread, None if row.n_clusters is None else row.icc)
    shown = ["–" if number is None else f"{number:.3g}" for number in numbers]
    now = "–" if row.power_now is None else f"{100 * row.power_now:.0f} %"
    counts = [_count(n) for n in (row.n_tasks, row.n_clusters)]
    return (name, *shown, *counts, now, _count(row.tasks), _count(row.clusters))


def _count(number: int | None) -> str:
    return "–" if number is None else str(number)
