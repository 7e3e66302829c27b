"""An agent that lives in a server: the client's side."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from abotn.agents.agent_connection import AgentConnection, Reply
from abotn.agents.conversation import observation_values, prediction_from
from abotn.agents.description import AgentDescription, description_from
from abotn.agents.interface import Observation, WaypointPrediction
from abotn.agents.messages import MESSAGE_TYPE, Place, SentArrays, pack, unpack
from abotn.errors import AbotnError, AgentError, ConfigError, DataError, UnknownNameError
from abotn.json_files import parse_json

IMAGE_ENCODINGS = ("raw", "jpeg")
REMOTE_SETTINGS = ("timeout", "start_timeout", "images")

_PARTING_SECONDS = 5.0
_VIEWS = ("observation", "fields", "images")


class RemoteAgent:
    """Asks an agent server for each prediction, in a session of its own.

    With raw images the agent sees the very bytes it would see without a server.

    Args:
        url: Where the server is, such as ``"http://localhost:7037"``.
        timeout: Seconds that ``reset`` and ``predict`` may take, the way included.
        start_timeout: Seconds that the server may take to make an agent for the session.
        images: ``"raw"``, or ``"jpeg"`` for views a tenth of the size that lose what JPEG loses.

    Raises:
        ConfigError: an argument cannot be used.
        AgentError: the server cannot be reached, or opens no session.

    Example:
        >>> agent = RemoteAgent("http://localhost:7037", timeout=10)  # doctest: +SKIP
    """

    def __init__(
        self,
        url: str,
        timeout: float = 60.0,
        start_timeout: float = 600.0,
        images: str = "raw",
    ) -> None:
        self.timeout = _seconds("timeout", timeout)
        self.start_timeout = _seconds("start_timeout", start_timeout)
        if images not in IMAGE_ENCODINGS:
            raise UnknownNameError("encoding of images", images, IMAGE_ENCODINGS)
        self.images = images
        self._connection = AgentConnection(url)
        self._sent = SentArrays()
        self._seed: int | None = None
        self._calls = 0
        self._session: str | None = None
        self._open()

    @property
    def url(self) -> str:
        """Where the server is."""
        return self._connection.url

    def seed(self, seed: int) -> None:
        """Keep a seed for the next reset, which gives it to the agent where it wants one."""
        self._seed = int(seed)

    def reset(self) -> None:
        """Reset the agent; a session that has ended is replaced by a new one.

        Raises:
            AgentError: the server does not answer, or the agent raised.
        """
        self._sent.clear()
        if self._session is None:
            self._open()
        reply = self._tell("reset", {"seed": self._seed})
        if reply.status == 404:
            self._open()
            reply = self._tell("reset", {"seed": self._seed})
        self._seed = None
        self._values(reply)

    def predict(self, observation: Observation) -> WaypointPrediction:
        """Return the agent's next waypoint.

        Raises:
            AgentError: the server does not answer, or the agent raised.
            DataError: the observation cannot travel.
        """
        if self._session is None:
            raise AgentError("there is no session", where=self.url, hint="call reset() first")
        reply = self._tell("predict", {"observation": observation_values(observation)})
        return prediction_from(self._values(reply).get("prediction"))

    def close(self) -> None:
        """End the session; a later reset opens a new one."""
        session, self._session = self._session, None
        if session is not None:
            self._end(session)
        self._connection.close()

    def __enter__(self) -> RemoteAgent:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open(self) -> None:
        self._session = None
        message = pack({})
        reply = self._connection.ask("POST", "/sessions", message, self.start_timeout)
        session = _document(reply, self.url).get("session")
        if not isinstance(session, str):
            raise AgentError("the server gave no session", where=self.url)
        self._session = session

    def _tell(self, action: str, values: Mapping[str, Any]) -> Reply:
        self._calls += 1
        message = pack({"call": self._calls, **values}, sent=self._sent, as_jpeg=self._may_lose)
        path = f"/sessions/{self._session}/{action}"
        try:
            return self._connection.ask("POST", path, message, self.timeout)
        except BaseException:
            # Nobody knows what the agent has seen of it, so the next task gets another one.
            session, self._session = self._session, None
            self._end(str(session))
            raise

    def _may_lose(self, place: Place) -> bool:
        return self.images == "jpeg" and place[:3] == _VIEWS

    def _values(self, reply: Reply) -> dict[str, Any]:
        if reply.status != 200:
            raise AgentError(reply.reason())
        if reply.content_type != MESSAGE_TYPE:
            raise AgentError(
                f"expected a message, got content type {reply.content_type!r}", where=self.url
            )
        try:
            return unpack(reply.content)
        except DataError as error:
            raise AgentError(error.message, where=self.url) from error

    def _end(self, session: str) -> None:
        try:
            self._connection.ask("DELETE", f"/sessions/{session}", None, _PARTING_SECONDS)
        except AbotnError:
            # A server that is gone has ended the session already; one that hangs will.
            return


def served_agent(url: str, timeout: float = 60.0) -> AgentDescription:
    """Return what a server says about its agent.

    Args:
        url: Where the server is.
        timeout: Seconds to wait for it; one that is still loading its model answers late.

    Raises:
        ConfigError: the URL cannot be one of a server, or there is no agent server.
    """
    connection = AgentConnection(url)
    try:
        reply = connection.ask("GET", "/agent", None, timeout)
        return description_from(_document(reply, url))
    except (AgentError, DataError) as error:
        raise ConfigError(
            f"no agent server answers: {error.message}",
            where=f"agent {url}",
            hint=error.hint or "start one with 'abotn serve-agent'",
        ) from error
    finally:
        connection.close()


def let_go(agent: Any) -> None:
    """End the session of an agent that lives in a server; any other agent is left alone."""
    if isinstance(agent, RemoteAgent):
        agent.close()


def remote_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a remote agent, checked.

    Raises:
        ConfigError: one is unknown or out of range.
    """
    for name in given:
        if name not in REMOTE_SETTINGS:
            raise ConfigError(
                f"{name!r} is no setting of a remote agent ({', '.join(REMOTE_SETTINGS)})",
                where="agent config",
                hint="what the agent itself is made with is given to 'abotn serve-agent'",
            )
    for name in ("timeout", "start_timeout"):
        if name in given:
            _seconds(name, given[name])
    if given.get("images", "raw") not in IMAGE_ENCODINGS:
        raise UnknownNameError("encoding of images", given["images"], IMAGE_ENCODINGS)
    # Raw is what an agent sees that lives here; only what differs from it is a setting of a run.
    return {name: value for name, value in given.items() if (name, value) != ("images", "raw")}


def _document(reply: Reply, url: str) -> dict[str, Any]:
    if reply.status != 200:
        raise AgentError(reply.reason(), where=url)
    try:
        return parse_json(reply.content, "answer")
    except DataError as error:
        raise AgentError(
            f"expected JSON, got something else: {error.message}", where=url
        ) from error


def _seconds(name: str, value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value < math.inf:
        raise ConfigError(f"expected more than 0 seconds, got {value!r}", where=name)
    return float(value)
