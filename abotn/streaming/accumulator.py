"""Metrics accumulated batch by batch, in memory that does not grow with the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from abotn._version import __version__
from abotn.errors import ConfigError, DataError, EvaluationInputError, UnknownMetricError
from abotn.metrics.bounds import require_threshold
from abotn.results.types import EvaluationResult
from abotn.streaming.metric_batch import (
    BatchColumn,
    batch_keys,
    batch_size,
    columns_of_result,
    columns_of_values,
)
from abotn.streaming.metric_stream import MetricStream, StreamOptions

if TYPE_CHECKING:
    from abotn.metrics.registry import MetricRegistry

STATE_VERSION = 1
_FORMAT = "abotn.streaming.MetricAccumulator"


class MetricAccumulator:
    """Means, ratios of sums, spread, extremes and intervals over batches of metric values.

    A batch is an evaluation, or arrays by metric. Sums are exact, so batches and shards taken in
    any order give the same bits. Every record weighs the same: attempts of one task are not
    averaged first.

    Intervals come from a Poisson bootstrap, in which a record's weights depend on the seed and
    the record's key only. They need a key per record, different for every record over all shards;
    the key of a record's cluster resamples clusters instead.

    Args:
        metrics: Names to track, in order; None tracks every metric that is met.
        thresholds: Pass mark per metric, for :meth:`to_result`.
        bootstrap_ci: Resamples for intervals, at least 100; None for no intervals.
        ci_level: Nominal coverage of the intervals.
        bootstrap_seed: Seed of the resamples.
        resampled: What the keys stand for: ``"records"``, or a cluster column such as
            ``"episode_id"``.
        registry: Where units and directions of arrays come from; the default one when None.

    Raises:
        EvaluationInputError: an option has a value it cannot have.

    Example:
        >>> from abotn.streaming import MetricAccumulator
        >>> first, second = MetricAccumulator(["ade"]), MetricAccumulator(["ade"])
        >>> first.update({"ade": [0.5, 1.0]})
        >>> second.update({"ade": [1.5]})
        >>> first.merge(second)
        >>> first.compute()["metrics"]["ade"]["value"]
        1.0
    """

    def __init__(
        self,
        metrics: Sequence[str] | None = None,
        *,
        thresholds: Mapping[str, float] | None = None,
        bootstrap_ci: int | None = None,
        ci_level: float = 0.95,
        bootstrap_seed: int = 0,
        resampled: str = "records",
        registry: MetricRegistry | None = None,
    ) -> None:
        self._registry = registry
        self._tracked = None if metrics is None else tuple(map(self._canonical, metrics))
        self._options = StreamOptions(bootstrap_ci, ci_level, bootstrap_seed, resampled)
        marks = thresholds or {}
        self._thresholds = {self._canonical(name): value for name, value in marks.items()}
        for name, value in self._thresholds.items():
            known = self._known().get(name).bounds if name in self._known() else None
            require_threshold(name, value, known, f"thresholds[{name!r}]")
        self.reset()

    @property
    def sample_count(self) -> int:
        """How many records were taken in."""
        return self._count

    @property
    def tracked_metrics(self) -> list[str]:
        """Names of the metrics: those asked for, else those met, sorted."""
        return sorted(self._streams) if self._tracked is None else list(self._tracked)

    def update(
        self,
        batch: EvaluationResult | Mapping[str, Any],
        *,
        keys: Sequence[object] | None = None,
    ) -> None:
        """Take in a batch of records; metrics that are not tracked are passed over.

        Args:
            batch: An evaluation of one sample, or of records with ``keep_values=True``; or (n,)
                values by metric, NaN where undefined, with a pair (numerators, denominators) for a
                ratio of sums.
            keys: (n,) key of each record, or of its cluster, needed for intervals. An evaluation
                of a run with kept values brings its own.

        Raises:
            EvaluationInputError: values of another form, a tracked metric is missing, or no keys
                where they are needed. Nothing of the batch was taken then.
            UnknownMetricError: arrays of a metric that the registry does not know.
        """
        columns = self._columns(batch)
        count = batch_size(columns)
        found = None
        if self._options.n_resamples is not None:
            found = batch_keys(batch, keys, count, self._options.resampled)
        for column in columns:
            self._check_same(column.name, column.unit, column.direction)
        for column in columns:
            self._stream(column.name, column.unit, column.direction).update(column, found)
        self._count += count

    def compute(self) -> dict[str, Any]:
        """Return the figures of all batches so far; may be called at any time and again.

        Returns:
            ``n_records``, and per metric in ``metrics``: ``value`` (NaN where undefined), ``unit``,
            ``direction``, ``count``, ``undefined``, ``infinite``, ``errors``, ``min``,
            ``max``, ``std``, ``ci`` (lower, upper) or None.
        """
        return {
            "n_records": self._count,
            "metrics": {name: self._seen(name).figures() for name in self.tracked_metrics},
        }

    def to_result(self, *, name: str = "") -> EvaluationResult:
        """Return the figures in the form that reports, gates and loggers read.

        Args:
            name: What was evaluated, such as the agent's name.
        """
        options = self._options
        return EvaluationResult(
            metrics=tuple(
                self._seen(metric).result(metric, self._thresholds.get(metric))
                for metric in self.tracked_metrics
            ),
            counts={"found": self._count, "scored": self._count},
            provenance={
                "versions": {"abotn": __version__},
                "statistics": {
                    "bootstrap_ci": options.n_resamples,
                    "bootstrap_seed": options.seed,
                    "ci_level": options.level,
                    "ci_method": "percentile",
                    "resampled": options.resampled,
                },
            },
            name=name,
        )

    def reset(self) -> None:
        """Forget all batches and keep the configuration."""
        self._count = 0
        self._streams: dict[str, MetricStream] = {}

    def merge(self, other: MetricAccumulator) -> None:
        """Take over all that another accumulator has seen and leave that one as it is.

        Raises:
            ConfigError: it is of another kind, differently configured, or this one.
            EvaluationInputError: it has a metric in another unit or direction. In either case
                nothing was taken over.
        """
        if not isinstance(other, MetricAccumulator):
            raise ConfigError(
                f"expected a MetricAccumulator, got {type(other).__name__}", where="other"
            )
        if other is self:
            raise ConfigError("an accumulator cannot be merged into itself", where="other")
        self._check_config(other.config(), "other")
        for name, stream in other._streams.items():
            self._check_same(name, stream.unit, stream.direction)
        for name, stream in other._streams.items():
            if name in self._streams:
                self._streams[name].merge(stream)
            else:
                self._streams[name] = deepcopy(stream)
        self._count += other._count

    def state_dict(self) -> dict[str, Any]:
        """Return all that was seen, as plain values and numpy arrays that can be pickled."""
        return {
            "format": _FORMAT,
            "version": STATE_VERSION,
            "config": self.config(),
            "count": self._count,
            "streams": {name: stream.state() for name, stream in self._streams.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace all that was seen by what ``state_dict`` returned.

        Raises:
            DataError: it is no such state, a damaged one, or a version this reader refuses.
            ConfigError: it comes from a differently configured accumulator.
        """
        found = state.get("format") if isinstance(state, Mapping) else type(state).__name__
        if found != _FORMAT:
            raise DataError(f"expected a state of {_FORMAT}, got {found}", where="state")
        if state.get("version") != STATE_VERSION:
            raise DataError(
                f"expected version {STATE_VERSION}, got {state.get('version')}", where="state"
            )
        try:
            self._check_config(state["config"], "state")
            count = int(state["count"])
            loaded = {
                str(name): MetricStream.from_state(one, self._options)
                for name, one in state["streams"].items()
            }
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ConfigError):
                raise
            raise DataError(f"the state is damaged: {error}", where="state") from error
        self._count, self._streams = count, loaded

    def config(self) -> dict[str, Any]:
        """Return what two accumulators must share to be merged."""
        return {
            "metrics": None if self._tracked is None else list(self._tracked),
            "thresholds": dict(sorted(self._thresholds.items())),
            **vars(self._options),
        }

    def _canonical(self, name: str) -> str:
        """Return the name behind an alias; metrics that no registry knows keep theirs."""
        try:
            return self._known().get(name).name
        except UnknownMetricError:
            return name

    def _known(self) -> MetricRegistry:
        if self._registry is not None:
            return self._registry
        from abotn.plugins.manager import default_registry

        return default_registry()

    def _described(self, name: str) -> tuple[str, str]:
        spec = self._known().get(name)
        return spec.unit.value, spec.direction.value

    def _columns(self, batch: EvaluationResult | Mapping[str, Any]) -> list[BatchColumn]:
        if isinstance(batch, EvaluationResult):
            wanted = [m for m in batch.metrics if self._tracked is None or m.name in self._tracked]
            return self._complete(columns_of_result(EvaluationResult(tuple(wanted))))
        if not isinstance(batch, Mapping):
            raise EvaluationInputError(
                f"expected an evaluation or arrays by metric, got {type(batch).__name__}",
                where="batch",
            )
        named = {self._canonical(name): values for name, values in batch.items()}
        kept = {n: v for n, v in named.items() if self._tracked is None or n in self._tracked}
        return self._complete(columns_of_values(kept, self._described))

    def _complete(self, columns: list[BatchColumn]) -> list[BatchColumn]:
        missing = set(self._tracked or ()) - {column.name for column in columns}
        if missing:
            raise EvaluationInputError(
                f"lacks {', '.join(sorted(missing))}", where="batch", hint="give NaN for undefined"
            )
        return columns

    def _check_same(self, name: str, unit: str, direction: str) -> None:
        known = self._streams.get(name)
        if known is not None and (known.unit, known.direction) != (unit, direction):
            raise EvaluationInputError(
                f"in {known.unit!r} with {known.direction} better so far, now in {unit!r} with "
                f"{direction} better",
                where=name,
            )

    def _stream(self, name: str, unit: str, direction: str) -> MetricStream:
        if name not in self._streams:
            self._streams[name] = MetricStream(unit, direction, self._options)
        return self._streams[name]

    def _check_config(self, other: Mapping[str, Any], where: str) -> None:
        for name, mine in self.config().items():
            if mine != other[name]:
                raise ConfigError(f"expected {name} {mine!r}, got {other[name]!r}", where=where)

    def _seen(self, name: str) -> MetricStream:
        """Return a metric's stream, an empty one where nothing was seen of it."""
        if name in self._streams:
            return self._streams[name]
        unit, direction = self._described(name) if name in self._known() else ("", "higher")
        return MetricStream(unit, direction, self._options)
