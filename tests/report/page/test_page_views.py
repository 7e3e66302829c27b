import base64
import io

import numpy as np
from PIL import Image

from abotn.report import page_views
from abotn.report.page_views import HEIGHT, MOST_ATTEMPTS, MOST_STEPS, encoded_views


def decoded(uri):
    content = base64.b64decode(uri.partition(",")[2])
    return np.array(Image.open(io.BytesIO(content)).convert("RGB")).astype(int)


def test_the_views_stand_from_left_to_right(parts, tmp_path):
    parts.view_files(tmp_path / "render_images", [0, 10, 2])
    views = encoded_views([(7, tmp_path)])[7]
    assert views["at"] == [0, 2, 10]
    assert views["views"] == ["left", "front", "right"]
    strip = decoded(views["strips"][0])
    assert strip.shape == (HEIGHT, 3 * HEIGHT * 48 // 64, 3)
    for place, colour in enumerate(parts.views.values()):
        middle = strip[HEIGHT // 2, strip.shape[1] * (2 * place + 1) // 6]
        assert np.abs(middle - colour).max() < 30


def test_many_steps_are_spread_evenly(parts, tmp_path):
    parts.view_files(tmp_path / "render_images", range(60))
    at = encoded_views([(0, tmp_path)])[0]["at"]
    assert len(at) == MOST_STEPS
    assert (at[0], at[-1]) == (0, 59)
    assert set(np.diff(at)) <= {2, 3}


def test_attempts_without_views_are_passed_over(parts, tmp_path):
    parts.view_files(tmp_path / "b" / "render_images", [0])
    (tmp_path / "c" / "render_images").mkdir(parents=True)
    (tmp_path / "c" / "render_images" / "notes.txt").write_text("none")
    folders = [(n, tmp_path / name) for n, name in enumerate("abc")]
    assert list(encoded_views(folders)) == [1]


def test_damaged_pictures_are_left_out(parts, tmp_path):
    folder = tmp_path / "render_images"
    parts.view_files(folder, [0, 1])
    (folder / "0_left.jpg").write_bytes(b"")
    (folder / "1_front.jpg").write_bytes(b"no picture")
    for view in ("left", "right"):
        (folder / f"1_{view}.jpg").write_bytes(b"")
    views = encoded_views([(0, tmp_path)])[0]
    assert views["at"] == [0]
    assert decoded(views["strips"][0]).shape[1] == 2 * HEIGHT * 48 // 64


def test_the_limits_hold(parts, tmp_path, monkeypatch):
    parts.view_files(tmp_path / "render_images", [0])
    everything = encoded_views([(n, tmp_path) for n in range(MOST_ATTEMPTS + 5)])
    assert list(everything) == list(range(MOST_ATTEMPTS))
    one = sum(map(len, everything[0]["strips"]))
    assert len(encoded_views([(n, tmp_path) for n in range(9)], 3 * one)) == 3
    monkeypatch.setattr(page_views, "MOST_ATTEMPTS", 2)
    assert len(encoded_views([(n, tmp_path) for n in range(9)])) == 2
