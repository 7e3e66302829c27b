"""Reports as JSON: the tables as shown, and the numbers behind them."""

from __future__ import annotations

from dataclasses import asdict

from abotn.json_files import dump_json
from abotn.report.document import Report

SCHEMA_VERSION = "1"


def write_json_report(report: Report) -> bytes:
    """Return a report as JSON: ``title``, ``tables``, ``notes`` and ``entries``.

    Numbers are unrounded and never in percent; ``text`` is what a reader is shown.
    """
    return dump_json({"schema_version": SCHEMA_VERSION, **asdict(report)})
