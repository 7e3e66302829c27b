"""One metric over a stream of records: exact sums, spread, extremes, and a bootstrap."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abotn.errors import EvaluationInputError
from abotn.results.types import ConfidenceInterval, MetricResult
from abotn.statistics.accumulate import ExactSum, Moments
from abotn.statistics.interval import Interval, NoInterval
from abotn.statistics.stream_bootstrap import StreamBootstrap
from abotn.streaming.exact_state import plain_state, restore
from abotn.streaming.metric_batch import BatchColumn
from abotn.streaming.resampling import check_level
from abotn.units import Direction, counted

RECORDS = "records"


@dataclass(frozen=True)
class StreamOptions:
    """How intervals are made.

    Attributes:
        n_resamples: Resamples, at least 100; None for no intervals.
        level: Nominal coverage, between 0 and 1.
        seed: Whole number of at least 0.
        resampled: What the keys stand for: ``"records"``, or a cluster column.

    Raises:
        EvaluationInputError: one of them cannot be used.
    """

    n_resamples: int | None
    level: float
    seed: int
    resampled: str

    def __post_init__(self) -> None:
        if self.n_resamples is not None:
            _check_whole(self.n_resamples, 100, "bootstrap_ci")
        _check_whole(self.seed, 0, "bootstrap_seed")
        check_level(self.level, "ci_level")


class MetricStream:
    """One metric, record by record.

    Args:
        unit: Its unit.
        direction: ``"higher"`` or ``"lower"`` is better.
        options: How intervals are made.
    """

    def __init__(self, unit: str, direction: str, options: StreamOptions) -> None:
        self.unit = unit
        self.direction = direction
        self._options = options
        self._errors = 0
        self._above = 0
        self._below = 0
        self._values = Moments()
        self._tops = ExactSum()
        self._bottoms = ExactSum()
        self._bootstrap: StreamBootstrap | None = None
        if options.n_resamples is not None:
            self._bootstrap = StreamBootstrap(options.n_resamples, seed=options.seed)

    def update(self, column: BatchColumn, keys: Sequence[str] | None) -> None:
        """Take in a batch.

        Args:
            column: Its n records.
            keys: (n,) keys; needed where intervals were asked for.
        """
        if self._bootstrap is not None and keys is not None:
            self._bootstrap.update(list(keys), column.tops, column.bottoms)
        self._errors += column.errors
        self._above += column.above
        self._below += column.below
        self._values.update(column.values)
        self._tops.add(column.tops)
        self._bottoms.add(column.bottoms)

    def merge(self, other: MetricStream) -> None:
        """Take over all that an equally configured stream has seen."""
        self._errors += other._errors
        self._above += other._above
        self._below += other._below
        self._values.merge(other._values)
        self._tops.merge(other._tops)
        self._bottoms.merge(other._bottoms)
        if self._bootstrap is not None and other._bootstrap is not None:
            self._bootstrap.merge(other._bootstrap)

    @property
    def value(self) -> float:
        """Sum of numerators over sum of denominators, correctly rounded; NaN where undefined.

        Infinite where a record is.
        """
        if self._above or self._below:
            signed = math.inf if self._above else -math.inf
            return math.nan if self._above and self._below else signed
        bottom = self._bottoms.value()
        return float(self._tops.value() / bottom) if bottom else math.nan

    def interval(self) -> Interval | NoInterval:
        """Return the interval of the value, or why there is none."""
        if self._bootstrap is None:
            return NoInterval("no intervals were asked for")
        if self._infinite:
            return NoInterval(self._why_infinite())
        return self._bootstrap.interval(self._options.level)

    def figures(self) -> dict[str, Any]:
        """Return value, unit, direction, counts, extremes, standard deviation and interval."""
        seen, interval = self._values, self.interval()
        return {
            "value": self.value,
            "unit": self.unit,
            "direction": self.direction,
            "count": seen.count,
            "undefined": seen.undefined - self._infinite,
            "infinite": self._infinite,
            "errors": self._errors,
            "min": -math.inf if self._below else seen.min,
            "max": math.inf if self._above else seen.max,
            "std": math.nan if self._infinite else seen.std,
            "ci": (interval.lower, interval.upper) if isinstance(interval, Interval) else None,
        }

    def result(self, name: str, threshold: float | None) -> MetricResult:
        """Return the figures in the form that reports, gates and loggers read."""
        seen, value, interval = self._values, self.value, self.interval()
        held = threshold is not None and not math.isnan(value)
        return MetricResult(
            name=name,
            value=value,
            unit=self.unit,
            direction=self.direction,
            passed=Direction(self.direction).meets(value, threshold) if held else None,  # type: ignore[arg-type]
            threshold=threshold,
            ci=self._confidence(interval) if isinstance(interval, Interval) else None,
            ci_reason=interval.reason if isinstance(interval, NoInterval) else None,
            reason=self._reason(),
            sample_count=seen.count + seen.undefined,
            finite_count=seen.count,
            undefined_count=seen.undefined - self._infinite,
            minimum=seen.min if seen.count and not self._below else None,
            maximum=seen.max if seen.count and not self._above else None,
            std=seen.std if seen.count > 1 and not self._infinite else None,
            metadata=self._metadata(),
        )

    def state(self) -> dict[str, Any]:
        """Return all that was seen as plain values and arrays."""
        parts = {name: plain_state(part) for name, part in self._parts().items()}
        return {"unit": self.unit, "direction": self.direction, **self._counts(), **parts}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], options: StreamOptions) -> MetricStream:
        """Return the stream with the state that an equally configured one returned.

        Raises:
            ValueError, KeyError, TypeError: a damaged state.
        """
        stream = cls(str(state["unit"]), Direction(state["direction"]).value, options)
        stream._errors = int(state["errors"])
        stream._above, stream._below = (int(state.get(name, 0)) for name in ("above", "below"))
        for name, part in stream._parts().items():
            restore(part, state[name])
        return stream

    @property
    def _infinite(self) -> int:
        return self._above + self._below

    def _why_infinite(self) -> str:
        total = self._values.count + self._values.undefined
        verb = "is" if self._infinite == 1 else "are"
        return f"{self._infinite} of {counted(total, 'values')} {verb} infinite"

    def _reason(self) -> str | None:
        if self._infinite:
            return self._why_infinite()
        return None if math.isfinite(self.value) else "no record has a value"

    def _metadata(self) -> dict[str, Any]:
        found = {"sample_error_count": self._errors, "infinite_count": self._infinite}
        return {name: count for name, count in found.items() if count}

    def _counts(self) -> dict[str, int]:
        return {"errors": self._errors, "above": self._above, "below": self._below}

    def _parts(self) -> dict[str, Any]:
        parts = {"values": self._values, "tops": self._tops, "bottoms": self._bottoms}
        return parts if self._bootstrap is None else {**parts, "bootstrap": self._bootstrap}

    def _confidence(self, interval: Interval) -> ConfidenceInterval:
        """Return the interval as results carry it; clusters are not counted in bounded memory."""
        resampled = self._options.resampled
        counted = resampled == RECORDS
        note = interval.note if counted else f"{interval.note}; clusters are not counted"
        found = {**vars(interval), "resampled": resampled, "note": note}
        return ConfidenceInterval.from_dict({**found, "n_units": interval.n_units * counted})


def _check_whole(value: object, least: int, where: str) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]
        raise EvaluationInputError(
            f"must be a whole number of at least {least}, got {value!r}", where=where
        )
