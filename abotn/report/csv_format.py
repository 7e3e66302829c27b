"""Reports as CSV: a line per run, group and metric, unrounded."""

from __future__ import annotations

import csv
import io
from dataclasses import fields

from abotn.report.document import Entry, Report

HEADER = tuple(field.name for field in fields(Entry))


def write_csv(report: Report) -> str:
    """Return the entries of a report as CSV (RFC 4180 quoting, ``\\n`` line ends).

    Values are unrounded fractions in the metric's unit; an undefined one is empty, with its
    ``reason``.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for entry in report.entries:
        writer.writerow([getattr(entry, name) for name in HEADER])
    return text.getvalue()
