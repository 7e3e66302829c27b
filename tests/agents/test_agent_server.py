"""The agent server as a client of any kind meets it, over real sockets."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from abotn import __version__
from abotn.agents import Observation, StraightLineAgent
from abotn.agents.conversation import observation_values
from abotn.agents.messages import MESSAGE_TYPE, SentArrays, pack, unpack
from abotn.agents.server import AgentServer
from abotn.errors import AgentError, ConfigError

Serve = Callable[..., AgentServer]


def ask(
    server: AgentServer, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
    if body is not None:
        headers = {"Content-Type": MESSAGE_TYPE, **headers}
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def opened(server: AgentServer) -> str:
    status, _, content = ask(server, "POST", "/sessions", b"")
    assert status == 200, content
    return f"/sessions/{json.loads(content)['session']}"


def tell(server: AgentServer, path: str, **values: Any) -> tuple[int, dict[str, Any]]:
    status, headers, content = ask(server, "POST", path, pack(values))
    if headers["Content-Type"] == MESSAGE_TYPE:
        return status, unpack(content)
    return status, json.loads(content)


def seen(say: str | None = None, front: int = 3) -> dict[str, Any]:
    return observation_values(
        Observation(
            images={"front": np.full((4, 5, 3), front, dtype=np.uint8)},
            target_position=np.array([1.0, 0.0]),
            distance_to_goal=1.0,
            position=np.zeros(3),
            rotation=np.eye(4),
            heading=0.0,
            step_count=0,
            extra={"say": say},
        )
    )


def predicted(server: AgentServer, session: str, call: int, **what: Any) -> dict[str, Any]:
    path = f"{session}/predict"
    status, values = tell(server, path, call=call, observation=seen(**what))
    assert status == 200, values
    extra: dict[str, Any] = values["prediction"]["extra"]
    return extra


def error_in(content: bytes | dict[str, Any]) -> str:
    document = json.loads(content) if isinstance(content, bytes) else content
    message = document["error"]
    assert isinstance(message, str)
    assert message
    assert "\n" not in message
    assert "Traceback" not in message
    return message


def test_it_says_what_it_serves(serve: Serve) -> None:
    server = serve(config={"mood": "fine"})
    status, headers, content = ask(server, "GET", "/agent")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    found = json.loads(content)
    assert found.pop("path").endswith(":Talker")
    assert found == {
        "format": "abotn-agent", "version": 1, "abotn": __version__, "name": "Talker",
        "config": {"mood": "fine"}, "needs": ["meta_data"], "waypoint_frame": "right_front",
        "poi_only": False,
    }  # fmt: skip
    assert ask(server, "GET", "/ping/?now=1")[0] == 200


def test_a_session_resets_and_predicts(serve: Serve) -> None:
    server = serve()
    session = opened(server)
    assert tell(server, f"{session}/reset", call=1, seed=7) == (200, {})
    status, values = tell(server, f"{session}/predict", call=2, observation=seen())
    assert status == 200
    assert values["prediction"]["waypoint"].tolist() == [1.0, 0.5]
    extra = values["prediction"]["extra"]
    assert (extra["calls"], extra["seeds"], extra["sum"]) == (1, [7], 3 * 60)
    assert ask(server, "DELETE", session)[0] == 200
    status, values = tell(server, f"{session}/predict", call=3, observation=seen())
    assert status == 404
    assert "no such session" in error_in(values)


def test_an_agent_without_a_seed_is_just_reset(serve: Serve) -> None:
    server = serve(StraightLineAgent)
    session = opened(server)
    assert tell(server, f"{session}/reset", call=1, seed=7)[0] == 200
    assert tell(server, f"{session}/reset", call=2, seed=None)[0] == 200
    assert tell(server, f"{session}/predict", call=3, observation=seen())[0] == 200


def test_each_session_has_an_agent_of_its_own_in_a_thread_of_its_own(
    serve: Serve, talkers: list[Any]
) -> None:
    server = serve()
    assert len(talkers) == 1
    first, second = opened(server), opened(server)
    assert len(talkers) == 2
    found = [
        predicted(server, session, call)
        for call, session in enumerate([first, second, first, first, second])
    ]
    assert [(extra["number"], extra["calls"]) for extra in found] == [
        (0, 1), (1, 1), (0, 2), (0, 3), (1, 2)
    ]  # fmt: skip
    assert all(extra["at_home"] for extra in found)
    assert len({agent.home for agent in talkers}) == 2


def test_a_request_that_comes_again_reaches_the_agent_once(serve: Serve) -> None:
    server = serve()
    session = opened(server)
    assert [predicted(server, session, call)["calls"] for call in (5, 5, 5, 6)] == [1, 1, 1, 2]
    for _ in range(2):
        status, values = tell(server, f"{session}/predict", call=7, observation=seen("raise"))
        assert (status, error_in(values)) == (500, "ValueError: the model said no")
    assert predicted(server, session, 8)["calls"] == 4


def test_arrays_are_held_until_the_next_reset(serve: Serve) -> None:
    server, sent = serve(), SentArrays()
    session = opened(server)
    occ_map = np.full(9000, 255, dtype=np.uint8)
    occ_map.setflags(write=False)

    def shown(call: int) -> int:
        observation = seen()
        observation["fields"]["occ_map"] = occ_map
        message = pack({"call": call, "observation": observation}, sent=sent)
        return ask(server, "POST", f"{session}/predict", message)[0]

    assert (shown(1), shown(2)) == (200, 200)
    assert tell(server, f"{session}/reset", call=3, seed=None)[0] == 200
    assert shown(4) == 400
    sent.clear()
    assert (shown(5), shown(6)) == (200, 200)


@pytest.mark.parametrize(
    ("say", "message"),
    [
        ("raise", "ValueError: the model said no"),
        ("exit", "SystemExit: bye"),
        ("none", "predict() returned a NoneType, expected a WaypointPrediction"),
    ],
)
def test_what_the_agent_does_wrong_is_told_and_the_session_goes_on(
    serve: Serve, say: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    server = serve()
    session = opened(server)
    status, values = tell(server, f"{session}/predict", call=1, observation=seen(say))
    assert (status, values["stage"]) == (500, "agent")
    assert message in error_in(values)
    assert predicted(server, session, 2)["calls"] == 2
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1
    assert message in lines[0]
    if say in ("raise", "exit"):
        assert "conftest.py:" in lines[0]


def test_what_cannot_travel_in_extra_is_left_out_with_a_note(
    serve: Serve, capfd: pytest.CaptureFixture[str]
) -> None:
    server = serve()
    session = opened(server)
    for call in (1, 2):
        status, values = tell(server, f"{session}/predict", call=call, observation=seen("stranger"))
        assert status == 200
        assert values["prediction"]["extra"] == {"b": "kept"}
        assert values["prediction"]["waypoint"].tolist() == [0.0, 0.0]
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "left out: prediction.extra.a: a object cannot travel (numbers, texts" in lines[0]


def test_a_session_that_is_given_up_keeps_nobody_waiting(serve: Serve, talkers: list[Any]) -> None:
    server = serve()
    first, second, third = opened(server), opened(server), opened(server)
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(predicted, server, first, 1, say="hang")
        assert talkers[0].entered.wait(20)
        queued = pool.submit(tell, server, f"{second}/predict", call=1, observation=seen())
        time.sleep(0.1)
        assert not queued.done()
        assert ask(server, "DELETE", second)[0] == 200
        assert "closed" in error_in(queued.result(20)[1])
        assert ask(server, "DELETE", first)[0] == 200
        assert predicted(server, third, 1)["number"] == 2
        assert not slow.done()
        assert talkers[1].calls == 0
        talkers[0].wait.set()
        assert slow.result(20)["number"] == 0
    assert predicted(server, third, 2)["number"] == 2


def test_no_more_sessions_than_allowed(serve: Serve) -> None:
    server = serve(max_sessions=2)
    first, _ = opened(server), opened(server)
    status, _, content = ask(server, "POST", "/sessions", b"")
    assert status == 503
    assert "all 2 sessions are taken" in error_in(content)
    assert "--max-sessions" in error_in(content)
    ask(server, "DELETE", first)
    opened(server)


def test_an_idle_session_ends_and_a_used_one_does_not(serve: Serve) -> None:
    server = serve(idle_seconds=1.0)
    idle, used = opened(server), opened(server)
    deadline = time.monotonic() + 20
    call = 0
    while server.sessions.count == 2 and time.monotonic() < deadline:
        call += 1
        predicted(server, used, call)
    assert server.sessions.count == 1
    assert predicted(server, used, call + 1)["calls"] == call + 1
    assert tell(server, f"{idle}/predict", call=1, observation=seen())[0] == 404


def test_agents_take_turns_unless_they_may_work_at_the_same_time(
    serve: Serve, talkers: list[Any]
) -> None:
    for parallel in (False, True):
        talkers.clear()
        server = serve(parallel=parallel)
        first, second = opened(server), opened(server)
        with ThreadPoolExecutor(2) as pool:
            slow = pool.submit(predicted, server, first, 1, say="hang")
            assert talkers[0].entered.wait(20)
            quick = pool.submit(predicted, server, second, 1)
            if parallel:
                assert quick.result(20)["calls"] == 1
                assert not slow.done()
            else:
                time.sleep(0.2)
                assert not quick.done()
            talkers[0].wait.set()
            assert (slow.result(20)["number"], quick.result(20)["number"]) == (0, 1)


def test_an_agent_that_hangs_keeps_its_place_until_it_answers(
    serve: Serve, talkers: list[Any]
) -> None:
    server = serve(max_sessions=1, idle_seconds=0.05)
    session = opened(server)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(predicted, server, session, 1, say="hang")
        assert talkers[0].entered.wait(20)
        time.sleep(0.2)
        assert server.sessions.count == 1
        assert ask(server, "DELETE", session)[0] == 200
        assert ask(server, "POST", "/sessions", b"")[0] == 503
        talkers[0].wait.set()
        assert slow.result(20)["calls"] == 1
    deadline = time.monotonic() + 20
    while ask(server, "POST", "/sessions", b"")[0] == 503 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(talkers) == 2


def test_a_session_that_ends_under_a_request_answers_it(serve: Serve, talkers: list[Any]) -> None:
    server = serve()
    session = opened(server)
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(predicted, server, session, 1, say="hang")
        assert talkers[0].entered.wait(20)
        path = f"{session}/predict"
        late = pool.submit(tell, server, path, call=2, observation=seen())
        time.sleep(0.1)
        ask(server, "DELETE", session)
        talkers[0].wait.set()
        slow.result(20)
        status, values = late.result(20)
    assert (status, error_in(values)) == (500, "the session was closed")


@pytest.mark.parametrize(
    ("action", "content", "message"),
    [
        ("reset", b"", "expected a line of JSON"),
        ("reset", pack({}), "call: expected a whole number, got None"),
        ("reset", pack({"call": True}), "call: expected a whole number"),
        ("reset", pack({"call": 1, "seed": "x"}), "seed: expected a whole number or null, got 'x'"),
        ("predict", pack({"call": 1}), "observation: no observation"),
        ("predict", pack({"call": 1, "observation": {"task_type": "walk", "fields": {}}}), "walk"),
        ("predict", pack({"call": 1, "observation": 3}), "observation: no observation"),
        ("predict", b'{"values": {}, "parts": [7]}\n', "part 0"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_in_a_line(
    serve: Serve, action: str, content: bytes, message: str
) -> None:
    server = serve()
    session = opened(server)
    status, headers, answer = ask(server, "POST", f"{session}/{action}", content)
    assert (status, headers["Content-Type"]) == (400, "application/json")
    assert message in error_in(answer)
    assert predicted(server, session, 9)["calls"] == 1


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/sessions", 404),
        ("GET", "/sessions/ab/predict", 405),
        ("POST", "/sessions/ab", 405),
        ("DELETE", "/sessions/ab/reset", 405),
        ("POST", "/sessions/ab/predict", 404),
        ("POST", "/sessions/../agent", 404),
        ("POST", "/agent", 404),
        ("PUT", "/agent", 501),
        ("OPTIONS", "/sessions", 501),
    ],
)
def test_other_paths_and_methods_are_refused(
    serve: Serve, method: str, path: str, status: int
) -> None:
    body = pack({}) if method in ("POST", "PUT") else None
    found, _, content = ask(serve(), method, path, body)
    assert found == status
    error_in(content)


def test_a_web_page_cannot_reach_it(serve: Serve) -> None:
    server = serve()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        status, headers, _ = ask(server, "POST", "/sessions", b"", **{"Content-Type": kind})
        assert status == 415
        assert "Access-Control-Allow-Origin" not in headers
    assert server.sessions.count == 0


def test_a_length_is_needed_and_bounded(serve: Serve) -> None:
    server = serve()
    large = ask(server, "POST", "/sessions", b"", **{"Content-Length": "999999999999"})
    assert (large[0], large[1]["Connection"]) == (413, "close")
    assert ask(server, "POST", "/sessions", b"", **{"Content-Length": "-1"})[0] == 411


def test_a_client_that_goes_away_leaves_no_trace(
    serve: Serve, capfd: pytest.CaptureFixture[str]
) -> None:
    server = serve()
    address = urlsplit(server.url)
    for _ in range(3):
        with socket.create_connection((address.hostname, address.port), timeout=30) as raw:
            raw.sendall(b"POST /sessions HTTP/1.1\r\nContent-Length: 500\r\n\r\n{")
    assert ask(server, "GET", "/ping")[0] == 200
    assert capfd.readouterr().err == ""


def test_an_agent_that_cannot_be_made_is_refused_and_the_port_is_free_again(
    serve: Serve, talkers: list[Any]
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for _ in range(2):
        with pytest.raises(AgentError, match="could not be made: RuntimeError: no CUDA device"):
            serve(config={"mood": "bad"}, port=port)
    serve(port=port)


def test_a_later_agent_that_cannot_be_made_takes_no_place(serve: Serve) -> None:
    server = serve(max_sessions=2)
    opened(server)
    server.sessions._make = lambda: (_ for _ in ()).throw(AgentError("out of memory"))  # type: ignore[assignment]
    for _ in range(3):
        status, _, content = ask(server, "POST", "/sessions", b"")
        assert (status, error_in(content)) == (500, "out of memory")


@pytest.mark.parametrize("options", [{"max_sessions": 0}, {"idle_seconds": 0.0}])
def test_numbers_out_of_range_are_refused(serve: Serve, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="agent server: expected"):
        serve(**options)


def test_a_port_that_is_taken_is_refused_before_the_agent_is_made(
    serve: Serve, talkers: list[Any]
) -> None:
    port = urlsplit(serve().url).port
    with pytest.raises(ConfigError, match=rf"127.0.0.1:{port}: cannot listen: .* in use"):
        serve(port=port)
    assert len(talkers) == 1


def test_closing_ends_the_threads_of_the_agents(serve: Serve) -> None:
    before = set(threading.enumerate())
    server = AgentServer(StraightLineAgent, port=0)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    opened(server)
    opened(server)
    server.shutdown()
    server.server_close()
    deadline = time.monotonic() + 20
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not set(threading.enumerate()) - before
