"""An agent server: an agent's class over HTTP, so that the agent can live elsewhere than the run.

| request | answer |
| --- | --- |
| ``GET /ping`` | that the server is there |
| ``GET /agent`` | the agent's description |
| ``POST /sessions`` | a new session, with an agent of its own |
| ``POST /sessions/{id}/reset`` | nothing, after ``seed`` and ``reset`` |
| ``POST /sessions/{id}/predict`` | the prediction for an observation |
| ``DELETE /sessions/{id}`` | nothing, after the session has ended |
"""

from __future__ import annotations

import re
import socket
import socketserver
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from abotn.agents.description import describe
from abotn.agents.messages import MESSAGE_TYPE
from abotn.agents.sessions import JSON_TYPE, AgentSessions, Answer, Refusal
from abotn.errors import AgentError, ConfigError, error_text, text_of
from abotn.json_files import dump_json

_LONGEST_REQUEST = 1 << 29
_IDLE_CONNECTION_SECONDS = 600
_ACTION = re.compile(r"/sessions/([0-9a-f]{1,64})(?:/(reset|predict))?")


class AgentServer(ThreadingHTTPServer):
    """Serves an agent until ``shutdown`` is called from another thread.

    Args:
        agent_class: The agent's class.
        config: Its keyword arguments.
        host: Address to listen at; only this machine can reach the default.
        port: TCP port; 0 takes a free one.
        max_sessions: Largest number of sessions at the same time; each has an agent.
        idle_seconds: Seconds without a request after which a session ends.
        parallel: Whether agents of several sessions may be called at the same time; they share
            this process and its global state.

    Raises:
        AgentError: the agent cannot be made.
        ConfigError: nothing can listen there, or a number is out of range.

    Example:
        >>> with AgentServer(MyAgent, port=0) as server:  # doctest: +SKIP
        ...     server.serve_forever()
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        agent_class: type[Any],
        config: Mapping[str, Any] | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 7037,
        max_sessions: int = 8,
        idle_seconds: float = 300.0,
        parallel: bool = False,
    ) -> None:
        if max_sessions < 1 or not idle_seconds > 0:
            raise ConfigError(
                f"expected at least one session and some seconds, got {max_sessions} and "
                f"{idle_seconds:g}",
                where="agent server",
            )
        self.description = describe(agent_class, config or {})
        self._sockets: set[Any] = set()
        self._sockets_lock = threading.Lock()
        self.sessions = AgentSessions(
            agent_class,
            dict(config or {}),
            limit=max_sessions,
            idle_seconds=idle_seconds,
            parallel=parallel,
        )
        self._listen(host, port)
        try:
            self.sessions.prepare()
        except BaseException:
            self.server_close()
            raise

    @property
    def url(self) -> str:
        """URL for ``abotn run --agent``."""
        host, port = str(self.server_address[0]), self.server_address[1]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def server_bind(self) -> None:
        """Bind without the look-up of the host's name, which can take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def server_close(self) -> None:
        """Stop listening, cut the connections that are open and end the sessions."""
        super().server_close()
        with self._sockets_lock:
            for connection in self._sockets:
                _cut(connection)
        self.sessions.close_all()

    def service_actions(self) -> None:
        """End idle sessions; called between requests."""
        self.sessions.end_idle()

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Serve one connection."""
        with self._sockets_lock:
            self._sockets.add(request)
        try:
            super().finish_request(request, client_address)
        finally:
            with self._sockets_lock:
                self._sockets.discard(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say in one line what went wrong, unless the client went away."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError | TimeoutError):
            complain("unknown" if error is None else error_text(error))

    def _listen(self, host: str, port: int) -> None:
        if ":" in host:
            self.address_family = socket.AF_INET6
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ConfigError(
                f"cannot listen: {reason}",
                where=f"{host}:{port}",
                hint="--port 0 takes a free port",
            ) from error


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "abotn"
    sys_version = ""
    timeout = _IDLE_CONNECTION_SECONDS
    # Headers and body leave in one packet, and none waits for an acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: AgentServer

    def do_GET(self) -> None:
        self._respond()

    def do_POST(self) -> None:
        self._respond()

    def do_DELETE(self) -> None:
        self._respond()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        self.close_connection = True
        self._send(_refused(code, message or "bad request"))

    def log_message(self, format: str, *arguments: Any) -> None:
        """Stay silent; a line per step would drown the errors."""

    def _respond(self) -> None:
        try:
            answer = self._answer(self._posted())
        except Refusal as refusal:
            answer = _refused(refusal.status, text_of(refusal))
        except AgentError as error:
            answer = _refused(500, text_of(error))._replace(complaint=text_of(error))
        if answer.complaint:
            complain(answer.complaint)
        self._send(answer)

    def _answer(self, posted: bytes) -> Answer:
        path = self.path.partition("?")[0].rstrip("/")
        sessions, request = self.server.sessions, f"{self.command} {path}"
        if request == "GET /ping":
            return _document({"status": "ok"})
        if request == "GET /agent":
            return _document(self.server.description.to_dict())
        if request == "POST /sessions":
            return _document({"session": sessions.open()})
        found = _ACTION.fullmatch(path)
        if found is None:
            raise Refusal(404, f"there is nothing at {request}")
        name, action = found.groups()
        if self.command == "POST" and action is not None:
            return sessions.call(name, action, posted)
        if self.command == "DELETE" and action is None:
            sessions.close(name)
            return _document({})
        raise Refusal(405, f"{self.command} is not for {path}")

    def _posted(self) -> bytes:
        length = self.headers.get("Content-Length", "" if self.command == "POST" else "0")
        chunked = "Transfer-Encoding" in self.headers
        if chunked or not (length.isascii() and length.isdigit() and len(length) < 20):
            self.close_connection = True
            raise Refusal(411, "expected a Content-Length")
        if int(length) > _LONGEST_REQUEST:
            self.close_connection = True
            raise Refusal(413, f"expected at most {_LONGEST_REQUEST} bytes, got {length}")
        posted = self.rfile.read(int(length))
        # A type that no web page can send unasked, so that none can reach a server on loopback.
        if self.command == "POST" and self.headers.get("Content-Type") != MESSAGE_TYPE:
            raise Refusal(415, f"expected content type {MESSAGE_TYPE}")
        return posted

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer.content)
        self.wfile.flush()


def complain(line: str) -> None:
    """Print one line on stderr."""
    print(f"error: {text_of(line)}", file=sys.stderr, flush=True)


def _document(content: Mapping[str, Any]) -> Answer:
    return Answer(200, JSON_TYPE, dump_json(content))


def _refused(status: int, message: str) -> Answer:
    return Answer(status, JSON_TYPE, dump_json({"error": text_of(message)}))


def _cut(connection: Any) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
