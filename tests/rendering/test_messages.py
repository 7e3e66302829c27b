"""Pictures and messages that are whole or refused."""

from __future__ import annotations

import base64
import io
import json
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFile

from abotn.errors import ConfigError, RenderFailureError
from abotn.rendering import CameraConfig
from abotn.rendering.answer import JSON_TYPE, read_answer, write_answer
from abotn.rendering.request import RenderRequest, camera_from_colmap, make_request
from abotn.rendering.whole_image import whole_image, whole_rgb

WIDTH, HEIGHT = 48, 32
CAMERA = CameraConfig(WIDTH, HEIGHT, 20.0, 20.0, 24.0, 16.0)
PIXELS = np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)


def encoded(kind: str, pixels: np.ndarray = PIXELS, **options: object) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind, **options)  # type: ignore[arg-type]
    return buffer.getvalue()


WHOLE = {
    "jpeg": encoded("JPEG", quality=90),
    "progressive": encoded("JPEG", progressive=True),
    "png": encoded("PNG"),
    "webp": encoded("WEBP", lossless=True),
}


@pytest.mark.parametrize("kind", ["png", "webp"])
def test_a_lossless_picture_arrives_as_it_was(kind: str) -> None:
    image = whole_rgb(WHOLE[kind], WIDTH, HEIGHT)
    assert image.mode == "RGB"
    assert np.array_equal(np.array(image), PIXELS)


@pytest.mark.parametrize("kind", ["jpeg", "progressive"])
def test_a_jpeg_is_what_another_decoder_sees(kind: str) -> None:
    import cv2

    bgr = cv2.imdecode(np.frombuffer(WHOLE[kind], np.uint8), cv2.IMREAD_COLOR)
    ours = np.array(whole_rgb(WHOLE[kind], WIDTH, HEIGHT)).astype(int)
    assert np.abs(ours - bgr[..., ::-1]).max() <= 3


@pytest.mark.parametrize("tolerant", [False, True])
@pytest.mark.parametrize("kind", sorted(WHOLE))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_beginning_of_a_picture_is_a_picture(
    kind: str, tolerant: bool, data: st.DataObject
) -> None:
    content = WHOLE[kind][: data.draw(st.integers(0, len(WHOLE[kind]) - 1))]
    before = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = tolerant
    try:
        with pytest.raises(RenderFailureError):
            whole_rgb(content, WIDTH, HEIGHT)
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([b"", *(w[:40] for w in WHOLE.values())]))
def test_any_bytes_are_refused_with_one_kind_of_error(tail: bytes, head: bytes) -> None:
    with pytest.raises(RenderFailureError):
        whole_rgb(head + tail, WIDTH, HEIGHT)


def test_a_flipped_bit_among_the_pixels_of_a_png_is_seen() -> None:
    content = bytearray(WHOLE["png"])
    content[len(content) // 2] ^= 1
    with pytest.raises(RenderFailureError, match="not a whole image"):
        whole_rgb(bytes(content), WIDTH, HEIGHT)


@pytest.mark.parametrize("size", [(WIDTH + 1, HEIGHT), (HEIGHT, WIDTH), (1, 1)])
def test_another_size_is_refused_with_both_sizes(size: tuple[int, int]) -> None:
    expected = f"expected {size[0]} x {size[1]} pixels, got {WIDTH} x {HEIGHT}"
    with pytest.raises(RenderFailureError, match=expected):
        whole_rgb(WHOLE["jpeg"], *size)


def test_a_picture_that_claims_to_be_enormous_is_never_decoded() -> None:
    header = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    ]
    content = b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
    with pytest.raises(RenderFailureError):
        whole_rgb(content, WIDTH, HEIGHT)


def test_grey_and_transparent_pictures_become_rgb() -> None:
    grey = whole_rgb(encoded("PNG", PIXELS[..., 0]), WIDTH, HEIGHT)
    assert np.array_equal(np.array(grey), np.repeat(PIXELS[..., :1], 3, axis=2))
    clear = np.dstack([PIXELS, np.full((HEIGHT, WIDTH), 7, np.uint8)])
    assert np.array_equal(np.array(whole_rgb(encoded("PNG", clear), WIDTH, HEIGHT)), PIXELS)


def test_sixteen_bits_a_channel_are_no_view_but_may_be_depth() -> None:
    content = encoded("PNG", PIXELS[..., 0].astype(np.uint16) * 257)
    with pytest.raises(RenderFailureError, match="8 bits"):
        whole_rgb(content, WIDTH, HEIGHT)
    assert np.array_equal(np.array(whole_image(content, WIDTH, HEIGHT)), PIXELS[..., 0] * 257.0)


def test_the_posted_keys_are_the_published_ones() -> None:
    posted = make_request(np.eye(4), "park", CAMERA, image_id=3, name="front").to_dict()
    assert posted == {
        "cam_extrinsics": "3 0.5 0.5 -0.5 0.5 0.0 0.0 0.0 1 front",
        "cam_intrinsics": "1 PINHOLE 48 32 20.0 20.0 24.0 16.0",
        "scene_id": "park",
        "return_depth_img": False,
        "return_depth_npz": False,
    }


def test_a_request_survives_the_way_to_the_server() -> None:
    request = make_request(np.eye(4), "park", CAMERA, depth_npz=True)
    there = RenderRequest.from_dict(json.loads(json.dumps(request.to_dict())))
    assert there == request
    assert there.camera() == CAMERA
    assert np.allclose(there.pose(), np.eye(4), atol=1e-15)
    assert there.wants_depth


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("scene_id", None, "scene_id: expected a text, got None"),
        ("scene_id", 3, "expected a text, got 3"),
        ("cam_extrinsics", "", "cam_extrinsics: expected a text"),
        ("return_depth_img", "yes", "return_depth_img: expected true or false, got 'yes'"),
        ("return_depth_npz", 2, "return_depth_npz: expected true or false"),
    ],
)
def test_a_request_with_a_wrong_key_names_it(key: str, value: object, message: str) -> None:
    document = {**make_request(np.eye(4), "park", CAMERA).to_dict(), key: value}
    with pytest.raises(ConfigError, match=message):
        RenderRequest.from_dict(document)


@pytest.mark.parametrize("key", ["scene_id", "cam_extrinsics", "cam_intrinsics"])
def test_a_request_without_a_key_names_it(key: str) -> None:
    document = make_request(np.eye(4), "park", CAMERA).to_dict()
    del document[key]
    with pytest.raises(ConfigError, match=f"{key}: expected a text, got nothing"):
        RenderRequest.from_dict(document)


def test_depth_flags_may_be_left_out() -> None:
    document = make_request(np.eye(4), "park", CAMERA).to_dict()
    del document["return_depth_img"], document["return_depth_npz"]
    assert not RenderRequest.from_dict(document).wants_depth


@settings(max_examples=50, deadline=None)
@given(
    st.integers(1, 2000),
    st.integers(1, 2000),
    st.lists(st.floats(0.5, 5000), min_size=4, max_size=4),
)
def test_a_camera_line_reads_back_to_the_same_camera(w: int, h: int, rest: list[float]) -> None:
    camera = CameraConfig(w, h, *rest)
    assert camera_from_colmap(camera.intrinsics_colmap) == camera


@pytest.mark.parametrize(
    "line",
    [
        "",
        "1 PINHOLE 720 640 252 252 360",
        "1 PINHOLE 720 640 252 252 360 320 0",
        "1 OPENCV 720 640 252 252 360 320",
        "1 PINHOLE 720.5 640 252 252 360 320",
        "1 PINHOLE 720 640 wide 252 360 320",
        "1 PINHOLE 0 640 252 252 360 320",
        "1 PINHOLE 720 640 -1 252 360 320",
        "1 PINHOLE 720 640 nan 252 360 320",
        "1 PINHOLE 99999 99999 252 252 360 320",
    ],
)
def test_a_camera_line_that_cannot_be_used_is_refused(line: str) -> None:
    with pytest.raises(ConfigError):
        camera_from_colmap(line)


DEPTH = np.linspace(0.5, 80.0, WIDTH * HEIGHT, dtype=np.float32).reshape(HEIGHT, WIDTH)
DEPTH[0, :5] = np.inf


def depth_request(**wanted: bool) -> RenderRequest:
    return make_request(np.eye(4), "park", CAMERA, **wanted)


def test_depth_comes_in_metres_and_as_millimetres_in_grey() -> None:
    request = depth_request(depth_img=True, depth_npz=True)
    kind, body = write_answer(request, PIXELS, DEPTH)
    answer = read_answer(request, kind, body)
    assert answer.depth is not None
    assert answer.depth.dtype == np.float32
    assert np.array_equal(answer.depth, DEPTH)
    expected = np.where(np.isinf(DEPTH), 0, np.minimum(np.rint(DEPTH * 1000.0), 65535))
    assert np.array_equal(np.array(answer.depth_img), expected)
    assert np.abs(np.array(answer.image).astype(int) - PIXELS).mean() < 12


def test_only_the_depth_that_was_asked_for_is_sent() -> None:
    kind, body = write_answer(depth_request(depth_img=True), PIXELS, DEPTH)
    assert kind == JSON_TYPE
    assert set(json.loads(body)) == {"image", "depth_img"}


def test_depth_is_not_made_up() -> None:
    with pytest.raises(ValueError, match="expected the depth"):
        write_answer(depth_request(depth_img=True), PIXELS, None)


def packed(**arrays: object) -> str:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return base64.b64encode(buffer.getvalue()).decode()


GOOD_IMAGE = base64.b64encode(WHOLE["jpeg"]).decode()
CUT_IMAGE = base64.b64encode(WHOLE["jpeg"][:-40]).decode()


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "expected base64 text in 'image', got NoneType"),
        ({"image": 3}, "got int"),
        ({"image": "###"}, "base64"),
        ({"image": CUT_IMAGE, "depth_npz": packed(depth=DEPTH)}, "cut short"),
        ({"image": GOOD_IMAGE}, "expected base64 text in 'depth_npz'"),
        ({"image": GOOD_IMAGE, "depth_npz": packed(other=DEPTH)}, "no array 'depth'"),
        ({"image": GOOD_IMAGE, "depth_npz": packed(depth=DEPTH)[:400]}, "no array 'depth'"),
        ({"image": GOOD_IMAGE, "depth_npz": packed(depth=DEPTH.T)}, "depth of shape"),
        ({"image": GOOD_IMAGE, "depth_npz": packed(depth=DEPTH > 1)}, "of bool"),
        (
            {"image": GOOD_IMAGE, "depth_npz": packed(depth=np.array([{}], dtype=object))},
            "no array 'depth'",
        ),
    ],
)
def test_depth_answers_that_miss_something_are_refused(
    document: dict[str, object], message: str
) -> None:
    with pytest.raises(RenderFailureError, match=message):
        read_answer(depth_request(depth_npz=True), JSON_TYPE, json.dumps(document).encode())


def test_a_depth_plane_with_an_axis_of_one_is_a_plane() -> None:
    document = {"image": GOOD_IMAGE, "depth_npz": packed(depth=DEPTH[..., None].astype(float))}
    answer = read_answer(
        depth_request(depth_npz=True), "application/json; charset=utf-8",
        json.dumps(document).encode(),
    )  # fmt: skip
    assert answer.depth is not None
    assert np.array_equal(answer.depth, DEPTH)


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        ("image/jpeg", WHOLE["jpeg"], "expected JSON, got content type 'image/jpeg'"),
        (JSON_TYPE, b"[1]", "expected a JSON object"),
        (JSON_TYPE, b'{"image": "', "not valid JSON"),
    ],
)
def test_depth_answers_that_are_no_json_are_refused(kind: str, body: bytes, message: str) -> None:
    with pytest.raises(RenderFailureError, match=message):
        read_answer(depth_request(depth_npz=True), kind, body)


@pytest.mark.parametrize("kind", ["image/png", "IMAGE/JPEG; q=1", "", "application/octet-stream"])
def test_the_bytes_decide_where_the_content_type_says_little(kind: str) -> None:
    request = make_request(np.eye(4), "park", CAMERA)
    assert read_answer(request, kind, WHOLE["jpeg"]).image.size == (WIDTH, HEIGHT)


def test_an_error_in_json_is_passed_on_in_its_own_words() -> None:
    request = make_request(np.eye(4), "park", CAMERA)
    with pytest.raises(RenderFailureError, match=r"'application/json': out of memory$"):
        read_answer(request, JSON_TYPE, b'{"error": "out of\\nmemory"}')
