"""A reader sees the whole file or the one before it, and what was renamed is on the disk."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from abotn.errors import DataError
from abotn.json_files import read_json, write_bytes, write_json

# Reads over and over until its parent closes the pipe, and says what it has seen.
READER = """
import json, select, sys

seen, bad, absent = {}, 0, 0
while not select.select([sys.stdin], [], [], 0)[0]:
    try:
        with open(sys.argv[1], "rb") as stream:
            content = stream.read()
    except FileNotFoundError:
        absent += 1
        continue
    try:
        document = json.loads(content)
        whole = len(document["filling"]) == document["length"]
    except ValueError:
        whole = False
    bad += not whole
    if whole:
        seen[document["length"]] = seen.get(document["length"], 0) + 1
print(json.dumps({"seen": seen, "bad": bad, "absent": absent}))
"""
LENGTHS = (400_000, 10, 150_000)


@pytest.mark.skipif(os.name != "posix", reason="the reader waits on a pipe")
def test_a_reader_never_sees_half_a_file(tmp_path):
    target = tmp_path / "result.json"

    def write(length):
        write_json(target, {"length": length, "filling": "x" * length})

    write(LENGTHS[0])
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(target)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    for number in range(240):
        write(LENGTHS[number % 3])
    out, _ = reader.communicate("end\n")
    found = json.loads(out)
    assert (found["bad"], found["absent"]) == (0, 0)
    assert set(map(int, found["seen"])) == set(LENGTHS)
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


@pytest.fixture
def steps(monkeypatch):
    """What is asked of the system while a file is written, in order."""
    taken = []
    fsync, replace, link = os.fsync, Path.replace, os.link

    def noted_fsync(handle):
        taken.append(("fsync", os.fstat(handle).st_ino, os.fstat(handle).st_size))
        fsync(handle)

    def noted_replace(path, target):
        taken.append(("replace", path.stat().st_ino, Path(target).name))
        return replace(path, target)

    def noted_link(path, target, **options):
        taken.append(("link", Path(path).stat().st_ino, Path(target).name))
        return link(path, target, **options)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    monkeypatch.setattr(os, "link", noted_link)
    return taken


@pytest.mark.parametrize("size", [0, 5, 300_000])
def test_content_is_on_the_disk_before_it_gets_its_name(tmp_path, steps, size):
    write_bytes(tmp_path / "a.json", b"x" * size)
    (synced, renamed) = steps
    assert (synced[0], synced[2]) == ("fsync", size)
    assert (renamed[0], renamed[2]) == ("replace", "a.json")
    assert synced[1] == renamed[1] == (tmp_path / "a.json").stat().st_ino


def test_so_it_is_for_a_file_that_must_be_new(tmp_path, steps):
    write_json(tmp_path / "a.json", {"a": 1}, new=True)
    (synced, named) = steps
    assert (synced[0], named[0], named[2]) == ("fsync", "link", "a.json")
    assert synced[1] == named[1] == (tmp_path / "a.json").stat().st_ino
    assert synced[2] == (tmp_path / "a.json").stat().st_size
    with pytest.raises(FileExistsError):
        write_json(tmp_path / "a.json", {"a": 2}, new=True)
    assert read_json(tmp_path / "a.json") == {"a": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.skipif(os.name != "posix", reason="file size limits are a POSIX matter")
@pytest.mark.parametrize("new", [False, True])
def test_a_full_disk_names_the_destination_and_leaves_nothing(tmp_path, monkeypatch, new):
    import resource
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    monkeypatch.chdir(tmp_path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(DataError) as caught:
            write_bytes("out.json", b"x" * 5000, new=new)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert str(caught.value) == "out.json: cannot write: File too large"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["absent/out.json", "file/out.json"])
def test_a_folder_that_is_none_names_the_destination(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=f"^{place}: cannot write: "):
        write_bytes(place, b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
