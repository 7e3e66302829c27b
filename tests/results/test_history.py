import json
import math
import os
import re
from dataclasses import replace

import pytest

from abotn.cli.main import run_command_line
from abotn.errors import ConfigError, DataError, UnknownMetricError
from abotn.results.history import read_history
from abotn.results.types import ConfidenceInterval, EvaluationResult, MetricResult

CI = ConfidenceInterval(0.4, 0.8, 0.95, "wilson")


def evaluation(value, *, name="agent", protocol="strict", **more):
    metric = MetricResult("ade", value, "m", "lower", ci=CI, **more)
    provenance = {"protocol": {"name": protocol, "values": {}}, "on_error": "failure"}
    return EvaluationResult((metric,), provenance=provenance, name=name)


def put(folder, result, created=None, name="evaluation.json"):
    folder.mkdir(parents=True, exist_ok=True)
    result.write(folder / name)
    if created is not None:
        (folder / "run.json").write_text(json.dumps({"created": created}), encoding="utf-8")
    return folder / name


def test_evaluations_are_ordered_by_when_their_runs_were_made(tmp_path):
    put(tmp_path / "a", evaluation(0.5), "2026-03-01T10:00:00+00:00")
    put(tmp_path / "b" / "deep", evaluation(0.75), "2026-01-01T10:00:00+02:00")
    put(tmp_path / "c", evaluation(0.25), "2026-02-01T10:00:00")
    found = read_history(tmp_path, "ade")
    assert (found.unit, found.direction) == ("m", "lower")
    assert [e.value for e in found.entries] == [0.75, 0.25, 0.5]
    assert [e.change for e in found.entries] == [None, -0.5, 0.25]
    assert [e.verdict for e in found.entries] == ["", "better", "worse"]
    assert [e.dated_by for e in found.entries] == ["run"] * 3
    assert (found.entries[0].lower, found.entries[0].upper) == (0.4, 0.8)
    assert found.entries[0].created == "2026-01-01T10:00:00+02:00"


def test_without_a_manifest_the_files_own_time_counts(tmp_path):
    late, early = (
        put(tmp_path / name, evaluation(value)) for name, value in (("a", 1.0), ("b", 2.0))
    )
    os.utime(late, (2_000_000_000, 2_000_000_000))
    os.utime(early, (1_000_000_000, 1_000_000_000))
    (tmp_path / "b" / "run.json").write_text("{}", encoding="utf-8")
    found = read_history(tmp_path, "ade").entries
    assert [e.value for e in found] == [2.0, 1.0]
    assert [e.dated_by for e in found] == ["file", "file"]
    assert found[0].created == "2001-09-09T01:46:40+00:00"


def test_evaluations_directly_in_the_folder_are_found_under_any_name(tmp_path):
    put(tmp_path, evaluation(1.0), name="main.json")
    put(tmp_path / "inner", evaluation(2.0), name="other.json")
    put(tmp_path / "inner", evaluation(3.0), name="evaluation-2.json")
    (tmp_path / "unrelated.json").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    assert sorted(e.value for e in read_history(tmp_path, "ade").entries) == [1.0, 3.0]


def test_an_undefined_value_has_a_reason_and_is_bridged(tmp_path):
    values = (1.0, math.nan, 1.5)
    for day, value in enumerate(values, start=1):
        result = evaluation(value, reason=None if value == value else "no records")
        put(tmp_path / str(day), result, f"2026-01-0{day}T00:00:00Z")
    other = EvaluationResult((), skipped={"ade": "needs prediction"})
    put(tmp_path / "4", other, "2026-01-04T00:00:00Z")
    found = read_history(tmp_path, "ade").entries
    assert [e.value for e in found] == [1.0, None, 1.5, None]
    assert [e.change for e in found] == [None, None, 0.5, None]
    assert [e.reason for e in found] == ["", "no records", "", "needs prediction"]


def test_an_infinite_value_is_a_value_without_a_size_of_change(tmp_path, capsys):
    for day, value in enumerate((1.0, math.inf, math.inf, -math.inf), start=1):
        put(tmp_path / str(day), evaluation(value), f"2026-01-0{day}T00:00:00Z")
    found = read_history(tmp_path, "ade").entries
    assert [e.value for e in found] == [1.0, math.inf, math.inf, -math.inf]
    assert [e.change for e in found] == [None] * 4
    assert [e.verdict for e in found] == ["", "worse", "same", "better"]
    assert run_command_line(["history", str(tmp_path), "--metric", "ade"]) == 0
    rows = capsys.readouterr().out.splitlines()[3:]
    assert [re.split(r"  +", row)[2:5:2] for row in rows] == [
        ["1"], ["∞", "worse"], ["∞", "same"], ["-∞", "better"],
    ]  # fmt: skip
    assert run_command_line(["history", str(tmp_path), "--metric", "ade", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [entry["value"] for entry in document["entries"]] == [1.0, None, None, None]
    assert document["value_serialization"]["entries.1.value"] == "inf"


def test_changes_that_are_hard_to_read_say_why(tmp_path):
    put(tmp_path / "1", evaluation(1.0), "2026-01-01T00:00:00Z")
    put(tmp_path / "2", evaluation(1.0, protocol="loose"), "2026-01-02T00:00:00Z")
    put(tmp_path / "3", evaluation(1.0, protocol="loose", parameters={"k": 2}),
        "2026-01-03T00:00:00Z")  # fmt: skip
    metric = replace(evaluation(2.0).metrics[0], unit="px")
    put(tmp_path / "4", EvaluationResult((metric,)), "2026-01-04T00:00:00Z")
    found = read_history(tmp_path, "ade").entries
    assert found[1].notes == ("another protocol than before",)
    assert found[1].verdict == "same"
    assert found[2].notes == ("other parameters than before",)
    assert found[3].notes == ("another unit or direction than before",)
    assert found[3].change is None


def test_damaged_evaluations_are_named_and_left_out(tmp_path):
    put(tmp_path / "a", evaluation(1.0))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "evaluation.json").write_text("{", encoding="utf-8")
    found = read_history(tmp_path, "ade")
    assert len(found.entries) == 1
    assert list(found.unreadable) == [str(tmp_path / "b" / "evaluation.json")]
    assert json.loads(json.dumps(found.to_dict()))["entries"][0]["value"] == 1.0


def test_what_cannot_be_listed(tmp_path):
    with pytest.raises(ConfigError, match="no such folder"):
        read_history(tmp_path / "absent", "ade")
    with pytest.raises(DataError, match="no evaluation"):
        read_history(tmp_path, "ade")
    put(tmp_path / "a", evaluation(1.0))
    with pytest.raises(UnknownMetricError, match="ade"):
        read_history(tmp_path, "adee")
