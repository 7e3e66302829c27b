"""A report as data: tables, what must be known to read them, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abotn.report.table import Table


@dataclass(frozen=True)
class Entry:
    """One number of a report with everything about it, for formats read by programs.

    Attributes:
        run: Name of the run, or of the published row.
        grouping: Grouping, empty for the value over all records.
        group: Label of the group.
        records: Records in the run or group; None where not known.
        metric: Name of the metric.
        value: Unrounded value, never in percent; None where undefined.
        unit: Unit of the value.
        direction: ``"higher"`` or ``"lower"`` is better.
        lower: Lower end of the interval.
        upper: Upper end.
        level: Its nominal coverage.
        method: How it was made.
        scored: Records with a value, counted failures included.
        failed: Error records counted as failures.
        undefined: Records without a value.
        reason: Why there is no value.
        source: Where a published figure comes from; empty for a run.
        baseline: Run that this one was tested against; empty where it was not.
        p_value: p value of that test, not corrected.
        p_adjusted: The same, corrected for the tests of one table.
    """

    run: str
    grouping: str
    group: str
    records: int | None
    metric: str
    value: float | None
    unit: str
    direction: str
    lower: float | None = None
    upper: float | None = None
    level: float | None = None
    method: str = ""
    scored: int | None = None
    failed: int | None = None
    undefined: int | None = None
    reason: str = ""
    source: str = ""
    baseline: str = ""
    p_value: float | None = None
    p_adjusted: float | None = None


@dataclass(frozen=True)
class Report:
    """Tables with what must be known to read them.

    Attributes:
        title: Heading.
        tables: Tables in reading order, the main one first.
        notes: What concerns the report as a whole, a line each.
        entries: The numbers behind the tables.
    """

    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()

    def tables_with_new_notes(self) -> Iterator[tuple[Table, list[str]]]:
        """Yield each table with those of its notes that no earlier table has."""
        seen: set[str] = set()
        for table in self.tables:
            yield table, [note for note in table.notes if note not in seen]
            seen.update(table.notes)
