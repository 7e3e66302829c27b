"""What a report shows, checked before anything is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from abotn.errors import ConfigError, UnknownNameError
from abotn.report.significance import Significance
from abotn.results.number_format import MOST_DIGITS

INTERVALS = ("brackets", "plus-minus", "none")
GROUPS = ("rows", "columns", "none")


@dataclass(frozen=True)
class ReportOptions:
    """Options of a report.

    Attributes:
        metrics: Metrics to show, in this order; empty for the headline ones first and the others
            in a table of their own.
        display_names: Name to show instead of a metric's own.
        digits: Decimals of every metric; by unit and size when None.
        percent: Show metrics without a unit in percent.
        intervals: ``"brackets"``, ``"plus-minus"`` (where symmetric as shown) or ``"none"``.
        groups: Groups as blocks of ``"rows"`` or of ``"columns"``, or ``"none"``.
        second: Mark the second best value too.
        published: Name of the published figures to add, such as ``"pointbench-outdoor"``.
        significance: Tests against a baseline, shown as marks in the tables over all records.
        title: Heading of the report.

    Raises:
        ConfigError: a value it cannot have; the message names the option.
        UnknownNameError: an unknown word for ``intervals`` or ``groups``.
    """

    metrics: tuple[str, ...] = ()
    display_names: Mapping[str, str] = field(default_factory=dict)
    digits: int | None = None
    percent: bool = False
    intervals: str = "brackets"
    groups: str = "rows"
    second: bool = False
    published: str | None = None
    significance: Significance | None = None
    title: str = "Evaluation report"

    def __post_init__(self) -> None:
        if self.digits is not None and not 0 <= self.digits <= MOST_DIGITS:
            raise ConfigError(
                f"must be a whole number from 0 to {MOST_DIGITS}, got {self.digits}", where="digits"
            )
        if self.intervals not in INTERVALS:
            raise UnknownNameError("way to show intervals", self.intervals, INTERVALS)
        if self.groups not in GROUPS:
            raise UnknownNameError("way to show groups", self.groups, GROUPS)
        doubled = {name for name in self.metrics if self.metrics.count(name) > 1}
        if doubled:
            raise ConfigError(f"{', '.join(sorted(doubled))} is asked for twice", where="metrics")

    def shown_name(self, metric: str) -> str:
        """Return the name a metric is shown under."""
        return self.display_names.get(metric, metric)
