"""Several evaluations in one file, put together and taken apart again."""

from pathlib import Path

import pytest

from abotn.cli.main import run_command_line
from abotn.errors import EvaluationInputError
from abotn.evaluation.combine import combine, split
from abotn.results.files import read_evaluation
from abotn.results.types import EvaluationResult, GroupResult, MetricResult


def evaluation(value, name=""):
    """An evaluation of one metric with two groups and a damaged record."""
    metric = MetricResult("success", value, sample_count=4, finite_count=4)
    groups = {"scene": (GroupResult("short", 3, (metric,)), GroupResult("x", 1, (metric,)))}
    return EvaluationResult(
        (metric,), groups, {"found": 5, "scored": 4, "errors": 1, "damaged": 1},
        ({"path": f"{name}/r.json", "reason": "not JSON"},),
        provenance={"protocol": {"name": "strict"}}, name=name,
    )  # fmt: skip


AGENTS = {name: evaluation(value, name) for name, value in (("a", 0.5), ("a / b", 1.0))}


def test_what_was_put_together_comes_apart_as_it_was(tmp_path: Path):
    combine(AGENTS, name="both").write(tmp_path / "evaluation.json")
    found = split(read_evaluation(tmp_path / "evaluation.json"))
    assert list(found) == list(AGENTS)
    for name, one in found.items():
        assert one.metrics == AGENTS[name].metrics
        assert one.groups == AGENTS[name].groups
        assert one.counts == AGENTS[name].counts
        assert one.provenance == AGENTS[name].provenance
        assert [entry["path"] for entry in one.damaged] == [f"{name}/r.json"]


def test_other_evaluations_do_not_come_apart():
    assert split(AGENTS["a"]) == {}
    with pytest.raises(EvaluationInputError, match="no evaluation to combine"):
        combine({})


def test_a_report_on_several_agents_begins_with_their_values(tmp_path: Path, capsys):
    combine(AGENTS).write(tmp_path / "evaluation.json")
    assert run_command_line(["report", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert text.index("## Results") < text.index("| a     |") < text.index("## By scene")
    assert "By agent" not in text


def test_the_folders_beside_it_are_reported_where_they_are_all_there(tmp_path: Path, capsys):
    agents = {name: evaluation(0.5, name) for name in ("a", "b")}
    combine(agents).write(tmp_path / "evaluation.json")
    for name in agents:
        (tmp_path / name).mkdir()
        evaluation(0.25, name).write(tmp_path / name / "evaluation.json")
    assert run_command_line(["report", str(tmp_path), "--no-groups"]) == 0
    assert "0.250" in capsys.readouterr().out
    (tmp_path / "b" / "evaluation.json").unlink()
    (tmp_path / "b").rmdir()
    assert run_command_line(["report", str(tmp_path), "--no-groups"]) == 0
    assert "0.250" not in capsys.readouterr().out
    assert run_command_line(["report", str(tmp_path), "--name", "one"]) == 2
    assert "1 name for 2 runs" in capsys.readouterr().err
