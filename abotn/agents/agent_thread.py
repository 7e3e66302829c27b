"""One agent, made and called by a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

from abotn.errors import AgentError

_PATIENCE_SECONDS = 1.0

Job = Callable[[Any], Any]


class Turns:
    """Lets one agent be at work at a time, or any number of them.

    Args:
        parallel: Whether nobody has to wait.
    """

    def __init__(self, *, parallel: bool) -> None:
        self._parallel = parallel
        self._changed = threading.Condition()
        self._holder: object = None

    def take(self, who: object, given_up: Callable[[], bool]) -> bool:
        """Wait for the turn; return False when it was given up first.

        Args:
            who: Whoever takes it.
            given_up: Whether it is wanted no more; asked again after each :meth:`leave`.
        """
        with self._changed:
            self._changed.wait_for(lambda: given_up() or self._parallel or self._holder is None)
            if given_up():
                return False
            if not self._parallel:
                self._holder = who
            return True

    def leave(self, who: object) -> None:
        """Let the next one work; nothing happens when it is another's turn."""
        with self._changed:
            if self._holder is who:
                self._holder = None
            self._changed.notify_all()


class AgentThread:
    """Runs what concerns one agent in the same thread, as many libraries want it.

    Args:
        make: Makes the agent; what it raises is raised here.
        turns: One is taken whenever the agent is made or called.
    """

    def __init__(self, make: Callable[[], Any], turns: Turns) -> None:
        self._turns = turns
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
        """Let go of the agent once it has answered; the others need not wait for that."""
        with self._door:
            self._stopped = True
            self._jobs.put(None)
        self._turns.leave(self)
        if wait:
            self._thread.join(_PATIENCE_SECONDS)

    def _work(self) -> None:
        while (work := self._jobs.get()) is not None:
            job, future = work
            try:
                result = self._in_turn(job)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
            del work, job, future
        self._agent = None

    def _in_turn(self, job: Job) -> Any:
        if not self._turns.take(self, lambda: self._stopped):
            raise AgentError("the session was closed")
        try:
            return job(self._agent)
        finally:
            self._turns.leave(self)
