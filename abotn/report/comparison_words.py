"""What can be said of each metric of two runs, in a sentence."""

from __future__ import annotations

import math

from abotn.report.numbers import NumberFormat, number_format, shown_unit
from abotn.report.options import ReportOptions
from abotn.report.runs import isolated
from abotn.results.comparison import NO_DIFFERENCE, MetricComparison, PairComparison

_SMALL = 0.0001


def metric_words(
    pair: PairComparison, metric: MetricComparison, options: ReportOptions, alpha: float
) -> str:
    """Return what the comparison says of one metric, to follow the metric's name.

    A fraction is given in percentage points. The interval is in the direction of the words: "0.20
    to 0.50" after "lower" means lower by that much, and a negative end means higher.

    Args:
        pair: The pair.
        metric: One of its metrics.
        options: Digits.
        alpha: A difference is shown when its corrected p value is below this.

    Example:
        >>> from abotn.results.comparison import MetricComparison, PairComparison
        >>> one = MetricComparison("success", "", "higher", 0.75, 0.5, 0.25, None, "few", 0.02,
        ...     0.02, "mcnemar_exact", 40, 0, "new")
        >>> metric_words(PairComparison("new", "old", (one,), 40), one, ReportOptions(), 0.05)
        '25.0 percentage points higher for new than for old (p = 0.0200). new is better.'
    """
    if math.isnan(metric.difference):
        return "cannot be compared, no task has a value in both runs."
    shown, unit = _numbers(metric, options)
    a, b = isolated(pair.run_a), isolated(pair.run_b)
    size = shown.show(abs(metric.difference))
    if metric.difference == 0:
        what = f"the same for {a} and {b}"
    else:
        word = "higher" if metric.difference > 0 else "lower"
        what = f"{size}{unit} {word} for {a} than for {b}"
    return f"{what}{_evidence(pair, metric, shown)}. {_verdict(metric, alpha)}"


def _numbers(metric: MetricComparison, options: ReportOptions) -> tuple[NumberFormat, str]:
    """Return how the difference is shown, and its unit with a space before it."""
    values = (metric.value_a, metric.value_b)
    points = not metric.unit and all(0 <= value <= 1 for value in values)
    shown = number_format(
        metric.unit, (*values, metric.difference), digits=options.digits, percent=points
    )
    if points:
        return shown, " percentage points"
    unit = "" if metric.unit == "count" else shown_unit(metric.unit)
    return shown, f" {unit}" if unit else ""


def _evidence(pair: PairComparison, metric: MetricComparison, shown: NumberFormat) -> str:
    parts = []
    ci = metric.ci
    if ci is not None and ci.lower is not None and ci.upper is not None:
        low, high = ci.lower, ci.upper
        if metric.difference < 0:
            low, high = -high, -low
        parts.append(f"{100 * ci.level:g} % interval {shown.show(low)} to {shown.show(high)}")
    if not math.isnan(metric.p_value):
        parts.append(_p("p", metric.p_value))
        if len(pair.metrics) > 1 and not math.isnan(metric.p_adjusted):
            corrected = _p("", metric.p_adjusted)
            parts[-1] += f", and {corrected} corrected for {len(pair.metrics)} metrics"
    return f" ({', '.join(parts)})" if parts else ""


def _p(name: str, value: float) -> str:
    text = f"< {_SMALL:.4f}" if value < _SMALL else f"{'= ' if name else ''}{value:.4f}"
    return f"{name} {text}".strip()


def _verdict(metric: MetricComparison, alpha: float) -> str:
    if metric.winner != NO_DIFFERENCE:
        return f"{isolated(metric.winner)} is better."
    if math.isnan(metric.p_adjusted):
        return "No test was made."
    if metric.p_value < alpha <= metric.p_adjusted:
        return "After the correction no difference is shown."
    return "No difference is shown."
