"""The table of runs: protocol, data set, and how many records became what."""

from __future__ import annotations

from collections.abc import Sequence

from abotn.report.cells import count, label
from abotn.report.comparability import dataset_name, modified_notes
from abotn.report.runs import Run, is_modified, protocol_of, run_label
from abotn.report.table import MISSING, Column, Row, Table

_COUNTS = ("found", "scored", "errors", "damaged", "excluded")


def run_table(runs: Sequence[Run]) -> Table:
    """Return the table with a row per run and what its numbers rest on."""
    heads = [Column("agent"), Column("protocol"), Column("data set")]
    heads += [Column(name) for name in _COUNTS]
    return Table(
        key="runs",
        title="Runs",
        caption="Records found, scored, ended as errors, damaged, and excluded by scene.",
        columns=tuple(heads),
        rows=tuple(_row(run) for run in runs),
        notes=tuple(modified_notes(runs)),
    )


def _row(run: Run) -> Row:
    _, result = run
    protocol = str(protocol_of(result).get("name", "")) or MISSING
    shown = f"{protocol} (modified)" if is_modified(result) else protocol
    texts = (run_label(*run), shown, dataset_name(result) or MISSING)
    counts = [count(result.counts.get(name)) for name in _COUNTS]
    return Row((*map(label, texts), *counts))
