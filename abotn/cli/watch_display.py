"""How ``abotn watch`` shows the state of a run: on a terminal, as a line, as JSON.

Every name and message comes from files that anybody may have written, so it is shown as inert text:
on one line, without control characters, and never read as markup.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from abotn.errors import text_of
from abotn.units import counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from abotn.evaluation.run_state import Failure, RunState
    from abotn.results.types import MetricResult

_LONGEST = 120
_MOST_DAMAGED = 3
_ARROWS = {"higher": "↑", "lower": "↓"}


def snapshot(state: RunState, failures: int = 5, *, bar: bool = True) -> RenderableType:
    """Return everything about a run, ready for a rich console.

    Args:
        state: The run.
        failures: Largest number of failures shown.
        bar: Whether to draw a bar.
    """
    from rich.console import Group

    parts: list[RenderableType] = [_head(state), ""]
    if bar and state.planned:
        parts.append(_bar(state))
    parts += [*map(_text, _counts(state)), ""]
    parts += [_metrics(state)] if state.metrics else [_text(f"no metrics: {state.no_metrics}")]
    parts += [_text(line, "dim") for line in _notes(state)]
    if state.failures:
        parts += ["", _text(f"{_causes(state)}; the last ones:")]
        parts.append(_failures(state, failures))
    return Group(*parts)


def one_line(state: RunState) -> str:
    """Return time, counts and metrics of a run on one line."""
    clock = datetime.fromtimestamp(state.time).strftime("%H:%M:%S")
    counts = "; ".join(_counts(state)[:2])
    values = ", ".join(
        " ".join(part for part in (text_of(one.name, 40), *_value(one)) if part)
        for one in state.metrics
    )
    return f"{clock}  {counts}; {values or f'no metrics: {text_of(state.no_metrics, _LONGEST)}'}"


def json_line(state: RunState) -> str:
    """Return a run as a JSON object on one line, in ASCII."""
    from abotn.json_files import dump_json, parse_json

    return json.dumps(parse_json(dump_json(state.to_dict()), state.folder))


def duration(seconds: float) -> str:
    """Return a time span as people say it, in at most two units.

    Example:
        >>> duration(42.4), duration(200), duration(3 * 3600 + 65), duration(26 * 3600)
        ('42 s', '3 min 20 s', '3 h 1 min', '1 d 2 h')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s" if whole >= 10 or seconds == whole else f"{seconds:.1f} s"
    minutes, lesser = divmod(whole, 60)
    hours, rest = divmod(minutes, 60)
    if not hours:
        return _two((minutes, "min"), (lesser, "s"))
    days = hours // 24
    return _two((days, "d"), (hours % 24, "h")) if days else _two((hours, "h"), (rest, "min"))


def _two(first: tuple[int, str], second: tuple[int, str]) -> str:
    return " ".join(f"{count} {unit}" for count, unit in (first, second) if count)


def _head(state: RunState) -> Table:
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    rows = [("run", text_of(state.folder, _LONGEST)), *_facts(state.manifest or {})]
    for name, value in rows:
        grid.add_row(name, _cell(value))
    return grid


def _facts(manifest: Any) -> list[tuple[str, str]]:
    if not manifest:
        return [("", "waiting for its run.json")]
    protocol, dataset = manifest["protocol"], manifest["dataset"]
    modified = ", ".join(text_of(name, 40) for name in protocol["modified"])
    tasks = f"{counted(dataset['scenes'], 'scenes')}, {counted(dataset['tasks'], 'tasks')}"
    attempts = int(manifest.get("attempts", 1))
    if attempts > 1:
        tasks += f", {attempts} attempts each"
    place = text_of(dataset.get("data_dir") or dataset["fingerprint"][:12], _LONGEST)
    mark = f"  modified protocol: {modified}" if modified else ""
    return [
        ("agent", f"{text_of(manifest['agent']['name'], _LONGEST)}  {manifest['task_type']}"),
        ("protocol", text_of(protocol["name"], 60) + mark),
        ("dataset", f"{tasks}  {place}"),
    ]


def _bar(state: RunState) -> RenderableType:
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    grid = Table.grid()
    bar = ProgressBar(state.planned, state.done, width=60, complete_style="cyan")
    grid.add_row(bar)
    return grid


def _counts(state: RunState) -> list[str]:
    """Return the lines of how far and how fast; the first two are worth a line of a log."""
    noun = "attempts" if int((state.manifest or {}).get("attempts", 1)) > 1 else "tasks"
    far = counted(state.done, noun) + " done"
    if state.planned is not None:
        far = f"{state.done} of {counted(state.planned, noun)} done, {state.left} left"
    parts = [far, counted(state.errors, "errors")]
    if state.damaged:
        parts.append(f"{len(state.damaged)} damaged")
    lines = [", ".join(parts), _time_left(state)]
    lines += [
        f"damaged: {text_of(one.path, _LONGEST)}: {text_of(one.reason, _LONGEST)}"
        for one in state.damaged[:_MOST_DAMAGED]
    ]
    if len(state.damaged) > _MOST_DAMAGED:
        lines.append(f"damaged: {len(state.damaged) - _MOST_DAMAGED} more")
    return lines


def _time_left(state: RunState) -> str:
    speed = state.pace
    parts = ["finished" if state.is_finished else f"time left unknown ({speed.unknown})"]
    if not state.is_finished and speed.seconds_left is not None:
        parts = [f"about {duration(round(speed.seconds_left))} left"]
    if speed.seconds_per_record is not None:
        parts.append(f"{duration(speed.seconds_per_record)} per record")
    if speed.seconds_since_last is not None:
        parts.append(f"last record {duration(speed.seconds_since_last)} ago")
    return ", ".join(parts)


def _notes(state: RunState) -> list[str]:
    from abotn.evaluation.run_state import PEEK_NOTE

    notes = []
    if state.metrics and not state.is_finished:
        notes.append(PEEK_NOTE)
    if state.planned is not None and not state.is_plan_certain:
        notes.append(
            "run.json does not say how many tasks the run is for, so all tasks of the dataset "
            "are counted."
        )
    if state.planned is not None and state.done > state.planned:
        notes.append("More tasks are done than run.json plans: the run was resumed over others.")
    return notes


def _metrics(state: RunState) -> Table:
    table = _table()
    level = next((one.ci.level for one in state.metrics if one.ci is not None), 0.95)
    table.add_column("metric")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column(f"{100 * level:g} % interval")
    table.add_column("records", justify="right", no_wrap=True)
    for one in state.metrics:
        unit = f" ({one.unit})" if one.unit else ""
        name = f"{text_of(one.name, 60)}{unit} {_ARROWS.get(one.direction, '')}"
        value, interval = _value(one)
        table.add_row(_cell(name), value, _cell(interval), str(one.finite_count))
    return table


def _value(metric: MetricResult) -> tuple[str, str]:
    """Return a metric's value and its interval, or why there is none."""
    from abotn.report.cells import absence, interval_ends
    from abotn.report.numbers import number_format

    if metric.value != metric.value:
        return "–", f"({text_of(absence(metric), 60)})"
    lower, upper = interval_ends(metric)
    shown = number_format(metric.unit, (metric.value, lower, upper))
    interval = shown.show_interval(metric.value, lower, upper, "brackets")
    return shown.show(metric.value), interval or f"({text_of(metric.ci_reason, 60)})"


def _causes(state: RunState) -> str:
    from abotn.report.page_causes import MEANINGS, SOLVED

    found = [(cause, state.causes.get(cause, 0)) for cause in MEANINGS if cause != SOLVED]
    total = sum(count for _, count in found)
    by_cause = ", ".join(f"{count} {cause}" for cause, count in found if count)
    return f"{counted(total, 'failures')}: {by_cause}"


def _failures(state: RunState, most: int) -> Table:
    table = _table()
    table.add_column("when", no_wrap=True, justify="right")
    table.add_column("task")
    table.add_column("how", no_wrap=True)
    table.add_column("what")
    for one in state.failures[:most]:
        since = f"{duration(max(state.time - one.time, 0.0))} ago"
        table.add_row(since, _cell(text_of(one.label, _LONGEST)), one.cause, _cell(_what(one)))
    return table


def _what(failure: Failure) -> str:
    if failure.error is not None:
        return text_of(failure.error, 300)
    if failure.distance_to_goal is None:
        return ""
    return f"{failure.distance_to_goal:.2f} m from the goal"


def _table() -> Table:
    from rich.table import Table

    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")


def _text(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(text, style=style)


def _cell(text: str) -> Text:
    """Return text that stays on one line, with its end left out where there is no room."""
    from rich.text import Text

    return Text(text, no_wrap=True, overflow="ellipsis")
