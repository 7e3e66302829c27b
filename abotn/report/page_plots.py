"""Dots with their intervals, as lists that read as text and are drawn as pictures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from abotn.report.document import Entry
from abotn.report.html_tables import escape
from abotn.report.numbers import NumberFormat, number_format, shown_unit
from abotn.report.options import ReportOptions
from abotn.report.palette import LIGHT, places
from abotn.units import Direction

_TICKS = 4
_NOTHING = 1e-12
_ENDLESS = 1e300


@dataclass(frozen=True)
class Axis:
    """A stretch of numbers with ticks.

    Attributes:
        low: Left end.
        high: Right end.
        ticks: Where numbers stand.
    """

    low: float
    high: float
    ticks: tuple[float, ...]

    @classmethod
    def over(cls, entries: Iterable[Entry]) -> Axis:
        """Return an axis that holds all values and intervals, and zero; [0, 1] for fractions."""
        ends = [end for entry in entries for end in (entry.value, entry.lower, entry.upper)]
        finite = [end for end in ends if end is not None and abs(end) < _ENDLESS]
        low, high = min([0.0, *finite]), max([0.0, *finite])
        units = {entry.unit for entry in entries}
        if units == {""} and low == 0 and high <= 1:
            return cls(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))
        step = _nice((high - low) / _TICKS) if high - low > _NOTHING else 1.0
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        last = max(last, first + 1)
        ticks = tuple(step * number for number in range(first, last + 1))
        return cls(ticks[0], ticks[-1], ticks)

    @property
    def style(self) -> str:
        """The class that draws a line at every tick."""
        return f"ticks-{len(self.ticks) - 1}"

    def place(self, value: float) -> str:
        """Return where a value lies, in percent from the left, kept within the axis."""
        share = (value - self.low) / (self.high - self.low)
        return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def metric_plots(
    entries: Sequence[Entry], metrics: Sequence[str], runs: Sequence[str], options: ReportOptions
) -> Iterator[str]:
    """Yield a figure per metric with a line per entry; lines of one group stand together.

    Args:
        entries: What is drawn; entries of one group follow each other.
        metrics: Metrics in order.
        runs: Names of the runs, which give their colours.
        options: Options of the report.
    """
    for metric in metrics:
        chosen = [entry for entry in entries if entry.metric == metric]
        if any(entry.value is not None for entry in chosen):
            yield _figure(metric, chosen, runs, options)


def run_style(run: str, runs: Sequence[str]) -> str:
    """Return the class that colours a run among others, the same whatever their order."""
    return f"run-{places(runs)[run] % len(LIGHT)}" if run in runs else "run-other"


def _figure(
    metric: str, entries: Sequence[Entry], runs: Sequence[str], options: ReportOptions
) -> str:
    first = entries[0]
    shown = number_format(
        first.unit,
        [entry.value for entry in entries],
        digits=options.digits,
        percent=options.percent,
    )
    axis = Axis.over(entries)
    lines = [
        '<figure class="plot">',
        f"<figcaption>{_caption(metric, first, shown, options)}</figcaption>",
        "<ul>",
        *_items(entries, axis, shown, runs, options),
        "</ul>",
        _scale(axis, shown),
        "</figure>",
    ]
    return "\n".join(lines)


def _caption(metric: str, entry: Entry, shown: NumberFormat, options: ReportOptions) -> str:
    unit = shown_unit(entry.unit, percent=shown.percent)
    name = escape(options.shown_name(metric))
    arrow = Direction(entry.direction).arrow if entry.direction else ""
    better = f"{entry.direction} is better" if entry.direction else ""
    return (
        f"<bdi>{name}</bdi>{f' ({unit})' if unit else ''} "
        f'<span class="better"><span aria-hidden="true">{arrow}</span> {better}</span>'
    )


def _items(
    entries: Sequence[Entry],
    axis: Axis,
    shown: NumberFormat,
    runs: Sequence[str],
    options: ReportOptions,
) -> Iterator[str]:
    several = len({entry.run for entry in entries}) > 1
    group = ""
    counts = {one.group: one.records for one in reversed(entries) if one.records}
    for entry in entries:
        number = counts.get(entry.group, entry.records)
        counted = f"{escape(entry.group)}</bdi> <small>n = {number}</small>"
        if several and entry.group != group:
            yield f'<li class="group"><bdi>{counted}</li>'
        group = entry.group
        if entry.group and not several:
            name = f"<bdi>{counted}"
        else:
            name = f"<bdi>{escape(entry.run)}</bdi>{_published(entry)}"
        yield _item(name, entry, axis, shown, runs, options)


def _published(entry: Entry) -> str:
    return " <small>published</small>" if entry.source else ""


def _item(
    name: str,
    entry: Entry,
    axis: Axis,
    shown: NumberFormat,
    runs: Sequence[str],
    options: ReportOptions,
) -> str:
    style = "run-other" if entry.source else run_style(entry.run, runs)
    value = f"<span>{escape(shown.show(entry.value))}</span>"
    if entry.value is not None:
        interval = shown.show_interval(entry.value, entry.lower, entry.upper, options.intervals)
        value += f" <small>{escape(interval)}</small>" if interval else ""
    elif entry.reason:
        value += f" <small>{escape(entry.reason)}</small>"
    picture = _picture(entry, axis, style, options)
    return f'<li><span class="name">{name}</span>{picture}<span class="value">{value}</span></li>'


def _picture(entry: Entry, axis: Axis, style: str, options: ReportOptions) -> str:
    marks = _marks(entry, axis, options)
    return f'<svg class="track {axis.style} {style}" aria-hidden="true">{marks}</svg>'


def _marks(entry: Entry, axis: Axis, options: ReportOptions) -> str:
    if entry.value is None:
        return ""
    marks = ""
    if entry.lower is not None and entry.upper is not None and options.intervals != "none":
        left, right = axis.place(entry.lower), axis.place(entry.upper)
        marks = f'<line class="interval" x1="{left}" x2="{right}" y1="50%" y2="50%"/>'
        marks += "".join(
            f'<line class="end" x1="{end}" x2="{end}" y1="30%" y2="70%"/>' for end in (left, right)
        )
    return marks + f'<circle class="value" cx="{axis.place(entry.value)}" cy="50%" r="5"/>'


def _scale(axis: Axis, shown: NumberFormat) -> str:
    numbers = "".join(
        f'<text x="{axis.place(tick)}" y="12" text-anchor="middle">'
        f"{100 * tick if shown.percent else tick:g}</text>"
        for tick in axis.ticks
    )
    return f'<div class="scale" aria-hidden="true"><svg class="track">{numbers}</svg></div>'


def _nice(step: float) -> float:
    """Return the least of 1, 2, 2.5, 5 times a power of ten that is not below ``step``."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= step * 0.999)
