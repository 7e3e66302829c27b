"""Whatever an agent, a renderer or a hook raises costs one task at most, and the run goes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from abotn import hookimpl
from abotn.errors import AgentError, ConfigError, RenderFailureError, error_text, name_of, text_of
from abotn.geometry import MapGeometry
from abotn.plugins.manager import Origin, plugin_manager
from abotn.rendering.factory import RendererFactory
from abotn.rollout import run
from abotn.rollout.stages import AttemptFailed, AttemptStopped, stage
from abotn.scenes.task import Task
from abotn.scenes.writer import write_scene

MODULE = '''
"""Agents that end badly; the start's x says how."""
import asyncio

import numpy as np

from abotn.agents import StraightLineAgent
from abotn.errors import AgentError


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


class Deaf(BaseException):
    def __reduce__(self):
        raise TypeError("cannot be pickled")


class Exits(Exception):
    def __str__(self):
        raise SystemExit(3)


class Odd(type):
    __name__ = property(lambda cls: 1 / 0)


class OddError(Exception, metaclass=Odd):
    pass


class NoText(Exception):
    def __str__(self):
        return 5


def stops():
    yield
    raise GeneratorExit


KINDS = [
    lambda: Mute("x"), lambda: Deaf("lambda", lambda: 0), lambda: Exits(), lambda: OddError("odd"),
    lambda: NoText(), lambda: GeneratorExit("gone"), lambda: StopIteration("end"),
    lambda: asyncio.CancelledError(), lambda: SystemExit(0), lambda: ValueError("half \\ud800 of"),
    lambda: ValueError("red \\x1b[31m bell \\x07 nul \\0 turn \\u202e"),
    lambda: ValueError("long " + 1_000_000 * "x"), lambda: ValueError("two\\nlines"),
    lambda: AgentError(Mute("inside")), lambda: type("N" * 5000, (Exception,), {})("named"),
    lambda: RecursionError(), lambda: MemoryError(),
    lambda: UnicodeDecodeError("a", b"b", 0, 1, "c"),
]


class Hostile(StraightLineAgent):
    def predict(self, observation):
        kind = round((observation.position[0] - 0.5) / 0.25)
        if kind < len(KINDS):
            raise KINDS[kind]()
        return super().predict(observation)


class NotMade(StraightLineAgent):
    def __init__(self, kind):
        raise KINDS[kind]()
'''
NAME = "abotn_hostile_agents"
TYPES = (
    "Mute", "Deaf", "Exits", "OddError", "NoText", "GeneratorExit", "StopIteration",
    "CancelledError", "SystemExit", "ValueError", "ValueError", "ValueError", "ValueError",
    "AgentError", "N" * 97 + "...", "RecursionError", "MemoryError", "UnicodeDecodeError",
)  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / f"{NAME}.py").write_text(MODULE, encoding="utf-8")
    sys.path.insert(0, str(folder))
    yield NAME
    sys.path.remove(str(folder))
    sys.modules.pop(NAME, None)


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task for each kind of end, and one more that nothing disturbs."""
    root = tmp_path_factory.mktemp("starts")

    def task(number: int) -> Task:
        places = ((0.5 + 0.25 * number, 2.0), (8.0, 2.0))
        return Task(f"traj_{number}", [{"x": x, "y": y, "z": 0.0} for x, y in places], {})

    write_scene(
        root / "hall",
        tasks=[task(number) for number in range(len(TYPES) + 1)],
        free=np.ones((80, 100), dtype=bool),
        geometry=MapGeometry.from_corners((0, 8), (10, 8), (0, 0), 100, 80),
    )
    return root


@pytest.mark.parametrize("workers", [1, 2])
def test_every_end_is_the_error_of_its_task(
    hostile: str, starts: Path, tmp_path: Path, workers: int
) -> None:
    outcome = run(
        "point_goal", f"{hostile}:Hostile", data_dir=starts, run_dir=tmp_path / "run",
        render="none", workers=workers, max_steps=60,
    )  # fmt: skip
    assert dict(outcome.statuses) == {"error": len(TYPES), "stop": 1}
    for number, kind in enumerate(TYPES):
        document = json.loads((tmp_path / f"run/hall/traj_{number}/result.json").read_bytes())
        error = document["error"]
        assert (error["stage"], error["type"]) == ("agent", kind)
        assert 0 < len(error["message"]) <= 1000
        assert error["message"].isprintable()
    messages = [
        json.loads((tmp_path / f"run/hall/traj_{k}/result.json").read_bytes())["error"]["message"]
        for k in range(len(TYPES))
    ]
    assert messages[0] == "a Mute without a text"
    assert messages[9] == "half ? of"
    assert messages[10] == "red ?[31m bell ? nul ? turn ?"
    assert messages[11].startswith("long xxx")
    assert messages[11].endswith("...")
    assert messages[12] == "two lines"


@pytest.mark.parametrize(("workers", "kind"), [(1, 0), (1, 1), (1, 5), (1, 9), (2, 0), (2, 1)])
def test_an_agent_that_cannot_be_made_is_one_error(
    hostile: str, starts: Path, tmp_path: Path, workers: int, kind: int
) -> None:
    with pytest.raises(AgentError, match="could not be made") as caught:
        run(
            "point_goal", f"{hostile}:NotMade", agent_config={"kind": kind}, data_dir=starts,
            run_dir=tmp_path / "run", render="none", workers=workers,
        )  # fmt: skip
    assert str(caught.value).isprintable()
    assert not (tmp_path / "run").exists()


class Breaks:
    """A renderer whose answer depends on the scene's x."""

    def __init__(self, answers: list[Any]) -> None:
        self.answers = answers

    def render(self, pose: Any, scene_id: str) -> Any:
        kind = round((pose[0, 3] - 0.5) / 0.25)
        answer = self.answers[min(kind, len(self.answers) - 1)]
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def close(self) -> None:
        pass


@pytest.mark.parametrize("images", [{}, {"save_images": True, "visualize": True}])
def test_a_renderer_costs_the_tasks_it_fails_in(
    starts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, images: dict[str, bool]
) -> None:
    class Silent(BaseException):
        def __str__(self) -> str:
            raise ValueError

    view = np.zeros((4, 6, 3), dtype=np.uint8)
    answers = [
        Silent(), GeneratorExit(), None, [view], {"front": "image"}, {"front": view[..., 0]},
        {"front": view.astype(float)}, {"../../front": view}, {5: view}, {"front": view[:0]},
        {"front": view},
    ]  # fmt: skip
    factory = RendererFactory("breaks", lambda spec: True, lambda *_: Breaks(answers))  # type: ignore[arg-type]
    monkeypatch.setattr("abotn.rollout.options.choose_factory", lambda *_: factory)
    outcome = run(
        "point_goal", "abotn.agents:StraightLineAgent", data_dir=starts, run_dir=tmp_path / "run",
        render="breaks", max_steps=60, **images,
    )  # fmt: skip
    assert outcome.statuses["error"] == len(answers) - 1
    assert sum(outcome.statuses.values()) == len(TYPES) + 1
    for number in range(len(answers) - 1):
        document = json.loads((tmp_path / f"run/hall/traj_{number}/result.json").read_bytes())
        assert document["error"]["stage"] == "render"
    assert (tmp_path / "run/hall/traj_12/render_images").exists() == bool(images)


def test_a_renderer_that_cannot_be_made_is_one_error(
    starts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create(*_: Any) -> Any:
        raise ZeroDivisionError("no\nlens")

    factory = RendererFactory("breaks", lambda spec: True, create)
    monkeypatch.setattr("abotn.rollout.options.choose_factory", lambda *_: factory)
    with pytest.raises(ConfigError, match="could not be made: ZeroDivisionError: no lens") as told:
        run("point_goal", "abotn.agents:StraightLineAgent", data_dir=starts, render="breaks",
            run_dir=tmp_path / "run")  # fmt: skip
    assert "renderer breaks" in str(told.value)
    assert not (tmp_path / "run").exists()


def test_a_renderer_that_cannot_be_closed_costs_a_warning(
    starts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Stuck(Breaks):
        def close(self) -> None:
            raise GeneratorExit("still\nopen")

    factory = RendererFactory("breaks", lambda spec: True, lambda *_: Stuck([{}]))
    monkeypatch.setattr("abotn.rollout.options.choose_factory", lambda *_: factory)
    outcome = run("point_goal", "abotn.agents:StraightLineAgent", data_dir=starts, render="breaks",
                  run_dir=tmp_path / "run", tasks=["traj_12"])  # fmt: skip
    assert dict(outcome.statuses) == {"stop": 1}
    assert capsys.readouterr().err == "warning: closing the renderer: GeneratorExit: still open\n"


def test_hooks_that_raise_anything_cost_a_warning(
    starts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Mute(BaseException):
        def __str__(self) -> str:
            raise SystemExit

    class Plugin:
        @hookimpl
        def abotn_run_started(self, manifest: Any) -> None:
            raise Mute

        @hookimpl
        def abotn_episode_finished(self, record: Any) -> None:
            raise GeneratorExit("\ud800\x1b")

        @hookimpl
        def abotn_run_finished(self, run: Any) -> None:
            raise ValueError(1_000_000 * "y")

    manager, plugin = plugin_manager(), Plugin()
    manager.register(plugin, Origin("hostile", "1", "hooks"))
    try:
        outcome = run(
            "point_goal", "abotn.agents:StraightLineAgent", data_dir=starts, tasks=["traj_12"],
            run_dir=tmp_path / "run", render="none", max_steps=60,
        )  # fmt: skip
    finally:
        manager._pluggy.unregister(plugin)
    assert dict(outcome.statuses) == {"stop": 1}
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert "a Mute without a text" in lines[0]
    assert "GeneratorExit: ??" in lines[1]
    assert all(line.isprintable() and len(line) < 1200 for line in lines)


def test_an_extra_that_cannot_be_looked_at_is_the_agents_error(
    starts: Path, tmp_path: Path
) -> None:
    from abotn.agents import StraightLineAgent

    class Secretive(StraightLineAgent):
        def predict(self, observation: Any) -> Any:
            answer = super().predict(observation)

            class Closed:
                waypoint, arrive = answer.waypoint, answer.arrive

                @property
                def extra(self) -> Any:
                    raise OSError("sealed")

            return Closed()

    run("point_goal", Secretive, data_dir=starts, tasks=["traj_1"], run_dir=tmp_path / "run",
        render="none", visualize=True)  # fmt: skip
    document = json.loads((tmp_path / "run/hall/traj_1/result.json").read_bytes())
    assert document["error"] == {"stage": "agent", "type": "OSError", "message": "sealed"}


def test_a_served_agent_says_the_same(hostile: str, starts: Path, tmp_path: Path) -> None:
    import threading

    from abotn.agents.loader import load_agent_class
    from abotn.agents.server import AgentServer

    server = AgentServer(load_agent_class(f"{hostile}:Hostile"), port=0)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        outcome = run(
            "point_goal", server.url, data_dir=starts, run_dir=tmp_path / "run", render="none",
            max_steps=60,
        )  # fmt: skip
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert dict(outcome.statuses) == {"error": len(TYPES), "stop": 1}
    for number, kind in enumerate(TYPES):
        document = json.loads((tmp_path / f"run/hall/traj_{number}/result.json").read_bytes())
        assert document["error"]["type"] == "AgentError"
        assert kind == "AgentError" or document["error"]["message"].startswith(kind)
        assert len(document["error"]["message"]) <= 1000


def test_the_users_interrupt_passes() -> None:
    for passing in (KeyboardInterrupt, AttemptStopped):
        with pytest.raises(passing), stage("agent"):
            raise passing
    with pytest.raises(AttemptFailed), stage("agent"):
        raise GeneratorExit


def test_texts_are_bounded_and_printable() -> None:
    assert text_of("a \t\n b") == "a b"
    assert text_of("naïve 机器 🤖") == "naïve 机器 🤖"
    assert text_of(1000 * "x") == 1000 * "x"
    assert text_of(1001 * "x") == 997 * "x" + "..."
    assert text_of("abcdef", 5) == "ab..."
    assert error_text(KeyError("k")) == "KeyError: 'k'"
    assert error_text(ValueError()) == "ValueError"
    assert name_of(RenderFailureError("x")) == "RenderFailureError"
    shout = SimpleNamespace()
    assert text_of(shout) == "namespace()"

    class Interrupted:
        def __str__(self) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        text_of(Interrupted())
