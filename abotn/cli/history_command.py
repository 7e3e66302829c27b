"""``abotn history``: a metric, evaluation by evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from abotn.cli.option_values import metric_name

if TYPE_CHECKING:
    from abotn.results.history import History, HistoryEntry

_HEADER = ("evaluation", "run made", "value", "interval", "change", "")


@click.command()
@click.argument("folder", type=click.Path())
@click.option("--metric", required=True, help="Name of the metric.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def history(folder: str, metric: str, *, as_json: bool) -> None:
    """List --metric over the evaluations below FOLDER, oldest run first.

    Shows value, interval and the change to the evaluation before, with a warning where protocol,
    data set or parameters differ.
    """
    from abotn.cli.damage import warn_of_damage
    from abotn.json_files import dump_json

    found = _read(folder, metric)
    warn_of_damage(
        found.unreadable.items(), consequence="left out", rest="--json names all as 'unreadable'"
    )
    click.echo(dump_json(found.to_dict()).decode().rstrip() if as_json else _shown(found))


def _read(folder: str, metric: str) -> History:
    """Read the history of a metric, by its alias where no evaluation has that name."""
    from abotn.errors import UnknownMetricError
    from abotn.results.history import read_history

    try:
        return read_history(folder, metric)
    except UnknownMetricError:
        own = metric_name(metric, ())
        if own == metric:
            raise
        return read_history(folder, own)


def _shown(found: History) -> str:
    unit = f" ({found.unit})" if found.unit else ""
    title = f"{found.metric}{unit}, {found.direction} is better"
    rows = [_HEADER, *(_row(entry) for entry in found.entries)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([title, "", *lines])


def _row(entry: HistoryEntry) -> tuple[str, ...]:
    from abotn.results.export import shown_number

    when = entry.created.replace("+00:00", "Z") + ("" if entry.dated_by == "run" else " (file)")
    if entry.value is None:
        return (_label(entry), when, "–", "", "", entry.reason)
    interval = ""
    if entry.lower is not None and entry.upper is not None:
        interval = f"[{shown_number(entry.lower)}, {shown_number(entry.upper)}]"
    change = entry.verdict if entry.change is None else f"{entry.change:+.4g} {entry.verdict}"
    value = shown_number(entry.value)
    return (_label(entry), when, value, interval, change, "; ".join(entry.notes))


def _label(entry: HistoryEntry) -> str:
    return f"{entry.name} ({entry.path})" if entry.name else entry.path
