"""The numbers of a comparison, for formats read by programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from abotn.report.comparison_notes import chosen_metrics
from abotn.report.document import Entry
from abotn.results.comparison import Comparison, MetricComparison, PairComparison


def comparison_entries(comparison: Comparison, names: Sequence[str]) -> Iterator[Entry]:
    """Yield every number of a comparison, pair by pair."""
    for pair in comparison.pairs:
        for metric in chosen_metrics(pair, names):
            yield from _metric_entries(pair, metric)


def _metric_entries(pair: PairComparison, metric: MetricComparison) -> Iterator[Entry]:
    """Yield both values, the difference with its interval, and both p values."""
    ci = metric.ci
    numbers = {
        pair.run_a: metric.value_a,
        pair.run_b: metric.value_b,
        "difference": metric.difference,
        "p_value": metric.p_value,
        "p_adjusted": metric.p_adjusted,
    }
    for group, value in numbers.items():
        ends = ci if group == "difference" else None
        yield Entry(
            run=f"{pair.run_a} - {pair.run_b}",
            grouping="comparison",
            group=group,
            records=pair.n_pairs,
            metric=metric.name,
            value=None if math.isnan(value) else value,
            unit="" if group.startswith("p_") else metric.unit,
            direction=metric.direction,
            lower=None if ends is None else ends.lower,
            upper=None if ends is None else ends.upper,
            level=None if ends is None else ends.level,
            method=metric.test if group.startswith("p_") else ("" if ends is None else ends.method),
            scored=metric.n_pairs,
            undefined=metric.n_undefined,
            reason=(metric.ci_reason or "") if math.isnan(value) else "",
        )
