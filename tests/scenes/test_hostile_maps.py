"""Maps that are damaged or beyond measure: one line that names the file, never a wrong map."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tifffile
import yaml
from PIL import Image

from abotn.cli.main import run_command_line
from abotn.errors import DataError
from abotn.scenes import Episode, GaussianScene, load_ros_map
from abotn.scenes.map_images import height_bytes, occupancy_bytes, read_height, read_occupancy
from abotn.scenes.meta_text import parse_meta

from .conftest import META, grey_rows

DIGITS = "7" * 400
MANY_DIGITS = "7" * 5000


@pytest.fixture
def data(make_dataset: Callable[..., Path]) -> Path:
    return make_dataset(("s",))


def complaints(path: Path, content: bytes, read: Callable[[], np.ndarray]) -> list[DataError]:
    """The errors of reading a file with a bit of each byte flipped in turn.

    A copy that can be read must hold the same as the file itself.
    """
    path.write_bytes(content)
    expected = read()
    errors = []
    for index in range(len(content)):
        copy = bytearray(content)
        copy[index] ^= 1 << 3 * index % 8
        path.write_bytes(copy)
        try:
            np.testing.assert_array_equal(read(), expected)
        except DataError as error:
            errors.append(error)
    return errors


@pytest.mark.parametrize("mode", ["L", "P", "RGBA"])
def test_no_flipped_bit_makes_another_map_of_a_png(tmp_path: Path, mode: str) -> None:
    path, buffer = tmp_path / "occ_map.png", io.BytesIO()
    image = Image.fromarray(grey_rows())
    (image.quantize(4) if mode == "P" else image.convert(mode)).save(buffer, "PNG")
    errors = complaints(path, buffer.getvalue(), lambda: read_occupancy(path))
    # All but the end mark's last eight bytes count.
    assert len(errors) == len(buffer.getvalue()) - 8
    assert {error.where for error in errors} == {str(path)}


def test_no_flipped_bit_makes_another_ground_of_a_written_height_map(tmp_path: Path) -> None:
    path = tmp_path / "occ_map_height.tiff"
    metres = np.random.default_rng(0).normal(size=(6, 5)).astype(np.float32)
    errors = complaints(path, height_bytes(metres), lambda: read_height(path, (6, 5)))
    assert len(errors) > 200
    assert {error.where for error in errors} == {str(path)}


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        ("SampleFormat", 1),
        ("SampleFormat", 2),
        ("RowsPerStrip", 2),
        ("Compression", 1),
        ("StripByteCounts", 10**6),
        ("ImageLength", 8),
    ],
)
def test_a_height_map_whose_description_is_wrong_is_refused(
    tmp_path: Path, tag: str, value: int
) -> None:
    path = tmp_path / "occ_map_height.tiff"
    path.write_bytes(height_bytes(np.random.default_rng(0).normal(size=(6, 5))))
    with tifffile.TiffFile(path, mode="r+b") as file:
        file.pages[0].tags[tag].overwrite(value)
    with pytest.raises(DataError) as caught:
        read_height(path)
    assert caught.value.where == str(path)


def test_a_damaged_png_is_an_error_of_its_file_everywhere(
    data: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    image = data / "s" / "map" / "occ_map.png"
    content = bytearray(image.read_bytes())
    content[content.index(b"IDAT") + 8] ^= 1
    image.write_bytes(content)
    assert run_command_line(["scenes", "check", str(data)]) == 1
    assert f"error: {image}: not a readable image" in capsys.readouterr().out
    with pytest.raises(DataError, match="not a readable image"):
        GaussianScene(data).get_episode(0).load_maps()
    (tmp_path / "map.png").write_bytes(content)
    keys = {"image": "map.png", "resolution": 0.1, "origin": [0, 0, 0], "negate": 0}
    (tmp_path / "m.yaml").write_text(
        yaml.safe_dump({**keys, "occupied_thresh": 1, "free_thresh": 0})
    )
    with pytest.raises(DataError) as caught:
        load_ros_map(tmp_path / "m.yaml")
    assert caught.value.where == str(tmp_path / "map.png")


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"tile": (16, 16)},
        {"tile": (16, 16), "compression": "zlib"},
        {"rowsperstrip": 3},
        {"bigtiff": True},
        {"byteorder": ">"},
        {"imagej": True},
    ],
)
def test_height_maps_of_other_writers_are_whole(
    tmp_path: Path, arguments: dict[str, object]
) -> None:
    metres = np.random.default_rng(0).normal(size=(40, 30)).astype(np.float32)
    tifffile.imwrite(tmp_path / "a.tiff", metres, **arguments)
    np.testing.assert_array_equal(read_height(tmp_path / "a.tiff", (40, 30)), metres)
    Image.fromarray(metres).save(tmp_path / "b.tiff")
    np.testing.assert_array_equal(read_height(tmp_path / "b.tiff", (40, 30)), metres)


def test_heights_that_are_no_metres_are_refused(tmp_path: Path) -> None:
    bits = np.full((2, 3), 0.25, dtype=np.float32).view(np.uint32)
    tifffile.imwrite(tmp_path / "a.tiff", bits)
    with pytest.raises(DataError, match="expected heights in metres, got 1048576000 as uint32"):
        read_height(tmp_path / "a.tiff")
    holes = np.array([[3, -(2**31), 2**31 - 1]], dtype=np.int32)
    tifffile.imwrite(tmp_path / "a.tiff", holes)
    assert read_height(tmp_path / "a.tiff").tolist() == holes.astype(np.float32).tolist()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("8, 4", f"{DIGITS}, 4"),
        ("8, 4", f"8, {MANY_DIGITS}"),
        ("8, 4", "0, 4"),
        ("8, 4", "3000000000, 4"),
        ("Top Left: (-1.0", f"Top Left: (-{DIGITS}"),
        ("Top Left: (-1.0", f"Top Left: (-{MANY_DIGITS}"),
        ("Top Right: (3.0", "Top Right: (1e308"),
        ("Top Right: (3.0", "Top Right: (1e200"),
        ("Bottom Left: (-1.0, 0.0)", "Bottom Left: (-1.0, 2.0)"),
        ("8, 4", "1000000000, 1000000000"),
    ],
)
def test_numbers_beyond_measure_are_one_line_that_names_the_meta_file(
    data: Path, old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    meta = data / "s" / "map" / "occ_map_meta.txt"
    assert old in META
    meta.write_text(META.replace(old, new))
    assert run_command_line(["scenes", "check", str(data)]) == 1
    lines = capsys.readouterr().out.splitlines()
    named = meta if "1000000000" not in new else meta.with_name("occ_map.png")
    assert lines[0].startswith(f"error: {named}: ")
    assert max(map(len, lines)) < len(str(meta)) + 250
    with pytest.raises(DataError):
        Episode.from_scene_dir(data / "s")


def test_a_thousand_million_pixels_are_no_reason_to_run_out_of_memory(data: Path) -> None:
    folder = data / "s" / "map"
    side = 200_000
    (folder / "occ_map_meta.txt").write_text(META.replace("8, 4", f"{side}, {side}"))
    assert parse_meta((folder / "occ_map_meta.txt").read_text(), "m")["IMAGE_WIDTH"] == side
    header = struct.pack(">II5B", side, side, 8, 0, 0, 0, 0)
    (folder / "occ_map.png").write_bytes(_png(header, b""))
    with pytest.raises(DataError, match=r"occ_map\.png: not a readable image"):
        Episode.from_scene_dir(data / "s")


def test_a_height_map_of_another_size_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    path = tmp_path / "a.tiff"
    path.write_bytes(height_bytes(np.zeros((4, 8))))
    with tifffile.TiffFile(path, mode="r+b") as file:
        for tag in ("ImageWidth", "ImageLength", "RowsPerStrip"):
            file.pages[0].tags[tag].overwrite(60_000)
    with pytest.raises(DataError, match="image is 60000 x 60000 pixels, the meta file says 8 x 4"):
        read_height(path, (4, 8))


@pytest.mark.parametrize(
    "changed",
    [
        {"resolution": 1e300},
        {"resolution": 1e-300},
        {"resolution": int(DIGITS)},
        {"origin": [1e300, 0, 0]},
        {"origin": [int(DIGITS), 0, 0]},
        {"free_thresh": int(DIGITS)},
    ],
)
def test_ros_numbers_beyond_measure_name_the_yaml(
    tmp_path: Path, changed: dict[str, object]
) -> None:
    (tmp_path / "map.png").write_bytes(occupancy_bytes(grey_rows()))
    keys = {"image": "map.png", "resolution": 0.1, "origin": [0, 0, 0], "negate": 0}
    keys = {**keys, "occupied_thresh": 0.6, "free_thresh": 0.2, **changed}
    path = tmp_path / "m.yaml"
    path.write_text(yaml.safe_dump(keys))
    with pytest.raises(DataError) as caught:
        load_ros_map(path)
    assert caught.value.where == str(path)
    assert len(str(caught.value)) < len(str(path)) + 300


@pytest.mark.parametrize("text", [f"resolution: {MANY_DIGITS}", "[" * 500])
def test_a_ros_yaml_that_the_reader_chokes_on_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(DataError) as caught:
        load_ros_map(tmp_path / "m.yaml")
    assert caught.value.where == str(tmp_path / "m.yaml")


@pytest.mark.parametrize("metres", [1e6, 1e300])
def test_a_dilation_wider_than_the_map_is_an_open_map(data: Path, metres: float) -> None:
    episode = Episode.from_scene_dir(data / "s")
    episode.dilate_free_space_by_meter(metres)
    assert episode.grid.free.all()


def _png(header: bytes, pixels: bytes) -> bytes:
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(pixels)), (b"IEND", b""))
    parts = [b"\x89PNG\r\n\x1a\n"]
    for name, body in chunks:
        parts.append(struct.pack(">I", len(body)) + name + body)
        parts.append(struct.pack(">I", zlib.crc32(name + body)))
    return b"".join(parts)
