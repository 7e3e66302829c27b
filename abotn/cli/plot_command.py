"""``abotn plot``: pictures of runs for papers and pages."""

from __future__ import annotations

from typing import Any

import click

from abotn.report.plots.kinds import KINDS

_KINDS_HELP = "\n".join(f"  {kind.name:<18} {kind.question}" for kind in KINDS.values())


@click.command(
    epilog=f"\b\nKinds, and what each answers:\n{_KINDS_HELP}",
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path())
@click.option("--kind", required=True, metavar="KIND", help="What to draw, one of those below.")
@click.option("-o", "--output", required=True, metavar="FILE", type=click.Path(),
              help="Picture: .png, .svg or .pdf.")  # fmt: skip
@click.option("--metric", "metrics", multiple=True, metavar="NAME",
              help="Metric to show; repeatable for intervals and pareto.")  # fmt: skip
@click.option("--columns", default=1, show_default=True, metavar="1|2",
              help="Text columns wide: 3.35 or 7 inches.")  # fmt: skip
@click.option("--by", "grouping", metavar="NAME", help="Grouping, for groups.")
@click.option("--task", "tasks", multiple=True, metavar="SCENE/TASK",
              help="Task, for paths; repeatable.")  # fmt: skip
@click.option("--name", "names", multiple=True, metavar="NAME",
              help="Name to show, once per run in their order.")  # fmt: skip
@click.option("--data-dir", metavar="DIR", type=click.Path(),
              help="Folder of the scenes, for paths. [default: the run's]")  # fmt: skip
@click.option("--map-dir", metavar="DIR", type=click.Path(),
              help="Folder of the maps, for paths. [default: the run's]")  # fmt: skip
def plot(runs: tuple[str, ...], output: str, **options: Any) -> None:
    """Draw a picture of runs and print its path.

    Each RUN is a run folder; for intervals, groups and pareto it may be an evaluation file. A
    run folder without evaluation.json is evaluated on the fly, with intervals from 10000
    resamples.
    """
    from abotn.cli.outputs import output_file, say_written
    from abotn.cli.plot_figures import PlotRequest, draw_bytes
    from abotn.json_files import write_bytes
    from abotn.report.plots.lettering import unknown_letters
    from abotn.report.plots.sheet import suffix_of

    suffix = suffix_of(output)
    target = output_file(output, runs)
    request = PlotRequest(paths=runs, **options)
    content = draw_bytes(request, suffix)
    unknown = unknown_letters(request.run_names)
    if unknown:
        click.echo(f"warning: no installed font has {unknown}; drawn as boxes", err=True)
    write_bytes(target, content)
    say_written(output)
