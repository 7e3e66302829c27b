"""Who makes the attempts of a run: this process, a pool of workers, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from abotn.records.types import ResultRecord
from abotn.rollout.executor import Executor, Setup
from abotn.rollout.rules import Unit
from abotn.rollout.workers import WorkerPool

Finished = Callable[[ResultRecord], None]
Died = Callable[[Unit, str], ResultRecord]


class Crew(Protocol):
    """Makes attempts."""

    def run(self, units: Iterable[Unit], run_folder: Path, finished: Finished, died: Died) -> None:
        """Make attempts; see :meth:`abotn.rollout.workers.WorkerPool.run`."""
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...


def make_crew(setup: Setup, workers: int, pending: list[Unit], *, isolated: bool) -> Crew:
    """Return who will make the pending attempts, its agents and renderers ready.

    Args:
        setup: What to run.
        workers: Number of processes.
        pending: The attempts.
        isolated: Whether a single worker is a process of its own too.

    Raises:
        AbotnError: an agent or a renderer cannot be made.
    """
    if not pending:
        return _Nobody()
    if workers == 1 and not isolated:
        return _InProcess(setup)
    return WorkerPool(setup, min(workers, len(pending)))


class _InProcess:
    """Makes attempts in this process."""

    def __init__(self, setup: Setup) -> None:
        self._executor = Executor(setup)

    def run(self, units: Iterable[Unit], run_folder: Path, finished: Finished, died: Died) -> None:
        for unit in units:
            finished(self._executor.run(unit, run_folder))

    def close(self) -> None:
        self._executor.close()


class _Nobody:
    """Makes nothing, so that a run without pending attempts needs no agent."""

    def run(self, units: Iterable[Unit], run_folder: Path, finished: Finished, died: Died) -> None:
        return

    def close(self) -> None:
        return
