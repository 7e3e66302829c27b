"""``abotn compare``: runs side by side, over the tasks they share."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abotn.cli.baselines import chosen_baseline
from abotn.cli.compare_evaluations import (
    anomaly_evaluations,
    compare_evaluations,
    folder_of_records,
)
from abotn.cli.damage import warn_of_damage
from abotn.cli.option_values import (
    format_name,
    metric_choice,
    metric_parameters,
    none_or,
    scene_choice,
)
from abotn.cli.streams import prints_on_stderr
from abotn.errors import ConfigError
from abotn.units import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from abotn.records.readers import RecordSource
    from abotn.report.comparison_sources import ComparisonSources
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
@click.option(
    "--solved-by", default="success", show_default=True, metavar="METRIC",
    help="0/1 metric that says which tasks are solved.",
)  # fmt: skip
@click.option("--format", "format_name", help="Format; by the ending of FILE, else markdown.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(),
    help="Write to FILE, print its path.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON, nothing else.")
@click.option("--quiet", is_flag=True, help="Print nothing but the path of FILE.")
@click.option("--pictures", metavar="DIR", type=click.Path(),
              help="Folder of pictures for markdown, latex. [default: NAME_paths]")  # fmt: skip
@click.option("--no-pictures", is_flag=True, help="Tables alone in markdown and latex.")
@click.option("--data-dir", metavar="DIR", type=click.Path(),
              help="Folder of the scenes, for maps. [default: the runs']")  # fmt: skip
@click.option("--map-dir", metavar="DIR", type=click.Path(),
              help="Folder of the maps. [default: the runs']")  # fmt: skip
def compare(runs: tuple[str, ...], **options: Any) -> None:
    """Compare RUN_A, RUN_B, ... over the tasks they share.

    Evaluations that ``abotn anomaly`` wrote are compared by the scenarios it resampled.

    Prints, per pair and metric, both values, the paired difference with its interval, a p value,
    the same corrected for the number of metrics, and the better run; then the tasks that one run
    solves and the other does not. With -o it is written to FILE, and only the path is
    printed: html is one page with both paths of each such task on one map, markdown and latex get a
    picture per task. JSON is the comparison itself, in every digit.
    """
    from abotn.cli.compare_output import files_of, write_files
    from abotn.cli.outputs import output_file
    from abotn.json_files import descriptor_of

    output: str | None = options["output"]
    target = None if output is None else output_file(output, runs)
    form = _form(options, output)
    pictures = _pictures(options, form)
    with prints_on_stderr():
        found, sources = _compare(runs, options)
        files = {} if target is None else files_of(target, found, form, sources, pictures)
    write_files(files)
    if output is not None and descriptor_of(output) == 1:
        return
    if output is not None and not options["as_json"]:
        click.echo(output)
    elif options["as_json"] or not options["quiet"]:
        _print(found, sources, form, options)


def _print(
    found: Comparison, sources: ComparisonSources, form: str, options: dict[str, Any]
) -> None:
    """Print the comparison, as JSON when asked to, else in its form."""
    from abotn.cli.compare_output import content, picture_notes, print_tables
    from abotn.cli.printing import is_terminal

    printed = "json" if options["as_json"] else form
    notes = picture_notes(found, printed, options["output"], sources)
    if printed == "markdown" and options["format_name"] is None and is_terminal():
        print_tables(found, sources, notes)
        return
    sys.stdout.buffer.write(content(found, printed, sources, notes))
    sys.stdout.flush()


def _pictures(options: dict[str, Any], form: str) -> str | None:
    """Return the folder of the pictures, empty for the one that FILE names, None for none."""
    from abotn.cli.outputs import is_stream

    given = options["pictures"]
    if given is not None and options["no_pictures"]:
        raise ConfigError("cannot be used together with --pictures", where="--no-pictures")
    if given is not None and (options["output"] is None or form not in ("markdown", "latex")):
        raise ConfigError("goes with -o FILE in markdown or latex only", where="--pictures")
    if options["no_pictures"] or (given is None and is_stream(options["output"] or "")):
        return None
    return "" if given is None else str(Path(given).absolute())


def _form(options: dict[str, Any], output: str | None) -> str:
    """Return the name of the format asked for, or of the one whose files end as FILE does."""
    from abotn.plugins.manager import plugin_manager

    if options["format_name"] is not None:
        plugin_manager().named("abotn_report_formats", "report format", options["format_name"])
        return str(options["format_name"])
    return format_name(None, output)


def _compare(
    paths: tuple[str, ...], options: dict[str, Any]
) -> tuple[Comparison, ComparisonSources]:
    from abotn.evaluation.compare import compare as compare_runs

    if len(paths) < 2:
        raise ConfigError(f"needs two runs or more, got {len(paths)}", where="RUN_A RUN_B...")
    results = anomaly_evaluations(paths)
    if results is not None:
        found = compare_evaluations(
            results, paths, options, lambda names: _baseline(options["baseline"], paths, names)
        )
        return found, _sources(found, [None] * len(paths), options)
    sources = [_source(path) for path in paths]
    names = _names(paths, sources, options["names"])
    found = compare_runs(
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
        solved_by=options["solved_by"],
    )
    return found, _sources(found, sources, options)


def _sources(
    found: Comparison, records: Sequence[RecordSource | None], options: dict[str, Any]
) -> ComparisonSources:
    """Return what lies behind the comparison: its runs, and how it was asked for."""
    from abotn.cli.compare_output import checked_folder
    from abotn.cli.report_sources import command_words
    from abotn.report.comparison_sources import ComparisonSources, compared_run, run_names
    from abotn.report.options import ReportOptions

    folders = {name: checked_folder(options, name) for name in ("data_dir", "map_dir")}
    runs = [
        compared_run(found, name, one, **folders)
        for name, one in zip(run_names(found), records, strict=True)
    ]
    shown = ReportOptions(
        digits=options["digits"], percent=options["percent"], title="Comparison of runs"
    )
    words = command_words(click.get_current_context())
    command = ("abotn", "compare", *words, "-o", "comparison.html")
    return ComparisonSources(tuple(runs), shown, command)


def _source(path: str) -> RecordSource:
    from abotn.plugins.manager import plugin_manager
    from abotn.records.readers import read_records

    readers = [offer.value for offer in plugin_manager().offers("abotn_record_readers")]
    source = read_records(folder_of_records(path), readers=readers)
    warn_of_damage(
        ((one.path, one.reason) for one in source.damaged),
        rest=f"abotn evaluate {path} --json names all in its list 'damaged'",
    )
    return source


def _names(
    paths: tuple[str, ...], sources: list[RecordSource], given: tuple[str, ...]
) -> list[str]:
    """Return the agents' names, told apart by their folders, or those given."""
    from abotn.report.runs import unique_names

    if given and len(given) != len(paths):
        raise ConfigError(
            f"{counted(len(given), 'names')} for {counted(len(paths), 'runs')}",
            where="--name",
            hint="give one per run",
        )
    folders = [_absolute(path) for path in paths]
    own = [source.name or folder.name for source, folder in zip(sources, folders, strict=True)]
    return unique_names(list(given) or own, folders)


def _baseline(given: str | None, paths: tuple[str, ...], names: list[str]) -> str | None:
    """Return the name of the baseline, which may be given as the path of a run."""
    if given is None or given in names:
        return given
    return chosen_baseline(given, names, list(map(Path, paths)))


def _absolute(path: str) -> Path:
    return Path(os.path.normpath(Path(path).absolute()))
