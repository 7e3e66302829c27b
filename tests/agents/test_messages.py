"""Values on the wire: what goes in comes out, bit for bit, and what is no message is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from abotn.agents.messages import SentArrays, pack, unpack
from abotn.errors import DataError

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ARRAYS = hnp.arrays(
    st.sampled_from(["u1", "i2", "<i4", ">i4", "<i8", "f2", "<f4", ">f4", "<f8", ">f8", "?"]),
    hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=3),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats() | TEXTS | ARRAYS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray):
        native = first.astype(first.dtype.newbyteorder("="))
        return (
            isinstance(second, np.ndarray)
            and (native.dtype, native.shape) == (second.dtype, second.shape)
            and native.tobytes() == second.tobytes()
        )
    if isinstance(first, float) and math.isnan(first):
        return isinstance(second, float) and math.isnan(second)
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(first[k], second[k]) for k in first)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(same, first, second))
    return type(first) is type(second) and bool(first == second)


@settings(max_examples=150)
@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_values_come_out_as_they_went_in(values: dict[str, Any]) -> None:
    assert same(values, unpack(pack(values)))


def test_the_format_is_a_line_of_json_and_the_bytes() -> None:
    message = pack({"a": {"b": [1, np.array([[1, 2], [3, 258]], "<u2")]}, "c": math.inf})
    line, _, rest = message.partition(b"\n")
    assert json.loads(line) == {
        "values": {"a": {"b": [1, None]}, "c": None},
        "parts": [
            {"at": ["a", "b", 1], "dtype": "<u2", "shape": [2, 2], "encoding": "raw", "bytes": 8},
            {"at": ["c"], "number": "inf"},
        ],
    }
    assert rest == bytes([1, 0, 2, 0, 3, 0, 2, 1])


def test_numpy_numbers_keep_their_type_and_tuples_become_lists() -> None:
    found = unpack(pack({"a": np.float32(0.1), "b": np.bool_(True), "c": (1, 2)}))
    assert (type(found["a"]), found["a"]) == (np.float32, np.float32(0.1))
    assert (type(found["b"]), found["c"]) == (np.bool_, [1, 2])


def test_what_can_become_an_array_travels_as_one() -> None:
    class Tensor:
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return np.arange(3.0)

    assert unpack(pack({"a": Tensor()}))["a"].tolist() == [0.0, 1.0, 2.0]


def test_arrays_that_are_not_contiguous_travel() -> None:
    array = np.arange(24).reshape(4, 6)[::2, ::-3]
    assert same(array.copy(), unpack(pack({"a": array}))["a"])


def test_received_arrays_can_be_written_to() -> None:
    found = unpack(pack({"a": np.zeros(5000)}))["a"]
    found[0] = 1.0
    assert found[0] == 1.0


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (object(), "a.0: a object cannot travel"),
        ({1, 2}, "a.0: a set cannot travel"),
        (b"bytes", "a.0: a bytes cannot travel"),
        (1j, "a.0: a complex cannot travel"),
        (np.array(["x"]), "a.0: a ndarray of <U1 cannot travel"),
        (np.array([None]), "of object cannot travel"),
        ({3: 4}, "a.0: expected texts as keys, got 3"),
        (2**70, "cannot be written"),
        ("\ud800", "cannot be written"),
    ],
)
def test_what_cannot_travel_is_named(value: Any, reason: str) -> None:
    with pytest.raises(DataError) as caught:
        pack({"a": [value]})
    assert reason in str(caught.value)


def test_a_structure_that_holds_itself_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(DataError, match="cannot be written"):
        pack({"a": circle})


def test_a_read_only_array_is_sent_once_and_held() -> None:
    occ_map, sent, held = np.arange(10000, dtype=np.uint8), SentArrays(), {}
    occ_map.setflags(write=False)
    first = pack({"map": occ_map, "step": 0}, sent=sent)
    second = pack({"map": occ_map, "step": 1}, sent=sent)
    assert len(first) > 10000 > 300 > len(second)
    one, two = unpack(first, held), unpack(second, held)
    assert one["map"] is two["map"]
    assert np.array_equal(one["map"], occ_map)
    assert not one["map"].flags.writeable
    with pytest.raises(DataError, match="part 0"):
        unpack(second, {})
    sent.clear()
    assert len(pack({"map": occ_map}, sent=sent)) > 10000


def test_a_writable_array_is_sent_each_time() -> None:
    array, sent = np.zeros(10000, dtype=np.uint8), SentArrays()
    pack({"a": array}, sent=sent)
    array[0] = 7
    assert unpack(pack({"a": array}, sent=sent), {})["a"][0] == 7


def test_no_more_than_a_few_arrays_are_held() -> None:
    sent, held = SentArrays(), {}
    for index in range(20):
        array = np.full(5000, index, dtype=np.uint8)
        array.setflags(write=False)
        assert unpack(pack({"a": array}, sent=sent), held)["a"][0] == index
    assert len(held) == 8


def test_jpeg_loses_little_and_only_where_it_may() -> None:
    rows, columns = np.mgrid[0:64, 0:80]
    image = np.stack([rows * 3, columns * 3, rows + columns], axis=-1).astype(np.uint8)
    values = {"images": {"front": image}, "other": image}
    message = pack(values, as_jpeg=lambda place: place[0] == "images")
    assert len(message) < 1.5 * image.nbytes
    found = unpack(message)
    assert np.array_equal(found["other"], image)
    front = found["images"]["front"]
    assert (front.dtype, front.shape) == (np.uint8, image.shape)
    assert 0 < np.abs(front.astype(int) - image).mean() < 2.0


def test_what_is_no_image_is_not_made_a_jpeg() -> None:
    values = {"a": np.zeros((4, 4, 3)), "b": np.zeros((4, 4), np.uint8),
              "c": np.zeros((0, 4, 3), np.uint8)}  # fmt: skip
    assert same(values, unpack(pack(values, as_jpeg=lambda place: True)))


GOOD = pack({"a": np.arange(6, dtype=np.int32).reshape(2, 3), "b": math.nan})


@given(st.integers(0, len(GOOD) - 1))
def test_a_message_cut_short_is_refused(length: int) -> None:
    with pytest.raises(DataError):
        unpack(GOOD[:length])


def test_a_message_with_bytes_left_over_is_refused() -> None:
    with pytest.raises(DataError, match="expected 24 bytes after the line, got 25"):
        unpack(GOOD + b"x")


@given(st.binary(max_size=40))
def test_bytes_that_are_no_message_are_refused(content: bytes) -> None:
    with pytest.raises(DataError):
        unpack(content)


def head(part: Any, values: Any = None) -> bytes:
    given_values = {"a": None} if values is None else values
    return json.dumps({"values": given_values, "parts": [part]}).encode() + b"\n" + bytes(8)


PART = {"at": ["a"], "dtype": "<f8", "shape": [1], "encoding": "raw", "bytes": 8}


@pytest.mark.parametrize(
    "part",
    [
        None, [], {}, {"at": ["a"], "number": "seven"},
        {**PART, "at": []}, {**PART, "at": ["b", 0]}, {**PART, "at": None},
        {**PART, "dtype": "O"}, {**PART, "dtype": "<U2"}, {**PART, "dtype": "f8,f8"},
        {**PART, "shape": [2]}, {**PART, "shape": [-1]}, {**PART, "shape": "1"},
        {**PART, "bytes": 9}, {**PART, "bytes": -1}, {**PART, "bytes": True},
        {**PART, "encoding": "pickle"}, {**PART, "encoding": "jpeg"},
        {**PART, "held": 8}, {**PART, "held": "x"}, {"at": ["a"], "held": 3},
    ],
)  # fmt: skip
def test_a_part_that_makes_no_sense_is_refused(part: Any) -> None:
    assert unpack(head(PART))["a"].tolist() == [0.0]
    with pytest.raises(DataError):
        unpack(head(part), {})


def test_a_part_cannot_replace_a_value() -> None:
    with pytest.raises(DataError, match="expected null at a"):
        unpack(head(PART, {"a": 1}))
