"""Requests to one agent server over a connection that is kept open."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from abotn.agents.messages import MESSAGE_TYPE
from abotn.errors import AgentError, ConfigError, DataError
from abotn.http_sessions import new_session, server_url, system_reason
from abotn.json_files import parse_json

if TYPE_CHECKING:
    import requests


class Reply(NamedTuple):
    """What a server answered.

    Attributes:
        status: HTTP status.
        content_type: Header of that name, empty where there was none.
        content: The body.
    """

    status: int
    content_type: str
    content: bytes

    def reason(self) -> str:
        """Return what the server says of an answer that is no success."""
        try:
            return str(parse_json(self.content, "answer")["error"])
        except (DataError, KeyError):
            return f"status {self.status}"


class AgentConnection:
    """Asks one server; a request whose connection broke is sent once more.

    Args:
        url: Where the server is, such as ``"http://localhost:7037"``.

    Raises:
        ConfigError: the URL cannot be one of a server.
    """

    def __init__(self, url: str) -> None:
        self.url = checked_url(url)
        self._session: requests.Session | None = None

    def ask(self, method: str, path: str, content: bytes | None, timeout: float) -> Reply:
        """Return the answer to a request.

        Args:
            method: HTTP method.
            path: Path below the server's URL.
            content: Message to send, or None.
            timeout: Seconds to connect, and between bytes of the answer.

        Raises:
            AgentError: no connection, or no whole answer in time.
        """
        import requests

        for last in (False, True):
            try:
                return self._ask(method, path, content, timeout)
            except requests.Timeout as error:
                self.close()
                raise AgentError(f"no answer within {timeout:g} s", where=self.url) from error
            except requests.RequestException as error:
                # A server may have closed a connection that was idle; a new one tells.
                self.close()
                if last or isinstance(error, requests.exceptions.InvalidURL):
                    raise AgentError(system_reason(error), where=self.url) from error
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Close the connection; a later request opens a new one."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _ask(self, method: str, path: str, content: bytes | None, timeout: float) -> Reply:
        if self._session is None:
            self._session = new_session(self.url, cookies=True)
        headers = None if content is None else {"Content-Type": MESSAGE_TYPE}
        answer = self._session.request(
            method, self.url + path, data=content, headers=headers, timeout=timeout,
            allow_redirects=False,
        )  # fmt: skip
        return Reply(answer.status_code, answer.headers.get("Content-Type", ""), answer.content)


def is_agent_url(agent: object) -> bool:
    """Whether what was given as an agent is the URL of a server.

    Example:
        >>> is_agent_url("http://localhost:7037"), is_agent_url("abotn.agents:PlannerAgent")
        (True, False)
    """
    return isinstance(agent, str) and agent.lower().startswith(("http://", "https://"))


def checked_url(url: str) -> str:
    """Return the URL of a server without a slash at its end.

    Raises:
        ConfigError: it cannot be one.
    """
    parts = server_url(url)
    if parts is None or parts.query or parts.fragment:
        raise ConfigError(
            f"expected a URL such as http://localhost:7037, got {url!r}", where="agent"
        )
    return url.rstrip("/")
