"""The sessions of an agent server: each has an agent of its own and serves one task at a time."""

from __future__ import annotations

import secrets
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from abotn.agents.agent_thread import AgentThread, Turns
from abotn.agents.conversation import observation_from, prediction_values, travelling
from abotn.agents.loader import make_agent
from abotn.agents.messages import MESSAGE_TYPE, AnyArray, pack, unpack
from abotn.errors import AbotnError, AgentError, DataError, name_of, text_of
from abotn.json_files import dump_json

JSON_TYPE = "application/json"


class Answer(NamedTuple):
    """What the server answers to a request.

    Attributes:
        status: HTTP status.
        content_type: Kind of the body.
        content: The body.
        complaint: What the person who runs the server should read about it, or nothing.
    """

    status: int
    content_type: str
    content: bytes
    complaint: str = ""


class Refusal(Exception):  # noqa: N818 - an answer, not an error of this program
    """A request is refused.

    Attributes:
        status: HTTP status.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class AgentSessions:
    """Opens, finds and ends sessions.

    Args:
        agent_class: The agent's class.
        config: Its keyword arguments.
        limit: Largest number of sessions, that is, of agents.
        idle_seconds: Seconds without a request after which a session ends.
        parallel: Whether the agents of several sessions may be called at the same time.
    """

    def __init__(
        self,
        agent_class: type[Any],
        config: dict[str, Any],
        *,
        limit: int,
        idle_seconds: float,
        parallel: bool,
    ) -> None:
        self._limit = limit
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._turns = Turns(parallel=parallel)
        self._make = partial(make_agent, agent_class, config)
        self._open: dict[str, _Session] = {}
        self._threads: list[AgentThread] = []
        self._opening = 0
        self._spare: AgentThread | None = None

    @property
    def count(self) -> int:
        """Number of open sessions."""
        return len(self._open)

    def prepare(self) -> None:
        """Make the agent of the first session, so that its faults show before there is one.

        Raises:
            AgentError: the agent cannot be made.
        """
        self._spare = AgentThread(self._make, self._turns)

    def open(self) -> str:
        """Open a session and return its name.

        Raises:
            Refusal: too many are open.
            AgentError: the agent cannot be made.
        """
        spare = self._reserve()
        try:
            thread = spare or AgentThread(self._make, self._turns)
        except BaseException:
            with self._lock:
                self._opening -= 1
            raise
        name = secrets.token_hex(8)
        with self._lock:
            self._opening -= 1
            self._threads.append(thread)
            self._open[name] = _Session(thread)
        return name

    def call(self, name: str, action: str, content: bytes) -> Answer:
        """Answer a request for a session: ``"reset"`` or ``"predict"``.

        Raises:
            Refusal: there is no such session, or the request cannot be read.
        """
        with self._lock:
            session = self._open.get(name)
        if session is None:
            raise Refusal(404, "there is no such session; it was closed, or was idle for too long")
        return session.answer(action, content)

    def close(self, name: str) -> None:
        """End a session; an agent at work loses its turn, and is let go once it has answered."""
        with self._lock:
            session = self._open.pop(name, None)
        if session is not None:
            session.thread.stop(wait=not session.busy)

    def end_idle(self) -> None:
        """End the sessions that nobody has used for too long."""
        now = time.monotonic()
        with self._lock:
            idle = [
                name
                for name, session in self._open.items()
                if not session.busy and now - session.last_used > self._idle_seconds
            ]
        for name in idle:
            self.close(name)

    def close_all(self) -> None:
        """End all sessions."""
        for name in list(self._open):
            self.close(name)
        if self._spare is not None:
            self._spare.stop()
            self._spare = None

    def _reserve(self) -> AgentThread | None:
        """Take a place, and the agent that waits for its first session, if it still does."""
        with self._lock:
            # An agent that hangs holds its place until it answers, whoever has given it up.
            self._threads = [thread for thread in self._threads if thread.alive]
            if len(self._threads) + self._opening >= self._limit:
                raise Refusal(
                    503,
                    f"all {self._limit} sessions are taken; serve with a larger --max-sessions, "
                    "or run with fewer workers",
                )
            self._opening += 1
            spare, self._spare = self._spare, None
            return spare


class _Session:
    """One agent and what is remembered between its requests.

    Requests are numbered. One that comes again, because the connection broke before its answer
    arrived, is answered as before and reaches the agent once.
    """

    def __init__(self, thread: AgentThread) -> None:
        self.thread = thread
        self.last_used = time.monotonic()
        self._held: dict[int, AnyArray] = {}
        self._turn = threading.Lock()
        self._last: tuple[int, Answer] | None = None
        self._noted: set[str] = set()

    @property
    def busy(self) -> bool:
        """Whether a request is being answered."""
        return self._turn.locked()

    def answer(self, action: str, content: bytes) -> Answer:
        with self._turn:
            try:
                return self._numbered(action, content)
            finally:
                self.last_used = time.monotonic()

    def _numbered(self, action: str, content: bytes) -> Answer:
        if action == "reset":
            self._held.clear()
        try:
            values = unpack(content, self._held)
        except DataError as error:
            raise Refusal(400, str(error)) from error
        number = values.get("call")
        if type(number) is not int:
            raise Refusal(400, f"call: expected a whole number, got {number!r}")
        if self._last is not None and self._last[0] == number:
            return self._last[1]
        self._last = number, self._once(_ACTIONS[action](self.thread, values))
        return self._last[1]

    def _once(self, answer: Answer) -> Answer:
        """Without a note that was made before; failures are told every time."""
        if answer.status == 200 and answer.complaint:
            if answer.complaint in self._noted:
                return answer._replace(complaint="")
            self._noted.add(answer.complaint)
        return answer


def _reset(thread: AgentThread, values: dict[str, Any]) -> Answer:
    seed = values.get("seed")
    if seed is not None and type(seed) is not int:
        raise Refusal(400, f"seed: expected a whole number or null, got {seed!r}")

    def work(agent: Any) -> dict[str, Any]:
        if seed is not None and callable(getattr(agent, "seed", None)):
            agent.seed(seed)
        agent.reset()
        return {}

    return _answered(thread, work)


def _predict(thread: AgentThread, values: dict[str, Any]) -> Answer:
    try:
        observation = observation_from(values.get("observation") or {})
    except DataError as error:
        raise Refusal(400, str(error)) from error
    return _answered(
        thread, lambda agent: {"prediction": prediction_values(agent.predict(observation))}
    )


def _packed(values: dict[str, Any]) -> tuple[bytes, str]:
    """Return the message, without what ``extra`` holds that cannot travel, and what to say of it.

    Raises:
        DataError: something else cannot travel.
    """
    try:
        return pack(values), ""
    except DataError as error:
        prediction = values.get("prediction", {})
        extra = travelling(prediction.get("extra"))
        if extra is None:
            raise
        content = pack({**values, "prediction": {**prediction, "extra": extra}})
        return content, f"left out: {error}"


def _answered(thread: AgentThread, work: Callable[[Any], dict[str, Any]]) -> Answer:
    try:
        content, note = thread.call(lambda agent: _packed(work(agent)))
    except BaseException as error:
        return _failure(error)
    return Answer(200, MESSAGE_TYPE, content, note)


def _failure(error: BaseException) -> Answer:
    """What the agent raised, for the client without its inner workings."""
    kind, message = name_of(error), text_of(error)
    own = isinstance(error, AgentError | DataError)
    told = message if own else f"{kind}: {message}".rstrip(": ")
    document = {"error": told or kind, "stage": "agent"}
    complaint = told if isinstance(error, AbotnError) else f"{told} ({_place(error)})"
    return Answer(500, JSON_TYPE, dump_json(document), complaint)


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"


_ACTIONS: dict[str, Callable[[AgentThread, dict[str, Any]], Answer]] = {
    "reset": _reset,
    "predict": _predict,
}
