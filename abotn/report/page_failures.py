"""How tasks ended: counts per run and examples per cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from abotn.report.cells import label
from abotn.report.html_tables import escape
from abotn.report.page_causes import CAUSES, MEANINGS, SOLVED
from abotn.report.page_data import PageData
from abotn.report.page_records import PageRecord
from abotn.report.table import Cell, Column, Row, Table
from abotn.report.texts import slug


def cause_table(records: Sequence[PageRecord], runs: Sequence[str]) -> Table:
    """Return how many records of each run ended in each way, with their share."""
    counts = Counter((record.run, record.cause) for record in records)
    totals = Counter(record.run for record in records)
    present = [cause for cause in CAUSES if any((run, cause) in counts for run in totals)]
    rows = [
        Row(
            (
                label(cause),
                *(_share(counts[run, cause], totals[run]) for run in sorted(totals)),
                label(MEANINGS[cause]),
            )
        )
        for cause in present
    ]
    heads = (Column("outcome"), *(Column(runs[run]) for run in sorted(totals)), Column("meaning"))
    return Table("outcomes", "Outcomes", "Records by how they ended.", heads, tuple(rows))


def example_sections(data: PageData, runs: Sequence[str]) -> Iterator[str]:
    """Yield a section per cause with its examples, failures first and the solved ones closed."""
    counts = Counter(record.cause for record in data.records)
    for cause, numbers in data.examples.items():
        key = f"cause-{slug(cause)}"
        shown = f"{len(numbers)} of {counts[cause]} shown"
        yield f'<details class="cause"{"" if cause == SOLVED else " open"}>'
        yield f'<summary><h3 id="{key}">{escape(cause)}</h3> <span>{counts[cause]}</span></summary>'
        yield f"<p>{escape(MEANINGS[cause][0].upper() + MEANINGS[cause][1:])}. {shown}."
        yield (
            f'<button type="button" class="filter" data-outcome="{CAUSES.index(cause)}">'
            f"All {counts[cause]} in the table</button></p>"
        )
        yield f'<ul class="examples" aria-labelledby="{key}">'
        yield from (_example(number, data.records[number], runs) for number in numbers)
        yield "</ul>"
        yield "</details>"


def record_name(record: PageRecord) -> str:
    """Return ``scene / task`` of a record, with ``@attempt`` when it is not the first."""
    mark = f"@{record.attempt}" if record.attempt else ""
    return f"{record.scene} / {record.task}{mark}"


def _share(count: int, total: int) -> Cell:
    return Cell(str(count), f"({100 * count / total:.1f} %)", value=count)


def _example(number: int, record: PageRecord, runs: Sequence[str]) -> str:
    run = f"<span><bdi>{escape(runs[record.run])}</bdi></span>" if len(runs) > 1 else ""
    goal = f"<span>to <bdi>{escape(record.goal_label)}</bdi></span>" if record.goal_label else ""
    error = f'<span class="error"><bdi>{escape(record.error)}</bdi></span>' if record.error else ""
    picture = "" if record.trajectory is None else f'<svg data-thumb="{number}"></svg>'
    name = f"<b><bdi>{escape(record_name(record))}</bdi></b>"
    return (
        f'<li><button type="button" class="example" data-record="{number}">'
        f"{picture}{name}{run}{goal}{error}</button></li>"
    )
