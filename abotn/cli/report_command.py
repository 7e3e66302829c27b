"""``abotn report``: tables of one or several runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abotn.errors import ConfigError, PluginError

if TYPE_CHECKING:
    from abotn.report.formats import ReportFormat
    from abotn.report.options import ReportOptions
    from abotn.report.page_sources import ReportSources
    from abotn.report.runs import Run

_RESAMPLES = 10_000


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
    from abotn.json_files import write_bytes
    from abotn.report.build import build_report

    output: str | None = options["output"]
    chosen = _format(options["format_name"], output)
    if output is not None and not Path(output).absolute().parent.is_dir():
        raise ConfigError("no such folder", where=Path(output).parent, hint="make it first")
    loaded = _load(runs, options["names"])
    shown = _options(options, loaded)
    content = chosen.content(build_report(loaded, shown), _sources(chosen, runs, loaded, shown))
    if output is None:
        click.echo(content, nl=False)
        return
    write_bytes(output, content)
    click.echo(output)


def _format(name: str | None, output: str | None) -> ReportFormat:
    """Return the format asked for, or the one whose files end as ``output`` does."""
    from abotn.plugins.manager import plugin_manager
    from abotn.report.formats import ReportFormat

    manager = plugin_manager()
    if name is None and output is not None:
        suffix = Path(output).suffix.lower()
        offers = [offer.value for offer in manager.offers("abotn_report_formats")]
        name = next((offer.name for offer in offers if suffix and offer.suffix == suffix), None)
    found = manager.named("abotn_report_formats", "report format", name or "markdown")
    if not isinstance(found, ReportFormat):
        raise PluginError(f"report format {name!r} is a {type(found).__name__}, not a ReportFormat")
    return found


def _load(paths: tuple[str, ...], names: tuple[str, ...]) -> list[Run]:
    from abotn.report.runs import unique_names

    if names and len(names) != len(paths):
        raise ConfigError(
            f"{len(names)} names for {len(paths)} runs", where="--name", hint="give one per run"
        )
    folders = [_folder(path) for path in paths]
    results = [_evaluation(path) for path in paths]
    own = [result.name or folder.name for result, folder in zip(results, folders, strict=True)]
    return list(zip(unique_names(list(names) or own, folders), results, strict=True))


def _sources(
    chosen: ReportFormat, paths: tuple[str, ...], runs: list[Run], shown: ReportOptions
) -> ReportSources | None:
    if chosen.write_with_sources is None:
        return None
    from abotn.cli.report_sources import report_sources

    return report_sources(click.get_current_context(), paths, runs, shown)


def _folder(path: str) -> Path:
    """Return the run folder of ``RUN/evaluation.json`` and of ``RUN``, other files as they are."""
    target = Path(os.path.normpath(Path(path).absolute()))
    return target.parent if target.name == "evaluation.json" else target


def _evaluation(path: str) -> Any:
    from abotn.results.files import read_evaluation

    target = Path(path)
    if not target.exists():
        raise ConfigError("no such run folder or evaluation file", where=path)
    if target.is_dir() and _is_stale(target):
        from abotn.evaluation.evaluator import Evaluator

        return Evaluator().evaluate_dataset(path, bootstrap_ci=_RESAMPLES)
    return read_evaluation(target)


def _is_stale(run: Path) -> bool:
    """Whether a run folder has no evaluation, or records newer than it; the latter is said."""
    saved = run / "evaluation.json"
    if not saved.exists():
        return True
    made = saved.stat().st_mtime_ns
    if all(one.stat().st_mtime_ns <= made for one in run.glob("*/*/result.json")):
        return False
    click.echo(
        f"warning: {saved}: older than the run's records, so they are evaluated anew; "
        "abotn evaluate saves that",
        err=True,
    )
    return True


def _options(options: dict[str, Any], runs: list[Run]) -> Any:
    from abotn.report.options import ReportOptions

    present = {metric.name for _, result in runs for metric in result.metrics}
    asked = [name.strip() for name in options["metrics"].split(",") if name.strip()]
    shown = dict(_display(text) for text in options["display"])
    return ReportOptions(
        metrics=tuple(_own_name(name, present) for name in asked),
        display_names={_own_name(name, present): text for name, text in shown.items()},
        digits=options["digits"],
        percent=options["percent"],
        intervals="none" if options["no_intervals"] else options["intervals"],
        groups=options["blocks"] if options["groups"] else "none",
        second=options["second"],
        published=options["published"],
        title=options["title"],
    )


def _own_name(name: str, present: set[str]) -> str:
    """Return the name behind an alias; a name that nobody knows stays as it is."""
    if name in present:
        return name
    from abotn.errors import UnknownMetricError
    from abotn.plugins.manager import default_registry

    try:
        return default_registry().get(name).name
    except UnknownMetricError:
        return name


def _display(text: str) -> tuple[str, str]:
    name, mark, shown = text.partition("=")
    if not (mark and name.strip() and shown.strip()):
        raise ConfigError(f"expected METRIC=NAME, got {text!r}", where="--display")
    return name.strip(), shown.strip()
