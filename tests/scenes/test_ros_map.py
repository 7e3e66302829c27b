"""Maps of ROS map_server, against a plain loop over the documented rule."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from abotn.errors import DataError
from abotn.scenes.ros_map import load_ros_map

MAPS = Path(__file__).parents[2].parent / "shared" / "data" / "maps"
needs_maps = pytest.mark.skipif(
    not MAPS.is_dir(), reason="the shared maps are not beside the checkout"
)

BASE = {
    "image": "map.pgm",
    "resolution": 0.05,
    "origin": [0.0, 0.0, 0.0],
    "negate": 0,
    "occupied_thresh": 0.65,
    "free_thresh": 0.25,
}
# Every grey value once, in 16 rows.
ALL_GREYS = np.arange(256, dtype=np.uint8).reshape(16, 16)


def write_ros(
    folder: Path, grey: np.ndarray = ALL_GREYS, name: str = "map.pgm", **keys: object
) -> Path:
    Image.fromarray(grey).save(folder / name)
    path = folder / "map.yaml"
    document = {key: value for key, value in {**BASE, "image": name, **keys}.items() if value != ""}
    path.write_text(yaml.safe_dump(document))
    return path


def plain_value(grey: int, mode: str, negate: int, free: float, occupied: float) -> int:
    """The documented rule for one opaque pixel, in exact fractions."""
    if mode == "raw":
        return grey if grey <= 100 else -1
    p = Fraction(grey, 255) if negate else 1 - Fraction(grey, 255)
    low, high = Fraction(str(free)), Fraction(str(occupied))
    if p <= low:
        return 0
    if p >= high:
        return 100
    return math.floor((p - low) / (high - low) * 100 + Fraction(1, 2)) if mode == "scale" else -1


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    st.sampled_from(["trinary", "scale", "raw"]),
    st.sampled_from([0, 1, True, False]),
    st.tuples(st.integers(0, 200), st.integers(0, 200)).map(sorted),
)
def test_every_grey_value_follows_the_rule(
    tmp_path: Path, mode: str, negate: int, thresholds: list[int]
) -> None:
    # Steps of 0.005, which 0.2, 0.4, 0.6 and 0.8 belong to: those are grey values exactly.
    free, occupied = (step / 200 for step in thresholds)
    path = write_ros(tmp_path, mode=mode, negate=negate, free_thresh=free, occupied_thresh=occupied)
    expected = [plain_value(grey, mode, negate, free, occupied) for grey in range(256)]
    found = load_ros_map(path).occupancy.ravel()
    assert found.tolist() == expected


def test_thresholds_belong_to_their_class(tmp_path: Path) -> None:
    grey = np.array([[0, 51, 102, 153, 204, 255]], dtype=np.uint8)
    path = write_ros(tmp_path, grey, free_thresh=0.2, occupied_thresh=0.6)
    # p is 1, 0.8, 0.6, 0.4, 0.2, 0.
    assert load_ros_map(path).occupancy.tolist() == [[100, 100, 100, -1, 0, 0]]


def test_where_thresholds_meet_free_wins(tmp_path: Path) -> None:
    grey = np.array([[0, 127, 128, 255]], dtype=np.uint8)
    path = write_ros(tmp_path, grey, negate=1, free_thresh=127 / 255, occupied_thresh=127 / 255)
    assert load_ros_map(path).occupancy.tolist() == [[0, 0, 100, 100]]


def test_the_mode_is_trinary_unless_named_and_in_any_case(tmp_path: Path) -> None:
    assert load_ros_map(write_ros(tmp_path)).mode == "trinary"
    assert load_ros_map(write_ros(tmp_path, mode="SCALE")).mode == "scale"


@pytest.mark.parametrize("mode", ["trinary", "scale", "raw"])
def test_pixels_that_are_not_opaque_are_unknown(tmp_path: Path, mode: str) -> None:
    grey = np.full((1, 4), 60, dtype=np.uint8)
    alpha = np.array([[255, 254, 1, 0]], dtype=np.uint8)
    path = write_ros(tmp_path, np.dstack([grey, grey, grey, alpha]), "map.png", mode=mode)
    expected = plain_value(60, mode, 0, 0.25, 0.65)
    assert load_ros_map(path).occupancy.tolist() == [[expected, -1, -1, -1]]


def test_a_palette_with_a_transparent_colour(tmp_path: Path) -> None:
    image = Image.fromarray(np.array([[0, 1, 2]], dtype=np.uint8), mode=None).convert("P")
    image.putpalette([255, 255, 255, 0, 0, 0, 255, 255, 255])
    image.save(tmp_path / "map.png", transparency=bytes([255, 255, 0]))
    path = tmp_path / "map.yaml"
    path.write_text(yaml.safe_dump({**BASE, "image": "map.png"}))
    assert load_ros_map(path).occupancy.tolist() == [[0, 100, -1]]


def test_colour_is_turned_grey_by_its_luma(tmp_path: Path) -> None:
    colours = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [90, 90, 90]]], dtype=np.uint8)
    # 0.2127, 0.7152 and 0.0722 of 255 are 54, 182 and 18.
    path = write_ros(tmp_path, colours, "map.png", mode="raw")
    assert load_ros_map(path).occupancy.tolist() == [[54, -1, 18, 90]]


def test_plain_pgm_with_comments_and_another_maximum(tmp_path: Path) -> None:
    (tmp_path / "map.pgm").write_bytes(b"P2\n# made by hand\n3 1\n# a second line\n100\n0 50 100\n")
    path = tmp_path / "map.yaml"
    path.write_text(yaml.safe_dump(BASE))
    # Scaled to 0, 127.5 and 255: occupied, p = 0.5 unknown, free.
    assert load_ros_map(path).occupancy.tolist() == [[100, -1, 0]]


def test_sixteen_bits_are_scaled_to_eight(tmp_path: Path) -> None:
    grey = np.array([[0, 257 * 30, 257 * 100, 65535]], dtype=np.uint16)
    assert load_ros_map(write_ros(tmp_path, grey, "map.png", mode="raw")).occupancy.tolist() == [
        [0, 30, 100, -1]
    ]


def test_black_and_white_images(tmp_path: Path) -> None:
    Image.fromarray(np.array([[0, 255]], dtype=np.uint8)).convert("1").save(tmp_path / "map.png")
    path = tmp_path / "map.yaml"
    path.write_text(yaml.safe_dump({**BASE, "image": "map.png"}))
    assert load_ros_map(path).occupancy.tolist() == [[100, 0]]


def test_the_origin_is_the_lower_left_corner(tmp_path: Path) -> None:
    geometry = load_ros_map(write_ros(tmp_path, origin=[-3.0, 2.0, 0.0])).geometry
    assert geometry.bottom_left == pytest.approx((-3.0, 2.0))
    assert geometry.top_left == pytest.approx((-3.0, 2.8))
    assert geometry.top_right == pytest.approx((-2.2, 2.8))
    assert geometry.cell_of((-2.99, 2.01)).tolist() == [0, 15]


def test_yaw_turns_the_map_about_its_origin(tmp_path: Path) -> None:
    grey = np.full((2, 4), 254, dtype=np.uint8)
    path = write_ros(tmp_path, grey, resolution=0.5, origin=[1.0, 1.0, math.pi / 2])
    geometry = load_ros_map(path).geometry
    # The image's right is world +y, its up is world -x.
    assert geometry.bottom_left == pytest.approx((1, 1))
    assert geometry.bottom_right == pytest.approx((1, 3))
    assert geometry.top_left == pytest.approx((0, 1))


@given(st.floats(-math.pi, math.pi), st.integers(0, 3), st.integers(0, 1))
@settings(
    max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_cell_centres_are_where_ros_puts_them(
    tmp_path: Path, yaw: float, column: int, from_below: int
) -> None:
    grey = np.full((2, 4), 254, dtype=np.uint8)
    ros = load_ros_map(write_ros(tmp_path, grey, resolution=0.5, origin=[-7.0, 3.0, yaw]))
    ahead, up = (column + 0.5) * 0.5, (from_below + 0.5) * 0.5
    x = -7.0 + math.cos(yaw) * ahead - math.sin(yaw) * up
    y = 3.0 + math.sin(yaw) * ahead + math.cos(yaw) * up
    assert ros.geometry.cell_centre((column, 1 - from_below)) == pytest.approx((x, y))


def test_masks_and_what_unknown_counts_as(tmp_path: Path) -> None:
    grey = np.array([[254, 205, 0]], dtype=np.uint8)
    ros = load_ros_map(write_ros(tmp_path, grey, free_thresh=0.1))
    assert ros.free.tolist() == [[True, False, False]]
    assert ros.unknown.tolist() == [[False, True, False]]
    assert ros.occupied.tolist() == [[False, False, True]]
    assert ros.grid().free.tolist() == [[True, False, False]]
    assert ros.grid(unknown_is_obstacle=False).free.tolist() == [[True, True, False]]


def test_raw_values_are_classed_by_the_thresholds(tmp_path: Path) -> None:
    grey = np.array([[0, 25, 26, 64, 65, 100, 101]], dtype=np.uint8)
    ros = load_ros_map(write_ros(tmp_path, grey, mode="raw"))
    assert ros.free.tolist() == [[True, True, False, False, False, False, False]]
    assert ros.occupied.tolist() == [[False, False, False, False, True, True, False]]
    assert ros.unknown.tolist() == [[False] * 6 + [True]]


@needs_maps
@pytest.mark.parametrize("name", ["depot", "tb3_sandbox", "warehouse"])
def test_real_maps_cell_by_cell(name: str) -> None:
    document = yaml.safe_load((MAPS / f"{name}.yaml").read_text())
    content = (MAPS / f"{name}.pgm").read_bytes()
    header, tokens, position = [], 0, 0
    while tokens < 4:
        line_end = content.index(b"\n", position)
        words = content[position:line_end].split(b"#")[0].split()
        header += words
        tokens, position = tokens + len(words), line_end + 1
    width, height, maximum = map(int, header[1:4])
    assert maximum == 255
    counts = np.bincount(np.frombuffer(content, np.uint8, width * height, position), minlength=256)
    expected = {-1: 0, 0: 0, 100: 0}
    for grey, count in enumerate(counts.tolist()):
        free, occupied = document["free_thresh"], document["occupied_thresh"]
        expected[plain_value(grey, "trinary", document["negate"], free, occupied)] += count
    ros = load_ros_map(MAPS / f"{name}.yaml")
    assert ros.occupancy.shape == (height, width)
    found = {"unknown": ros.unknown.sum(), "free": ros.free.sum(), "occupied": ros.occupied.sum()}
    assert found == {"unknown": expected[-1], "free": expected[0], "occupied": expected[100]}
    assert ros.occupancy[0, 0] == plain_value(
        content[position], "trinary", 0, document["free_thresh"], document["occupied_thresh"]
    )
    assert ros.geometry.bottom_left == pytest.approx(tuple(document["origin"][:2]))
    assert ros.geometry.metres_per_pixel == pytest.approx(document["resolution"])


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"image": ""}, "key 'image' is missing"),
        ({"image": 3}, "key 'image' must name a file"),
        ({"resolution": ""}, "key 'resolution' is missing"),
        ({"resolution": 0}, "key 'resolution' must be positive"),
        ({"resolution": "fine"}, "key 'resolution' must be a finite number, got 'fine'"),
        ({"resolution": True}, "key 'resolution' must be a finite number"),
        ({"origin": ""}, "key 'origin' is missing"),
        ({"origin": [0, 0]}, r"key 'origin' must be \[x, y, yaw\]"),
        ({"origin": [0, float("nan"), 0]}, r"key 'origin\[1\]'"),
        ({"negate": ""}, "key 'negate' is missing"),
        ({"negate": "no"}, "key 'negate' must be 0 or 1"),
        ({"free_thresh": ""}, "key 'free_thresh' is missing"),
        ({"occupied_thresh": float("inf")}, "key 'occupied_thresh' must be a finite"),
        ({"free_thresh": 0.7}, "'free_thresh' .0.7. must not exceed"),
        ({"mode": "quaternary"}, "key 'mode' must be one of trinary, scale, raw"),
    ],
)
def test_a_damaged_key_is_named(tmp_path: Path, keys: dict[str, object], reason: str) -> None:
    path = write_ros(tmp_path)
    merged = {**BASE, **keys}
    document = {key: value for key, value in merged.items() if value != ""}
    path.write_text(yaml.safe_dump(document))
    with pytest.raises(DataError, match=reason) as caught:
        load_ros_map(path)
    assert caught.value.where == str(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("image: [", "line 1: not valid YAML"),
        ("", "got NoneType"),
        ("- a\n- b\n", "got list"),
        ("image: !!python/object/apply:os.getcwd []\n", "not valid YAML"),
    ],
)
def test_a_file_that_is_no_map_is_named(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "map.yaml"
    path.write_text(content)
    with pytest.raises(DataError, match=reason) as caught:
        load_ros_map(path)
    assert caught.value.where == str(path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file") as caught:
        load_ros_map(tmp_path / "map.yaml")
    assert caught.value.where == str(tmp_path / "map.yaml")
    path = write_ros(tmp_path)
    (tmp_path / "map.pgm").unlink()
    with pytest.raises(DataError) as caught:
        load_ros_map(path)
    assert caught.value.where == str(path)
    assert "key 'image' names 'map.pgm', and there is no such file" in str(caught.value)


def test_half_a_pgm_is_refused(tmp_path: Path) -> None:
    path = write_ros(tmp_path)
    (tmp_path / "map.pgm").write_bytes((tmp_path / "map.pgm").read_bytes()[:-100])
    with pytest.raises(DataError, match="not a readable image"):
        load_ros_map(path)
