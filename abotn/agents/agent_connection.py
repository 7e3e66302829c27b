"""Requests to one agent server over a connection that is kept open."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from abotn.agents.messages import MESSAGE_TYPE
from abotn.errors import AgentError, ConfigError, DataError
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
                    raise AgentError(_reason(error), where=self.url) from error
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Close the connection; a later request opens a new one."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _ask(self, method: str, path: str, content: bytes | None, timeout: float) -> Reply:
        if self._session is None:
            self._session = _new_session(self.url)
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
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except (ValueError, AttributeError, TypeError):
        usable = False
    if not usable or parts.query or parts.fragment:
        raise ConfigError(
            f"expected a URL such as http://localhost:7037, got {url!r}", where="agent"
        )
    return url.rstrip("/")


def _new_session(url: str) -> requests.Session:
    import requests

    session = requests.Session()
    # A server on this machine is never asked through a proxy.
    session.trust_env = not _on_this_machine(urlsplit(url).hostname or "")
    session.headers["Accept-Encoding"] = "identity"
    return session


def _on_this_machine(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def _reason(error: BaseException) -> str:
    """The system's own words, which the libraries wrap several times."""
    chain: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    for found in reversed(chain):
        if isinstance(found, OSError) and found.strerror:
            return found.strerror
    return " ".join(str(chain[-1]).split())[:200] or type(chain[-1]).__name__
