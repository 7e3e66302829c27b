"""From values per record to one result per metric and group, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abotn.evaluation.grouping import Grouping
from abotn.evaluation.options import EvaluationOptions
from abotn.evaluation.part_results import PartResults
from abotn.evaluation.scoring import Scored
from abotn.evaluation.values import Floats, Rows, Values, values_of
from abotn.records.table import RecordTable
from abotn.results.types import ConfidenceInterval, GroupResult, MetricResult
from abotn.statistics.interval import Interval, NoInterval, join_notes
from abotn.statistics.intervals import Part, part_intervals, ratio_intervals

Found = list[list[Interval | NoInterval]]
Sums = tuple[Floats, Floats]


def aggregate(
    scored: Sequence[Scored],
    table: RecordTable,
    groupings: Sequence[Grouping],
    options: EvaluationOptions,
) -> tuple[tuple[MetricResult, ...], dict[str, tuple[GroupResult, ...]], str]:
    """Return the results over all records, those per grouping, and what was resampled."""
    values = values_of(scored, table, options)
    splits = {grouping.name: grouping.split(table) for grouping in groupings}
    everything = np.arange(len(table), dtype=np.int64)
    parts = [everything, *(rows for split in splits.values() for rows in split.values())]
    tables = iter(_results_of(parts, values, scored, table, options))
    overall = next(tables)
    groups = {
        name: tuple(GroupResult(label, len(rows), next(tables)) for label, rows in split.items())
        for name, split in splits.items()
    }
    return overall, groups, values.resampled


def _results_of(
    parts: Sequence[Rows],
    values: Values,
    scored: Sequence[Scored],
    table: RecordTable,
    options: EvaluationOptions,
) -> list[tuple[MetricResult, ...]]:
    weighted = [values.weighted(rows) for rows in parts]
    intervals = _intervals(parts, weighted, values, scored, options)
    maker = PartResults(scored, table, options)
    return [
        maker.results(rows, *sums, found)
        for rows, sums, found in zip(parts, weighted, intervals, strict=True)
    ]


def _intervals(
    parts: Sequence[Rows],
    weighted: Sequence[Sums],
    values: Values,
    scored: Sequence[Scored],
    options: EvaluationOptions,
) -> list[list[ConfidenceInterval | NoInterval]]:
    if options.bootstrap_ci is None:
        none = NoInterval("no intervals were asked for")
        return [[none] * len(scored) for _ in parts]
    common: dict[str, Any] = {
        "n_resamples": options.bootstrap_ci,
        "level": options.ci_level,
        "seed": options.bootstrap_seed,
        "method": options.ci_method,
        "bounds": [one.spec.bounds for one in scored],
        "binary": [None if one.spec.bounds == (0, 1) else False for one in scored],
    }
    # Only a group can be alone in a cluster: over all records a single cluster is an answer to
    # what the caller asked for, and is flagged as one.
    alone = [False, *(values.is_one_cluster(rows) for rows in parts[1:])]
    triples = list(zip(parts, weighted, alone, strict=True))
    together = [(rows, sums) for rows, sums, inside in triples if not inside]
    apart = [(rows, sums) for rows, sums, inside in triples if inside]
    by_cluster = iter(_clustered_intervals(together, values, common) if together else [])
    within = iter(_intervals_within(apart, values, common))
    own = "records" if values.tasks is None else "tasks"
    note = f"all in one cluster by {values.resampled}, so its own {own} are resampled"
    return [
        [_confidence(one, own, note) for one in next(within)]
        if inside
        else [_confidence(one, values.resampled) for one in next(by_cluster)]
        for inside in alone
    ]


def _clustered_intervals(
    parts: Sequence[tuple[Rows, Sums]], values: Values, common: Mapping[str, Any]
) -> Found:
    """Return the intervals of parts that share one set of resamples, the first of all records."""
    units = values.clusters if values.clusters is not None else values.tasks
    if values.tasks is None or units is None:
        top, bottom = values.numerators, values.denominators
        groups = [rows for rows, _ in parts[1:]]
        return ratio_intervals(top, bottom, units=units, groups=groups, **common)
    # A task's weight depends on the group, so each group has columns of its own.
    count = int(units.max(initial=-1)) + 1
    owned = (Part(top, bottom, units[rows], count) for rows, (top, bottom) in parts)
    return part_intervals(owned, **common)


def _intervals_within(
    parts: Sequence[tuple[Rows, Sums]], values: Values, common: Mapping[str, Any]
) -> Found:
    """Return the intervals of parts that are one cluster each: their own records are resampled."""
    tasks = values.tasks
    owned = (
        Part(top, bottom, None if tasks is None else tasks[rows]) for rows, (top, bottom) in parts
    )
    return part_intervals(owned, **common)


def _confidence(
    interval: Interval | NoInterval, resampled: str, note: str | None = None
) -> ConfidenceInterval | NoInterval:
    if isinstance(interval, NoInterval):
        return interval
    drawn = interval.n_resamples > 0
    return ConfidenceInterval(
        lower=interval.lower,
        upper=interval.upper,
        level=interval.level,
        method=interval.method,
        n_resamples=interval.n_resamples if drawn else None,
        seed=interval.seed if drawn else None,
        resampled=resampled,
        n_units=interval.n_units,
        degenerate=interval.degenerate,
        note=join_notes(note, interval.note),
    )
