"""Names of scenes and tasks: what abotn scenes check passes, abotn run takes, and no other."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from abotn.cli.main import run_command_line
from abotn.errors import DataError
from abotn.rollout.dataset import read_dataset
from abotn.scenes import GaussianScene, Task, check_dataset, write_scene

from .conftest import write_task
from .test_writer import FREE, GEOMETRY, TASK

BAD_SCENES = [
    "run.json",
    "evaluation.json",
    "Result.JSON",
    "trajectory.json",
    "eval_summary.json",
    "CON",
    "aux.txt",
    "dot.",
    "blank ",
    "two\nlines",
    "a:b",
    "what?",
    "next\x85line",
    "para\u2029graph",
]
GOOD_SCENES = ["run", "a b", "café", "街", "v1.json", "a@1", "console", "-x"]


def complaints(data: Path) -> list[tuple[Path, str, str]]:
    return [(found.path, found.severity, found.message) for found in check_dataset(data)]


def refused(data: Path) -> DataError | None:
    try:
        read_dataset(data)
    except DataError as error:
        return error
    return None


@pytest.mark.skipif(os.name == "nt", reason="this system refuses the names itself")
@pytest.mark.parametrize("name", BAD_SCENES)
def test_a_scene_that_a_run_refuses_is_an_error_of_check(
    make_dataset: Callable[..., Path], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = make_dataset((name,))
    [(path, severity, message)] = complaints(data)
    assert (path, severity) == (data / name, "error")
    error = refused(data)
    assert error is not None
    assert (error.where, error.message) == (str(data / name), message)
    assert run_command_line(["scenes", "check", str(data)]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize("name", GOOD_SCENES)
def test_a_scene_that_check_passes_is_taken_by_a_run(
    make_dataset: Callable[..., Path], name: str
) -> None:
    data = make_dataset((name,))
    assert complaints(data) == []
    assert read_dataset(data).scene_count == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_no_text_is_one_line(
    make_dataset: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    data = make_dataset(("s",))
    (data / "s").rename(os.fsdecode(os.fsencode(data) + b"/s\xff"))
    assert run_command_line(["scenes", "check", str(data)]) == 1
    assert capsys.readouterr().out.startswith(f"error: {data}/s\\udcff: scene id")
    assert refused(data) is not None


@pytest.mark.skipif(os.name == "nt", reason="this system refuses some of the names itself")
@pytest.mark.parametrize("stem", ["traj_a@1", "traj_a:b", "traj_x\x85", "traj_dot."])
def test_a_task_that_a_run_refuses_is_an_error_of_check(
    make_dataset: Callable[..., Path], stem: str
) -> None:
    data = make_dataset(("s",))
    path = write_task(data / "s" / f"{stem}.json")
    [(found, severity, message)] = complaints(data)
    assert (found, severity) == (path, "error")
    error = refused(data)
    assert error is not None
    assert (error.where, error.message) == (str(path), message)
    with pytest.raises(DataError, match="task id"):
        write_scene(data / "t", tasks=[Task(stem, TASK.trajectory)], free=FREE, geometry=GEOMETRY)
    assert not (data / "t").exists()


def test_hidden_scenes_are_named_by_check_and_by_the_loader(
    make_dataset: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    data = make_dataset(("s", ".old"))
    (data / ".git").mkdir()
    reason = "not taken as a scene, as its name begins with a dot"
    assert complaints(data) == [(data / ".old", "warning", reason)]
    assert run_command_line(["scenes", "check", str(data)]) == 0
    assert capsys.readouterr().out.startswith(f"warning: {data / '.old'}: {reason}\n")
    with pytest.warns(UserWarning, match=r"\.old: not taken as a scene"):
        assert GaussianScene(data).summary()["episode_ids"] == ["s"]
    with pytest.warns(UserWarning, match=r"\.old: not taken as a scene"):
        read_dataset(data)


def test_only_hidden_scenes_are_no_scenes_and_the_error_says_why(
    make_dataset: Callable[..., Path],
) -> None:
    with pytest.raises(DataError, match=r"holds no scenes \('\.old' is not taken as a scene"):
        GaussianScene(make_dataset((".old",)))


def test_a_link_to_nothing_is_named(make_dataset: Callable[..., Path]) -> None:
    data = make_dataset(("s",))
    try:
        (data / "far").symlink_to(data / "gone")
    except OSError:
        pytest.skip("this system makes no links")
    reason = "not taken as a scene, as it is a link to nothing"
    assert complaints(data) == [(data / "far", "warning", reason)]
    with pytest.warns(UserWarning, match="far: not taken as a scene"):
        GaussianScene(data)


def test_names_that_differ_only_in_unicode_writing_are_errors(
    make_dataset: Callable[..., Path],
) -> None:
    composed, apart = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    data = make_dataset(tuple({composed, apart}))
    if len(list(data.iterdir())) < 2:
        pytest.skip("this file system takes the two for one name")
    for name in (composed, apart):
        write_task(data / composed / f"traj_{name}.json")
    found = complaints(data)
    assert len(found) == 2
    for _, severity, message in found:
        assert severity == "error"
        assert message.endswith("only in how Unicode writes its letters")
