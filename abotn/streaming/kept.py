"""Scores kept one by one: exact figures, memory in proportion to the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.streaming.dataset import Scenario, parse_scenario
from abotn.streaming.score_store import Selection, Weigher
from abotn.streaming.seen import Key, SeenTimesteps
from abotn.streaming.tally import Tally

_JOIN_AFTER = 1024
_DTYPES = {"score": np.float64, "label": np.bool_, "scenario": np.int32, "timestep": np.int32}


class Columns(NamedTuple):
    """Kept scores, one row each, in the order they came.

    Args:
        score: float64, shape (N,).
        label: Whether it is a positive, bool, shape (N,).
        scenario: Index into the scenarios in the order they came, int32, shape (N,).
        timestep: Timestep number, int32, shape (N,); -1 where there is none.
    """

    score: NDArray[np.float64]
    label: NDArray[np.bool_]
    scenario: NDArray[np.int32]
    timestep: NDArray[np.int32]


class KeptScores:
    """All scores with their labels, scenarios and timesteps (17 bytes a score).

    Args:
        sign: -1 ranks low scores highest.
        once: Whether a timestep, or a scenario without one, may have one score only.
    """

    def __init__(self, sign: int = 1, *, once: bool = False) -> None:
        self._sign = sign
        self._once = once
        self.clear()

    def clear(self) -> None:
        """Forget all scores."""
        # By the scenario's key; paths as they were first given.
        self._index: dict[str, int] = {}
        self._paths: list[str] = []
        self._blocks: list[Columns] = []
        self._seen = SeenTimesteps()
        # The rows that were ranked last, and the level of each.
        self._ranked: tuple[Columns, NDArray[np.intp]] | None = None

    def add(self, scenarios: list[Scenario], score: Any, label: Any, timestep: Any) -> None:
        """Keep a batch; each argument has one entry per score, or one that stands for all.

        Raises:
            EvaluationInputError: a timestep may have one score only and gets another; nothing of
                the batch was kept.
        """
        if self._once:
            self._see(scenarios, timestep)
        size = np.size(score)
        codes = [self._code(scenario) for scenario in scenarios]
        values = zip(_DTYPES.values(), (score, label, codes, timestep), strict=True)
        rows: list[Any] = [
            np.array(np.broadcast_to(column, size), dtype) for dtype, column in values
        ]
        self._blocks.append(Columns(*rows))
        if len(self._blocks) >= _JOIN_AFTER:
            self.columns()

    def columns(self) -> Columns:
        """Return everything that is kept, in the order it came."""
        if len(self._blocks) != 1:
            empty = Columns(*(np.empty(0, dtype) for dtype in _DTYPES.values()))
            stacked = zip(*(self._blocks or [empty]), strict=True)
            self._blocks = [Columns(*(np.concatenate(column) for column in stacked))]
        return self._blocks[0]

    def arrived(self) -> list[Scenario]:
        """Return the scenarios in the order they came, which ``Columns.scenario`` counts by."""
        return [parse_scenario(path) for path in self._paths]

    def scenarios(self) -> list[Scenario]:
        """Return the scenarios that were seen, sorted by key."""
        return sorted(self.arrived(), key=lambda scenario: scenario.key)

    def tally(self, positives: Selection, negatives: Selection) -> Tally:
        """Return the positives of some places and the negatives of some places."""
        rows, levels = self.columns(), self._levels()
        n_levels = int(levels.max(initial=-1)) + 1
        places = [(scenario.anomaly_type, scenario.town) for scenario in self.arrived()]

        def counts(selection: Selection, wanted: NDArray[np.bool_]) -> NDArray[Any]:
            chosen = np.array([selection(place) for place in places], np.bool_)
            return np.bincount(levels[wanted & chosen[rows.scenario]], minlength=n_levels)

        return Tally(counts(positives, rows.label), counts(negatives, ~rows.label))

    def scenario_tallies(self) -> Iterator[Tally]:
        """Yield the counts of each scenario on its own levels, in the order of ``scenarios``."""
        rows, levels = self.columns(), self._levels()
        order = np.argsort(rows.scenario, kind="stable")
        ends = np.cumsum(np.bincount(rows.scenario, minlength=len(self._index)))
        parts = np.split(order, ends[:-1])
        for scenario in self.scenarios():
            part = parts[self._index[scenario.key]]
            _, own = np.unique(levels[part], return_inverse=True)
            label, size = rows.label[part], int(own.max(initial=-1)) + 1
            yield Tally(
                np.bincount(own[label], minlength=size), np.bincount(own[~label], minlength=size)
            )

    def weigher(
        self, positives: NDArray[np.bool_], negatives: NDArray[np.bool_]
    ) -> tuple[Weigher, int]:
        """Return what gives counts with every scenario taken some number of times.

        Args and returns: as ``ScoreStore.weigher``.
        """
        from scipy import sparse

        rows, levels = self.columns(), self._levels()
        rank = {key: i for i, key in enumerate(sorted(self._index))}
        place = np.array([rank[key] for key in self._index], np.intp)[rows.scenario]
        shape = (len(rank), int(levels.max(initial=-1)) + 1)

        def matrix(wanted: NDArray[np.bool_]) -> Any:
            ones = np.ones(np.count_nonzero(wanted))
            return sparse.csr_matrix((ones, (place[wanted], levels[wanted])), shape=shape)

        pos, neg = matrix(rows.label & positives[place]), matrix(~rows.label & negatives[place])
        # The products come out column by column, which would slow down all that follows.
        return lambda drawn: Tally(
            np.ascontiguousarray(drawn @ pos), np.ascontiguousarray(drawn @ neg)
        ), shape[1]

    def merge(self, other: KeptScores) -> None:
        """Take over all scores of another one.

        Raises:
            EvaluationInputError: both hold the same timestep, which may have one score only;
                nothing was taken over.
        """
        rows = other.columns()
        if self._once:
            arrived = other.arrived()
            self._see([arrived[code] for code in rows.scenario], rows.timestep)
        codes = np.array([self._code(scenario) for scenario in other.arrived()], np.int32)
        self._blocks.append(rows._replace(scenario=codes[rows.scenario]))

    def state(self) -> dict[str, Any]:
        """Return a copy of everything as plain values and arrays."""
        columns = {name: values.copy() for name, values in self.columns()._asdict().items()}
        return {"scenario_ids": list(self._paths), **columns}

    def prepared(self, state: Mapping[str, Any]) -> Callable[[], None]:
        """Return what replaces everything by ``state``.

        Raises:
            ValueError: its columns do not fit together, or a path is none of a scenario.
        """
        rows = Columns(*(np.array(state[name], dtype) for name, dtype in _DTYPES.items()))
        arrived = [parse_scenario(path) for path in state["scenario_ids"]]
        paths = [scenario.scenario_id for scenario in arrived]
        index = {scenario.key: i for i, scenario in enumerate(arrived)}
        if len(index) < len(paths):
            raise ValueError("a scenario comes twice")
        _check_rows(rows, len(index))
        seen = self._seen_in(rows, list(index))

        def replace() -> None:
            self._index, self._paths = index, paths
            self._blocks, self._seen, self._ranked = [rows], seen, None

        return replace

    def resolution(self) -> None:
        """Return None: each score keeps its value."""

    def _code(self, scenario: Scenario) -> int:
        code = self._index.setdefault(scenario.key, len(self._index))
        if code == len(self._paths):
            self._paths.append(scenario.scenario_id)
        return code

    def _see(self, scenarios: list[Scenario], timesteps: Any) -> None:
        keys = _keys([scenario.key for scenario in scenarios], timesteps)
        self._seen.check(keys, [scenario.scenario_id for scenario in scenarios])
        self._seen.add(keys)

    def _seen_in(self, rows: Columns, scenarios: list[str]) -> SeenTimesteps:
        seen = SeenTimesteps()
        if self._once:
            keys = _keys([scenarios[code] for code in rows.scenario], rows.timestep)
            try:
                seen.check(keys)
            except EvaluationInputError as error:
                raise ValueError(str(error)) from error
            seen.add(keys)
        return seen

    def _levels(self) -> NDArray[np.intp]:
        rows = self.columns()
        if self._ranked is None or self._ranked[0] is not rows:
            _, levels = np.unique(rows.score * self._sign, return_inverse=True)
            self._ranked = rows, levels
        return self._ranked[1]


def _check_rows(rows: Columns, n_scenarios: int) -> None:
    if len({column.shape for column in rows}) != 1 or rows.score.ndim != 1:
        raise ValueError("columns of different lengths")
    codes = rows.scenario
    if codes.size and not 0 <= codes.min() <= codes.max() < n_scenarios:
        raise ValueError("a scenario index beyond the scenario_ids")
    if np.isnan(rows.score).any() or rows.timestep.min(initial=-1) < -1:
        raise ValueError("a score is NaN, or a timestep number negative")


def _keys(scenarios: list[str], timesteps: Any) -> list[Key]:
    return list(zip(scenarios, np.atleast_1d(timesteps).tolist(), strict=True))
