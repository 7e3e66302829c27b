"""What all five evaluators share: configuration, merging, state, and the figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from abotn.errors import ConfigError, DataError
from abotn.streaming.batch import check_nan_policy
from abotn.streaming.curves import FIGURES, ranking_figures, undefined_reason
from abotn.streaming.groups import groupings, overall, resolve_negatives
from abotn.streaming.histogram import whole_count
from abotn.streaming.score_store import ScoreStore
from abotn.streaming.tally import Tally

if TYPE_CHECKING:
    from typing_extensions import Self

    from abotn.results.types import EvaluationResult

STATE_VERSION = 1


class ScoreEvaluator:
    """Base of the five evaluators; use one of those.

    Args:
        store: Where the scores go.
        nan_policy: ``"raise"``, or ``"omit"`` to leave NaN scores out and count them.
        by_type_negatives: What the positives of an anomaly type are compared with; see
            ``abotn.streaming.groups``.
    """

    level: ClassVar[str]
    #: What one score stands for, as in ``n_samples``.
    unit: ClassVar[str]

    def __init__(self, store: ScoreStore, *, nan_policy: str, by_type_negatives: str) -> None:
        self._store = store
        self.nan_policy = check_nan_policy(nan_policy)
        self.by_type_negatives = resolve_negatives(by_type_negatives, self.level)
        self.by_type_convention = by_type_negatives
        self._counters = self._no_counts()

    def compute(self) -> dict[str, Any]:
        """Return the figures of all that was seen; may be called at any time and again.

        Returns:
            ``auroc``, ``aupr``, ``ap`` and ``fpr95`` over all scores, NaN where undefined, with
            the reason in ``undefined``; counts; ``binning``, how finely bins tell scores
            apart, None where none are used, and ``warnings`` where that is not enough; and
            ``by_type``, the same figures for each anomaly type, which name the negatives they use.
        """
        self._settle()
        scenarios = self._store.scenarios()
        tally = self._store.tally(overall().positives, overall().negatives)
        resolution = self._store.resolution()
        total = {f"n_{self.unit}s": tally.n_positive + tally.n_negative}
        return {
            "level": self.level,
            **self._figures(tally),
            "n_scenarios": len(scenarios),
            **self._counters,
            **total,
            **self._extra_figures(),
            "binning": None if resolution is None else resolution.describe(),
            "warnings": [] if resolution is None else resolution.warnings(),
            "by_type": self._by_type(),
            "by_type_negatives": self.by_type_negatives,
            "by_type_convention": self.by_type_convention,
        }

    def to_result(
        self,
        *,
        name: str = "",
        bootstrap_ci: int | None = None,
        ci_level: float = 0.95,
        bootstrap_seed: int = 0,
    ) -> EvaluationResult:
        """Return the figures in the form that reports, comparisons and gates read.

        Args:
            name: What was evaluated, such as the model's name.
            bootstrap_ci: Resamples of scenarios for intervals, at least 100; None for none.
            ci_level: Nominal coverage of the intervals.
            bootstrap_seed: Seed of the resamples.

        Returns:
            ``auroc``, ``aupr``, ``ap`` (higher is better) and ``fpr95`` (lower is better) over all
            scores, and grouped by ``anomaly_type`` and by ``town``.

        Raises:
            EvaluationInputError: an argument cannot be used.
        """
        from abotn.streaming.outcome import Context, evaluation_result
        from abotn.streaming.resampling import Resampling

        resampling = None
        if bootstrap_ci is not None:
            resampling = Resampling(bootstrap_ci, ci_level, bootstrap_seed)
        self._settle()
        context = Context(
            self.level, self.config(), dict(self._counters), name, self.by_type_convention
        )
        return evaluation_result(self._store, context, resampling)

    def reset(self) -> None:
        """Forget all scores and keep the configuration."""
        self._abandon()
        self._store.clear()
        self._counters = self._no_counts()

    def merge(self, other: Self) -> None:
        """Take over all that another evaluator has seen and leave that one as it is.

        Merging shards in any order gives the same figures as one evaluator fed with everything.

        Raises:
            ConfigError: ``other`` is of another kind or differently configured.
            EvaluationInputError: both hold a score of one timestep, or at scenario level of one
                scenario. In either case nothing was taken over.
        """
        if type(other) is not type(self):
            raise ConfigError(
                f"expected a {type(self).__name__}, got {type(other).__name__}", where="other"
            )
        if other is self:
            raise ConfigError("an evaluator cannot be merged into itself", where="other")
        self._check_config(other.config(), "other")
        self._settle()
        other._settle()
        self._check_apart(other)
        self._store.merge(other._store)
        self._take_seen(other)
        for name, count in other._counters.items():
            self._counters[name] += count

    def state_dict(self) -> dict[str, Any]:
        """Return all that was seen, as plain values and numpy arrays that can be pickled."""
        self._settle()
        return {
            "format": f"abotn.streaming.{type(self).__name__}",
            "version": STATE_VERSION,
            "config": self.config(),
            "counters": dict(self._counters),
            "store": self._store.state(),
            **self._extra_state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace all that was seen by what ``state_dict`` returned.

        Raises:
            DataError: it is no such state, a damaged one, or a version this reader refuses.
            ConfigError: it comes from a differently configured evaluator. In either case nothing
                was changed.
        """
        expected = f"abotn.streaming.{type(self).__name__}"
        if not isinstance(state, Mapping) or state.get("format") != expected:
            found = state.get("format") if isinstance(state, Mapping) else type(state).__name__
            raise DataError(f"expected a state of {expected}, got {found}", where="state")
        if state.get("version") != STATE_VERSION:
            raise DataError(
                f"expected version {STATE_VERSION}, got {state.get('version')}", where="state"
            )
        try:
            self._check_config(state["config"], "state")
            found = state["counters"]
            counters = {name: whole_count(found[name], name) for name in self._no_counts()}
            replacements = [self._store.prepared(state["store"]), self._prepared_extra(state)]
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise DataError(f"the state is damaged: {error!r}", where="state") from error
        self._abandon()
        for replace in replacements:
            replace()
        self._counters = counters

    def config(self) -> dict[str, Any]:
        """Return what two evaluators must share to be merged."""
        return {"nan_policy": self.nan_policy, "by_type_negatives": self.by_type_negatives}

    def _settle(self) -> None:
        """Wait until all that was taken is in the store."""

    def _abandon(self) -> None:
        """Drop what was taken and is not in the store yet."""

    def _check_apart(self, other: Self) -> None:
        """Refuse one that has seen what this one has, as far as the store does not."""

    def _take_seen(self, other: Self) -> None:
        """Remember what another evaluator has seen, as far as the store does not."""

    def _extra_state(self) -> dict[str, Any]:
        """Return what a state holds beside counters and store."""
        return {}

    def _prepared_extra(self, state: Mapping[str, Any]) -> Callable[[], None]:
        """Return what replaces that by what ``state`` holds."""
        return lambda: None

    def _no_counts(self) -> dict[str, int]:
        return {"n_nan": 0}

    def _extra_figures(self) -> dict[str, Any]:
        return {}

    def _figures(self, tally: Tally) -> dict[str, Any]:
        figures = ranking_figures(*tally)
        reason = undefined_reason(tally.n_positive, tally.n_negative)
        return {
            **{name: float(figures[name]) for name in FIGURES},
            "n_positive": tally.n_positive,
            "n_negative": tally.n_negative,
            "undefined": {} if reason is None else dict.fromkeys(FIGURES, reason),
        }

    def _by_type(self) -> dict[str, dict[str, Any]]:
        found = {}
        groups = groupings(self._store.scenarios(), self.by_type_negatives)["anomaly_type"]
        for name, group in groups.items():
            own = self._store.tally(group.members, group.members)
            found[name] = {
                **self._figures(self._store.tally(group.positives, group.negatives)),
                f"n_{self.unit}s": own.n_positive + own.n_negative,
                "negatives": self.by_type_negatives,
            }
        return found

    def _check_config(self, other: Mapping[str, Any], where: str) -> None:
        if not isinstance(other, Mapping):
            raise TypeError(f"config: expected a mapping, got {type(other).__name__}")
        for name, mine in self.config().items():
            theirs = other.get(name)
            if not _same(mine, theirs):
                raise ConfigError(f"expected {name} {mine!r}, got {theirs!r}", where=where)


def _same(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, tuple):
        return theirs is not None and tuple(theirs) == mine
    return bool(np.all(mine == theirs))
