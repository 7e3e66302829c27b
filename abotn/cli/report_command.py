"""``abotn report``: tables of one or several runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from abotn.cli.option_values import format_name, listed, metric_name
from abotn.cli.streams import prints_on_stderr
from abotn.errors import ConfigError, PluginError

if TYPE_CHECKING:
    from abotn.report.formats import ReportFormat
    from abotn.report.options import ReportOptions
    from abotn.report.page_sources import ReportSources
    from abotn.report.runs import Run


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN_OR_EVALUATION...", type=click.Path())
@click.option("--format", "format_name", help="Format; by the ending of FILE, else markdown.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Write to FILE.")
@click.option("--name", "names", multiple=True, help="Name to show, once per run in their order.")
@click.option("--metrics", default="", help="Metrics in order, comma-separated.")
@click.option("--display", multiple=True, metavar="METRIC=NAME", help="Name to show for a metric.")
@click.option("--digits", type=int, help="Decimals; by unit and size when not given.")
@click.option("--percent", is_flag=True, help="Metrics without a unit in percent.")
@click.option(
    "--intervals",
    default="brackets",
    show_default=True,
    help="brackets, plus-minus (where symmetric as shown) or none.",
)
@click.option("--no-intervals", is_flag=True, help="The same as --intervals none.")
@click.option("--groups/--no-groups", default=True, show_default=True, help="Tables of groups.")
@click.option(
    "--blocks", default="rows", show_default=True, help="Groups as blocks of rows or columns."
)
@click.option("--second", is_flag=True, help="Mark the second best values too.")
@click.option("--baseline", metavar="RUN", help="Mark what differs from this run's: path or name.")
@click.option("--published", metavar="NAME", help="Add published figures, as pointbench-outdoor.")
@click.option("--title", default="Evaluation report", show_default=True, help="Heading.")
@click.option("--data-dir", metavar="DIR", type=click.Path(),
              help="Folder of the scenes, for html. [default: the run's]")  # fmt: skip
@click.option("--map-dir", metavar="DIR", type=click.Path(),
              help="Folder of the maps, for html. [default: the run's]")  # fmt: skip
def report(runs: tuple[str, ...], **options: Any) -> None:
    """Write tables of runs side by side.

    Each RUN_OR_EVALUATION is a run folder or an evaluation file. A run folder without
    evaluation.json is evaluated on the fly, with intervals from 10000 resamples.
    """
    from abotn.cli.outputs import output_file, say_written
    from abotn.cli.report_inputs import load_runs
    from abotn.json_files import write_bytes
    from abotn.report.build import build_report

    output: str | None = options["output"]
    chosen = _format(options["format_name"], output)
    target = None if output is None else output_file(output, runs)
    with prints_on_stderr():
        paths, loaded = load_runs(runs, options["names"])
        shown = _options(options, paths, loaded)
        behind = _sources(chosen, paths, loaded, shown)
        content = chosen.content(build_report(loaded, shown), behind)
    if output is None or target is None:
        click.echo(content, nl=False)
        return
    write_bytes(target, content)
    say_written(output)


def _format(name: str | None, output: str | None) -> ReportFormat:
    """Return the format asked for, or the one whose files end as ``output`` does."""
    from abotn.plugins.manager import plugin_manager
    from abotn.report.formats import ReportFormat

    name = format_name(name, output)
    found = plugin_manager().named("abotn_report_formats", "report format", name)
    if not isinstance(found, ReportFormat):
        raise PluginError(f"report format {name!r} is a {type(found).__name__}, not a ReportFormat")
    return found


def _sources(
    chosen: ReportFormat, paths: list[str], runs: list[Run], shown: ReportOptions
) -> ReportSources | None:
    if chosen.write_with_sources is None:
        return None
    from abotn.cli.report_sources import report_sources

    return report_sources(click.get_current_context(), paths, runs, shown)


def _options(options: dict[str, Any], paths: list[str], runs: list[Run]) -> ReportOptions:
    from abotn.report.options import ReportOptions

    present = {metric.name for _, result in runs for metric in result.metrics}
    metrics = tuple(metric_name(name, present) for name in listed(options["metrics"]))
    shown = dict(_display(text) for text in options["display"])
    found = ReportOptions(
        metrics=metrics,
        display_names={metric_name(name, present): text for name, text in shown.items()},
        digits=options["digits"],
        percent=options["percent"],
        intervals="none" if options["no_intervals"] else options["intervals"],
        groups=options["blocks"] if options["groups"] else "none",
        second=options["second"],
        published=options["published"],
        title=options["title"],
    )
    if options["baseline"] is None:
        return found
    from abotn.cli.report_significance import significance

    return replace(found, significance=significance(options["baseline"], paths, runs, metrics))


def _display(text: str) -> tuple[str, str]:
    name, mark, shown = text.partition("=")
    if not (mark and name.strip() and shown.strip()):
        raise ConfigError(f"expected METRIC=NAME, got {text!r}", where="--display")
    return name.strip(), shown.strip()
