import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.errors import DataError, SchemaError
from abotn.json_files import dump_json, parse_json, read_json, write_bytes, write_json

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


def _forbid(token):
    raise AssertionError(f"{token} is not JSON")


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_what_is_written_is_strict_json_with_every_finite_value_kept(document):
    document.pop("value_serialization", None)
    loaded = json.loads(dump_json(document), parse_constant=_forbid)
    named = loaded.pop("value_serialization", {})
    assert _without_non_finite(document) == loaded
    assert len(named) <= _count_non_finite(document)
    assert bool(named) == bool(_count_non_finite(document))


def test_non_finite_values_are_named_by_path():
    loaded = json.loads(dump_json({"a": [1.0, math.inf], "b": {"c": math.nan}, "d": -math.inf}))
    assert loaded["a"] == [1.0, None]
    assert loaded["value_serialization"] == {"a.1": "inf", "b.c": "nan", "d": "-inf"}


def test_numpy_values_become_numbers_and_lists():
    document = {"n": np.int64(3), "x": np.float64(0.5), "f": np.bool_(True), "a": np.eye(2)}
    loaded = json.loads(dump_json(document))
    assert loaded == {"n": 3, "x": 0.5, "f": True, "a": [[1.0, 0.0], [0.0, 1.0]]}


def test_tokens_that_python_writes_are_read():
    assert math.isnan(parse_json(b'{"a": NaN, "b": Infinity}', "f")["a"])


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b'{"a": 1', b"nonsense"])
def test_what_is_not_a_json_object_is_an_error_naming_the_file(content):
    with pytest.raises(DataError, match=r"^dir/file\.json: "):
        parse_json(content, "dir/file.json")


def test_deep_nesting_is_an_error_not_a_crash():
    with pytest.raises(DataError):
        parse_json(b'{"a":' + b"[" * 200_000, "f.json")


def test_a_document_that_breaks_its_schema_is_not_written(tmp_path):
    target = tmp_path / "result.json"
    with pytest.raises(SchemaError, match="breaks result"):
        write_json(target, {"schema_version": "2"}, schema="result.v1")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "sub"
    target.mkdir()
    (target / "inside").write_text("x")
    with pytest.raises(DataError, match="cannot write"):
        write_bytes(target, b"new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["sub"]


@pytest.mark.skipif(os.name != "posix", reason="file size limits are a POSIX matter")
def test_when_the_system_stops_a_write_halfway_the_old_file_stays(tmp_path):
    target = tmp_path / "f.json"
    write_bytes(target, b"old")
    code = (
        "import resource, sys; from abotn.json_files import write_bytes;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "write_bytes(sys.argv[1], bytes(50_000))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(target)], capture_output=True, text=True)
    assert "DataError" in done.stderr
    assert "cannot write: File too large" in done.stderr
    assert target.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["f.json"]


@pytest.mark.skipif(os.name != "posix", reason="permission bits are a POSIX matter")
def test_new_files_follow_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        write_bytes(tmp_path / "f", b"")
    finally:
        os.umask(old)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640


def test_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match="absent"):
        read_json(tmp_path / "absent.json")


def _without_non_finite(value):
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {k: _without_non_finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_without_non_finite(v) for v in value]
    return value


def _count_non_finite(value):
    if isinstance(value, float):
        return int(not math.isfinite(value))
    if isinstance(value, dict):
        return sum(map(_count_non_finite, value.values()))
    return sum(map(_count_non_finite, value)) if isinstance(value, list) else 0


def test_half_a_character_becomes_a_question_mark(tmp_path):
    document = {"name": "sc\udce9ne", "n": 10**30, "x": math.nan}
    assert json.loads(dump_json(document)) == {
        "name": "sc?ne", "n": 10**30, "x": None, "value_serialization": {"x": "nan"},
    }  # fmt: skip
    write_json(tmp_path / "a.json", document)
    assert read_json(tmp_path / "a.json")["name"] == "sc?ne"


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes"])
def test_what_json_has_no_type_for_is_an_error_of_one_line(value):
    with pytest.raises(DataError, match="cannot be written as JSON") as caught:
        dump_json({"a": value})
    assert "\n" not in str(caught.value)
