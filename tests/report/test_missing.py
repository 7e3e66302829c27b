"""Numbers that a run's evaluation lacks: a dash with its reason, in tables and for programs."""

import csv
import io
import json

import pytest

from abotn.report import ReportOptions, build_report
from abotn.report.csv_format import write_csv
from abotn.report.json_format import write_json_report as write_json
from abotn.report.page import write_page
from abotn.results.types import EvaluationResult, GroupResult

AGAIN = "evaluate it again"


def replaced(result, **fields):
    return EvaluationResult(**{**vars(result), **fields})


@pytest.fixture
def older(make):
    """A run by group, and one whose evaluation knows neither the grouping nor ``success_new``."""
    whole, old = make.evaluation(0.5), make.evaluation(0.25)
    old = replaced(old, groups={}, metrics=tuple(m for m in old.metrics if m.name != "success_new"))
    return [("whole", whole), ("old", old)]


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_a_run_never_grouped_so_is_no_run_without_records(older, layout):
    report = build_report(older, ReportOptions(groups=layout))
    table = next(one for one in report.tables if one.key == "by-difficulty")
    reason = f"not evaluated by difficulty; {AGAIN}"
    rows = [row for row in table.rows if "old" in [cell.text for cell in row.cells]]
    for row in rows:
        empty = [cell for cell in row.cells if not cell.is_label]
        assert {(cell.text, cell.reason) for cell in empty} == {("–", reason)}
    assert len(rows) == (2 if layout == "rows" else 1)
    assert f"No values in old: {reason}." in table.notes


def test_the_head_of_a_block_counts_only_runs_that_were_grouped_so(older):
    table = build_report(older, ReportOptions(groups="columns")).tables[2]
    assert table.blocks()[1][0] == "short (n = 25)"


def test_programs_get_the_run_with_the_reason(older):
    report = build_report(older)
    rows = list(csv.DictReader(io.StringIO(write_csv(report))))
    old = {(row["group"], row["metric"]): row for row in rows if row["run"] == "old"}
    assert old["", "success_new"]["reason"] == f"not in this run's evaluation; {AGAIN}"
    assert (old["", "success_new"]["value"], old["", "success_new"]["scored"]) == ("", "")
    assert old["", "success_new"]["direction"] == "higher"
    assert old["short", "success"]["reason"] == f"not evaluated by difficulty; {AGAIN}"
    assert old["short", "success"]["records"] == ""
    document = json.loads(write_json(report))
    names = [(one["run"], one["metric"]) for one in document["entries"] if not one["grouping"]]
    assert ("old", "success_new") in names


def test_a_metric_missing_from_a_group_has_its_reason(make):
    whole, part = make.evaluation(0.5), make.evaluation(0.25)
    (short, long) = part.groups["difficulty"]
    short = GroupResult("short", 25, tuple(m for m in short.metrics if m.name != "success"))
    part = replaced(part, groups={"difficulty": (short, long)})
    report = build_report([("whole", whole), ("part", part)])
    table = next(one for one in report.tables if one.key == "by-difficulty")
    assert table.rows[1].cells[3].reason == f"not in this run's evaluation; {AGAIN}"
    assert any(note.startswith("No value of success in part") for note in table.notes)
    assert [e.reason for e in report.entries if (e.run, e.group, e.metric) == (
        "part", "short", "success")] == [f"not in this run's evaluation; {AGAIN}"]  # fmt: skip


def test_a_metric_that_could_not_be_computed_says_so_instead(make):
    whole, other = make.evaluation(), make.evaluation(skipped={"success": "needs column success"})
    other = replaced(other, metrics=other.metrics[1:])
    notes = build_report([("a", whole), ("b", other)]).tables[0].notes
    assert "No value of success in b: needs column success." in notes


def test_groups_without_records_are_zero_everywhere(make):
    full, part = make.evaluation(0.5), make.evaluation(0.75)
    part = replaced(part, groups={"difficulty": part.groups["difficulty"][1:]})
    entries = build_report([("full", full), ("part", part)]).entries
    found = {e.records for e in entries if (e.run, e.group) == ("part", "short")}
    reasons = {e.reason for e in entries if (e.run, e.group) == ("part", "short")}
    assert (found, reasons) == ({0}, {"no records"})


def test_the_page_counts_the_records_of_a_group_that_the_first_run_lacks(older):
    page = write_page(build_report(older[::-1]))
    assert "n = 25" in page
    assert "n = None" not in page
