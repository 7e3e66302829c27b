"""What ``abotn report`` hands to a format that shows single records too."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abotn.errors import ConfigError
from abotn.report.page_sources import ReportSources, RunSource

if TYPE_CHECKING:
    from abotn.records.readers import RecordSource
    from abotn.report.options import ReportOptions
    from abotn.report.runs import Run


def report_sources(
    context: click.Context, paths: Sequence[str], runs: Sequence[Run], options: ReportOptions
) -> ReportSources:
    """Return the records of the runs, where their maps are, and the command line.

    Args:
        context: Context of the command.
        paths: A run folder or an evaluation file per run.
        runs: The runs by name, in the same order.
        options: Options of the report.

    Raises:
        ConfigError: the folder of the scenes or of the maps does not exist.
    """
    data_dir, map_dir = (_folder(context, name) for name in ("data_dir", "map_dir"))
    sources = [
        RunSource(name, result, run_records(path), _run_path(path), data_dir, map_dir)
        for path, (name, result) in zip(paths, runs, strict=True)
    ]
    return ReportSources(tuple(sources), options, _command(context))


def run_folder(path: str) -> Path:
    """Return the run folder of ``RUN/evaluation.json`` and of ``RUN``, other files as they are."""
    target = Path(os.path.normpath(Path(path).absolute()))
    return target.parent if target.name == "evaluation.json" else target


def run_records(path: str) -> RecordSource | None:
    """Return the records of a run folder; None for an evaluation file elsewhere, or without any."""
    from abotn.errors import DataError
    from abotn.plugins.manager import plugin_manager
    from abotn.records.readers import read_records

    folder = Path(_run_path(path))
    if folder.is_file():
        return None
    readers = [offer.value for offer in plugin_manager().offers("abotn_record_readers")]
    try:
        return read_records(folder, readers=readers)
    except DataError:
        return None


def command_words(context: click.Context) -> Iterator[str]:
    """Yield the arguments and options that were given, without ``--format`` and ``-o``."""
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        if (
            name in ("format_name", "output")
            or source is not click.core.ParameterSource.COMMANDLINE
        ):
            continue
        value = context.params[name]
        if isinstance(parameter, click.Argument):
            yield from map(str, value)
        else:
            yield from _option(parameter, value)


def _folder(context: click.Context, name: str) -> str | None:
    folder: str | None = context.params[name]
    if folder is not None and not Path(folder).is_dir():
        raise ConfigError("no such folder", where=folder, hint=f"check --{name.replace('_', '-')}")
    return folder


def _run_path(path: str) -> str:
    """Return the folder of ``RUN/evaluation.json``, any other path as it is."""
    return str(Path(path).parent) if Path(path).name == "evaluation.json" else path


def _command(context: click.Context) -> tuple[str, ...]:
    """Return the command that writes the page to ``report.html``."""
    return ("abotn", "report", *command_words(context), "--format", "html", "-o", "report.html")


def _option(parameter: click.Parameter, value: Any) -> Iterator[str]:
    if isinstance(value, bool):
        names = parameter.opts if value else parameter.secondary_opts
        yield names[0]
        return
    for one in value if isinstance(value, tuple) else (value,):
        yield from (parameter.opts[0], str(one))
