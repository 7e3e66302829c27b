"""A bounded pool of worker threads whose errors come back to the caller."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from abotn.errors import AbotnError, ConfigError

T = TypeVar("T")


class BoundedWorkers:
    """Runs jobs on threads and never holds more than ``max_inflight`` of them.

    Threads are started when the first job comes and ended by ``join``, so an idle pool holds none.

    Args:
        num_workers: How many threads at most.
        max_inflight: How many jobs may wait or run at once; ``submit`` blocks beyond that.
    """

    def __init__(self, num_workers: int, max_inflight: int) -> None:
        self.num_workers = _positive(num_workers, "num_workers")
        self.max_inflight = _positive(max_inflight, "max_inflight")
        self._room = threading.BoundedSemaphore(self.max_inflight)
        self._pool: ThreadPoolExecutor | None = None
        self._jobs: list[Future[None]] = []

    def submit(self, job: Callable[[T], None], prepare: Callable[[], T]) -> None:
        """Wait for room, then ``prepare`` at once and run ``job`` of what that gave on a thread."""
        self._room.acquire()
        try:
            prepared = prepare()
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self.num_workers, "abotn-streaming")
            future = self._pool.submit(job, prepared)
        except BaseException:
            self._room.release()
            raise
        future.add_done_callback(lambda _: self._room.release())
        self._jobs.append(future)

    def check(self) -> None:
        """Drop finished jobs; after a failed one, ``join``, which raises its error."""
        # Each job is asked once: one that fails meanwhile keeps its place until the next look.
        looked = [(job, job.done()) for job in self._jobs]
        if any(done and job.exception() is not None for job, done in looked):
            self.join()
        self._jobs = [job for job, done in looked if not done]

    def join(self) -> None:
        """Wait for all jobs, end the threads, and raise the error of the earliest failed job."""
        errors = self._finish()
        if errors:
            raise _with_count(errors[0], len(errors) - 1)

    def discard(self) -> None:
        """Wait for all jobs, end the threads, and forget their errors."""
        self._finish()

    def _finish(self) -> list[BaseException]:
        if self._pool is not None:
            self._pool.shutdown(wait=True)
        errors = [error for job in self._jobs if (error := job.exception()) is not None]
        self._pool, self._jobs = None, []
        return errors


def _with_count(error: BaseException, others: int) -> BaseException:
    if others and isinstance(error, AbotnError):
        also = f"{others} more timesteps failed"
        error.hint = f"{error.hint}; {also}" if error.hint else also
    return error


def _positive(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ConfigError(f"expected a whole number of at least 1, got {value!r}", where=name)
    return int(value)
