"""The tasks that one of two runs solves and the other does not, with what each run did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abotn.records.readers import RecordSource
from abotn.records.table import RecordTable
from abotn.report.comparison_sources import ComparisonSources
from abotn.report.page_causes import ERROR
from abotn.report.page_records import PageColumn, PageRecord, page_records
from abotn.report.page_sources import RunSource
from abotn.report.texts import flat
from abotn.results.comparison import PairComparison


@dataclass(frozen=True)
class TaskSide:
    """What one run did at a task.

    Attributes:
        record: The attempt that is shown: the first that went as the task counts.
        status: Its status as recorded; empty where none is.
        row: Its row in the records of the run.
        attempts: How many attempts there are.
        solved: In how many of them the task was solved; None where the records do not say.
    """

    record: PageRecord
    status: str
    row: int
    attempts: int
    solved: int | None

    @property
    def outcome(self) -> str:
        """How the shown attempt ended, and how many were solved where there are several."""
        if self.attempts == 1:
            return self.record.cause
        if self.solved is None:
            return f"{self.record.cause} (1 of {self.attempts} attempts)"
        return f"{self.record.cause} ({self.solved} of {self.attempts} solved)"


@dataclass(frozen=True)
class SplitTask:
    """A task that one run solves and the other does not.

    Attributes:
        name: ``scene/task``.
        a: What the first run did; None where its records are not at hand.
        b: What the second run did.
    """

    name: str
    a: TaskSide | None = None
    b: TaskSide | None = None

    @property
    def scene(self) -> str:
        """Name of its scene; where no record is known, all before the first slash."""
        side = self.a or self.b
        return side.record.scene if side else self.name.partition("/")[0]

    @property
    def task(self) -> str:
        """Name of the task inside its scene."""
        side = self.a or self.b
        return side.record.task if side else self.name.partition("/")[2]

    @property
    def sides(self) -> tuple[TaskSide, ...]:
        """The sides that are known, the first run's first."""
        return tuple(side for side in (self.a, self.b) if side is not None)

    @property
    def has_path(self) -> bool:
        """Whether any path can be drawn."""
        return any(side.record.trajectory is not None for side in self.sides)


@dataclass(frozen=True)
class SplitTasks:
    """Both lists of a pair.

    Attributes:
        only_a: Tasks that the first run alone solves.
        only_b: Tasks that the second run alone solves.
        columns: Head and format of the numbers of their records.
    """

    only_a: tuple[SplitTask, ...] = ()
    only_b: tuple[SplitTask, ...] = ()
    columns: tuple[PageColumn, ...] = ()

    @property
    def every(self) -> tuple[SplitTask, ...]:
        """The tasks of both lists."""
        return self.only_a + self.only_b


def split_tasks(
    pair: PairComparison, sources: ComparisonSources, *, on_error: str | None = None
) -> SplitTasks:
    """Return the tasks that only one run of a pair solves, with what both did.

    Args:
        pair: The pair.
        sources: Records of the runs; a run without any leaves its side empty.
        on_error: What the comparison counted an error record as; ``"exclude"`` leaves the
            attempts out that it left out.
    """
    names = (*pair.solved_only_by_a, *pair.solved_only_by_b)
    runs = (sources.run(name) for name in (pair.run_a, pair.run_b))
    found = [_Chosen(run, pair.solved_by, on_error) for run in runs]
    winners = (set(pair.solved_only_by_a), set(pair.solved_only_by_b))
    rows = [one.rows(names, solved) for one, solved in zip(found, winners, strict=True)]
    columns, sides = _sides(found, rows)
    made = {name: SplitTask(name, sides[0].get(name), sides[1].get(name)) for name in names}
    return SplitTasks(
        tuple(made[name] for name in pair.solved_only_by_a),
        tuple(made[name] for name in pair.solved_only_by_b),
        tuple(columns),
    )


@dataclass(frozen=True)
class _Attempts:
    """The row that stands for a task, how many it has, and how many of them are solved."""

    row: int
    count: int
    solved: int | None


@dataclass(frozen=True)
class _Chosen:
    run: RunSource | None
    solved_by: str
    on_error: str | None

    @property
    def table(self) -> RecordTable | None:
        """All records of the run."""
        if self.run is None or self.run.records is None:
            return None
        assert isinstance(self.run.records, RecordSource)
        return self.run.records.table

    def rows(self, names: Sequence[str], solved: set[str]) -> dict[str, _Attempts]:
        """Return the attempts of each task."""
        if self.table is None:
            return {}
        wanted, by_name = set(names), _by_name(self.table, self._left_out(self.table))
        values = _values(self.table, self.solved_by)
        return {
            name: _attempts(rows, values, solved=name in solved)
            for name, rows in by_name.items()
            if name in wanted
        }

    def _left_out(self, table: RecordTable) -> set[int]:
        if self.on_error != "exclude" or "status" not in table:
            return set()
        return set(np.flatnonzero(table.column("status") == ERROR).tolist())


def _by_name(table: RecordTable, left_out: set[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    pairs = zip(table.column("episode_id"), table.column("task_id"), strict=True)
    for row, (scene, task) in enumerate(pairs):
        if row not in left_out:
            found.setdefault(f"{scene}/{task}", []).append(row)
    return found


def _values(table: RecordTable, name: str) -> Any:
    """Return (N,) 1 where an attempt is solved, else 0; None where the records do not say."""
    if name not in table or table.column(name).dtype == object:
        return None
    return np.nan_to_num(np.asarray(table.column(name), dtype=np.float64))


def _attempts(rows: Sequence[int], values: Any, *, solved: bool) -> _Attempts:
    if values is None:
        return _Attempts(rows[0], len(rows), None)
    alike = [row for row in rows if bool(values[row] == 1) == solved]
    return _Attempts((alike or rows)[0], len(rows), int(sum(values[row] == 1 for row in rows)))


def _sides(
    found: Sequence[_Chosen], rows: Sequence[Mapping[str, _Attempts]]
) -> tuple[list[PageColumn], list[dict[str, TaskSide]]]:
    """Return the columns of the records, and by task what each run did."""
    pairs = list(zip(found, rows, strict=True))
    columns, records = page_records([_reduced(one, chosen) for one, chosen in pairs if chosen])
    left, sides = iter(records), []
    for one, chosen in pairs:
        in_order = sorted(chosen.items(), key=lambda item: item[1].row)
        sides.append({name: _side(next(left), one, attempts) for name, attempts in in_order})
    return columns, sides


def _reduced(one: _Chosen, chosen: Mapping[str, _Attempts]) -> RunSource:
    """Return the run with the rows alone that are shown, so that no other path is read."""
    assert one.run is not None
    assert one.table is not None
    rows = np.array(sorted(attempts.row for attempts in chosen.values()), dtype=np.int64)
    assert isinstance(one.run.records, RecordSource)
    return replace(one.run, records=replace(one.run.records, table=one.table.take(rows)))


def _side(record: PageRecord, one: _Chosen, attempts: _Attempts) -> TaskSide:
    table = one.table
    status = table.column("status")[attempts.row] if table and "status" in table else None
    return TaskSide(record, flat(status or ""), attempts.row, attempts.count, attempts.solved)
