"""The render server: what it answers, whatever it is asked."""

from __future__ import annotations

import http.client
import io
import json
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from abotn.errors import ConfigError, DataError
from abotn.geometry.frames import pose_from_xyz_rpy
from abotn.records.files import read_trajectory, record_folder
from abotn.rendering import CameraConfig, EmbeddedRenderer, colmap_extrinsics
from abotn.rendering.http import GaussianRenderer
from abotn.rendering.request import make_request
from abotn.rendering.scene_views import SceneViews
from abotn.rendering.server import RenderServer
from abotn.rollout import run
from abotn.scenes.episode import Episode

POSE = pose_from_xyz_rpy(2.5, 3.0, 0.9, yaw=0.3)
CAMERA = CameraConfig(120, 80, 60.0, 55.0, 50.0, 42.0)
GOOD = make_request(POSE, "room", CAMERA).to_dict()


def ask(
    server: RenderServer, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def post(server: RenderServer, document: Any) -> tuple[int, dict[str, str], bytes]:
    return ask(server, "POST", "/render_gs", json.dumps(document).encode())


def error_in(content: bytes) -> str:
    message = json.loads(content)["error"]
    assert isinstance(message, str)
    assert message
    assert "\n" not in message
    assert "Traceback" not in message
    return message


def test_an_image_of_the_camera_that_was_asked_for(
    render_server: RenderServer, dataset: Path
) -> None:
    status, headers, content = post(render_server, GOOD)
    assert status == 200
    assert headers["Content-Type"] == "image/jpeg"
    with Image.open(io.BytesIO(content)) as image:
        assert image.format == "JPEG"
        assert image.size == (120, 80)
        found = np.array(image).astype(int)
    episode = Episode.from_scene_dir(dataset / "room")
    embedded = EmbeddedRenderer(CAMERA, num_views=1)
    embedded.add_scene("room", episode.grid.free, episode.geometry, episode.height_map)
    assert np.abs(found - embedded.render(POSE, "room")["front"]).mean() < 2.0


@pytest.mark.parametrize("size", [(720, 640), (64, 200), (33, 17), (1, 1)])
def test_any_size_is_served(render_server: RenderServer, size: tuple[int, int]) -> None:
    camera = CameraConfig(*size, 60.0, 60.0, size[0] / 2, size[1] / 2)
    with GaussianRenderer(render_server.url, camera, num_views=1, max_retries=0) as renderer:
        assert renderer.render_at_pose(POSE, "hall")[0].size == size
        assert renderer.render_depth(POSE, "hall")["front"].shape == size[::-1]


def test_the_same_request_has_the_same_answer(render_server: RenderServer) -> None:
    others = [make_request(POSE, scene, camera).to_dict()
              for scene in ("room", "hall") for camera in (CAMERA, CameraConfig())]  # fmt: skip
    first = post(render_server, GOOD)[2]
    for _ in range(2):
        for other in others:
            post(render_server, other)
    assert post(render_server, GOOD)[2] == first


def test_many_cameras_and_threads_at_once(render_server: RenderServer) -> None:
    widths = [16 + 4 * index for index in range(12)]
    documents = [
        make_request(POSE, scene, CameraConfig(width, 20, 9.0, 9.0, width / 2, 10.0)).to_dict()
        for width in widths for scene in ("room", "hall")
    ]  # fmt: skip
    alone = [post(render_server, document) for document in documents]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda document: post(render_server, document), documents))
    assert {answer[0] for answer in together} == {200}
    assert [answer[2] for answer in together] == [answer[2] for answer in alone]


def test_ping(render_server: RenderServer) -> None:
    status, headers, content = ask(render_server, "GET", "/ping")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert json.loads(content) == {"status": "ok"}
    assert ask(render_server, "GET", "/ping/?now=1")[0] == 200


@pytest.mark.parametrize(
    ("change", "status", "message"),
    [
        ({"scene_id": "rom"}, 404, "unknown scene 'rom' (did you mean: room"),
        ({"scene_id": "../data/room"}, 404, "unknown scene"),
        ({"scene_id": "room/map"}, 404, "unknown scene"),
        ({"scene_id": "."}, 404, "unknown scene"),
        ({"scene_id": "room\0"}, 404, "unknown scene"),
        ({"scene_id": "\ud800"}, 404, "unknown scene"),
        ({"scene_id": None}, 400, "scene_id: expected a text"),
        ({"cam_extrinsics": "0 1 0 0"}, 400, "cam_extrinsics: expected 'id qw qx qy qz"),
        ({"cam_extrinsics": "0 0 0 0 0 1 2 3 1 a"}, 400, "cam_extrinsics: expected"),
        ({"cam_extrinsics": "0 nan 0 0 0 1 2 3 1 a"}, 400, "cam_extrinsics: expected"),
        ({"cam_intrinsics": "1 PINHOLE 720"}, 400, "cam_intrinsics: expected '1 PINHOLE"),
        ({"cam_intrinsics": "1 PINHOLE 9999 9999 1 1 1 1"}, 400, "at most 16777216 pixels"),
        ({"cam_intrinsics": "1 PINHOLE 72 -64 1 1 1 1"}, 400, "height: expected a positive"),
        ({"return_depth_npz": "no"}, 400, "return_depth_npz: expected true or false"),
    ],
)
def test_a_bad_request_has_a_line_that_says_why(
    render_server: RenderServer, change: dict[str, Any], status: int, message: str
) -> None:
    found, headers, content = post(render_server, {**GOOD, **change})
    assert (found, headers["Content-Type"]) == (status, "application/json")
    assert message in error_in(content)
    assert post(render_server, GOOD)[0] == 200


def test_a_camera_tilted_too_far_is_a_bad_request(render_server: RenderServer) -> None:
    down = pose_from_xyz_rpy(2.5, 3.0, 0.9, pitch=1.2)
    document = {**GOOD, "cam_extrinsics": colmap_extrinsics(down)}
    status, _, content = post(render_server, document)
    assert status == 400
    assert "tilted" in error_in(content)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"scene_id": "room"}'])
def test_a_body_that_is_no_request_is_a_bad_request(
    render_server: RenderServer, body: bytes
) -> None:
    status, _, content = ask(render_server, "POST", "/render_gs", body)
    assert status == 400
    error_in(content)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.dictionaries(
        st.sampled_from(sorted(GOOD)),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
        min_size=1,
    )
)
def test_no_request_breaks_the_server(
    render_server: RenderServer, change: dict[str, object]
) -> None:
    status, _, content = post(render_server, {**GOOD, **change})
    if status != 200:
        assert status in (400, 404)
        error_in(content)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("POST", "/render", 404),
        ("GET", "/render_gs", 405),
        ("POST", "/ping", 405),
        ("PUT", "/render_gs", 501),
        ("DELETE", "/ping", 501),
    ],
)
def test_other_paths_and_methods_are_refused(
    render_server: RenderServer, method: str, path: str, status: int
) -> None:
    body = b"{}" if method != "GET" else None
    found, _, content = ask(render_server, method, path, body)
    assert found == status
    error_in(content)


def test_a_length_is_needed_and_bounded(render_server: RenderServer) -> None:
    chunks = iter([b"{}"])
    address = urlsplit(render_server.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
    connection.request("POST", "/render_gs", chunks, encode_chunked=True)
    answer = connection.getresponse()
    assert answer.status == 411
    assert "Content-Length" in error_in(answer.read())
    connection.close()
    status, headers, content = ask(
        render_server, "POST", "/render_gs", b"", **{"Content-Length": "99999999"}
    )
    assert (status, headers["Connection"]) == (413, "close")
    assert "65536" in error_in(content)
    assert ask(render_server, "POST", "/render_gs", b"", **{"Content-Length": "-1"})[0] == 411


def test_a_request_that_is_not_http_is_refused(render_server: RenderServer) -> None:
    address = urlsplit(render_server.url)
    with socket.create_connection((address.hostname, address.port), timeout=30) as raw:
        raw.sendall(b"GET\x00 / what is this HTTP/9.9 really\r\n\r\n")
        answer = b""
        while part := raw.recv(4096):
            answer += part
    assert b"Traceback" not in answer
    assert b'"error"' in answer
    assert post(render_server, GOOD)[0] == 200


def test_a_client_that_goes_away_leaves_no_trace(
    render_server: RenderServer, capfd: pytest.CaptureFixture[str]
) -> None:
    address = urlsplit(render_server.url)
    for _ in range(3):
        with socket.create_connection((address.hostname, address.port), timeout=30) as raw:
            raw.sendall(b"POST /render_gs HTTP/1.1\r\nContent-Length: 500\r\n\r\n{")
    assert post(render_server, GOOD)[0] == 200
    assert capfd.readouterr().err == ""


def test_a_connection_serves_many_requests(render_server: RenderServer) -> None:
    address = urlsplit(render_server.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
    sockets = set()
    for document in (GOOD, {**GOOD, "scene_id": "?"}, {"bad": 1}, GOOD):
        connection.request("POST", "/render_gs", json.dumps(document))
        connection.getresponse().read()
        sockets.add(connection.sock)
    assert len(sockets) == 1
    assert None not in sockets
    connection.close()


def test_a_damaged_scene_is_named_and_the_others_are_served(
    dataset: Path, served: Callable[..., Any], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(dataset, data)
    image = data / "hall" / "map" / "occ_map.png"
    image.write_bytes(image.read_bytes()[:100])
    server = served(RenderServer(data, port=0))
    status, _, content = post(server, {**GOOD, "scene_id": "hall"})
    assert status == 500
    assert "occ_map.png" in error_in(content)
    assert post(server, GOOD)[0] == 200


def test_a_scene_without_a_map_is_named(
    dataset: Path, served: Callable[..., Any], tmp_path: Path
) -> None:
    shutil.copytree(dataset / "hall", tmp_path / "data" / "bare")
    shutil.rmtree(tmp_path / "data" / "bare" / "map")
    server = served(RenderServer(tmp_path / "data", port=0))
    status, _, content = post(server, {**GOOD, "scene_id": "bare"})
    assert status == 500
    assert "bare: the scene has no" in error_in(content)


def test_a_bug_in_the_renderer_is_one_line_on_both_sides(
    render_server: RenderServer, dataset: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    class Broken(SceneViews):
        def answer(self, request: Any) -> tuple[str, bytes]:
            raise ZeroDivisionError("division\nby zero")

    render_server.views = Broken(dataset)
    status, _, content = post(render_server, GOOD)
    assert status == 500
    assert error_in(content) == "the renderer failed: ZeroDivisionError"
    assert capfd.readouterr().err == "error: ZeroDivisionError: division by zero\n"


def test_maps_may_lie_apart(dataset: Path, served: Callable[..., Any], tmp_path: Path) -> None:
    whole = post(served(RenderServer(dataset, port=0)), GOOD)[2]
    shutil.copytree(dataset, tmp_path / "data")
    shutil.move(tmp_path / "data" / "room" / "map", tmp_path / "maps" / "room")
    apart = served(RenderServer(tmp_path / "data", tmp_path / "maps", port=0))
    assert post(apart, GOOD)[2] == whole


def test_folders_that_are_missing_or_empty_are_refused(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere"):
        RenderServer(tmp_path / "nowhere", port=0)
    with pytest.raises(DataError, match="holds no scenes"):
        RenderServer(tmp_path, port=0)
    with pytest.raises(DataError, match="maps"):
        RenderServer(dataset, tmp_path / "maps", port=0)


def test_a_port_that_is_taken_is_refused(render_server: RenderServer, dataset: Path) -> None:
    port = urlsplit(render_server.url).port
    with pytest.raises(ConfigError, match=rf"127.0.0.1:{port}: cannot listen: .* in use"):
        RenderServer(dataset, port=port or 0)
    with pytest.raises(ConfigError, match="cannot listen"):
        RenderServer(dataset, host="no.such.host.invalid", port=0)


def test_an_address_of_six_groups_is_a_url_too(dataset: Path, served: Callable[..., Any]) -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    server = served(RenderServer(dataset, host="::1", port=0))
    assert server.url.startswith("http://[::1]:")
    assert requests.get(server.url.replace("render_gs", "ping"), timeout=30).status_code == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_command_prints_its_url_and_stops_at_a_signal(
    dataset: Path, number: signal.Signals
) -> None:
    script = "from abotn.cli.serve_render_command import serve_render; serve_render()"
    command = [sys.executable, "-c", script, "--data-dir", str(dataset), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with GaussianRenderer(url, CAMERA) as renderer:
            assert renderer.ping() == 200
            assert renderer.render(POSE, "room")["left"].shape == (80, 120, 3)
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert out == ""
    assert err.splitlines() == [f"serving 2 scenes of {dataset}; Ctrl-C stops", "stopped"]


def rolled(dataset: Path, folder: Path, render: str, **options: Any) -> Any:
    return run(
        "point_goal",
        "abotn.agents:StraightLineAgent",
        data_dir=dataset,
        run_dir=folder,
        render=render,
        overrides={"auto_arrive": False},
        max_steps=4,
        **options,
    )


def test_a_run_over_http_walks_as_the_embedded_one(
    render_server: RenderServer, dataset: Path, tmp_path: Path
) -> None:
    near = rolled(dataset, tmp_path / "near", "embedded")
    far = rolled(dataset, tmp_path / "far", render_server.url, save_images=True)
    assert (far.statuses, far.errors) == (near.statuses, 0)
    for scene in ("room", "hall"):
        folders = [record_folder(tmp_path / name, scene, "traj_0", 0) for name in ("near", "far")]
        first, second = (read_trajectory(folder / "trajectory.json") for folder in folders)
        assert np.array_equal(first.position, second.position)
        assert (folders[1] / "render_images" / "0_left.jpg").is_file()
    manifest = json.loads((tmp_path / "far" / "run.json").read_bytes())
    assert manifest["renderer"] == {"kind": "http", "url": render_server.url}


def test_a_server_that_dies_costs_its_tasks_and_resuming_redoes_just_those(
    dataset: Path, served: Callable[..., Any], tmp_path: Path, waits: list[float]
) -> None:
    server = served(RenderServer(dataset, port=0))
    port = urlsplit(server.url).port or 0
    units = []

    def stop_after_one(state: Any) -> None:
        units.append(state.record)
        if state.done == 1:
            server.shutdown()
            server.server_close()

    broken = rolled(dataset, tmp_path / "run", server.url, progress=stop_after_one)
    assert (broken.made, broken.errors) == (2, 1)
    assert units[-1].status == "error"
    assert units[-1].error["stage"] == "render"
    assert "no whole image" in units[-1].error["message"]
    assert waits == [1.0, 2.0, 4.0]
    served(RenderServer(dataset, port=port))
    again = run(resume_dir=tmp_path / "run", data_dir=dataset)
    assert (again.kept, again.made, again.errors) == (1, 1, 0)
