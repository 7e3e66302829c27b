"""The lines under the tables of a comparison: how its numbers were made, what they leave out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from abotn.report.cells import DEGENERATE_MARK
from abotn.report.comparability import difference_notes, modified_notes
from abotn.report.notes import described, listed
from abotn.report.runs import Run, isolated
from abotn.report.sampling_words import too_few_note
from abotn.report.significance import TEST_NAMES
from abotn.results.comparison import Comparison, MetricComparison, PairComparison
from abotn.results.types import ConfidenceInterval, EvaluationResult

SIGNIFICANT = "*"
_MOST_OTHERS = 5


def chosen_metrics(pair: PairComparison, names: Sequence[str]) -> list[MetricComparison]:
    """Return the metrics of a pair that are shown, in their order."""
    by_name = {metric.name: metric for metric in pair.metrics}
    return [by_name[name] for name in names if name in by_name]


def pair_notes(pair: PairComparison, names: Sequence[str], alpha: float) -> Iterator[str]:
    """Yield how the numbers of a pair were made, and what they leave out, a line each."""
    metrics = chosen_metrics(pair, names)
    known = [metric for metric in metrics if not math.isnan(metric.difference)]
    yield from _grouped(known, "Intervals", lambda m: described(m.ci) if m.ci else "")
    yield from _grouped(known, "Intervals", _remark)
    yield from _grouped(metrics, "No interval", lambda m: "" if m.ci else m.ci_reason or "none")
    yield from _grouped(known, "Tests", lambda m: TEST_NAMES.get(m.test, m.test))
    yield from _grouped(metrics, "Pairs without both values", _undefined)
    if any(metric.ci is not None and metric.ci.degenerate for metric in metrics):
        yield f"{DEGENERATE_MARK} All differences are equal, so they say little about the spread."
    yield from significance_notes([pair], alpha)
    yield from _alone(pair, metrics, alpha)
    yield from _too_few(pair, alpha)


def significance_notes(pairs: Sequence[PairComparison], alpha: float) -> Iterator[str]:
    """Yield the line that explains the mark of a difference, where one is shown."""
    if any(metric.p_adjusted < alpha for pair in pairs for metric in pair.metrics):
        count = max(len(pair.metrics) for pair in pairs)
        metrics = "1 metric" if count == 1 else f"{count} metrics"
        yield f"{SIGNIFICANT} p below {alpha:g} after Holm's correction for {metrics} compared."


def comparison_notes(comparison: Comparison, names: Sequence[str]) -> Iterator[str]:
    """Yield what makes the runs hard to compare, and which metrics are left out."""
    runs = _as_runs(comparison)
    yield from modified_notes(runs)
    yield from difference_notes(runs, ())
    left_out: dict[str, dict[str, str]] = comparison.provenance.get("left_out", {})
    everywhere = set.intersection(*map(set, left_out.values())) if left_out else set()
    for run, reasons in left_out.items():
        for metric, reason in reasons.items():
            if metric not in everywhere and metric not in names:
                yield f"{metric} is not compared, {isolated(run)} cannot be measured: {reason}."


def _too_few(pair: PairComparison, alpha: float) -> Iterator[str]:
    """Yield a line when there are too few units for any corrected p value below alpha."""
    tested = [m for m in pair.metrics if m.test.startswith("sign_flip") and m.ci is not None]
    if not tested:
        return
    units = max(metric.ci.n_units for metric in tested if metric.ci is not None)
    few = too_few_note(units, pair.resampled, _tests_made(pair), alpha, what="metrics")
    if few is not None:
        yield few


def _alone(
    pair: PairComparison, metrics: Sequence[MetricComparison], alpha: float
) -> Iterator[str]:
    """Yield a line when intervals exclude zero and yet no difference is shown."""
    names = [m.name for m in metrics if _excludes_zero(m.ci) and m.p_adjusted >= alpha]
    if not names:
        return
    made = _tests_made(pair)
    why = "an interval is of another method than the test, which decides"
    if made > 1:
        why = (
            f"an interval is for its metric alone, and the test, corrected for {made} metrics, "
            "decides"
        )
    yield f"Intervals without 0 where no difference is shown, {listed(names)}: {why}."


def _excludes_zero(ci: ConfidenceInterval | None) -> bool:
    if ci is None or ci.degenerate or ci.lower is None or ci.upper is None:
        return False
    return ci.lower > 0 or ci.upper < 0


def _tests_made(pair: PairComparison) -> int:
    return sum(not math.isnan(metric.p_value) for metric in pair.metrics)


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


def _as_runs(comparison: Comparison) -> list[Run]:
    """Return what is known of each run, in the form that notes on comparability read."""
    policy = comparison.provenance.get("on_error")
    known = comparison.provenance.get("runs", {})
    return [
        (name, EvaluationResult((), provenance={**entry, "on_error": policy}))
        for name, entry in known.items()
    ]
