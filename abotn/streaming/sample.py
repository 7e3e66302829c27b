"""Sample level: what pixels and points share, from worker threads to pooled figures."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.errors import AbotnError, DataError, EvaluationInputError
from abotn.streaming.base import ScoreEvaluator
from abotn.streaming.batch import nan_error
from abotn.streaming.binning import Binning, ScoreTransform
from abotn.streaming.curves import FIGURES, ranking_figures
from abotn.streaming.dataset import Scenario
from abotn.streaming.histogram import ScoreHistograms
from abotn.streaming.kept import KeptScores
from abotn.streaming.score_store import ScoreStore
from abotn.streaming.seen import Key, SeenTimesteps
from abotn.streaming.workers import BoundedWorkers

if TYPE_CHECKING:
    from typing_extensions import Self

Labels = NDArray[np.bool_]


class Timestep(NamedTuple):
    """The scores of one timestep on their way to a worker.

    Args:
        scenario: Where they come from.
        timestep_id: Timestep number.
        scores: Of any float type, in the shape of their labels.
        label_path: Where those labels lie, if there are any.
    """

    scenario: Scenario
    timestep_id: int
    scores: NDArray[Any]
    label_path: Path


class SampleEvaluator(ScoreEvaluator, ABC):
    """Base of ``PixelEvaluator``, which explains the arguments, and ``PointEvaluator``."""

    level: ClassVar[str] = "sample"
    unit: ClassVar[str] = "sample"

    def __init__(
        self,
        num_workers: int,
        max_inflight: int,
        *,
        n_bins: int,
        scenario_bins: int,
        score_transform: ScoreTransform | None,
        score_range: tuple[float, float] | None,
        exact: bool,
        nan_policy: str,
        by_type_negatives: str,
    ) -> None:
        binning = Binning(n_bins, score_transform, score_range)
        self._histograms = ScoreHistograms(binning, scenario_bins)
        self._kept = KeptScores(sign=1 if binning.increasing else -1)
        self.exact = bool(exact)
        store: ScoreStore = self._kept if exact else self._histograms
        super().__init__(store, nan_policy=nan_policy, by_type_negatives=by_type_negatives)
        self._workers = BoundedWorkers(num_workers, max_inflight)
        self._seen = SeenTimesteps()
        self._lock = threading.Lock()

    def config(self) -> dict[str, Any]:
        """Return what two evaluators must share to be merged."""
        binning = self._histograms.binning
        own = {"exact": self.exact, "scenario_bins": self._histograms.scenario_bins}
        return {**super().config(), **own, **binning.describe()}

    def reset(self) -> None:
        """Forget all scores and keep the configuration."""
        super().reset()
        self._seen = SeenTimesteps()

    def _take(self, timesteps: Iterable[Timestep]) -> None:
        """Hand copies of timesteps to the workers, each when there is room for it."""
        batch = list(timesteps)
        with self._lock:
            self._seen.check(map(_key, batch), [one.scenario.scenario_id for one in batch])
            self._seen.add(map(_key, batch))
        for place, timestep in enumerate(batch):
            try:
                self._workers.submit(self._count, partial(_copy, timestep))
            except BaseException:
                for left in batch[place:]:
                    self._forget(left)
                raise

    def _forget(self, timestep: Timestep) -> None:
        with self._lock:
            self._seen.discard(_key(timestep))

    @abstractmethod
    def _read_labels(self, path: Path) -> Labels | None: ...

    @abstractmethod
    def _shape_error(self, scores: NDArray[Any], labels: Labels) -> str: ...

    def _count(self, timestep: Timestep) -> None:
        try:
            self._count_unguarded(timestep)
        except Exception as error:
            self._forget(timestep)
            place = f"{timestep.scenario.scenario_id} timestep {timestep.timestep_id}"
            if not isinstance(error, AbotnError):
                raise EvaluationInputError(
                    f"cannot be evaluated: {type(error).__name__}: {error}", where=place
                ) from error
            if error.where == "score_transform":
                error.where = f"{place}: score_transform"
            raise

    def _count_unguarded(self, timestep: Timestep) -> None:
        labels = self._labels_of(timestep)
        missing = labels is None
        scores, labels, n_nan = self._without_nan(timestep, labels)
        counted = None if self.exact else self._histograms.count(scores, labels)
        with self._lock:
            if counted is not None:
                self._histograms.add(timestep.scenario, counted)
            else:
                label = False if labels is None else labels
                self._kept.add([timestep.scenario], scores, label, timestep.timestep_id)
            self._counters["n_timesteps"] += 1
            self._counters["n_missing_labels"] += missing
            self._counters["n_nan"] += n_nan

    def _labels_of(self, timestep: Timestep) -> Labels | None:
        labels = self._read_labels(timestep.label_path)
        if labels is not None and labels.shape != timestep.scores.shape:
            raise DataError(
                self._shape_error(timestep.scores, labels),
                where=timestep.label_path,
                hint=f"scenario {timestep.scenario.scenario_id}, timestep {timestep.timestep_id}",
            )
        return None if labels is None else labels.reshape(-1)

    def _without_nan(
        self, timestep: Timestep, labels: Labels | None
    ) -> tuple[NDArray[Any], Labels | None, int]:
        scores = timestep.scores.reshape(-1)
        # The minimum is NaN where any score is, and costs less than looking at each.
        if not scores.size or not np.isnan(scores.min()):
            return scores, labels, 0
        bad = np.isnan(scores)
        count = int(np.count_nonzero(bad))
        if self.nan_policy == "raise":
            raise nan_error(count, timestep.scenario.scenario_id, timestep.timestep_id)
        return scores[~bad], None if labels is None else labels[~bad], count

    def _settle(self) -> None:
        self._workers.join()

    def _abandon(self) -> None:
        self._workers.discard()

    def _check_apart(self, other: Self) -> None:
        self._seen.check(other._seen.keys())

    def _take_seen(self, other: Self) -> None:
        self._seen.add(other._seen.keys())

    def _extra_state(self) -> dict[str, Any]:
        return {"seen": self._seen.state()}

    def _prepared_extra(self, state: Mapping[str, Any]) -> Callable[[], None]:
        seen = SeenTimesteps.from_state(state["seen"])

        def replace() -> None:
            self._seen = seen

        return replace

    def _no_counts(self) -> dict[str, int]:
        return {"n_timesteps": 0, "n_missing_labels": 0, "n_nan": 0}

    def _extra_figures(self) -> dict[str, Any]:
        clamped = 0 if self.exact else self._histograms.n_clamped
        tally = self._store.tally(lambda _: True, lambda _: True)
        total = tally.n_positive + tally.n_negative
        return {
            "n_clamped": clamped,
            "clamped_fraction": clamped / total if total else float("nan"),
            "scenario_macro": self._scenario_macro(),
        }

    def _scenario_macro(self) -> dict[str, Any]:
        """Return the mean of each scenario's figures, over scenarios with both classes."""
        found = [
            ranking_figures(*tally)
            for tally in self._store.scenario_tallies()
            if tally.n_positive and tally.n_negative
        ]
        means = {
            name: float(np.mean([figures[name] for figures in found])) if found else float("nan")
            for name in FIGURES
        }
        return {**means, "n_scenarios": len(found)}


def _key(timestep: Timestep) -> Key:
    return timestep.scenario.key, timestep.timestep_id


def _copy(timestep: Timestep) -> Timestep:
    """Return a timestep with its own scores: float32 or, where that would round, float64."""
    dtype = np.float32 if timestep.scores.dtype.itemsize <= 4 else np.float64
    return timestep._replace(scores=np.array(timestep.scores, dtype=dtype, order="C"))
