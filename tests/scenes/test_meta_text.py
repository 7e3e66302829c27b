"""Reading and writing occ_map_meta.txt."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.errors import DataError
from abotn.geometry.map_geometry import MapGeometry
from abotn.scenes.meta_text import geometry_of, meta_text, parse_meta, read_meta

from .conftest import META


def test_published_keys(tmp_path: Path) -> None:
    path = tmp_path / "occ_map_meta.txt"
    path.write_text(META, encoding="utf-8")
    assert read_meta(path) == {
        "TOP_LEFT_X": -1.0,
        "TOP_LEFT_Y": 2.0,
        "TOP_RIGHT_X": 3.0,
        "TOP_RIGHT_Y": 2.0,
        "BOTTOM_LEFT_X": -1.0,
        "BOTTOM_LEFT_Y": 0.0,
        "BOTTOM_RIGHT_X": 3.0,
        "BOTTOM_RIGHT_Y": 0.0,
        "IMAGE_WIDTH": 8,
        "IMAGE_HEIGHT": 4,
        "COORDINATE_RANGE_X": 4.0,
        "COORDINATE_RANGE_Y": 2.0,
    }


def test_ranges_of_a_rotated_map_are_side_lengths() -> None:
    # A 3-4-5 triangle: right by (4, 3), down by (3, -4).
    text = (
        "Top Left: (0, 0)\nTop Right: (4, 3)\nBottom Left: (3, -4)\nBottom Right: (7, -1)\n"
        "Image size in pixels: 10, 20\n"
    )
    meta = parse_meta(text, "m")
    assert (meta["COORDINATE_RANGE_X"], meta["COORDINATE_RANGE_Y"]) == (5.0, 5.0)
    geometry = geometry_of(meta, "m")
    assert geometry.bottom_right == pytest.approx((7, -1))
    assert geometry.metres_per_pixel == pytest.approx((0.5 + 0.25) / 2)


def test_other_lines_spaces_and_line_ends_do_not_matter() -> None:
    loose = META.replace("\n", "\r\n").replace("Top Left: (-1.0, 2.0)", "  top left :  -1 , +2e0 ")
    loose = "Resolution: 0.5\n\nnothing here\n" + loose
    assert parse_meta(loose, "m") == parse_meta(META, "m")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Top Right: (3.0, 2.0)\n", "", "line 'Top Right: ...' is missing"),
        ("Image size in pixels: 8, 4\n", "", "line 'Image size in pixels: ...' is missing"),
        ("(3.0, 2.0)", "(3.0)", r"line 3: expected 'Top Right: \(x, y\)'"),
        ("(3.0, 2.0)", "(3.0, nan)", "line 3"),
        ("(3.0, 2.0)", "(3.0, 1e999)", "line 3"),
        ("(3.0, 2.0)", "(3.0, two)", "line 3"),
        ("8, 4", "8.5, 4", "line 6: expected 'Image size in pixels"),
        ("8, 4", "0, 4", "line 6"),
        ("8, 4", "-8, 4", "line 6"),
        ("8, 4", "8, 4\nTop Left: (0, 0)", "line 7: 'Top Left' was already given in line 2"),
        ("Bottom Right: (3.0", "Bottom Right: (5.0", "no parallelogram.*off by 2 m"),
    ],
)
def test_damage_is_named_by_line(old: str, new: str, reason: str) -> None:
    with pytest.raises(DataError, match=reason) as caught:
        parse_meta(META.replace(old, new), "some/occ_map_meta.txt")
    assert caught.value.where == "some/occ_map_meta.txt"


def test_corners_on_one_line_are_refused() -> None:
    text = META.replace("(-1.0, 0.0)", "(1.0, 2.0)").replace("(3.0, 0.0)", "(5.0, 2.0)")
    with pytest.raises(DataError, match="collinear") as caught:
        parse_meta(text, "m")
    assert caught.value.where == "m"


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "occ_map_meta.txt"
    path.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(DataError, match="cannot read as text") as caught:
        read_meta(path)
    assert caught.value.where == str(path)


def test_an_incomplete_dict_is_named() -> None:
    with pytest.raises(DataError, match="no key 'TOP_LEFT_X'"):
        geometry_of({"IMAGE_WIDTH": 3}, "m")


@given(
    st.floats(-1e4, 1e4),
    st.floats(-1e4, 1e4),
    st.floats(-math.pi, math.pi),
    st.sampled_from([0.03, 0.05, 0.1]),
    st.integers(1, 5000),
    st.integers(1, 5000),
    st.booleans(),
)
def test_any_map_is_read_back_where_it_was(
    x: float, y: float, yaw: float, side: float, width: int, height: int, flip: bool
) -> None:
    right = np.array([math.cos(yaw), math.sin(yaw)]) * side
    down = np.array([right[1], -right[0]]) * (-1 if flip else 1)
    geometry = MapGeometry((x, y), tuple(right), tuple(down), width, height)
    text = meta_text(geometry, ["Source: a test"])
    again = geometry_of(parse_meta(text, "m"), "m")
    assert text.endswith("Source: a test\n")
    assert again.shape == geometry.shape
    corners = [[0, 0], [width, 0], [0, height], [width, height]]
    np.testing.assert_allclose(again.to_world(corners), geometry.to_world(corners), atol=1e-9)
