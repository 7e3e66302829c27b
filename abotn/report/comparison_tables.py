"""A report on compared runs: differences with intervals, tests, and the tasks behind them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from abotn.report.cells import DEGENERATE_MARK, label
from abotn.report.comparability import difference_notes, modified_notes
from abotn.report.document import Entry, Report
from abotn.report.notes import described, listed
from abotn.report.numbers import NumberFormat, number_format, shown_unit
from abotn.report.options import ReportOptions
from abotn.report.runs import Run, isolated
from abotn.report.table import MISSING, Cell, Column, Row, Table
from abotn.results.comparison import Comparison, MetricComparison, PairComparison
from abotn.results.types import EvaluationResult

MOST_TASKS = 50
SIGNIFICANT = "*"
_MOST_OTHERS = 5
_TESTS = {
    "mcnemar_exact": "exact McNemar test",
    "sign_flip_exact": "sign-flip test over all patterns",
    "sign_flip_monte_carlo": "sign-flip test over random patterns",
    "scenario_bootstrap": "share of paired resamples of scenarios on one side of zero",
    "none": "no test",
}


def comparison_report(comparison: Comparison, options: ReportOptions | None = None) -> Report:
    """Return the tables of a comparison.

    Each pair has a table with a row per metric, then the tasks that only one run solves and
    those that only one run has. With several pairs, a table of all differences comes first.

    Args:
        comparison: What ``compare`` returned.
        options: Title, digits, percent, display names and the way to show intervals; ``metrics``
            chooses and orders the rows.

    Raises:
        UnknownMetricError: no pair has a metric that was asked for.
    """
    options = options or ReportOptions(title="Comparison of runs")
    names = _metric_names(comparison, options)
    alpha = _alpha(comparison)
    tables: list[Table] = []
    if len(comparison.pairs) > 1:
        tables.append(_overview(comparison, names, options, alpha))
    for number, pair in enumerate(comparison.pairs, start=1):
        tables.append(_pair_table(pair, number, names, options, alpha))
        tables += _task_tables(pair, number)
    entries = tuple(_entries(comparison, names))
    return Report(options.title, tuple(tables), tuple(_notes(comparison, names)), entries)


def _metric_names(comparison: Comparison, options: ReportOptions) -> list[str]:
    from abotn.errors import UnknownMetricError

    present = dict.fromkeys(m.name for pair in comparison.pairs for m in pair.metrics)
    for name in options.metrics:
        if name not in present:
            raise UnknownMetricError(name, present)
    return list(options.metrics) or list(present)


def _alpha(comparison: Comparison) -> float:
    level = comparison.provenance.get("statistics", {}).get("level", 0.95)
    return round(1.0 - float(level), 12)


def _chosen(pair: PairComparison, names: Sequence[str]) -> list[MetricComparison]:
    by_name = {metric.name: metric for metric in pair.metrics}
    return [by_name[name] for name in names if name in by_name]


def _overview(
    comparison: Comparison, names: Sequence[str], options: ReportOptions, alpha: float
) -> Table:
    pairs = comparison.pairs
    heads = [Column("metric"), *(Column(f"{pair.run_a} − {pair.run_b}") for pair in pairs)]
    rows = []
    for name in names:
        found = [next(iter(_chosen(pair, [name])), None) for pair in pairs]
        first = next(metric for metric in found if metric is not None)
        shown = _format([metric for metric in found if metric], options)
        cells = [_difference_cell(metric, shown, options, alpha) for metric in found]
        rows.append(Row((label(_head(first, shown, options)), *cells)))
    return Table(
        key="differences",
        title="Differences",
        caption="Paired differences with their intervals, first run minus second.",
        columns=tuple(heads),
        rows=tuple(rows),
        notes=tuple(_significance(pairs, alpha)),
    )


def _pair_table(
    pair: PairComparison, number: int, names: Sequence[str], options: ReportOptions, alpha: float
) -> Table:
    heads = ("metric", pair.run_a, pair.run_b, "difference", "p", "p (Holm)", "better")
    return Table(
        key=f"pair-{number}",
        title=f"{isolated(pair.run_a)} against {isolated(pair.run_b)}",
        caption=_caption(pair),
        columns=tuple(Column(head) for head in heads),
        rows=tuple(_row(metric, options, alpha) for metric in _chosen(pair, names)),
        notes=tuple(_pair_notes(pair, names, alpha)),
    )


def _caption(pair: PairComparison) -> str:
    a, b = isolated(pair.run_a), isolated(pair.run_b)
    units = "scenarios" if pair.resampled == "scenario_id" else "tasks"
    text = f"{pair.n_pairs} {units} that both have; difference is {a} minus {b}."
    only_a, only_b = len(pair.solved_only_by_a), len(pair.solved_only_by_b)
    if only_a or only_b:
        text += f" {a} alone solves {only_a} of them, {b} alone {only_b}."
    return text


def _row(metric: MetricComparison, options: ReportOptions, alpha: float) -> Row:
    shown = _format([metric], options)
    return Row(
        (
            label(_head(metric, shown, options)),
            _value_cell(metric.value_a, shown),
            _value_cell(metric.value_b, shown),
            _difference_cell(metric, shown, options, alpha),
            _p_cell(metric.p_value),
            _p_cell(metric.p_adjusted),
            label(metric.winner),
        )
    )


def _head(metric: MetricComparison, shown: NumberFormat, options: ReportOptions) -> str:
    unit = shown_unit(metric.unit, percent=shown.percent)
    return Column(options.shown_name(metric.name), unit=unit, direction=metric.direction).label


def _format(metrics: Sequence[MetricComparison], options: ReportOptions) -> NumberFormat:
    values = [value for m in metrics for value in (m.value_a, m.value_b, m.difference)]
    return number_format(metrics[0].unit, values, digits=options.digits, percent=options.percent)


def _value_cell(value: float, shown: NumberFormat) -> Cell:
    if math.isnan(value):
        return Cell(MISSING, reason="undefined for every pair")
    return Cell(shown.show(value), value=value)


def _difference_cell(
    metric: MetricComparison | None, shown: NumberFormat, options: ReportOptions, alpha: float
) -> Cell:
    if metric is None or math.isnan(metric.difference):
        return Cell(MISSING, reason="not compared" if metric is None else "no pair has both values")
    ci = metric.ci
    lower, upper = (None, None) if ci is None else (ci.lower, ci.upper)
    interval = shown.show_interval(metric.difference, lower, upper, options.intervals)
    if interval and ci is not None and ci.degenerate:
        interval += DEGENERATE_MARK
    mark = SIGNIFICANT if metric.p_adjusted < alpha else ""
    text = shown.show(metric.difference)
    return Cell(text, interval, metric.difference, lower=lower, upper=upper, mark=mark)


def _p_cell(p_value: float) -> Cell:
    if math.isnan(p_value):
        return Cell(MISSING, reason="no test was made")
    return Cell("< 0.0001" if p_value < 0.0001 else f"{p_value:.4f}", value=p_value)


def _pair_notes(pair: PairComparison, names: Sequence[str], alpha: float) -> Iterator[str]:
    metrics = _chosen(pair, names)
    known = [metric for metric in metrics if not math.isnan(metric.difference)]
    yield from _grouped(known, "Intervals", lambda m: described(m.ci) if m.ci else "")
    yield from _grouped(known, "Intervals", _remark)
    yield from _grouped(metrics, "No interval", lambda m: "" if m.ci else m.ci_reason or "none")
    yield from _grouped(known, "Tests", lambda m: _TESTS.get(m.test, m.test))
    yield from _grouped(metrics, "Pairs without both values", _undefined)
    if any(metric.ci is not None and metric.ci.degenerate for metric in metrics):
        yield f"{DEGENERATE_MARK} All differences are equal, so they say little about the spread."
    yield from _significance([pair], alpha)
    yield from _too_few(pair, alpha)


def _too_few(pair: PairComparison, alpha: float) -> Iterator[str]:
    """Yield a line when there are too few units for any corrected p value below alpha."""
    tested = [m for m in pair.metrics if m.test.startswith("sign_flip") and m.ci is not None]
    if not tested:
        return
    units = max(metric.ci.n_units for metric in tested if metric.ci is not None)
    least = 2.0 ** (1 - units)
    made = sum(not math.isnan(metric.p_value) for metric in pair.metrics)
    if least * made >= alpha:
        yield (
            f"{units} units allow no p below {least:.2g}, so nothing can stand out among {made} "
            "metrics: compare fewer metrics, or more tasks."
        )


def _remark(metric: MetricComparison) -> str:
    return "" if metric.ci is None or metric.ci.degenerate else metric.ci.note or ""


def _undefined(metric: MetricComparison) -> str:
    return f"{metric.n_undefined} of {metric.n_pairs + metric.n_undefined}" * (
        metric.n_undefined > 0
    )


def _grouped(
    metrics: Sequence[MetricComparison], subject: str, fact: Callable[[MetricComparison], str]
) -> Iterator[str]:
    """Yield a line per fact, naming metrics only where it does not hold for all."""
    everything = [metric.name for metric in metrics]
    members: dict[str, list[str]] = {}
    for metric in metrics:
        members.setdefault(fact(metric).rstrip("."), []).append(metric.name)
    members.pop("", None)
    for text, names in members.items():
        yield f"{subject}{_which(names, everything)}: {text}."


def _which(names: Sequence[str], everything: Sequence[str]) -> str:
    others = [name for name in everything if name not in names]
    if not others:
        return ""
    if len(others) < len(names) and len(others) <= _MOST_OTHERS:
        return f" of all but {listed(others)}"
    return f" of {listed(names)}"


def _significance(pairs: Sequence[PairComparison], alpha: float) -> Iterator[str]:
    if any(metric.p_adjusted < alpha for pair in pairs for metric in pair.metrics):
        count = max(len(pair.metrics) for pair in pairs)
        yield (
            f"{SIGNIFICANT} p below {alpha:g} after Holm's correction for {count} metrics compared."
        )


def _task_tables(pair: PairComparison, number: int) -> Iterator[Table]:
    solved = ((pair.run_a, pair.solved_only_by_a), (pair.run_b, pair.solved_only_by_b))
    alone = ((pair.run_a, pair.only_a), (pair.run_b, pair.only_b))
    both = f"{isolated(pair.run_a)} and {isolated(pair.run_b)}"
    if any(tasks for _, tasks in solved):
        title = f"Tasks that only one of {both} solves"
        caption = "Tasks both have, solved in most attempts by one run only."
        yield _task_table(f"solved-{number}", title, caption, "solved by", solved)
    if any(tasks for _, tasks in alone):
        title = f"Tasks that only one of {both} has"
        yield _task_table(f"alone-{number}", title, "Left out of the comparison.", "run", alone)


def _task_table(
    key: str, title: str, caption: str, head: str, sides: Sequence[tuple[str, Sequence[str]]]
) -> Table:
    rows = [Row((label(run), label(task))) for run, tasks in sides for task in tasks[:MOST_TASKS]]
    notes = [
        f"{isolated(run)}: the first {MOST_TASKS} of {len(tasks)}; the JSON file has all."
        for run, tasks in sides
        if len(tasks) > MOST_TASKS
    ]
    columns = (Column(head, merge=True), Column("scene/task"))
    return Table(key, title, caption, columns, tuple(rows), tuple(notes))


def _notes(comparison: Comparison, names: Sequence[str]) -> Iterator[str]:
    runs = _as_runs(comparison)
    yield from modified_notes(runs)
    yield from difference_notes(runs, ())
    left_out: dict[str, dict[str, str]] = comparison.provenance.get("left_out", {})
    everywhere = set.intersection(*map(set, left_out.values())) if left_out else set()
    for run, reasons in left_out.items():
        for metric, reason in reasons.items():
            if metric not in everywhere and metric not in names:
                yield f"{metric} is not compared, {isolated(run)} cannot be measured: {reason}."


def _as_runs(comparison: Comparison) -> list[Run]:
    """Return what is known of each run, in the form that notes on comparability read."""
    policy = comparison.provenance.get("on_error")
    known = comparison.provenance.get("runs", {})
    return [
        (name, EvaluationResult((), provenance={**entry, "on_error": policy}))
        for name, entry in known.items()
    ]


def _entries(comparison: Comparison, names: Sequence[str]) -> Iterator[Entry]:
    for pair in comparison.pairs:
        for metric in _chosen(pair, names):
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
