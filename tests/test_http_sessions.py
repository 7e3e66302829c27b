"""URLs of servers, sessions, and the reasons of requests that failed, on real sockets."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
import requests

from abotn.http_sessions import new_session, server_url, system_reason


@pytest.mark.parametrize(
    "url", ["http://localhost:7036/render_gs", "https://[::1]:8443", "HTTP://127.0.0.1"]
)
def test_urls_of_servers(url: str) -> None:
    parts = server_url(url)
    assert parts is not None
    assert parts.hostname in ("localhost", "::1", "127.0.0.1")


@pytest.mark.parametrize(
    "url",
    [
        "", "localhost:7036", "ftp://host/", "http://", "http://host:0", "http://host:70000",
        "http://[::1", "http://[half", None, 7,
    ],
)  # fmt: skip
def test_other_things_are_no_urls(url: object) -> None:
    assert server_url(url) is None


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port on which nobody listens: bound, so that nobody else takes it meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def test_reason_is_the_systems(closed_port: int) -> None:
    with new_session("http://127.0.0.1") as session, pytest.raises(requests.ConnectionError) as e:
        session.get(f"http://127.0.0.1:{closed_port}/", timeout=5)
    assert system_reason(e.value) == "Connection refused"


def test_reason_without_words_is_the_kind_of_error() -> None:
    assert system_reason(ValueError()) == "ValueError"
    assert system_reason(ValueError("a  b\nc" + "x" * 500)) == ("a b c" + "x" * 195)


@pytest.mark.parametrize(
    ("url", "asks_proxy"),
    [
        ("http://127.0.0.1:1", False),
        ("http://localhost:1", False),
        ("http://[::1]:1", False),
        ("http://example.org", True),
        ("http://localhost.example.org", True),
    ],
)
def test_no_proxy_stands_before_this_machine(url: str, asks_proxy: bool) -> None:
    with new_session(url) as session:
        assert session.trust_env is asks_proxy


@pytest.mark.parametrize("kept", [False, True])
def test_cookies_are_kept_when_asked_for(kept: bool) -> None:
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    heard: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.headers.get("Cookie"))
            self.send_response(200)
            self.send_header("Set-Cookie", "server=7")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/"
    with new_session(url, cookies=kept) as session:
        session.get(url, timeout=5)
        session.get(url, timeout=5)
    server.shutdown()
    server.server_close()
    thread.join()
    assert heard == [None, "server=7" if kept else None]
