"""One agent, made and called by a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from queue import SimpleQueue
from typing import Any

from abotn.errors import AgentError

_PATIENCE_SECONDS = 1.0

Job = Callable[[Any], Any]


class AgentThread:
    """Runs what concerns one agent in the same thread, as many libraries want it.

    Args:
        make: Makes the agent; what it raises is raised here.
        gate: Held while the agent is made or called.
    """

    def __init__(self, make: Callable[[], Any], gate: AbstractContextManager[Any]) -> None:
        self._gate = gate
        self._jobs: SimpleQueue[tuple[Job, Future[Any]] | None] = SimpleQueue()
        self._door = threading.Lock()
        self._stopped = False
        self._agent: Any = None
        # A daemon, so that an agent that hangs does not keep the server from stopping.
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        try:
            self._agent = self.call(lambda _: make())
        except BaseException:
            self.stop()
            raise

    @property
    def alive(self) -> bool:
        """Whether it may still be at work."""
        return self._thread.is_alive()

    def call(self, job: Job) -> Any:
        """Return what ``job(agent)`` returns, or raise what it raises, ``SystemExit`` too.

        Raises:
            AgentError: it was stopped.
        """
        future: Future[Any] = Future()
        with self._door:
            if self._stopped:
                raise AgentError("the session was closed")
            self._jobs.put((job, future))
        return future.result()

    def stop(self, *, wait: bool = True) -> None:
        """Let go of the agent once it has answered."""
        with self._door:
            self._stopped = True
            self._jobs.put(None)
        if wait:
            self._thread.join(_PATIENCE_SECONDS)

    def _work(self) -> None:
        while (work := self._jobs.get()) is not None:
            job, future = work
            try:
                with self._gate:
                    result = job(self._agent)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
            del work, job, future
        self._agent = None
