"""Tables of tasks behind a comparison: solved by one run only, held by one only, damaged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abotn.report.cells import label
from abotn.report.comparison_sources import ComparisonSources
from abotn.report.comparison_tasks import SplitTask, SplitTasks, TaskSide
from abotn.report.numbers import NumberFormat
from abotn.report.runs import isolated
from abotn.report.table import MISSING, Cell, Column, Row, Table
from abotn.results.comparison import PairComparison

# As many rows as a page of a paper holds.
MOST_TASKS = 40
_NUMBERS = (("distance_to_goal", "to goal"), ("travel_length", "travelled"))


def solved_sentence(pair: PairComparison) -> str:
    """Return how many tasks both, neither and each run alone solve."""
    a, b = isolated(pair.run_a), isolated(pair.run_b)
    by = "" if pair.solved_by == "success" else f" by {pair.solved_by}"
    text = f"{a} alone solves {len(pair.solved_only_by_a)}{by}, {b} alone "
    text += f"{len(pair.solved_only_by_b)}"
    if pair.solved_by_both is not None and pair.solved_by_neither is not None:
        text += f", both {pair.solved_by_both}, neither {pair.solved_by_neither}"
    unknown = len(pair.solved_unknown)
    text = f"{text}; not known of {unknown}." if unknown else f"{text}."
    return f"{text}{_stricter(pair)}"


def _stricter(pair: PairComparison) -> str:
    """Return how to heed collisions, where success alone decides and more is known."""
    known = {metric.name for metric in pair.metrics}
    if pair.solved_by != "success" or "success_new" not in known:
        return ""
    return " Collisions do not count against a task here; by success_new (--solved-by) they do."


def list_title(pair: PairComparison, *, first: bool) -> str:
    """Return the title of the list of tasks that the first or the second run alone solves."""
    winner, loser = (pair.run_a, pair.run_b) if first else (pair.run_b, pair.run_a)
    return f"Tasks that {isolated(winner)} solves and {isolated(loser)} does not"


def solved_tables(
    pair: PairComparison, number: int, tasks: SplitTasks | None = None
) -> Iterator[Table]:
    """Yield a table per list of tasks that one run alone solves; none where a list is empty.

    Args:
        pair: The pair.
        number: Its place in the comparison, from 1, for the keys.
        tasks: What each run did at them; None gives names alone.
    """
    names = (("a", pair.solved_only_by_a), ("b", pair.solved_only_by_b))
    for key, listed in names:
        if not listed:
            continue
        known = () if tasks is None else (tasks.only_a if key == "a" else tasks.only_b)
        shown = known or tuple(SplitTask(name) for name in listed)
        title = list_title(pair, first=key == "a")
        yield _solved_table(pair, f"only-{key}-{number}", title, shown, tasks)


def alone_tables(
    pair: PairComparison, number: int, *, most: int | None = MOST_TASKS
) -> Iterator[Table]:
    """Yield the table of tasks that only one run has; nothing where both have the same.

    Args:
        pair: The pair.
        number: Its place in the comparison, from 1, for the key.
        most: Tasks per run at most; None for all.
    """
    sides = ((pair.run_a, pair.only_a), (pair.run_b, pair.only_b))
    if not any(tasks for _, tasks in sides):
        return
    both = f"{isolated(pair.run_a)} and {isolated(pair.run_b)}"
    rows = [Row((label(run), label(task))) for run, tasks in sides for task in tasks[:most]]
    counts = ", ".join(f"{isolated(run)} {len(tasks)}" for run, tasks in sides)
    notes = tuple(
        filter(None, (_cut(tasks, f"{isolated(run)}: the", most) for run, tasks in sides))
    )
    yield Table(
        key=f"alone-{number}",
        title=f"Tasks that only one of {both} has",
        caption=f"Left out of the comparison: {counts}.",
        columns=(Column("run", merge=True), Column("scene/task")),
        rows=tuple(rows),
        notes=notes,
    )


def damaged_tables(sources: ComparisonSources, *, most: int | None = MOST_TASKS) -> Iterator[Table]:
    """Yield the table of files that could not be read; nothing where all could.

    Args:
        sources: The runs.
        most: Files at most; None for all.
    """
    found = list(sources.damaged())
    if not found:
        return
    rows = [Row(tuple(map(label, one))) for one in found[:most]]
    cut = _cut(found, "The", most)
    yield Table(
        key="damaged",
        title="Damaged files",
        caption=(
            f"{len(found)} could not be read. A damaged result leaves its attempt out; a damaged "
            "trajectory leaves out its path and what is measured on it."
        ),
        columns=(Column("run", merge=True), Column("file"), Column("reason")),
        rows=tuple(rows),
        notes=(cut,) if cut else (),
    )


def _solved_table(
    pair: PairComparison, key: str, title: str, shown: Sequence[SplitTask], tasks: SplitTasks | None
) -> Table:
    some = list(shown[:MOST_TASKS])
    known = [
        any(task.a for task in some),
        any(task.b for task in some),
    ]
    columns = [Column("scene/task")]
    for name, has in zip((pair.run_a, pair.run_b), known, strict=True):
        if has:
            columns += _heads(name, tasks)
    rows = [
        Row(
            (
                label(task.name),
                *(cell for side in _kept(task, known) for cell in _cells(side, tasks)),
            )
        )
        for task in some
    ]
    cut = _cut(shown, "The")
    caption = (
        f"{len(shown)} of {pair.n_pairs} tasks that both have; "
        f"solved: {pair.solved_by} in most attempts."
    )
    return Table(key, title, caption, tuple(columns), tuple(rows), (cut,) if cut else ())


def _told(task: SplitTask, known: Sequence[bool], tasks: SplitTasks | None) -> Iterator[Cell]:
    for side in _kept(task, known):
        yield from _cells(side, tasks)


def _kept(task: SplitTask, known: Sequence[bool]) -> list[TaskSide | None]:
    return [side for side, has in zip((task.a, task.b), known, strict=True) if has]


def _formats(tasks: SplitTasks | None) -> dict[str, tuple[int, NumberFormat]]:
    columns = () if tasks is None else tasks.columns
    return {column.key: (place, column.shown) for place, column in enumerate(columns)}


def _heads(run: str, tasks: SplitTasks | None) -> Iterator[Column]:
    formats = _formats(tasks)
    yield Column("outcome", block=run)
    for key, head in _NUMBERS:
        if key in formats:
            yield Column(head, unit="m", digits=formats[key][1].digits, block=run)


def _cells(side: TaskSide | None, tasks: SplitTasks | None) -> Iterator[Cell]:
    formats = _formats(tasks)
    yield label(MISSING if side is None else side.outcome)
    for key, _ in _NUMBERS:
        if key in formats:
            place, shown = formats[key]
            value = None if side is None else side.record.values[place]
            yield Cell(
                shown.show(value), value=value, reason="" if value is not None else "not recorded"
            )


def _cut(items: Sequence[object], start: str, most: int | None = MOST_TASKS) -> str:
    if most is None or len(items) <= most:
        return ""
    return f"{start} first {most} of {len(items)}; the HTML page has all."
