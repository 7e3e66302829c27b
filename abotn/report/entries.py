"""The numbers of a report in long form: one entry per run, group and metric."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from abotn.report.cells import absence, complete_metrics, interval_ends
from abotn.report.document import Entry
from abotn.report.group_tables import Groups
from abotn.report.options import ReportOptions
from abotn.report.runs import Run
from abotn.results.types import EvaluationResult, MetricResult


def run_entries(
    runs: Sequence[Run], names: Sequence[str], options: ReportOptions
) -> Iterator[Entry]:
    """Yield an entry per run, group and metric: over all records first, then by grouping.

    A run that lacks a metric, a group or a grouping that another run has gets an entry without a
    value and with the reason.

    Args:
        runs: Runs in order.
        names: Metrics in order.
        options: Options of the report; ``groups="none"`` leaves the groups out.
    """
    groupings = dict.fromkeys(grouping for _, result in runs for grouping in result.groups)
    found = [Groups.of(runs, grouping) for grouping in groupings if options.groups != "none"]
    overall = complete_metrics(runs, names)
    for (run, result), metrics in zip(runs, overall, strict=True):
        yield from (_entry(run, "", "", _scored(result), metric) for metric in metrics)
        for groups in found:
            yield from _group_entries(run, groups, names)


def _group_entries(run: str, groups: Groups, names: Sequence[str]) -> Iterator[Entry]:
    for label in groups.labels:
        records = groups.count(run, label)
        for like in groups.known(names, label):
            metric = groups.shown(run, label, like) or MetricResult(
                like.name, math.nan, like.unit, like.direction, reason=groups.why_empty(run)
            )
            yield _entry(run, groups.grouping, label, records, metric)


def _scored(result: EvaluationResult) -> int | None:
    return result.counts.get("scored")


def _entry(run: str, grouping: str, group: str, records: int | None, metric: MetricResult) -> Entry:
    lower, upper = interval_ends(metric)
    undefined = math.isnan(metric.value)
    asked = not undefined or metric.sample_count > 0
    return Entry(
        run=run,
        grouping=grouping,
        group=group,
        records=records,
        metric=metric.name,
        value=None if undefined else metric.value,
        unit=metric.unit,
        direction=metric.direction,
        lower=lower,
        upper=upper,
        level=None if metric.ci is None else metric.ci.level,
        method="" if metric.ci is None else metric.ci.method,
        scored=metric.finite_count if asked else None,
        failed=metric.error_count if asked else None,
        undefined=metric.undefined_count if asked else None,
        reason=absence(metric) if undefined else "",
    )
