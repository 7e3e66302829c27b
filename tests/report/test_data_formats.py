"""CSV and JSON, read back."""

import csv
import io
import json
import math

import pandas as pd

from abotn.report import ReportOptions, build_report
from abotn.report.csv_format import HEADER, write_csv
from abotn.report.json_format import write_json_report


def test_csv_gives_back_every_number_and_name(awkward_runs):
    report = build_report(awkward_runs)
    rows = list(csv.DictReader(io.StringIO(write_csv(report), newline="")))
    assert len(rows) == len(report.entries) == len(awkward_runs) * 3 * 4
    for row, entry in zip(rows, report.entries, strict=True):
        assert row["run"] == entry.run
        assert (float(row["value"]) if row["value"] else None) == entry.value
        assert (float(row["lower"]) if row["lower"] else None) == entry.lower


def test_pandas_reads_the_csv(three_runs):
    frame = pd.read_csv(io.StringIO(write_csv(build_report(three_runs))))
    assert tuple(frame.columns) == HEADER
    chosen = frame[(frame.run == "planner") & (frame.group == "long") & (frame.metric == "success")]
    assert chosen.value.item() == 0.9375 / 2
    assert chosen.records.item() == 15
    assert math.isnan(frame[frame.metric == "ndtw"].value.iloc[0])


def test_json_holds_the_tables_as_shown_and_the_numbers(three_runs):
    report = build_report(three_runs, ReportOptions(percent=True))
    document = json.loads(write_json_report(report))
    assert document["schema_version"] == "1"
    cell = document["tables"][0]["rows"][0]["cells"][1]
    assert (cell["text"], cell["interval"]) == ("93.8", "[81.3, 100.0]")
    assert (cell["value"], cell["best"]) == (0.9375, True)
    assert len(document["entries"]) == len(report.entries)
    assert "NaN" not in write_json_report(report).decode()
    assert document["notes"] == list(report.notes)
