"""The differences of a pair on a page: a sentence with its interval drawn, then the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from abotn.report.comparison_notes import chosen_metrics
from abotn.report.comparison_tables import alpha_of, metric_names, pair_table
from abotn.report.comparison_words import metric_words
from abotn.report.html_tables import escape
from abotn.report.options import ReportOptions
from abotn.report.page_parts import titled_table
from abotn.report.runs import isolated
from abotn.results.comparison import NO_DIFFERENCE, Comparison, MetricComparison, PairComparison

_MARGIN = 1.1


def differences(
    comparison: Comparison, pair: PairComparison, number: int, options: ReportOptions
) -> Iterator[str]:
    """Yield what a page says of the differences of one pair.

    Args:
        comparison: The comparison.
        pair: One of its pairs.
        number: Its place in the comparison, from 1.
        options: Digits, percent, display names and the way to show intervals.
    """
    names, alpha = metric_names(comparison, options), alpha_of(comparison)
    metrics = chosen_metrics(pair, names)
    reach = _reach([one for one in metrics if _is_fraction(one)])
    yield f'<p class="axis">{escape(_axis(pair))}</p>'
    yield '<ul class="words">'
    for metric in metrics:
        own = reach if _is_fraction(metric) else _reach([metric])
        name = f"<b><bdi>{escape(options.shown_name(metric.name))}</bdi></b>"
        said = escape(metric_words(pair, metric, options, alpha))
        yield f"<li><span>{name}: {said}</span>{_track(metric, own, options)}</li>"
    yield "</ul>"
    table = pair_table(pair, number, names, options, alpha, with_methods=True)
    yield from titled_table(table, table.notes, closed=False, title="Numbers")


def _axis(pair: PairComparison) -> str:
    return (
        f"Each line is the difference {isolated(pair.run_a)} minus {isolated(pair.run_b)} with its "
        "interval; the upright line is no difference. A filled dot: a difference is shown."
    )


def _is_fraction(metric: MetricComparison) -> bool:
    return not metric.unit and all(-1 <= v <= 1 for v in (metric.value_a, metric.value_b))


def _reach(metrics: Sequence[MetricComparison]) -> float:
    """Return the largest finite distance from zero that any line reaches; 1 where there is none."""
    ends = [
        abs(end)
        for one in metrics
        for end in (one.difference, *((one.ci.lower, one.ci.upper) if one.ci else ()))
        if end is not None and math.isfinite(end)
    ]
    return _MARGIN * max(ends, default=0.0) or 1.0


def _track(metric: MetricComparison, reach: float, options: ReportOptions) -> str:
    if not math.isfinite(metric.difference):
        return ""
    marks = '<line class="zero" x1="50%" x2="50%" y1="0" y2="100%"/>'
    ci = metric.ci
    ends = (None, None) if ci is None or options.intervals == "none" else (ci.lower, ci.upper)
    if ends[0] is not None and ends[1] is not None:
        left, right = _place(ends[0], reach), _place(ends[1], reach)
        marks += f'<line class="interval" x1="{left}" x2="{right}" y1="50%" y2="50%"/>'
    kind = "value" if metric.winner != NO_DIFFERENCE else "value open"
    marks += f'<circle class="{kind}" cx="{_place(metric.difference, reach)}" cy="50%" r="5"/>'
    return f'<svg class="track difference" aria-hidden="true">{marks}</svg>'


def _place(value: float, reach: float) -> str:
    return f"{50 + 50 * min(max(value / reach, -1.0), 1.0):.2f}%"
