"""Making attempts in several processes, each with its own agent and renderer.

The parent hands each process one attempt at a time over a pipe of its own, so that a process that
dies holds no lock that others wait for.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from abotn.errors import AgentError, ConfigError, error_text
from abotn.records.types import ResultRecord
from abotn.rollout.executor import Executor, Setup
from abotn.rollout.rules import Unit
from abotn.rollout.stages import AttemptStopped

_PATIENCE_SECONDS = 10.0

# Makes further names importable; a room above this one, so it is known by name alone.
_ALIASES = ("abotn.compat",)


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    unit: Unit | None = None
    dead: bool = False


class WorkerPool:
    """Processes that make attempts; ready when it is made.

    Args:
        setup: What to run; it must be picklable, so the agent's class must be importable.
        count: Number of processes.

    Raises:
        ConfigError: the setup cannot be sent to another process.
        AbotnError: whatever kept an agent or a renderer from being made.
    """

    def __init__(self, setup: Setup, count: int) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._packed = _pack(setup)
        try:
            self._alone = count == 1
            self._workers = [self._start() for _ in range(count)]
            for worker in self._workers:
                _await_ready(worker)
        except BaseException:
            self.close()
            raise

    def run(
        self,
        units: Iterable[Unit],
        run_folder: Path,
        finished: Callable[[ResultRecord], None],
        died: Callable[[Unit, str], ResultRecord],
    ) -> None:
        """Make attempts until all are made.

        Args:
            units: The attempts, handed out in this order.
            run_folder: Folder of the run; the process that made an attempt writes its record.
            finished: Called with each record, in this process.
            died: Called when a process died in an attempt, with the attempt and the reason; writes
                and returns its record. A new process takes the dead one's place.

        Raises:
            AbotnError: what stopped a process, such as a full disk.
        """
        waiting = deque(units)
        for worker in self._workers:
            self._hand_out(worker, waiting, run_folder)
        while busy := [worker for worker in self._workers if worker.unit is not None]:
            ready = wait([worker.pipe for worker in busy])
            for worker in [worker for worker in busy if worker.pipe in ready]:
                record = self._collect(worker, died)
                self._hand_out(worker, waiting, run_folder)
                finished(record)

    def close(self) -> None:
        """Stop all processes; attempts in hand leave nothing behind."""
        for worker in self._workers:
            _send(worker, None)
        for worker in self._workers:
            worker.process.join(_PATIENCE_SECONDS)
            if worker.process.is_alive():
                worker.process.terminate()
                worker.process.join()
            worker.pipe.close()
        self._workers = []

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(self._packed, theirs, self._alone))
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _collect(self, worker: _Worker, died: Callable[[Unit, str], ResultRecord]) -> ResultRecord:
        unit = worker.unit
        assert unit is not None
        worker.unit = None
        try:
            kind, value = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join()
            reason = f"the worker process died with exit code {worker.process.exitcode}"
            worker.dead = True
            return died(unit, reason)
        if kind == "failed":
            raise value
        return ResultRecord.from_dict(value)

    def _hand_out(self, worker: _Worker, waiting: deque[Unit], run_folder: Path) -> None:
        if not waiting:
            return
        if worker.dead:
            worker.pipe.close()
            fresh = self._start()
            worker.process, worker.pipe, worker.dead = fresh.process, fresh.pipe, False
            _await_ready(worker)
        worker.unit = waiting.popleft()
        _send(worker, (worker.unit, run_folder))


def _work(packed: _Packed, pipe: Connection, alone: bool) -> None:  # noqa: FBT001
    """Body of a worker process."""
    # Ctrl-C reaches the whole process group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if alone:
        _take_standard_input()
    try:
        with closing(_prepared(_unpack(packed), pipe)) as executor:
            pipe.send(("ready", None))
            while (message := pipe.recv()) is not None:
                unit, run_folder = message
                pipe.send(("done", executor.run(unit, run_folder).to_dict()))
    except (AttemptStopped, EOFError, BrokenPipeError, ConnectionResetError):
        return
    except BaseException as error:
        pipe.send(("failed", _sendable(error)))


def _take_standard_input() -> None:
    """Let a debugger in an agent, or a person who steers, be asked; workers start without."""
    with suppress(OSError, ValueError):
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - a descriptor, kept open


def _prepared(setup: Setup, pipe: Connection) -> Executor:
    import cv2

    # One process per core: threads inside each would only get in each other's way.
    cv2.setNumThreads(1)

    def checkpoint() -> None:
        # In an attempt the only message is the one to stop, or the end of a dead parent.
        if pipe.poll():
            raise AttemptStopped

    return Executor(setup, checkpoint)


def _await_ready(worker: _Worker) -> None:
    try:
        kind, value = worker.pipe.recv()
    except (EOFError, OSError):
        worker.process.join()
        raise AgentError(
            f"a worker process died with exit code {worker.process.exitcode} before it was ready",
            hint="what it printed may say why; a script must guard its start by "
            "if __name__ == '__main__'",
        ) from None
    if kind == "failed":
        raise value


def _send(worker: _Worker, message: Any) -> None:
    # A process that died is noticed when its answer is collected.
    try:
        worker.pipe.send(message)
    except (BrokenPipeError, OSError):
        return


class _Packed(NamedTuple):
    """A setup on its way to another process.

    Attributes:
        setup: Pickled.
        first: Modules to import before it is unpickled, because an agent's module may need them.
    """

    setup: bytes
    first: tuple[str, ...]


def _pack(setup: Setup) -> _Packed:
    try:
        packed = pickle.dumps(setup)
    except Exception as error:
        raise ConfigError(
            f"the agent cannot be sent to worker processes: {error_text(error)}",
            where=f"agent {setup.agent.description.path}",
            hint="define its class at the top of an importable module, or use one worker",
        ) from error
    return _Packed(packed, tuple(name for name in _ALIASES if name in sys.modules))


def _unpack(packed: _Packed) -> Setup:
    for name in packed.first:
        import_module(name)
    setup: Setup = pickle.loads(packed.setup)
    return setup


def _sendable(error: BaseException) -> BaseException:
    """The error itself, where the other process surely knows its class; else what it says."""
    with suppress(Exception):
        if type(error).__module__.partition(".")[0] in ("abotn", "builtins"):
            pickle.loads(pickle.dumps(error))
            str(error)
            return error
    # It holds something that cannot travel, or has no text.
    kind = AgentError if isinstance(error, AgentError) else RuntimeError
    return kind(error_text(error))
