"""Requests to one render server over connections that are kept open."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urljoin

import requests
from urllib3.exceptions import HTTPError, TimeoutError

from abotn.errors import ConfigError, RenderFailureError
from abotn.http_sessions import new_session, server_url, system_reason

_CONNECTIONS = 16
_CHUNK = 1 << 16


class Body(NamedTuple):
    """What a server answered, all of it.

    Attributes:
        status: HTTP status.
        content_type: Header of that name, empty where there was none.
        content: The body, decoded from its transfer.
    """

    status: int
    content_type: str
    content: bytes


class Connection:
    """Posts requests to one URL; no request is repeated here.

    The threads of a process share the connections. A forked process opens its own, and so does a
    copy that was pickled. Cookies are not kept. A server on this machine is never asked through a
    proxy.

    Args:
        url: Full URL of the endpoint.
        timeout: Seconds to connect, between bytes, and for a whole answer.

    Raises:
        ConfigError: The URL cannot be one of a server.
    """

    def __init__(self, url: str, timeout: float) -> None:
        self.url = _checked_url(url)
        self.timeout = timeout
        self._open: tuple[int, requests.Session] | None = None

    def post(self, document: Mapping[str, Any], *, most_bytes: int) -> Body:
        """Post JSON and read the whole answer.

        Args:
            document: What to post.
            most_bytes: Size above which an answer is refused.

        Raises:
            RenderFailureError: No connection, or the answer is late, cut short or too large.
        """
        deadline = time.monotonic() + self.timeout
        try:
            with self._session().post(
                self.url, json=document, timeout=self.timeout, stream=True
            ) as response:
                content = self._read(response, deadline, most_bytes)
        except (requests.RequestException, HTTPError) as error:
            raise RenderFailureError(self._reason(error)) from error
        return Body(response.status_code, response.headers.get("Content-Type", ""), content)

    def ping(self) -> int:
        """The status that ``GET /ping`` beside the endpoint answers with.

        Raises:
            RenderFailureError: Nothing answered.
        """
        try:
            answer = self._session().get(urljoin(self.url, "ping"), timeout=self.timeout)
        except (requests.RequestException, HTTPError) as error:
            raise RenderFailureError(self._reason(error)) from error
        return answer.status_code

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        if self._open is not None and self._open[0] == os.getpid():
            self._open[1].close()
        self._open = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": None}

    def _session(self) -> requests.Session:
        # A pair that is replaced as a whole: threads that race open one session too many at most.
        held = self._open
        if held is None or held[0] != os.getpid():
            held = os.getpid(), new_session(self.url, connections=_CONNECTIONS)
            self._open = held
        return held[1]

    def _read(self, response: requests.Response, deadline: float, most_bytes: int) -> bytes:
        # read1 gives what has arrived, so that an answer in drops cannot outlast the deadline;
        # urllib3 before 2.2 lacks it.
        read = getattr(response.raw, "read1", response.raw.read)
        parts: list[bytes] = []
        size = 0
        while part := read(_CHUNK, decode_content=True):
            parts.append(part)
            size += len(part)
            if size > most_bytes:
                raise RenderFailureError(f"expected at most {most_bytes} bytes, got more")
            if time.monotonic() > deadline:
                raise RenderFailureError(f"no whole answer within {self.timeout:g} s")
        _check_length(response, size)
        return b"".join(parts)

    def _reason(self, error: Exception) -> str:
        if isinstance(error, requests.Timeout | TimeoutError):
            return f"no answer within {self.timeout:g} s"
        return system_reason(error)


def _check_length(response: requests.Response, size: int) -> None:
    declared = response.headers.get("Content-Length", "")
    encoded = response.headers.get("Content-Encoding", "identity") != "identity"
    if declared.isdigit() and not encoded and int(declared) != size:
        raise RenderFailureError(f"expected {declared} bytes, got {size}")


def _checked_url(url: str) -> str:
    if server_url(url) is None:
        raise ConfigError(
            f"expected a URL such as http://localhost:7036/render_gs, got {url!r}",
            where="render_url",
        )
    return url
