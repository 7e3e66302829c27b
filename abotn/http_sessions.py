"""How this package talks to servers a user names: checked URLs, sessions, reasons of failures."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPException
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

if TYPE_CHECKING:
    import requests

_LONGEST_REASON = 200


def server_url(url: object) -> SplitResult | None:
    """Return the parts of the HTTP URL of a server, None for anything else.

    Example:
        >>> server_url("http://localhost:7036/render").port
        7036
        >>> server_url("localhost:7036") is None
        True
    """
    if not isinstance(url, str):
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if usable else None


def new_session(url: str, *, connections: int = 1, cookies: bool = False) -> requests.Session:
    """Open a session with one server: nothing compressed, no proxy to a server on this machine.

    Args:
        url: URL of the server.
        connections: Connections that are kept open at most.
        cookies: Whether cookies are kept, by which a balancer finds the same server again.
    """
    from http.cookiejar import DefaultCookiePolicy

    import requests
    from requests.adapters import HTTPAdapter

    session = requests.Session()
    adapter = HTTPAdapter(pool_maxsize=connections)
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    if not cookies:
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    # What goes over the wire, images above all, is compressed already.
    session.headers["Accept-Encoding"] = "identity"
    session.trust_env = not _on_this_machine(urlsplit(url).hostname or "")
    return session


def system_reason(error: BaseException) -> str:
    """Return why a request failed in the system's own words, which libraries wrap several times.

    Args:
        error: What the HTTP library raised.
    """
    chain = list(_causes(error))
    for cause in reversed(chain):
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    last = ([cause for cause in chain if isinstance(cause, HTTPException)] or chain)[-1]
    return " ".join(str(last).split())[:_LONGEST_REASON] or type(last).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _on_this_machine(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")
