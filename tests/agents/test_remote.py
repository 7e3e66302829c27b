"""The client of an agent server, with a real server and with one that misbehaves."""

from __future__ import annotations

import json
import pickle
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from abotn.agents import Observation, StraightLineAgent
from abotn.agents.agent_connection import checked_url, is_agent_url
from abotn.agents.description import AgentDescription, describe, description_from
from abotn.agents.messages import MESSAGE_TYPE, pack
from abotn.agents.remote import RemoteAgent, let_go, remote_settings, served_agent
from abotn.agents.server import AgentServer
from abotn.errors import AgentError, ConfigError, DataError, UnknownNameError

Serve = Callable[..., AgentServer]
Answer = tuple[int, str, bytes]


def seen(say: str | None = None, **fields: Any) -> Observation:
    rows, columns = np.mgrid[0:64, 0:80]
    picture = np.stack([rows * 3, columns * 3, rows + columns], axis=-1).astype(np.uint8)
    values: dict[str, Any] = {
        "images": {"front": picture}, "target_position": np.array([1.0, 0.0]),
        "distance_to_goal": 1.0, "position": np.zeros(3), "rotation": np.eye(4), "heading": 0.0,
        "step_count": 0, "extra": {"say": say}, **fields,
    }  # fmt: skip
    return Observation(**values)


class Scripted(ThreadingHTTPServer):
    """Opens a session, then answers each request as the script says, the last for ever."""

    daemon_threads = True

    def __init__(self, answers: list[Any]) -> None:
        self.answers = answers
        self.paths: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Scripted

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def do_DELETE(self) -> None:
        self.reply(200, "application/json", b"{}")

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.server.paths.append(self.path)
        if self.path == "/sessions":
            self.reply(200, "application/json", b'{"session": "ab"}')
            return
        script = self.server.answers
        answer = script.pop(0) if len(script) > 1 else script[0]
        answer(self) if callable(answer) else self.reply(*answer)

    def reply(self, status: int, kind: str, body: bytes, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Stay silent."""


@pytest.fixture
def scripted() -> Iterator[Callable[..., Scripted]]:
    running: list[Scripted] = []

    def start(*answers: Any) -> Scripted:
        server = Scripted(list(answers))
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        running.append(server)
        return server

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


GOOD = (200, MESSAGE_TYPE, pack({"prediction": {"waypoint": [1.0, 2.0]}}))


def hang_up(handler: _Handler) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def cut_short(handler: _Handler) -> None:
    handler.reply(200, MESSAGE_TYPE, GOOD[2][:20], len(GOOD[2]))
    handler.close_connection = True


def test_it_is_the_agent_that_is_served(serve: Serve) -> None:
    server = serve()
    with RemoteAgent(server.url + "/") as agent:
        assert agent.url == server.url
        agent.seed(3)
        agent.reset()
        prediction = agent.predict(seen())
        assert np.array_equal(prediction.waypoint, [1.0, 0.5])
        assert prediction.extra["seeds"] == [3]
        assert prediction.extra["sum"] == seen().images["front"].sum()
        agent.reset()
        assert agent.predict(seen()).extra["seeds"] == [3]
        assert server.sessions.count == 1
    assert server.sessions.count == 0
    agent.reset()
    assert agent.predict(seen()).extra["number"] == 1
    let_go(agent)
    let_go(StraightLineAgent())
    assert server.sessions.count == 0


def test_jpeg_is_near_and_raw_is_the_same(serve: Serve) -> None:
    server, exact = serve(), int(seen().images["front"].sum())
    with RemoteAgent(server.url) as raw, RemoteAgent(server.url, images="jpeg") as jpeg:
        sums = []
        for agent in (raw, jpeg):
            agent.reset()
            sums.append(agent.predict(seen()).extra["sum"])
    assert sums[0] == exact
    assert sums[1] != exact
    assert sums[1] == pytest.approx(exact, rel=0.01)


def test_maps_are_sent_once_a_task(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    occ_map = np.full((400, 500), 255, dtype=np.uint8)
    occ_map.setflags(write=False)
    sizes: list[int] = []
    with RemoteAgent(serve().url) as agent:
        ask = agent._connection.ask

        def measured(method: str, path: str, content: bytes | None, timeout: float) -> Any:
            sizes.append(len(content or b""))
            return ask(method, path, content, timeout)

        monkeypatch.setattr(agent._connection, "ask", measured)
        for _ in range(2):
            agent.reset()
            agent.predict(seen(occ_map=occ_map))
            agent.predict(seen(occ_map=occ_map))
    large = [size > occ_map.nbytes for size in sizes]
    assert large == [False, True, False, False, True, False, False]


def test_a_failure_of_the_agent_is_told_and_the_session_goes_on(serve: Serve) -> None:
    with RemoteAgent(serve().url) as agent:
        agent.reset()
        with pytest.raises(AgentError) as caught:
            agent.predict(seen("raise"))
        assert str(caught.value) == "ValueError: the model said no"
        with pytest.raises(AgentError) as caught:
            agent.predict(seen("none"))
        assert str(caught.value) == (
            "predict() returned a NoneType, expected a WaypointPrediction"
        )  # as without a server
        assert agent.predict(seen()).extra["calls"] == 3


def test_what_cannot_travel_is_told_and_reaches_nobody(serve: Serve) -> None:
    with RemoteAgent(serve().url) as agent:
        agent.reset()
        with pytest.raises(DataError, match=r"observation\.fields\.meta_data\.a: a object cannot"):
            agent.predict(seen(meta_data={"a": object()}))
        assert agent.predict(seen()).extra["calls"] == 1


def test_a_session_that_has_ended_is_replaced_at_the_next_reset(serve: Serve) -> None:
    server = serve()
    with RemoteAgent(server.url) as agent:
        agent.reset()
        server.sessions.close_all()
        with pytest.raises(AgentError, match="no such session; it was closed, or was idle"):
            agent.predict(seen())
        agent.seed(11)
        agent.reset()
        assert agent.predict(seen()).extra == {
            "number": 1, "calls": 1, "at_home": True, "seeds": [11],
            "sum": int(seen().images["front"].sum()),
        }  # fmt: skip


@pytest.mark.parametrize("parallel", [True, False])
def test_an_agent_that_takes_too_long_is_given_up(
    serve: Serve, talkers: list[Any], *, parallel: bool
) -> None:
    server = serve(parallel=parallel)
    with RemoteAgent(server.url, timeout=0.2) as agent:
        agent.timeout = 20.0
        agent.reset()
        agent.timeout = 0.2
        with pytest.raises(AgentError, match=r"127\.0\.0\.1:\d+: no answer within 0\.2 s"):
            agent.predict(seen("hang"))
        assert server.sessions.count == 0
        with pytest.raises(AgentError, match=r"no session \(call reset\(\) first\)"):
            agent.predict(seen())
        agent.timeout = 20.0
        agent.reset()
        assert agent.predict(seen()).extra["number"] == 1
        assert talkers[0].calls == 1


def test_too_many_sessions_are_refused(serve: Serve) -> None:
    server = serve(max_sessions=1)
    with RemoteAgent(server.url), pytest.raises(AgentError, match="all 1 sessions are taken"):
        RemoteAgent(server.url)


def test_nobody_at_the_url(dead_url: str) -> None:
    with pytest.raises(AgentError, match=r"http://127.0.0.1:\d+: Connection refused"):
        RemoteAgent(dead_url)
    with pytest.raises(ConfigError, match=r"no agent server answers: .*refused \(start one with"):
        served_agent(dead_url)


def test_a_server_that_stops_is_told(serve: Serve) -> None:
    server = serve()
    with RemoteAgent(server.url) as agent:
        agent.reset()
        server.shutdown()
        server.server_close()
        with pytest.raises(AgentError, match=r"refused|reset"):
            agent.predict(seen())
        with pytest.raises(AgentError, match=r"refused|reset"):
            agent.reset()


def test_a_broken_connection_is_tried_once_more(scripted: Callable[..., Scripted]) -> None:
    server = scripted(GOOD, hang_up, GOOD, cut_short, GOOD)
    with RemoteAgent(server.url) as agent:
        for _ in range(3):
            assert agent.predict(seen()).waypoint == [1.0, 2.0]
    assert server.paths == ["/sessions"] + ["/sessions/ab/predict"] * 5


def test_a_connection_that_keeps_breaking_is_told(scripted: Callable[..., Scripted]) -> None:
    server = scripted(hang_up)
    with RemoteAgent(server.url) as agent, pytest.raises(AgentError, match=r"127\.0\.0\.1"):
        agent.predict(seen())
    assert len(server.paths) == 3


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, "text/html", b"<p>hello"), "expected a message, got content type 'text/html'"),
        ((200, MESSAGE_TYPE, b"{}"), "expected a line of JSON"),
        ((200, MESSAGE_TYPE, pack({})), "the answer has no waypoint"),
        ((502, "text/html", b"bad gateway"), "status 502"),
        ((500, "application/json", b'{"error": "out of memory"}'), "out of memory"),
        ((302, "text/html", b""), "status 302"),
    ],
)
def test_an_answer_that_is_none_is_told(
    scripted: Callable[..., Scripted], answer: Answer, message: str
) -> None:
    with (
        RemoteAgent(scripted(answer).url) as agent,
        pytest.raises((AgentError, DataError)) as caught,
    ):
        agent.predict(seen())
    assert message in str(caught.value)


def test_the_description_arrives_whole(serve: Serve) -> None:
    server = serve(config={"mood": "fine"})
    found = served_agent(server.url)
    assert found == server.description
    assert (found.name, found.needs, found.waypoint_frame) == (
        "Talker", ("meta_data",), "right_front"
    )  # fmt: skip
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": None}, "expected an agent server, got format None"),
        ({"version": 2}, "expected version 1, got 2 (use the same version of abotn on both sides)"),
        ({"name": ""}, "no name, path and config"),
        ({"config": []}, "no name, path and config"),
        ({"needs": ["wings"]}, "needs wings"),
        ({"waypoint_frame": "up_down"}, "unknown waypoint frame 'up_down'"),
    ],
)
def test_a_description_that_makes_no_sense_is_refused(
    scripted: Callable[..., Scripted], change: dict[str, Any], message: str
) -> None:
    document = describe(StraightLineAgent, {"step_length": 1.0}).to_dict()
    assert description_from(document) == AgentDescription(
        "StraightLineAgent", "abotn.agents.baselines:StraightLineAgent", {"step_length": 1.0}
    )
    body = json.dumps({**document, **change}).encode()
    url = scripted((200, "application/json", body)).url
    with pytest.raises(ConfigError) as caught:
        served_agent(url)
    assert str(caught.value).startswith(f"agent {url}: no agent server answers: ")
    assert message in str(caught.value)


def test_another_kind_of_server_is_told_apart(scripted: Callable[..., Scripted]) -> None:
    for answer in ((200, "text/html", b"<p>hello"), (404, "text/html", b"no")):
        with pytest.raises(ConfigError, match="no agent server answers"):
            served_agent(scripted(answer).url)


@pytest.mark.parametrize(
    "url", ["http://", "http://a:b", "http://a:0", "ftp://a", "a:1", "http://a?b=1", "http://a#b"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="expected a URL such as http://localhost:7037"):
        checked_url(url)


def test_urls_are_told_from_classes() -> None:
    assert is_agent_url("HTTPS://box:1/agents")
    assert not is_agent_url("abotn.agents:PlannerAgent")
    assert not is_agent_url(StraightLineAgent)
    assert checked_url("https://box:1/agents/") == "https://box:1/agents"


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"step_length": 2}, ConfigError, "'step_length' is no setting of a remote agent"),
        ({"timeout": 0}, ConfigError, "timeout: expected more than 0 seconds, got 0"),
        ({"start_timeout": "x"}, ConfigError, "start_timeout: expected more than 0"),
        ({"images": "png"}, UnknownNameError, "unknown encoding of images 'png'"),
    ],
)
def test_settings_are_checked(
    serve: Serve, settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        remote_settings(settings)
    assert message in str(caught.value)
    if "step_length" not in settings:
        with pytest.raises(error):
            RemoteAgent("http://127.0.0.1:9", **settings)


def test_settings_that_change_nothing_are_left_out() -> None:
    assert remote_settings({"images": "raw", "timeout": 3}) == {"timeout": 3}
    assert remote_settings({"images": "jpeg"}) == {"images": "jpeg"}
