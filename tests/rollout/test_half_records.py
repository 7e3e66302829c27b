"""Records of which something is missing or in the way: made again, refused, or said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from abotn.cli.main import run_command_line
from abotn.errors import DataError
from abotn.evaluation.evaluator import Evaluator
from abotn.rollout import run

AGENT = "abotn.agents:StraightLineAgent"


@pytest.fixture
def finished(dataset: Path, tmp_path: Path) -> Path:
    run("point_goal", AGENT, data_dir=dataset, run_dir=tmp_path / "run", protocol="strict",
        render="none")  # fmt: skip
    return tmp_path / "run"


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40])


def of_another(path: Path) -> None:
    document = json.loads(path.read_bytes())
    path.write_text(json.dumps({**document, "task_id": "traj_99"}))


@pytest.mark.parametrize("name", ["result.json", "trajectory.json"])
@pytest.mark.parametrize(
    "spoil", [Path.unlink, lambda path: path.write_bytes(b""), cut, of_another],
    ids=["missing", "empty", "cut", "another's"],
)  # fmt: skip
def test_a_half_record_is_made_again(
    spoil: Callable[[Path], None], name: str, finished: Path
) -> None:
    path = finished / "room/traj_2" / name
    before = path.read_bytes()
    spoil(path)
    outcome = run(resume_dir=finished)
    assert (outcome.made, outcome.kept) == (1, 3)
    assert json.loads(path.read_bytes()).keys() == json.loads(before).keys()
    assert run(resume_dir=finished).made == 0


@pytest.mark.parametrize("name", ["result.json", "trajectory.json", "."])
def test_what_is_in_the_way_is_named_before_anything_is_run(name: str, finished: Path) -> None:
    shutil.rmtree(finished / "hall/traj_0")
    place = finished / "room/traj_2"
    if name == ".":
        shutil.rmtree(place)
        place.write_text("mine")
    else:
        (place / name).unlink()
        (place / name).mkdir()
    with pytest.raises(DataError, match="where a record of this run belongs") as caught:
        run(resume_dir=finished)
    assert caught.value.where == str(place / name)
    assert "remove it" in str(caught.value)
    assert not (finished / "hall/traj_0").exists()


def test_a_trajectory_that_is_missing_is_said(
    finished: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (finished / "room/traj_2/trajectory.json").unlink()
    result = Evaluator().evaluate_dataset(finished)
    assert result.provenance["notes"] == ["1 record has no trajectory.json: room/traj_2"]
    assert result["ndtw"].undefined_count == 1
    listed = Evaluator().evaluate_dataset([finished])
    assert listed.provenance["notes"] == result.provenance["notes"]
    assert run_command_line(["validate", str(finished)]) == 1
    said = capfd.readouterr().out
    assert f"{finished / 'room/traj_2/result.json'}: has no trajectory.json beside it" in said
    assert run_command_line(["evaluate", str(finished)]) == 0
    assert "warning: 1 record has no trajectory.json: room/traj_2" in capfd.readouterr().err


def test_results_of_other_tools_need_no_trajectory(finished: Path) -> None:
    (finished / "run.json").unlink()
    for path in finished.rglob("trajectory.json"):
        path.unlink()
    result = Evaluator().evaluate_dataset(finished)
    assert "notes" not in result.provenance
