"""The numbers of a report in long form: one entry per run, group and metric."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from abotn.report.cells import absence, interval_ends
from abotn.report.document import Entry
from abotn.report.options import ReportOptions
from abotn.report.runs import Run, metrics_by_name
from abotn.results.types import EvaluationResult, MetricResult


def run_entries(
    runs: Sequence[Run], names: Sequence[str], options: ReportOptions
) -> Iterator[Entry]:
    """Yield an entry per run, group and metric: over all records first, then by grouping.

    Args:
        runs: Runs in order.
        names: Metrics in order; a run without one gives no entry for it.
        options: Options of the report; ``groups="none"`` leaves the groups out.
    """
    for run, result in runs:
        yield from _entries(run, "", "", _scored(result), metrics_by_name(result), names)
        if options.groups == "none":
            continue
        for grouping, groups in result.groups.items():
            for group in groups:
                found = {metric.name: metric for metric in group.metrics}
                yield from _entries(run, grouping, group.label, group.count, found, names)


def _scored(result: EvaluationResult) -> int | None:
    return result.counts.get("scored")


def _entries(
    run: str,
    grouping: str,
    group: str,
    records: int | None,
    metrics: dict[str, MetricResult],
    names: Sequence[str],
) -> Iterator[Entry]:
    for name in names:
        if name in metrics:
            yield _entry(run, grouping, group, records, metrics[name])


def _entry(run: str, grouping: str, group: str, records: int | None, metric: MetricResult) -> Entry:
    lower, upper = interval_ends(metric)
    undefined = math.isnan(metric.value)
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
        scored=metric.finite_count,
        failed=metric.error_count,
        undefined=metric.undefined_count,
        reason=absence(metric) if undefined else "",
    )
