import numpy as np
import pyarrow
import pytest
from PIL import Image
from pyarrow import feather

from abotn.errors import DataError
from abotn.streaming.labels import read_anomaly_column, read_mask

PIXELS = np.array([[0, 1, 0], [255, 0, 7]], np.uint8)


@pytest.mark.parametrize("mode", ["L", "1", "RGB", "RGBA", "LA", "I;16", "P"])
def test_any_pixel_that_is_not_zero_is_anomalous_whatever_the_mode(tmp_path, mode):
    path = tmp_path / "mask.png"
    grey = Image.fromarray((PIXELS > 0).astype(np.uint8) * 255)
    if mode == "I;16":
        Image.fromarray(PIXELS.astype(np.uint16)).save(path)
    else:
        grey.convert(mode).save(path)
    mask = read_mask(path)
    assert mask.dtype == np.bool_
    assert mask.tolist() == (PIXELS > 0).tolist()


def test_the_faintest_grey_and_the_faintest_blue_count(tmp_path):
    faint = np.zeros((2, 2), np.uint8)
    faint[0, 1] = 1
    Image.fromarray(faint).save(tmp_path / "grey.png")
    Image.fromarray(np.dstack([faint * 0, faint * 0, faint])).save(tmp_path / "blue.png")
    for name in ("grey.png", "blue.png"):
        assert read_mask(tmp_path / name).tolist() == [[False, True], [False, False]]


def test_a_missing_file_is_none(tmp_path):
    assert read_mask(tmp_path / "none.png") is None
    assert read_anomaly_column(tmp_path / "none.feather") is None


def test_a_damaged_mask_is_named(tmp_path):
    path = tmp_path / "mask.png"
    Image.fromarray(np.tile(PIXELS, (50, 50))).save(path)
    whole = path.read_bytes()
    for content in (b"", b"not a png", whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(DataError, match="cannot read it") as caught:
            read_mask(path)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "column", [[True, False, True], [1, 0, 3], [0.5, 0.0, 1.0], np.array([1, 0, 1], np.uint8)]
)
def test_a_column_is_true_where_it_is_not_zero(tmp_path, column):
    path = tmp_path / "labels.feather"
    feather.write_feather(pyarrow.table({"anomaly": column, "other": [1, 2, 3]}), path)
    assert read_anomaly_column(path).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"label": [True]}, "expected a column 'anomaly', found label"),
        ({"anomaly": [True, None]}, "1 empty rows"),
        ({"anomaly": [0.0, float("nan")]}, "NaN rows"),
        ({"anomaly": ["yes"]}, "must hold truth values, holds string"),
    ],
)
def test_a_column_that_says_nothing_is_an_error(tmp_path, table, message):
    path = tmp_path / "labels.feather"
    feather.write_feather(pyarrow.table(table), path)
    with pytest.raises(DataError, match=message) as caught:
        read_anomaly_column(path)
    assert str(path) in str(caught.value)


def test_a_damaged_table_is_named(tmp_path):
    path = tmp_path / "labels.feather"
    for content in (b"", b"not a feather file at all"):
        path.write_bytes(content)
        with pytest.raises(DataError, match="cannot read it") as caught:
            read_anomaly_column(path)
        assert str(path) in str(caught.value)
