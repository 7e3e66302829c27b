"""``abotn doctor render`` against servers that are right, and wrong in one way each."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

from abotn.cli.doctor_command import doctor
from abotn.errors import ConfigError
from abotn.geometry.map_geometry import MapGeometry
from abotn.rendering import CameraConfig, colmap_extrinsics, pose_from_colmap
from abotn.rendering.answer import IMAGE_TYPE
from abotn.rendering.request import RenderRequest
from abotn.rendering.scene_views import SceneViews
from abotn.rendering.server import RenderServer
from abotn.scenes.task import Task
from abotn.scenes.writer import write_scene

GEOMETRY = MapGeometry.from_corners((0, 8), (10, 8), (0, 0), 100, 80)
START = {"x": 2.0, "y": 2.0, "z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": 0.0}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    free = np.zeros((80, 100), dtype=bool)
    free[2:78, 2:98] = True
    free[30:78, 50:54] = False
    free[20:26, 15:30] = False
    root = tmp_path_factory.mktemp("data")
    tasks = [Task("traj_0", [START, {**START, "x": 4.0}], {})]
    write_scene(root / "room", tasks=tasks, free=free, geometry=GEOMETRY)
    return root


@pytest.fixture
def serve(dataset: Path) -> Iterator[Callable[..., str]]:
    """Start a render server whose views may be bent, and return its URL."""
    running: list[Any] = []

    def start(views: type[SceneViews] = SceneViews) -> str:
        server = RenderServer(dataset, port=0)
        server.views = views(dataset)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        running.append(server)
        return server.url

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


def diagnose(url: str, *more: str) -> Result:
    place = ("--scene-id", "room", "--pose", "2.5,3,0.55,0.3")
    arguments = ["render", "--render-url", url, *place, *more]
    return CliRunner().invoke(doctor, arguments, catch_exceptions=False, standalone_mode=True)


def verdicts(result: Result) -> dict[str, str]:
    lines = result.output.splitlines()[:-1]
    return {line[9:].partition(":")[0]: line[:9].strip() for line in lines}


class Bent(SceneViews, ABC):
    """Renders another pose than the one it was asked for."""

    def answer(self, request: RenderRequest) -> tuple[str, bytes]:
        bent = self.bent(pose_from_colmap(request.extrinsics))
        return super().answer(replace(request, extrinsics=colmap_extrinsics(bent)))

    @abstractmethod
    def bent(self, pose: np.ndarray) -> np.ndarray: ...


class Clockwise(Bent):
    """Takes yaw to be clockwise, so that left and right are swapped."""

    def bent(self, pose: np.ndarray) -> np.ndarray:
        mirror = np.diag([1.0, -1.0, 1.0])
        return np.block([[mirror @ pose[:3, :3] @ mirror, pose[:3, 3:]], [pose[3:]]])


class Stiff(Bent):
    """Always looks along x."""

    def bent(self, pose: np.ndarray) -> np.ndarray:
        return np.block([[np.eye(3), pose[:3, 3:]], [pose[3:]]])


class Wandering(Bent):
    """Is somewhere else each time."""

    steps = 0

    def bent(self, pose: np.ndarray) -> np.ndarray:
        self.steps += 1
        moved = pose.copy()
        moved[0, 3] += 0.25 * self.steps
        return moved


class LongLens(SceneViews):
    """Has a camera of its own."""

    def answer(self, request: RenderRequest) -> tuple[str, bytes]:
        camera = CameraConfig(fx=600.0, fy=600.0)
        return super().answer(replace(request, intrinsics=camera.intrinsics_colmap))


class Small(SceneViews):
    """Renders smaller images."""

    def answer(self, request: RenderRequest) -> tuple[str, bytes]:
        camera = CameraConfig(360, 320, 126.0, 126.0, 180.0, 160.0)
        return super().answer(replace(request, intrinsics=camera.intrinsics_colmap))


class Fog(SceneViews):
    """Shows nothing but one colour."""

    def answer(self, request: RenderRequest) -> tuple[str, bytes]:
        import cv2

        return IMAGE_TYPE, cv2.imencode(".jpg", np.full((640, 720, 3), 200, np.uint8))[1].tobytes()


def test_a_good_server_has_no_problems(serve: Callable[..., str]) -> None:
    url = serve()
    result = diagnose(url)
    assert result.exit_code == 0, result.output
    assert verdicts(result) == dict.fromkeys(
        ("ping", "images", "turning", "views", "order", "latency"), "ok"
    )
    assert "12 of 12 came whole, 720 x 640 pixels" in result.output
    assert result.output.splitlines()[-1] == f"no problems: {url}"
    assert "median" in result.output
    assert "longest" in result.output


@pytest.mark.parametrize(
    ("views", "subject", "message"),
    [
        (Clockwise, "order", "left and right are swapped"),
        (Stiff, "turning", "is cam_extrinsics read?"),
        (Wandering, "views", "differs from the front view of an agent turned there"),
        (LongLens, "order", "do not continue the front view"),
        (Fog, "turning", "every image is of one colour"),
    ],
)
def test_what_is_wrong_is_said(
    serve: Callable[..., str], views: type[SceneViews], subject: str, message: str
) -> None:
    result = diagnose(serve(views))
    assert result.exit_code == 1
    assert verdicts(result)[subject] == "problem"
    (line,) = [line for line in result.output.splitlines() if f" {subject}: " in line]
    assert message in line


def test_where_nothing_is_to_be_seen_the_order_stays_open(serve: Callable[..., str]) -> None:
    assert verdicts(diagnose(serve(Fog)))["order"] == "note"


def test_images_of_another_size_are_one_problem(serve: Callable[..., str]) -> None:
    result = diagnose(serve(Small))
    assert result.exit_code == 1
    assert verdicts(result) == {"ping": "ok", "images": "problem"}
    assert "12 of 12 failed" in result.output
    assert "expected 720 x 640 pixels, got 360 x 320" in result.output
    assert result.output.splitlines()[-1].startswith("1 problem: ")


def test_an_unknown_scene_is_told_in_the_servers_words(serve: Callable[..., str]) -> None:
    result = diagnose(serve(), "--scene-id", "rom")
    assert result.exit_code == 1
    assert "unknown scene 'rom' (did you mean: room)" in result.output


def test_a_dead_server_is_one_problem() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        port = server.server_port
    result = diagnose(f"http://127.0.0.1:{port}/render_gs")
    assert result.exit_code == 1
    assert verdicts(result) == {"ping": "problem"}
    assert "Connection refused" in result.output


def test_a_server_without_ping_is_told(serve: Callable[..., str]) -> None:
    url = serve().replace("/render_gs", "/elsewhere/render_gs")
    result = diagnose(url)
    assert result.exit_code == 1
    assert "expected status 200 from GET /ping, got 404" in result.output


@pytest.mark.parametrize("pose", ["1,2,3", "1,2,3,north", "1,2,3,nan", "1,2,3,4,5"])
def test_a_pose_that_is_none_is_refused(pose: str) -> None:
    with pytest.raises(ConfigError, match="--pose: expected four numbers x,y,z,yaw"):
        diagnose("http://127.0.0.1:9/render_gs", "--pose", pose)


def test_a_url_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="render_url"):
        diagnose("localhost:7036")


def test_the_command_is_a_group_that_others_can_join() -> None:
    assert isinstance(doctor, click.Group)
    assert "render" in doctor.commands


def test_without_a_scene_the_server_is_looked_for(serve: Callable[..., str]) -> None:
    url = serve()
    found = CliRunner().invoke(doctor, ["render", "--render-url", url])
    assert found.exit_code == 0
    assert verdicts(found) == {"ping": "ok", "views": "note"}
    assert "--scene-id" in found.output
    wrong = CliRunner().invoke(doctor, ["render", "--render-url", url.rsplit("/", 1)[0]])
    assert wrong.exit_code == 1
    assert verdicts(wrong) == {"ping": "ok", "path": "problem"}
