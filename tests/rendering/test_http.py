"""The render client: against the real server, and against servers that misbehave."""

from __future__ import annotations

import io
import math
import os
import pickle
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

from abotn.errors import ConfigError, DataError, RenderFailureError, UnknownNameError
from abotn.geometry.frames import pose_from_xyz_rpy
from abotn.rendering import CameraConfig, EmbeddedRenderer
from abotn.rendering.factory import choose_factory
from abotn.rendering.http import GaussianRenderer
from abotn.rendering.plugin import abotn_renderers
from abotn.rendering.server import RenderServer
from abotn.scenes.episode import Episode

SMALL = CameraConfig(48, 32, 20.0, 20.0, 24.0, 16.0)
PIXELS = np.random.default_rng(1).integers(0, 256, (32, 48, 3), dtype=np.uint8)
JPEG_LOSS = 2.0


def encoded(kind: str, pixels: np.ndarray = PIXELS) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind)
    return buffer.getvalue()


JPEG, PNG = encoded("JPEG"), encoded("PNG")
GOOD = (200, {"Content-Type": "image/jpeg"}, JPEG)


made: list[GaussianRenderer] = []


@pytest.fixture(autouse=True)
def _closed_clients() -> Iterator[None]:
    yield
    while made:
        made.pop().close()


def client(url: str, **options: Any) -> GaussianRenderer:
    made.append(GaussianRenderer(url, SMALL, **{"retry_backoff": 0.001, "timeout": 5, **options}))
    return made[-1]


def embedded_over(dataset: Path, camera: CameraConfig | None = None) -> EmbeddedRenderer:
    renderer = EmbeddedRenderer(camera)
    for name in ("room", "hall"):
        episode = Episode.from_scene_dir(dataset / name)
        renderer.add_scene(name, episode.grid.free, episode.geometry, episode.height_map)
    return renderer


@pytest.mark.parametrize("yaw", [0.0, math.pi / 2, math.pi, -math.pi / 2, 0.3, 2.7])
def test_the_views_are_the_embedded_ones_but_for_jpeg(
    render_server: RenderServer, dataset: Path, yaw: float
) -> None:
    pose = pose_from_xyz_rpy(2.5, 3.0, 0.9, yaw=yaw)
    with GaussianRenderer(render_server.url) as renderer:
        images = renderer.render(pose, "room")
    expected = embedded_over(dataset).render(pose, "room")
    assert list(images) == list(expected) == ["left", "right", "front"]
    for view, image in images.items():
        assert image.shape == (640, 720, 3)
        assert image.dtype == np.uint8
        assert image.flags["C_CONTIGUOUS"]
        assert image.flags["WRITEABLE"]
        others = [_apart(image, expected[name]) for name in expected if name != view]
        assert _apart(image, expected[view]) < JPEG_LOSS < 5 * JPEG_LOSS < min(others)


def test_a_camera_that_leans_sees_what_the_embedded_one_sees(
    render_server: RenderServer, dataset: Path
) -> None:
    pose = pose_from_xyz_rpy(2.5, 3.0, 0.9, 0.04, -0.06, 0.5)
    with GaussianRenderer(render_server.url, num_views=1) as renderer:
        image = renderer.render(pose, "hall")["front"]
    assert _apart(image, embedded_over(dataset).render(pose, "hall")["front"]) < JPEG_LOSS


def test_depth_is_the_embedded_depth(render_server: RenderServer, dataset: Path) -> None:
    pose = pose_from_xyz_rpy(2.5, 3.0, 0.9, yaw=1.0)
    with GaussianRenderer(render_server.url) as renderer:
        depths = renderer.render_depth(pose, "room")
        drawn = renderer.request_view(pose, "room", "left", return_depth_img=True)
    expected = embedded_over(dataset).render_depth(pose, "room")
    for view, depth in depths.items():
        assert depth.dtype == np.float32
        close = np.isclose(depth, expected[view], atol=1e-4)
        # A pixel on the edge of a wall may fall to either side when the yaw is rounded.
        assert close.mean() > 0.999
    assert drawn.depth is None
    far = np.where(np.isfinite(depths["left"]), np.rint(depths["left"] * 1000.0), 0)
    assert np.array_equal(np.array(drawn.depth_img), far)


def _apart(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.abs(first.astype(int) - second).mean())


@pytest.mark.parametrize("yaw", [0.0, math.pi / 2, math.pi, 0.4, -2.0])
def test_a_request_places_the_camera_where_the_view_looks(
    scripted: Callable[..., Any], yaw: float
) -> None:
    server = scripted(GOOD)
    position = np.array([4.0, -2.0, 1.5])
    client(server.url).render_at_pose(pose_from_xyz_rpy(*position, yaw=yaw), "park", image_id=7)
    assert len(server.requests) == 3
    for offset, view, request in zip((90, -90, 0), ("left", "right", "front"), server.requests,
                                     strict=True):  # fmt: skip
        number, w, x, y, z, *translation, camera_id, name = request["cam_extrinsics"].split()
        assert (number, camera_id, name) == ("7", "1", f"7_{view}")
        world_to_camera = Rotation.from_quat([float(v) for v in (x, y, z, w)])
        look = yaw + math.radians(offset)
        forward, up = np.array([math.cos(look), math.sin(look), 0.0]), np.array([0.0, 0.0, 1.0])
        assert np.allclose(world_to_camera.apply(forward), [0, 0, 1], atol=1e-12)
        assert np.allclose(world_to_camera.apply(up), [0, -1, 0], atol=1e-12)
        moved = world_to_camera.apply(position) + np.array(translation, dtype=float)
        assert np.allclose(moved, 0.0, atol=1e-12)
        assert request["cam_intrinsics"] == "1 PINHOLE 48 32 20.0 20.0 24.0 16.0"
        assert request["scene_id"] == "park"
        assert request["return_depth_img"] is request["return_depth_npz"] is False


def test_images_come_as_a_list_and_one_view_as_a_list_of_one(scripted: Callable[..., Any]) -> None:
    server = scripted(GOOD)
    three = client(server.url).render_at_pose(np.eye(4), "park")
    assert [(image.mode, image.size) for image in three] == [("RGB", (48, 32))] * 3
    (one,) = client(server.url, num_views=1).render_at_pose(np.eye(4), "park")
    assert np.array_equal(np.array(one), np.array(three[2]))
    assert server.requests[-1]["cam_extrinsics"].endswith("_front")


def test_saved_images_are_the_bytes_that_came(scripted: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    client(scripted(GOOD).url).render_at_pose(np.eye(4), "park", save_dir=str(folder), image_id=4)
    assert sorted(path.name for path in folder.iterdir()) == [
        "4_front.jpg", "4_left.jpg", "4_right.jpg"
    ]  # fmt: skip
    assert all(path.read_bytes() == JPEG for path in folder.iterdir())


def test_only_chosen_images_are_saved(scripted: Callable[..., Any], tmp_path: Path) -> None:
    images = client(scripted(GOOD).url).render_at_pose(
        np.eye(4), "park", save_dir=tmp_path, save_img_idx=[0, 2]
    )
    assert len(images) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0_front.jpg", "0_left.jpg"]
    client(scripted(GOOD).url).render_at_pose(
        np.eye(4), "park", save_dir=tmp_path / "none", save_img_idx=[]
    )
    assert not list((tmp_path / "none").iterdir())


def test_a_png_is_saved_as_jpeg(scripted: Callable[..., Any], tmp_path: Path) -> None:
    server = scripted((200, {"Content-Type": "image/png"}, PNG))
    client(server.url, num_views=1).render_at_pose(np.eye(4), "park", save_dir=tmp_path)
    with Image.open(tmp_path / "0_front.jpg") as image:
        assert image.format == "JPEG"
        assert _apart(np.array(image), PIXELS) < 20


def test_nothing_is_saved_when_the_last_view_fails(
    scripted: Callable[..., Any], tmp_path: Path
) -> None:
    server = scripted(GOOD, GOOD, (500, {}, b""))
    with pytest.raises(RenderFailureError):
        client(server.url, max_retries=0).render_at_pose(np.eye(4), "park", save_dir=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_named(
    scripted: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"file.*cannot write"):
        client(scripted(GOOD).url).render_at_pose(np.eye(4), "park", save_dir=tmp_path / "file")


def _silent(seconds: float, part: int) -> Callable[[Any], None]:
    def answer(handler: Any) -> None:
        if part:
            handler.send_response(200)
            handler.send_header("Content-Type", "image/jpeg")
            handler.send_header("Content-Length", str(len(JPEG)))
            handler.end_headers()
            handler.wfile.write(JPEG[:part])
        time.sleep(seconds)
        handler.close_connection = True

    return answer


def _in_drops(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "image/jpeg")
    handler.send_header("Content-Length", str(len(JPEG)))
    handler.end_headers()
    for position in range(60):
        handler.wfile.write(JPEG[position : position + 1])
        time.sleep(0.02)
    handler.close_connection = True


def _in_chunks(*sizes: int, end: bytes) -> Callable[[Any], None]:
    def answer(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "image/jpeg")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        start = 0
        for size in sizes:
            part = JPEG[start : start + size]
            handler.wfile.write(f"{size:x}\r\n".encode() + part + b"\r\n")
            start += size
        handler.wfile.write(end)
        handler.close_connection = True

    return answer


def _cut(handler: Any) -> None:
    handler.reply(200, {"Content-Type": "image/jpeg", "Content-Length": str(len(JPEG))}, JPEG[:-99])
    handler.close_connection = True


def _reset_in_the_middle(handler: Any) -> None:
    handler.reply(200, {"Content-Type": "image/jpeg", "Content-Length": "9999"}, JPEG)
    handler.reset()


def _hang_up(handler: Any) -> None:
    handler.close_connection = True


def _nonsense(handler: Any) -> None:
    handler.wfile.write(b"this is not HTTP\r\n\r\n")
    handler.close_connection = True


LARGE = encoded("JPEG", np.zeros((33, 48, 3), np.uint8))
DEEP = encoded("PNG", PIXELS[..., 0].astype(np.uint16) * 256)
DAMAGED = PNG[:900] + bytes([PNG[900] ^ 1]) + PNG[901:]
KIND = {"Content-Type": "image/jpeg"}
FAULTS = {
    "status 500": ((500, {"Content-Type": "text/plain"}, b"out of memory"), "500: out of memory"),
    "status 404": ((404, {}, b'{"error": "unknown scene"}'), "status 404: unknown scene"),
    "status 206": ((206, KIND, JPEG), "status 206"),
    "no content": ((204, {}, b""), "status 204"),
    "body cut short": (_cut, "IncompleteRead"),
    "chunks cut short": (_in_chunks(300, end=b"200\r\nabc"), "IncompleteRead"),
    "chunks without an end": (_in_chunks(300, end=b""), "IncompleteRead"),
    "JPEG cut short": ((200, KIND, JPEG[:-99]), "cut short after"),
    "JPEG without its end": ((200, KIND, JPEG[:-2]), "cut short after"),
    "PNG cut short": ((200, {"Content-Type": "image/png"}, PNG[:-40]), "cut short after"),
    "PNG damaged": ((200, {"Content-Type": "image/png"}, DAMAGED), "not a whole image"),
    "zero bytes": ((200, KIND, b""), "no bytes"),
    "no image": ((200, KIND, b"<html>please log in</html>"), "not a whole image"),
    "a web page": ((200, {"Content-Type": "text/html"}, b"<p>hello</p>"), "'text/html': <p>"),
    "wrong content type": ((200, {"Content-Type": "text/plain"}, JPEG), "'text/plain'"),
    "another size": ((200, KIND, LARGE), "expected 48 x 32 pixels, got 48 x 33"),
    "sixteen bits": ((200, {"Content-Type": "image/png"}, DEEP), "8 bits"),
    "far too large": ((200, KIND, JPEG + bytes(2 << 20)), "expected at most"),
    "no answer": (_silent(0.6, 0), "no answer within 0.3 s"),
    "silence in the middle": (_silent(0.6, 100), "no answer within 0.3 s"),
    "drops": (_in_drops, "no (whole )?answer within 0.3 s"),
    "hangs up": (_hang_up, "without response"),
    "reset": (lambda handler: handler.reset(), "reset"),
    "reset in the middle": (_reset_in_the_middle, "reset|IncompleteRead"),
    "nonsense": (_nonsense, "HTTP"),
}  # fmt: skip


SLOW = ("no answer", "silence in the middle", "drops")


def _patience(fault: str) -> dict[str, Any]:
    return (
        {"timeout": 0.3, "max_retries": 9} if fault in SLOW else {"timeout": 30, "max_retries": 1}
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_after_a_fault_the_next_try_gives_the_image(
    scripted: Callable[..., Any], fault: str
) -> None:
    server = scripted(FAULTS[fault][0], GOOD)
    with client(server.url, num_views=1, **_patience(fault)) as renderer:
        (image,) = renderer.render_at_pose(np.eye(4), "park")
    with Image.open(io.BytesIO(JPEG)) as expected:
        assert np.array_equal(np.array(image), np.array(expected))
    # On a busy machine a good answer may be late too.
    assert len(server.requests) == 2 or (fault in SLOW and len(server.requests) > 2)
    assert server.requests[0] == server.requests[-1]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_stays_is_an_error_that_says_which(
    scripted: Callable[..., Any], fault: str
) -> None:
    answer, message = FAULTS[fault]
    server = scripted(answer)
    with (
        client(server.url, num_views=1, **{**_patience(fault), "max_retries": 1}) as renderer,
        pytest.raises(RenderFailureError, match=message) as caught,
    ):
        renderer.render(np.eye(4), "park")
    assert len(server.requests) == 2
    assert caught.value.where == server.url
    line = str(caught.value)
    assert "\n" not in line
    assert "no whole image of scene 'park' after 2 tries" in line


def test_an_answer_in_chunks_is_whole(scripted: Callable[..., Any]) -> None:
    server = scripted(_in_chunks(500, len(JPEG) - 500, end=b"0\r\n\r\n"))
    client(server.url, num_views=1, max_retries=0).render_at_pose(np.eye(4), "park")


def test_a_compressed_answer_is_unpacked(scripted: Callable[..., Any]) -> None:
    import gzip

    headers = {**KIND, "Content-Encoding": "gzip"}
    server = scripted(
        (200, headers, gzip.compress(JPEG)), (200, headers, gzip.compress(JPEG)[:-99])
    )
    renderer = client(server.url, num_views=1, max_retries=0)
    renderer.render_at_pose(np.eye(4), "park")
    with pytest.raises(RenderFailureError):
        renderer.render_at_pose(np.eye(4), "park")


def test_waits_double(scripted: Callable[..., Any], waits: list[float]) -> None:
    server = scripted((500, {}, b""))
    with pytest.raises(RenderFailureError, match="after 4 tries: status 500: no bytes"):
        GaussianRenderer(server.url, SMALL).render_at_pose(np.eye(4), "park")
    assert len(server.requests) == 4
    assert waits == [1.0, 2.0, 4.0]


def test_no_retry_means_one_try_and_no_wait(
    scripted: Callable[..., Any], waits: list[float]
) -> None:
    server = scripted((500, {}, b""))
    with pytest.raises(RenderFailureError, match="after 1 try:"):
        client(server.url, max_retries=0).render_at_pose(np.eye(4), "park")
    assert len(server.requests) == 1
    assert waits == []


def test_every_view_has_all_its_tries(scripted: Callable[..., Any], waits: list[float]) -> None:
    bad = (500, {}, b"")
    server = scripted(bad, GOOD, bad, bad, GOOD, bad, GOOD)
    client(server.url, max_retries=2, retry_backoff=0.5).render_at_pose(np.eye(4), "park")
    assert len(server.requests) == 7
    assert waits == [0.5, 0.5, 1.0, 0.5]


def test_a_dead_port_is_told_in_plain_words(waits: list[float], dead_url: str) -> None:
    with pytest.raises(RenderFailureError, match="Connection refused"):
        client(dead_url).render_at_pose(np.eye(4), "park")


def test_an_impossible_pose_asks_nobody(scripted: Callable[..., Any]) -> None:
    server = scripted(GOOD)
    pose = np.eye(4)
    pose[0, 3] = np.nan
    with pytest.raises(RenderFailureError, match="pose"):
        client(server.url).render_at_pose(pose, "park")
    assert server.requests == []


def test_an_unknown_view_is_named(scripted: Callable[..., Any]) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown view 'fornt'.*front"):
        client(scripted(GOOD).url).request_view(np.eye(4), "park", "fornt")


def test_connections_are_kept(scripted: Callable[..., Any]) -> None:
    server = scripted(GOOD)
    with client(server.url) as renderer:
        for _ in range(5):
            renderer.render(np.eye(4), "park")
        assert server.connections == 1
    renderer.render(np.eye(4), "park")
    assert server.connections == 2
    renderer.close()


def test_cookies_are_not_kept(scripted: Callable[..., Any]) -> None:
    seen = []

    def answer(handler: Any) -> None:
        seen.append(handler.headers["Cookie"])
        handler.reply(200, {**KIND, "Set-Cookie": "session=1"}, JPEG)

    client(scripted(answer).url).render(np.eye(4), "park")
    assert seen == [None, None, None]


def test_threads_share_a_renderer_and_get_their_own_images(scripted: Callable[..., Any]) -> None:
    def shade(handler: Any) -> None:
        picture = np.full_like(PIXELS, int(handler.request["scene_id"]))
        handler.reply(200, {"Content-Type": "image/png"}, encoded("PNG", picture))

    renderer = client(scripted(shade).url)

    def shades_of(scene: int) -> set[int]:
        images = renderer.render(np.eye(4), str(scene)).values()
        return {int(value) for image in images for value in np.unique(image)}

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(shades_of, range(64))) == [{scene} for scene in range(64)]
    renderer.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_uses_its_own_connection(scripted: Callable[..., Any]) -> None:
    server = scripted(GOOD)
    script = f"""
    import os, sys
    import numpy as np
    from abotn.rendering.camera import CameraConfig
    from abotn.rendering.http import GaussianRenderer

    renderer = GaussianRenderer({server.url!r}, CameraConfig(48, 32, 20.0, 20.0, 24.0, 16.0))
    renderer.render(np.eye(4), "park")
    child = os.fork()
    for _ in range(10):
        renderer.render(np.eye(4), "park")
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os._exit(0)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True, timeout=60)
    assert server.connections == 2
    assert len(server.requests) == 63


def test_a_pickled_renderer_renders(scripted: Callable[..., Any]) -> None:
    renderer = client(scripted(GOOD).url, num_views=1)
    before = renderer.render(np.eye(4), "park")["front"]
    copy = pickle.loads(pickle.dumps(renderer))
    assert np.array_equal(copy.render(np.eye(4), "park")["front"], before)
    copy.close()
    assert (copy.num_views, copy.max_retries, copy.timeout) == (1, 3, 5)


def test_a_server_on_this_machine_is_not_asked_through_a_proxy(
    scripted: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, dead_url: str
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, dead_url)
    client(scripted(GOOD).url, max_retries=0).render(np.eye(4), "park")


def test_another_machine_is_asked_through_the_proxy(
    scripted: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = scripted(GOOD)
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    client("http://render.invalid:7036/render_gs").render(np.eye(4), "park")
    assert len(proxy.requests) == 3


def test_ping_asks_beside_the_endpoint(scripted: Callable[..., Any]) -> None:
    server = scripted((200, {}, b"pong"))
    assert client(server.url.replace("/render_gs", "/gs/render_gs")).ping() == 200
    assert server.requests == [{"path": "/gs/ping"}]
    assert client(scripted((404, {}, b"")).url).ping() == 404


def test_ping_of_nobody_is_an_error_with_a_way_out(waits: list[float], dead_url: str) -> None:
    with pytest.raises(RenderFailureError, match=r"no render server answers.*serve-render"):
        client(dead_url).ping()
    assert len(waits) == 3


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"render_url": "localhost:7036"}, "render_url"),
        ({"render_url": "ftp://host/render_gs"}, "render_url"),
        ({"render_url": "http:///render_gs"}, "render_url"),
        ({"render_url": "http://host:99999/"}, "render_url"),
        ({"render_url": None}, "render_url"),
        ({"num_views": 2}, "num_views"),
        ({"num_views": True}, "num_views"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": math.nan}, "timeout"),
        ({"timeout": "30"}, "timeout"),
        ({"max_retries": -1}, "max_retries"),
        ({"max_retries": 1.5}, "max_retries"),
        ({"retry_backoff": -0.1}, "retry_backoff"),
        ({"retry_backoff": math.inf}, "retry_backoff"),
    ],
)
def test_arguments_out_of_range_are_refused(options: dict[str, Any], where: str) -> None:
    with pytest.raises(ConfigError) as caught:
        GaussianRenderer(**{"render_url": "http://localhost:7036/render_gs", **options})
    assert caught.value.where == where


def test_defaults_are_the_published_ones() -> None:
    renderer = GaussianRenderer("http://localhost:7036/render_gs")
    assert renderer.camera_config == CameraConfig()
    assert (renderer.num_views, renderer.timeout, renderer.max_retries) == (3, 30, 3)
    assert renderer.retry_backoff == 1.0


def create(url: str) -> Any:
    def no_scenes(scene_id: str) -> Any:
        raise AssertionError(f"the server has the scenes, not the run: {scene_id}")

    return choose_factory(url, abotn_renderers()).create(url, no_scenes, SMALL)


def test_a_run_gets_a_client_for_a_url(scripted: Callable[..., Any]) -> None:
    server = scripted((404, {}, b""), (400, {}, b"unreadable"))
    renderer = create(server.url)
    server.answers[:] = [GOOD]
    assert renderer.render(np.eye(4), "park")["front"].shape == (32, 48, 3)
    renderer.close()


def test_a_run_is_refused_when_nobody_answers(waits: list[float], dead_url: str) -> None:
    with pytest.raises(RenderFailureError, match="no render server answers"):
        create(dead_url)


@pytest.mark.parametrize(
    "refusal",
    [(404, {}, b'{"error": "no such path"}'), (405, {}, b'{"detail": "Method Not Allowed"}')],
)
def test_a_run_is_refused_when_nothing_is_at_the_path(
    scripted: Callable[..., Any], waits: list[float], refusal: Any
) -> None:
    server = scripted((200, {}, b""), refusal)
    with pytest.raises(ConfigError, match=rf"{server.url}: .*renders nothing .*{refusal[0]}"):
        create(server.url)
    assert waits == []


def test_an_empty_request_that_fails_otherwise_tells_nothing(
    scripted: Callable[..., Any],
) -> None:
    server = scripted((200, {}, b""), (404, {}, b'{"error": "no scene None"}'), (500, {}, b"bug"))
    for _ in range(2):
        create(server.url).close()
