"""A table per grouping: groups as blocks of rows, or side by side as blocks of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from abotn.report.cells import EVALUATE_AGAIN, absent, count, label, metric_cell, metric_column
from abotn.report.comparability import modified_notes
from abotn.report.notes import RunMetrics, interval_notes, listed, value_notes
from abotn.report.numbers import NumberFormat, ranked
from abotn.report.options import ReportOptions
from abotn.report.runs import Run, run_label
from abotn.report.table import MISSING, Cell, Column, Row, Table
from abotn.report.texts import slug
from abotn.results.types import GroupResult, MetricResult


@dataclass(frozen=True)
class Groups:
    """The groups of one grouping over several runs.

    Attributes:
        grouping: Name of the grouping.
        runs: The runs, in order.
        labels: Labels in the order of the first run that has each.
        found: Group by (run, label); a run may lack some.
    """

    grouping: str
    runs: Sequence[Run]
    labels: tuple[str, ...]
    found: dict[tuple[str, str], GroupResult]

    @classmethod
    def of(cls, runs: Sequence[Run], grouping: str) -> Groups:
        """Gather the groups of ``grouping`` from all runs."""
        found = {
            (name, group.label): group
            for name, result in runs
            for group in result.groups.get(grouping, ())
        }
        return cls(grouping, runs, tuple(dict.fromkeys(group for _, group in found)), found)

    def metric(self, run: str, group: str, name: str) -> MetricResult | None:
        """Return one metric of one group of one run, or None."""
        metrics = self.found[run, group].metrics if (run, group) in self.found else ()
        return next((metric for metric in metrics if metric.name == name), None)

    def results(self, name: str, labels: Sequence[str]) -> list[MetricResult | None]:
        """Return one metric over all runs of each group of ``labels`` in turn."""
        return [self.metric(run, group, name) for group in labels for run, _ in self.runs]

    def count(self, run: str, group: str) -> int | None:
        """Return the number of records of a run in a group; None when it was not grouped so."""
        if run in self.ungrouped:
            return None
        return self.found[run, group].count if (run, group) in self.found else 0

    @property
    def ungrouped(self) -> list[str]:
        """The runs that were not evaluated by this grouping."""
        return [name for name, result in self.runs if self.grouping not in result.groups]

    def why_empty(self, run: str) -> str:
        """Return why a run has no values in a group."""
        if run in self.ungrouped:
            return f"not evaluated by {self.grouping}; {EVALUATE_AGAIN}"
        return "no records"

    def shown(self, run: str, group: str, like: MetricResult) -> MetricResult | None:
        """Return a metric of one group of one run, without a value where its evaluation lacks it.

        None when the run has no such group.
        """
        if (run, group) not in self.found:
            return None
        return self.metric(run, group, like.name) or absent(dict(self.runs)[run], like)

    def known(self, names: Sequence[str], group: str) -> list[MetricResult]:
        """Return each metric among ``names`` as the first run has it that has it in a group."""
        return [
            next(filter(None, self.results(name, [group]))) for name in self.having(names, [group])
        ]

    def having(self, names: Sequence[str], labels: Sequence[str]) -> list[str]:
        """Return the metrics among ``names`` that some run has in some group of ``labels``."""
        return [name for name in names if any(self.results(name, labels))]


def group_tables(runs: Sequence[Run], names: Sequence[str], options: ReportOptions) -> list[Table]:
    """Return a table for each grouping that any run has.

    Args:
        runs: Runs in order.
        names: Metrics in order.
        options: Options of the report; ``groups`` decides the layout.
    """
    if options.groups == "none":
        return []
    layout = _row_blocks if options.groups == "rows" else _column_blocks
    groupings = dict.fromkeys(grouping for _, result in runs for grouping in result.groups)
    return [layout(Groups.of(runs, grouping), names, options) for grouping in groupings]


def _row_blocks(groups: Groups, names: Sequence[str], options: ReportOptions) -> Table:
    heads = [Column(groups.grouping, merge=True), Column("agent"), Column("records")]
    columns: list[list[Cell]] = [
        [label(group) for group in groups.labels for _ in groups.runs],
        [label(run_label(*run)) for _ in groups.labels for run in groups.runs],
        [_count(groups, run, group) for group in groups.labels for run, _ in groups.runs],
    ]
    for name in groups.having(names, groups.labels):
        head, shown = metric_column(name, groups.results(name, groups.labels), options)
        heads.append(head)
        blocks = [_cells(groups, group, head, shown, options) for group in groups.labels]
        columns.append([cell for block in blocks for cell in block])
    return _table(groups, heads, columns, options)


def _column_blocks(groups: Groups, names: Sequence[str], options: ReportOptions) -> Table:
    heads = [Column("agent")]
    columns: list[list[Cell]] = [[label(run_label(*run)) for run in groups.runs]]
    for group in groups.labels:
        block = _block_head(groups, group)
        for name in groups.having(names, [group]):
            head, shown = metric_column(name, groups.results(name, [group]), options, block=block)
            heads.append(head)
            columns.append(_cells(groups, group, head, shown, options))
    return _table(groups, heads, columns, options)


def _cells(
    groups: Groups, group: str, head: Column, shown: NumberFormat, options: ReportOptions
) -> list[Cell]:
    """Return one cell per run for one metric of one group, the best of the group marked."""
    like = next(filter(None, groups.results(head.metric, groups.labels)))
    cells = []
    for run, _ in groups.runs:
        metric = groups.shown(run, group, like)
        empty = Cell(MISSING, reason=groups.why_empty(run))
        cells.append(empty if metric is None else metric_cell(metric, shown, options))
    return ranked(cells, head.direction, second=options.second)


def _count(groups: Groups, run: str, group: str) -> Cell:
    return count(groups.count(run, group), reason=groups.why_empty(run))


def _block_head(groups: Groups, group: str) -> str:
    counts = {groups.count(run, group) for run, _ in groups.runs if run not in groups.ungrouped}
    return f"{group} (n = {counts.pop()})" if len(counts) == 1 else group


def _table(
    groups: Groups, heads: Sequence[Column], columns: Sequence[list[Cell]], options: ReportOptions
) -> Table:
    known = [next(filter(None, groups.results(name, groups.labels))) for name in _metrics(heads)]
    per_run: list[RunMetrics] = [
        (
            name,
            [
                m
                for group in groups.labels
                for m in (groups.shown(name, group, k) for k in known)
                if m
            ],
        )
        for name, _ in groups.runs
        if name not in groups.ungrouped
    ]
    return Table(
        key=f"by-{slug(groups.grouping)}",
        title=f"By {groups.grouping}",
        caption=f"Values over the records of each group of {groups.grouping}.",
        columns=tuple(heads),
        rows=tuple(Row(cells) for cells in zip(*columns, strict=True)),
        notes=(
            *interval_notes(per_run, options, remarks=False),
            *value_notes(per_run, options),
            *_ungrouped_notes(groups),
            *modified_notes(groups.runs),
        ),
    )


def _metrics(heads: Sequence[Column]) -> list[str]:
    return list(dict.fromkeys(head.metric for head in heads if head.metric))


def _ungrouped_notes(groups: Groups) -> list[str]:
    names = groups.ungrouped
    return [f"No values in {listed(names)}: {groups.why_empty(names[0])}."] if names else []
