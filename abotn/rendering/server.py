"""A render server: the published protocol over HTTP, answered by the embedded renderer."""

from __future__ import annotations

import os
import socket
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from abotn.errors import AbotnError, ConfigError, RenderFailureError, UnknownNameError
from abotn.json_files import dump_json, parse_json
from abotn.rendering.answer import JSON_TYPE
from abotn.rendering.request import RenderRequest
from abotn.rendering.scene_views import SceneViews

RENDER_PATH = "/render_gs"
PING_PATH = "/ping"

_LONGEST_REQUEST = 1 << 16
_IDLE_SECONDS = 120
_METHODS = {RENDER_PATH: "POST", PING_PATH: "GET"}


class RenderServer(ThreadingHTTPServer):
    """Serves the scenes of a folder until ``shutdown`` is called from another thread.

    Args:
        data_dir: Folder of the scenes.
        map_dir: Folder of the maps, when they are kept apart.
        host: Address to listen at; only this machine can reach the default.
        port: TCP port; 0 takes a free one.

    Raises:
        DataError: A folder is missing, or the data folder holds no scenes.
        ConfigError: Nothing can listen there.

    Example:
        >>> with RenderServer("scenes", port=0) as server:  # doctest: +SKIP
        ...     server.serve_forever()
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        data_dir: str | os.PathLike[str],
        map_dir: str | os.PathLike[str] | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 7036,
    ) -> None:
        self.views = SceneViews(data_dir, map_dir)
        self._sockets: set[Any] = set()
        self._sockets_lock = threading.Lock()
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

    @property
    def url(self) -> str:
        """URL of the render endpoint."""
        host, port = str(self.server_address[0]), self.server_address[1]
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{port}{RENDER_PATH}"

    def server_bind(self) -> None:
        """Bind without the look-up of the host's name, which can take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def server_close(self) -> None:
        """Stop listening and cut the connections that are open."""
        super().server_close()
        with self._sockets_lock:
            for connection in self._sockets:
                _cut(connection)

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
            _complain(error)


class _Refusal(Exception):  # noqa: N818 - an answer, not an error of this program
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "abotn"
    sys_version = ""
    timeout = _IDLE_SECONDS
    # Headers and body leave in one packet, and none waits for an acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: RenderServer

    def do_GET(self) -> None:
        self._respond()

    def do_POST(self) -> None:
        self._respond()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        self.close_connection = True
        self._send(code, JSON_TYPE, _error_body(message or "bad request"))

    def log_message(self, format: str, *arguments: Any) -> None:
        """Stay silent; a line per image would drown the errors."""

    def _respond(self) -> None:
        try:
            status, content_type, content = self._answer()
        except _Refusal as refusal:
            status, content_type, content = refusal.status, JSON_TYPE, _error_body(str(refusal))
        self._send(status, content_type, content)

    def _answer(self) -> tuple[int, str, bytes]:
        posted = self._posted()
        path = self.path.partition("?")[0].rstrip("/")
        if path not in _METHODS:
            raise _Refusal(404, f"no such path; there are {' and '.join(_METHODS)}")
        if self.command != _METHODS[path]:
            raise _Refusal(405, f"expected {_METHODS[path]} {path}, got {self.command}")
        if path == PING_PATH:
            return 200, JSON_TYPE, dump_json({"status": "ok"})
        return 200, *self._rendered(posted)

    def _posted(self) -> bytes:
        length = self.headers.get("Content-Length", "" if self.command == "POST" else "0")
        chunked = "Transfer-Encoding" in self.headers
        if chunked or not (length.isascii() and length.isdigit()):
            self.close_connection = True
            raise _Refusal(411, "expected a Content-Length")
        if int(length) > _LONGEST_REQUEST:
            self.close_connection = True
            raise _Refusal(413, f"expected at most {_LONGEST_REQUEST} bytes, got {length}")
        return self.rfile.read(int(length))

    def _rendered(self, posted: bytes) -> tuple[str, bytes]:
        try:
            request = RenderRequest.from_dict(parse_json(posted, "request"))
        except AbotnError as error:
            raise _Refusal(400, str(error)) from error
        try:
            return self.server.views.answer(request)
        except UnknownNameError as error:
            raise _Refusal(404, str(error)) from error
        except (ConfigError, RenderFailureError) as error:
            raise _Refusal(400, str(error)) from error
        except AbotnError as error:
            raise _Refusal(500, str(error)) from error
        except Exception as error:
            _complain(error)
            raise _Refusal(500, f"the renderer failed: {type(error).__name__}") from error

    def _send(self, status: int, content_type: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()


def _error_body(message: str) -> bytes:
    line = " ".join(message.encode("utf-8", "replace").decode("utf-8").split())
    return dump_json({"error": line})


def _complain(error: BaseException | None) -> None:
    print(f"error: {type(error).__name__}: {' '.join(str(error).split())}", file=sys.stderr)


def _cut(connection: Any) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
