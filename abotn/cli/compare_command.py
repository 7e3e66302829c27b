"""``abotn compare``: runs side by side, over the tasks they share."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abotn.cli.compare_evaluations import anomaly_evaluations, compare_evaluations
from abotn.cli.option_values import metric_choice, metric_parameters, none_or, scene_choice
from abotn.errors import ConfigError, UnknownNameError

if TYPE_CHECKING:
    from abotn.records.readers import RecordSource
    from abotn.results.comparison import Comparison


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN_A RUN_B...", type=click.Path())
@click.option("--baseline", metavar="RUN", help="Path or name of the run to compare others with.")
@click.option("--name", "names", multiple=True, help="Name to show, once per run in their order.")
@click.option("--metrics", default="all", show_default=True, help="Names, comma-separated, or all.")
@click.option(
    "--set", "parameters", multiple=True, metavar="METRIC.PARAMETER=VALUE", help="Metric parameter."
)
@click.option("--bootstrap", default=10_000, show_default=True, help="Resamples, at least 100.")
@click.option("--seed", default=0, show_default=True, help="Seed of the resamples.")
@click.option("--ci-level", default=0.95, show_default=True, help="Nominal coverage.")
@click.option("--cluster-by", default="auto", show_default=True, help="auto, none, or a column.")
@click.option("--on-error", default="failure", show_default=True, help="failure, exclude or raise.")
@click.option(
    "--exclude-scene", "excluded", multiple=True, help="Scene to leave out ('none' for none)."
)
@click.option("--percent", is_flag=True, help="Metrics without a unit in percent.")
@click.option("--digits", type=int, help="Decimals; by unit and size when not given.")
@click.option("--format", "format_name", help="Format; by the ending of FILE, else markdown.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Write to FILE too.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def compare(runs: tuple[str, ...], **options: Any) -> None:
    """Compare RUN_A, RUN_B, ... over the tasks they share.

    Evaluations that ``abotn anomaly`` wrote are compared by the scenarios it resampled.

    Prints, per pair and metric, both values, the paired difference with its interval, a p value,
    the same corrected for the number of metrics, and the better run. With -o it is written to FILE
    as well, and the path is printed last. JSON is the comparison itself, in every digit.
    """
    from abotn.json_files import write_bytes

    output: str | None = options["output"]
    if output is not None and not Path(output).absolute().parent.is_dir():
        raise ConfigError("no such folder", where=Path(output).parent, hint="make it first")
    form = _form(options, output)
    found = _compare(runs, options)
    if output is not None:
        write_bytes(output, _content(found, form, options))
    printed = "json" if options["as_json"] else ("markdown" if output else form)
    sys.stdout.buffer.write(_content(found, printed, options))
    sys.stdout.flush()
    if output is not None and not options["as_json"]:
        click.echo(f"\n{output}")


def _form(options: dict[str, Any], output: str | None) -> str:
    """Return the name of the format asked for, or of the one whose files end as FILE does."""
    from abotn.plugins.manager import plugin_manager

    if options["format_name"] is not None:
        plugin_manager().named("abotn_report_formats", "report format", options["format_name"])
        return str(options["format_name"])
    if output is None:
        return "markdown"
    suffix = Path(output).suffix.lower()
    offers = [offer.value for offer in plugin_manager().offers("abotn_report_formats")]
    return next((str(o.name) for o in offers if suffix and o.suffix == suffix), "markdown")


def _compare(paths: tuple[str, ...], options: dict[str, Any]) -> Comparison:
    from abotn.evaluation.compare import compare as compare_runs

    if len(paths) < 2:
        raise ConfigError(f"needs two runs or more, got {len(paths)}", where="RUN_A RUN_B...")
    results = anomaly_evaluations(paths)
    if results is not None:
        return compare_evaluations(
            results, paths, options, lambda names: _baseline(options["baseline"], paths, names)
        )
    sources = [_source(path) for path in paths]
    names = _names(paths, sources, options["names"])
    return compare_runs(
        *sources,
        names=names,
        baseline=_baseline(options["baseline"], paths, names),
        metrics=metric_choice(options["metrics"]),
        n_resamples=options["bootstrap"],
        level=options["ci_level"],
        seed=options["seed"],
        cluster_by=none_or(options["cluster_by"]),
        on_error=options["on_error"],
        exclude_scenes=scene_choice(options["excluded"]),
        metric_kwargs=metric_parameters(options["parameters"]),
    )


def _source(path: str) -> RecordSource:
    from abotn.plugins.manager import plugin_manager
    from abotn.records.readers import read_records

    readers = [offer.value for offer in plugin_manager().offers("abotn_record_readers")]
    source = read_records(path, readers=readers)
    for one in source.damaged:
        click.echo(f"warning: {one.path}: {one.reason}; skipped", err=True)
    return source


def _names(
    paths: tuple[str, ...], sources: list[RecordSource], given: tuple[str, ...]
) -> list[str]:
    """Return the agents' names, told apart by their folders, or those given."""
    from abotn.report.runs import unique_names

    if given and len(given) != len(paths):
        raise ConfigError(
            f"{len(given)} names for {len(paths)} runs", where="--name", hint="give one per run"
        )
    folders = [_absolute(path) for path in paths]
    own = [source.name or folder.name for source, folder in zip(sources, folders, strict=True)]
    return unique_names(list(given) or own, folders)


def _baseline(given: str | None, paths: tuple[str, ...], names: list[str]) -> str | None:
    """Return the name of the baseline, which may be given as the path of a run."""
    if given is None or given in names:
        return given
    by_path = dict(zip(map(_absolute, paths), names, strict=True))
    if _absolute(given) in by_path:
        return by_path[_absolute(given)]
    raise UnknownNameError("baseline", given, [*names, *paths])


def _absolute(path: str) -> Path:
    return Path(os.path.normpath(Path(path).absolute()))


def _content(found: Comparison, form: str, options: dict[str, Any]) -> bytes:
    """Return the comparison as the bytes of a file of that format."""
    from abotn.plugins.manager import plugin_manager
    from abotn.report.comparison_tables import comparison_report
    from abotn.report.formats import ReportFormat
    from abotn.report.options import ReportOptions

    if form == "json":
        return found.to_json().encode()
    shown = ReportOptions(
        digits=options["digits"], percent=options["percent"], title="Comparison of runs"
    )
    writer = plugin_manager().named("abotn_report_formats", "report format", form)
    assert isinstance(writer, ReportFormat)
    return writer.content(comparison_report(found, shown))
