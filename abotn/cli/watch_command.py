"""``abotn watch``: show a run that is going on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from abotn.cli.option_values import metric_choice
from abotn.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from abotn.evaluation.run_state import RunState, RunWatch

_SHORTEST, _LONGEST = 0.1, 3600.0
_REST_PER_WORK = 4.0
_FAILURES = 5
_LINES_BESIDE = 18
_PIPE_WIDTH = 1000


@click.command()
@click.argument("run", type=click.Path())
@click.option(
    "--interval", default=2.0, show_default=True, metavar="SECONDS", help="Time between two looks."
)
@click.option(
    "--metrics", default="", help="Names, comma-separated, or all.  [default: those of reports]"
)
@click.option("--once", is_flag=True, help="Look once and end.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line.")
def watch(run: str, interval: float, metrics: str, *, once: bool, as_json: bool) -> None:
    """Show how far the run in folder RUN is, how well so far, and what failed last.

    Only reads. Ends by itself when every planned task has its record, or with Ctrl-C. On a
    terminal the display is renewed; into a pipe or a file goes one line whenever something
    changed, and the whole at the end. With --once the whole is printed at once.
    """
    from abotn.evaluation.run_state import RunWatch

    if not _SHORTEST <= interval <= _LONGEST:
        raise ConfigError(
            f"expected {_SHORTEST:g} to {_LONGEST:g} seconds, got {interval:g}", where="--interval"
        )
    states = _states(RunWatch(run, metric_choice(metrics)), interval, once=once)
    try:
        _show(states, once=once, as_json=as_json)
    except KeyboardInterrupt:
        return


def _states(watched: RunWatch, interval: float, *, once: bool) -> Iterator[RunState]:
    """Yield the state of a run until it is finished.

    Between two looks lies the interval, or four times what both of the last two took with their
    drawing, so that a huge run is not slowed down by being watched.
    """
    work = 0.0
    while True:
        started = time.monotonic()
        state = watched.look()
        yield state
        if once or state.is_finished:
            return
        before, work = work, time.monotonic() - started
        time.sleep(max(interval - work, _REST_PER_WORK * min(before, work)))


def _show(states: Iterator[RunState], *, once: bool, as_json: bool) -> None:
    from rich.console import Console

    from abotn.cli.watch_display import json_line, one_line

    console = Console(highlight=False, markup=False, emoji=False)
    if as_json:
        for state in _changes(states):
            click.echo(json_line(state))
    elif once:
        _print_whole(console, next(states))
    elif console.is_terminal and not console.is_dumb_terminal:
        _draw(console, states)
    else:
        for state in _changes(states):
            click.echo(one_line(state))
        click.echo()
        _print_whole(console, state)


def _changes(states: Iterator[RunState]) -> Iterator[RunState]:
    """Yield the states before which something new was read."""
    revision = 0
    for state in states:
        if state.revision != revision:
            yield state
        revision = state.revision


def _draw(console: Console, states: Iterator[RunState]) -> None:
    from rich.live import Live

    from abotn.cli.watch_display import snapshot

    with Live(console=console, auto_refresh=False) as live:
        for state in states:
            room = console.height - _LINES_BESIDE - len(state.metrics)
            live.update(snapshot(state, min(max(room, 1), _FAILURES)), refresh=True)


def _print_whole(console: Console, state: RunState) -> None:
    from abotn.cli.watch_display import snapshot

    if console.is_terminal:
        console.print(snapshot(state))
        return
    console.width = _PIPE_WIDTH
    with console.capture() as captured:
        console.print(snapshot(state, bar=False))
    lines = captured.get().splitlines()
    click.echo("\n".join(line.rstrip() for line in lines))
