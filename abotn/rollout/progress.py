"""Telling how far a run is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from abotn.records.types import ResultRecord


class Progress(NamedTuple):
    """How far a run is.

    Attributes:
        done: Attempts with a record, those of an earlier start included.
        total: Attempts in all.
        record: The one that has just ended; None at the start.
    """

    done: int
    total: int
    record: ResultRecord | None


ProgressListener = Callable[[Progress], None]


@contextmanager
def progress_bar(label: str) -> Iterator[ProgressListener]:
    """Give a listener that draws a progress bar on stderr, nothing when that is no terminal.

    Args:
        label: What is running, such as the agent's name.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[solved]} solved, {task.fields[failed]} failed"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with RichProgress(*columns, console=console, disable=not console.is_terminal) as bars:
        bar = bars.add_task(label, total=None, solved=0, failed=0)
        tally = {"solved": 0, "failed": 0}

        def listen(event: Progress) -> None:
            if event.record is not None:
                tally["solved"] += event.record.success
                tally["failed"] += event.record.status == "error"
            bars.update(
                bar,
                total=event.total,
                completed=event.done,
                solved=tally["solved"],
                failed=tally["failed"],
            )

        yield listen
