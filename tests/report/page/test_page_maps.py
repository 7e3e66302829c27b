import base64
import io
import math

import numpy as np
import pytest
from PIL import Image

from abotn.geometry.map_geometry import MapGeometry
from abotn.report.page_maps import SceneMap, encoded_maps, find_maps


def decoded(uri):
    head, _, content = uri.partition(",")
    assert head == "data:image/webp;base64"
    return np.array(Image.open(io.BytesIO(base64.b64decode(content))).convert("L"))


def placed(entry, point):
    a, b, c, d, e, f = entry["matrix"]
    return a * point[0] + b * point[1] + c, d * point[0] + e * point[1] + f


def noise(side, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (side, side)).astype(np.uint8)


def square(grey):
    rows, columns = grey.shape
    return SceneMap(MapGeometry((0, 0), (0.1, 0), (0, -0.1), columns, rows), grey)


def test_a_map_is_found_and_its_picture_is_exact(parts, tmp_path):
    grey = parts.map(tmp_path / "hall" / "map")
    found, missing = find_maps(["hall"], [(str(tmp_path), None)])
    assert missing == {}
    assert (decoded(encoded_maps(found)["hall"]["picture"]) == grey).all()


@pytest.mark.parametrize("angle", [0.0, 0.4, math.pi / 2, 3.0])
def test_corners_lie_at_the_corners_of_the_picture(angle):
    cos, sin = math.cos(angle), math.sin(angle)
    geometry = MapGeometry((5, -3), (0.1 * cos, 0.1 * sin), (0.2 * sin, -0.2 * cos), 30, 20)
    entry = encoded_maps({"s": SceneMap(geometry, np.zeros((20, 30), np.uint8))})["s"]
    width, height = entry["size"]
    assert (width, height) == pytest.approx((3.0, 4.0))
    corners = {
        geometry.top_left: (0, 0), geometry.top_right: (width, 0),
        geometry.bottom_left: (0, height), geometry.bottom_right: (width, height),
    }  # fmt: skip
    for world, page in corners.items():
        assert placed(entry, world) == pytest.approx(page, abs=1e-6)


def test_distances_are_kept_in_metres():
    entry = encoded_maps({"s": square(np.zeros((20, 30), np.uint8))})["s"]
    one, other = placed(entry, (0, 0)), placed(entry, (3, -4))
    assert math.dist(one, other) == pytest.approx(5)


def test_maps_in_a_folder_of_their_own(parts, tmp_path):
    parts.map(tmp_path / "maps" / "hall")
    (tmp_path / "data" / "hall").mkdir(parents=True)
    for place in [(str(tmp_path / "data"), str(tmp_path / "maps")), (None, str(tmp_path / "maps"))]:
        found, _ = find_maps(["hall"], [(None, None), place])
        assert list(found) == ["hall"]


def test_why_there_is_no_map(parts, tmp_path):
    parts.map(tmp_path / "broken" / "map")
    (tmp_path / "broken" / "map" / "occ_map.png").write_bytes(b"no image")
    found, missing = find_maps(["broken", "away"], [(str(tmp_path), None)])
    assert found == {}
    assert "occ_map.png" in missing["broken"]
    assert str(tmp_path) in missing["away"]
    assert "--data-dir" in find_maps(["away"], [(None, None)])[1]["away"]


def test_pictures_get_coarser_until_they_fit_and_are_left_out_at_last():
    maps = {str(seed): square(noise(300, seed)) for seed in range(3)}
    sizes = {}
    for most in (10_000_000, 300_000, 200_000):
        entries = encoded_maps(maps, most)
        pictures = [entry["picture"] for entry in entries.values() if entry["picture"]]
        assert sum(map(len, pictures)) <= most
        sizes[most] = decoded(pictures[0]).shape[0]
        assert all(entry["size"] == pytest.approx([30, 30]) for entry in entries.values())
    assert sizes[10_000_000] == 300
    assert sizes[300_000] < 300
    assert encoded_maps(maps, 200_000)["2"]["picture"] is None


def test_a_large_map_is_shrunk_and_the_thinnest_wall_still_shows():
    grey = np.full((4000, 2000), 255, np.uint8)
    grey[2001] = 0
    picture = decoded(encoded_maps({"s": square(grey)})["s"]["picture"])
    assert picture.shape == (1024, 512)
    assert (picture.min(axis=0) < 220).all()
