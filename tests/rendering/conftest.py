"""A dataset on disk, a render server over it, and a server that answers what a test tells it."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abotn.geometry.map_geometry import MapGeometry
from abotn.rendering.server import RenderServer
from abotn.scenes.task import Task
from abotn.scenes.writer import write_scene

GEOMETRY = MapGeometry.from_corners((0, 8), (10, 8), (0, 0), 100, 80)


def room(*, gap: int) -> np.ndarray:
    """10 m by 8 m at 0.1 m, with walls around and one from (5, 0) up to the gap."""
    free = np.zeros((80, 100), dtype=bool)
    free[2:78, 2:98] = True
    free[gap:78, 50:54] = False
    free[20:26, 15:30] = False
    return free


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenes ``room`` with a height map, and ``hall`` without one."""
    root = tmp_path_factory.mktemp("data")
    pose = {"x": 2.0, "y": 2.0, "z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": 0.0}
    tasks = [Task("traj_0", [pose, {**pose, "x": 4.0}], {})]
    height = np.full((80, 100), 0.25, dtype=np.float32)
    write_scene(root / "room", tasks=tasks, free=room(gap=30), geometry=GEOMETRY, height_map=height)
    write_scene(root / "hall", tasks=tasks, free=room(gap=60), geometry=GEOMETRY)
    return root


@pytest.fixture
def served() -> Iterator[Callable[..., Any]]:
    """Run servers in threads until the test ends."""
    running: list[tuple[Any, threading.Thread]] = []

    def serve(server: Any) -> Any:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        running.append((server, thread))
        return server

    yield serve
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def render_server(dataset: Path, served: Callable[..., Any]) -> RenderServer:
    """The real server over the dataset, on a free port."""
    server: RenderServer = served(RenderServer(dataset, port=0))
    return server


class ScriptedServer(ThreadingHTTPServer):
    """Answers request ``k`` with the ``k``-th answer, and all further ones with the last.

    An answer is ``(status, headers, body)``, or a function of the handler that writes what it
    wants.
    """

    # Its end waits for the handlers, so that no socket outlives its test.
    daemon_threads = False

    def __init__(self, answers: list[Any]) -> None:
        self.answers = answers
        self.requests: list[dict[str, Any]] = []
        self.connections = 0
        self._lock = threading.Lock()
        self._sockets: set[Any] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/render_gs"

    def next_answer(self, request: dict[str, Any]) -> Any:
        with self._lock:
            self.requests.append(request)
            return self.answers[min(len(self.requests), len(self.answers)) - 1]

    def get_request(self) -> Any:
        self.connections += 1
        accepted = super().get_request()
        self._sockets.add(accepted[0])
        return accepted

    def server_close(self) -> None:
        for connection in self._sockets:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what many tests want."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ScriptedServer

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.request = json.loads(self.rfile.read(length))
        answer = self.server.next_answer(self.request)
        if callable(answer):
            answer(self)
        else:
            self.reply(*answer)

    def do_GET(self) -> None:
        self.server.requests.append({"path": self.path})
        self.reply(*self.server.answers[0])

    def reply(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def reset(self) -> None:
        """Close so that the other side sees a reset, not an end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.rfile.close()
        self.connection.close()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Stay silent."""


@pytest.fixture
def scripted(served: Callable[..., Any]) -> Callable[..., ScriptedServer]:
    """Start a server with a script: ``scripted(answer, answer, ...)``."""

    def start(*answers: Any) -> ScriptedServer:
        server: ScriptedServer = served(ScriptedServer(list(answers)))
        return server

    return start


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, which are noted and not made."""
    noted: list[float] = []
    monkeypatch.setattr("abotn.rendering.http.time.sleep", noted.append)
    return noted


@pytest.fixture
def dead_url() -> str:
    """URL of a port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/render_gs"
