"""Reading and writing the images of a map."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
import tifffile
from PIL import Image

from abotn.errors import DataError
from abotn.scenes.map_images import (
    check_height_size,
    check_occupancy_size,
    height_bytes,
    occupancy_bytes,
    read_height,
    read_occupancy,
)


def random_grey(shape: tuple[int, ...] = (7, 5)) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, size=shape, dtype=np.uint8)


def test_grey_is_read_as_opencv_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "occ_map.png"
    Image.fromarray(random_grey()).save(path)
    np.testing.assert_array_equal(read_occupancy(path), cv2.imread(str(path), cv2.IMREAD_GRAYSCALE))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "1", "LA"])
def test_other_modes_are_grey_within_a_rounding_of_opencv(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "occ_map.png"
    Image.fromarray(random_grey((7, 5, 3))).convert("RGBA").convert(mode).save(path)
    grey = read_occupancy(path).astype(int)
    expected = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE).astype(int)
    assert grey.shape == (7, 5)
    assert np.abs(grey - expected).max() <= 1


def test_sixteen_bits_keep_the_upper_byte(tmp_path: Path) -> None:
    path = tmp_path / "occ_map.png"
    Image.fromarray(np.array([[0, 0x7FFF, 0x8000, 0xFFFF]], dtype=np.uint16)).save(path)
    assert read_occupancy(path).tolist() == [[0, 127, 128, 255]]


def test_what_is_read_is_read_only(tmp_path: Path) -> None:
    path = tmp_path / "occ_map.png"
    Image.fromarray(random_grey()).save(path)
    with pytest.raises(ValueError, match="read-only"):
        read_occupancy(path)[0, 0] = 1


@pytest.mark.parametrize("reader", [read_occupancy, lambda p: check_occupancy_size(p, (7, 5))])
def test_a_file_that_is_no_image_is_named(tmp_path: Path, reader: object) -> None:
    path = tmp_path / "occ_map.png"
    for content in (b"", b"not an image", b"\x89PNG\r\n\x1a\n"):
        path.write_bytes(content)
        with pytest.raises(DataError, match="not a readable image") as caught:
            reader(path)  # type: ignore[operator]
        assert caught.value.where == str(path)


def test_half_an_image_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "occ_map.png"
    content = occupancy_bytes(random_grey((200, 200)))
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match="not a readable image"):
        read_occupancy(path)


def test_a_missing_image_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_occupancy(tmp_path / "occ_map.png")
    assert caught.value.where == str(tmp_path / "occ_map.png")


def test_a_size_that_differs_names_both(tmp_path: Path) -> None:
    path = tmp_path / "occ_map.png"
    path.write_bytes(occupancy_bytes(random_grey()))
    for reader in (read_occupancy, check_occupancy_size):
        with pytest.raises(DataError, match="image is 5 x 7 pixels, the meta file says 7 x 5"):
            reader(path, (5, 7))
        reader(path, (7, 5))


def test_written_images_are_read_back_and_have_the_same_bytes(tmp_path: Path) -> None:
    grey = random_grey()
    (tmp_path / "a.png").write_bytes(occupancy_bytes(grey))
    np.testing.assert_array_equal(read_occupancy(tmp_path / "a.png"), grey)
    metres = np.random.default_rng(1).normal(size=(7, 5)).astype(np.float32)
    (tmp_path / "a.tiff").write_bytes(height_bytes(metres))
    np.testing.assert_array_equal(read_height(tmp_path / "a.tiff"), metres)
    np.testing.assert_array_equal(np.array(Image.open(tmp_path / "a.tiff")), metres)
    assert occupancy_bytes(grey) == occupancy_bytes(grey.copy())
    assert height_bytes(metres) == height_bytes(metres[:, ::-1][:, ::-1])


def test_heights_carry_neither_a_time_nor_a_machine(tmp_path: Path) -> None:
    (tmp_path / "a.tiff").write_bytes(height_bytes(np.zeros((2, 2))))
    with tifffile.TiffFile(tmp_path / "a.tiff") as file:
        assert not {"DateTime", "HostComputer", "Artist"} & set(file.pages[0].tags.keys())


@pytest.mark.parametrize("kind", [np.float64, np.float16, np.int16, np.uint8])
def test_heights_of_any_number_type_become_float32(tmp_path: Path, kind: type) -> None:
    tifffile.imwrite(tmp_path / "a.tiff", np.array([[1, 2, 3]], dtype=kind))
    height = read_height(tmp_path / "a.tiff", (1, 3))
    assert height.dtype == np.float32
    assert height.tolist() == [[1, 2, 3]]


def test_a_height_map_of_several_planes_is_refused(tmp_path: Path) -> None:
    tifffile.imwrite(tmp_path / "a.tiff", np.zeros((4, 5, 3), np.uint8), photometric="rgb")
    with pytest.raises(DataError, match="one plane of real numbers"):
        read_height(tmp_path / "a.tiff")


def test_a_height_map_that_is_no_tiff_or_has_another_size_is_named(tmp_path: Path) -> None:
    path = tmp_path / "occ_map_height.tiff"
    path.write_bytes(b"II*\x00nothing")
    for reader in (read_height, check_height_size):
        with pytest.raises(DataError, match="TIFF") as caught:
            reader(path, (2, 3))
        assert caught.value.where == str(path)
    path.write_bytes(height_bytes(np.zeros((3, 2))))
    for reader in (read_height, check_height_size):
        with pytest.raises(DataError, match="image is 2 x 3 pixels, the meta file says 3 x 2"):
            reader(path, (2, 3))
