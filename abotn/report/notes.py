"""The lines under a table: how its intervals were made, and what its numbers leave out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from abotn.report.cells import DEGENERATE_MARK, absence
from abotn.report.options import ReportOptions
from abotn.report.runs import isolated
from abotn.report.sampling_words import method_words, unit_words
from abotn.report.texts import with_ranges
from abotn.results.types import ConfidenceInterval, MetricResult

RunMetrics = tuple[str, Sequence[MetricResult]]
_NO_SPREAD = "All values are equal, so the records say little about the spread."
_BUILT_IN = ("", "abotn")


def interval_notes(
    runs: Sequence[RunMetrics], options: ReportOptions, *, remarks: bool = True
) -> list[str]:
    """Return lines on how the intervals were made, and why some are absent.

    Args:
        runs: Name and shown metrics of each run.
        options: Options of the report.
        remarks: Whether to say how each interval was made and what its own note says; else a
            line per method names it and its metrics.
    """
    if options.intervals == "none":
        return []
    lines = _methods(runs, options, described if remarks else _in_short)
    if remarks:
        ranged = with_ranges(_remark(metric) for _, metrics in runs for metric in metrics)
        lines += _lines(runs, options, "Intervals", lambda metric: ranged[_remark(metric)])
    lines += _lines(runs, options, "No interval", _no_interval)
    if any(m.ci is not None and m.ci.degenerate for _, metrics in runs for m in metrics):
        lines.append(
            f"{DEGENERATE_MARK} All values are equal, so the records say little about the spread."
        )
    return lines


def value_notes(runs: Sequence[RunMetrics], options: ReportOptions) -> list[str]:
    """Return lines on parameters, missing values and where metrics of plugins come from."""
    return [
        *_lines(runs, options, "Parameters", _parameters),
        *_lines(runs, options, "No value", lambda m: absence(m) if math.isnan(m.value) else None),
        *_lines(runs, options, "Source", _source),
    ]


def count_notes(runs: Sequence[RunMetrics], options: ReportOptions) -> list[str]:
    """Return lines on records without a value and on errors counted as failures."""
    return [
        *_lines(runs, options, "Records without a value", _undefined),
        *_lines(runs, options, "Records that ended as errors and count as failures", _failures),
    ]


def described(ci: ConfidenceInterval) -> str:
    """Return how an interval was made: level, method, resamples, what was resampled, seed."""
    if ci.n_resamples is None:
        return _in_short(ci)
    text = f"{100 * ci.level:g} % {method_words(ci.method)}"
    return f"{text}, {ci.n_resamples} resamples of {unit_words(ci.resampled)}, seed {ci.seed}"


def listed(names: Iterable[str]) -> str:
    """Return names in a sentence, each keeping its writing direction to itself."""
    return ", ".join(isolated(name) for name in names)


def _lines(
    runs: Sequence[RunMetrics],
    options: ReportOptions,
    subject: str,
    fact: Callable[[MetricResult], str | None],
) -> list[str]:
    """Return a line per fact, naming metrics and runs only where it does not hold for all."""
    facts = _facts(runs, fact)
    everyone = tuple(name for name, _ in runs)
    everything = tuple(dict.fromkeys(m.name for _, metrics in runs for m in metrics))
    lines = []
    for (metrics, text), names in facts.items():
        of_metrics = [options.shown_name(name) for name in metrics]
        which = f" of {listed(of_metrics)}" if metrics != everything else ""
        where = f" in {listed(names)}" if tuple(names) != everyone else ""
        lines.append(f"{subject}{which}{where}: {text}.")
    return lines


def _facts(
    runs: Sequence[RunMetrics], fact: Callable[[MetricResult], str | None]
) -> dict[tuple[tuple[str, ...], str], list[str]]:
    """Return the runs for which a fact holds, by the metrics it holds for and its text."""
    found: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for run, metrics in runs:
        by_text: dict[str, dict[str, None]] = {}
        for metric in metrics:
            text = fact(metric)
            if text:
                by_text.setdefault(text.rstrip("."), {})[metric.name] = None
        for text, names in by_text.items():
            found.setdefault((tuple(names), text), []).append(run)
    return found


def _methods(
    runs: Sequence[RunMetrics], options: ReportOptions, text_of: Callable[[ConfidenceInterval], str]
) -> list[str]:
    """Return a line per method, naming its metrics where there are several methods.

    A metric whose intervals are of one method in some runs only is followed by their names.
    """
    having: dict[str, dict[str, None]] = {}
    members: dict[str, dict[str, dict[str, None]]] = {}
    for run, metrics in runs:
        for metric in metrics:
            if metric.ci is not None:
                having.setdefault(metric.name, {})[run] = None
                by_metric = members.setdefault(text_of(metric.ci), {})
                by_metric.setdefault(metric.name, {})[run] = None
    lines = []
    for text, by_metric in members.items():
        shown = [
            isolated(options.shown_name(name))
            + (f" ({listed(names)})" if len(names) < len(having[name]) else "")
            for name, names in by_metric.items()
        ]
        which = f" of {', '.join(shown)}"
        lines.append(f"Intervals{which if len(members) > 1 else ''}: {text}.")
    return lines


def _in_short(ci: ConfidenceInterval) -> str:
    return f"{100 * ci.level:g} % {method_words(ci.method)} over {unit_words(ci.resampled)}"


def _remark(metric: MetricResult) -> str:
    """Return what an interval's own note says; its mark says that all values are equal."""
    if metric.ci is None or metric.ci.degenerate:
        return ""
    return metric.ci.note or ""


def _no_interval(metric: MetricResult) -> str | None:
    if metric.ci is not None or math.isnan(metric.value):
        return None
    return metric.ci_reason or "none was asked for"


def _parameters(metric: MetricResult) -> str | None:
    return ", ".join(f"{name} = {value}" for name, value in metric.parameters.items()) or None


def _undefined(metric: MetricResult) -> str | None:
    if not metric.undefined_count or math.isnan(metric.value):
        return None
    return f"{metric.undefined_count} of {metric.sample_count}"


def _failures(metric: MetricResult) -> str | None:
    return f"{metric.error_count} of {metric.sample_count}" if metric.error_count else None


def _source(metric: MetricResult) -> str | None:
    distribution = str(metric.source.get("distribution", ""))
    if distribution in _BUILT_IN:
        return None
    overrides = metric.source.get("overrides")
    instead = f", in place of the definition of {overrides}" if overrides else ""
    return f"{distribution} {metric.source.get('version', '')}".rstrip() + instead
