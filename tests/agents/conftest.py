"""Agents for a server, and servers that run in threads until the test ends."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from abotn.agents import BasePointGoalAgent, WaypointPrediction
from abotn.agents.server import AgentServer


class Talker(BasePointGoalAgent):
    """Says who it is, how often it was called and by which thread; does what ``step`` asks for."""

    made: list[Talker] = []  # noqa: RUF012
    needs = ("meta_data",)
    waypoint_frame = "right_front"

    def __init__(self, mood: str = "fine") -> None:
        if mood == "bad":
            raise RuntimeError("no CUDA device")
        self.home = threading.get_ident()
        self.number = len(Talker.made)
        self.seeds: list[int] = []
        self.calls = 0
        self.wait, self.entered = threading.Event(), threading.Event()
        Talker.made.append(self)

    def seed(self, seed: int) -> None:
        self.seeds.append(seed)

    def reset(self) -> None:
        self.calls = 0

    def predict(self, observation: Any) -> Any:
        self.calls += 1
        said = observation.extra.get("say")
        if said == "raise":
            raise ValueError("the model\nsaid no")
        if said == "exit":
            sys.exit("bye")
        if said == "none":
            return None
        if said == "stranger":
            return WaypointPrediction(np.zeros(2), extra={"a": object(), "b": "kept"})
        if said == "hang":
            self.entered.set()
            self.wait.wait(30)
        at_home = threading.get_ident() == self.home
        extra = {"number": self.number, "calls": self.calls, "at_home": at_home,
                 "seeds": self.seeds, "sum": int(observation.images["front"].sum())}  # fmt: skip
        return WaypointPrediction(np.array([1.0, 0.5]), extra=extra)


@pytest.fixture
def serve() -> Iterator[Callable[..., AgentServer]]:
    """Start an agent server: ``serve(AgentClass, config, max_sessions=2, ...)``."""
    running: list[tuple[AgentServer, threading.Thread]] = []
    Talker.made.clear()

    def start(agent: type[Any] = Talker, config: Any = None, **options: Any) -> AgentServer:
        server = AgentServer(agent, config, **{"port": 0, **options})
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        running.append((server, thread))
        return server

    yield start
    for agent in Talker.made:
        agent.wait.set()
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def talkers() -> list[Talker]:
    """All agents that were made in this test."""
    return Talker.made


@pytest.fixture
def dead_url() -> str:
    """URL of a port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"
