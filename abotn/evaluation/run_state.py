"""How far a run is, how fast it goes, how well so far, and what failed last."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import AbotnError, ConfigError
from abotn.evaluation.evaluator import Evaluator
from abotn.evaluation.pace import Pace, pace
from abotn.evaluation.run_files import RunFiles
from abotn.records.files import RESULT_NAME
from abotn.records.readers import RecordSource
from abotn.records.table import RecordTable
from abotn.records.types import DamagedRecord
from abotn.report.build import HEADLINE
from abotn.report.page_causes import SOLVED, UNKNOWN, causes
from abotn.results.types import MetricResult

RESAMPLES = 10_000
MOST_FAILURES = 20
PEEK_NOTE = (
    "Looked at before the end: these are the tasks done so far, in the run's order and not drawn "
    "at random, so the intervals do not hold for the whole run and are no reason to stop it."
)


@dataclass(frozen=True)
class Failure:
    """A record that is no success.

    Attributes:
        label: ``scene/task``, with ``@attempt`` when it is not the first.
        cause: Its cause, one of :data:`abotn.report.page_causes.CAUSES`.
        time: When the record was written, seconds since 1970.
        distance_to_goal: Metres from the last position to the goal; None when unknown.
        error: ``stage: type: message`` of an error, else None.
    """

    label: str
    cause: str
    time: float
    distance_to_goal: float | None = None
    error: str | None = None


@dataclass(frozen=True)
class RunState:
    """A run at one moment.

    Attributes:
        folder: The run folder, as given.
        time: The moment, seconds since 1970.
        revision: Grows by one whenever something new was read.
        manifest: Content of ``run.json``; None while there is none.
        planned: Attempts the run consists of; None while unknown.
        is_plan_certain: False where the manifest does not tell ``planned`` and every task of the
            dataset is counted, which is too many for a run over some of them.
        done: Attempts with a sound record.
        errors: Records that ended as errors.
        damaged: Unusable records, by path.
        causes: Number of records by how they ended.
        pace: How fast records come.
        metrics: Metrics over the records so far.
        no_metrics: Why there is none; None where there are some.
        failures: The last failures, latest first, at most 20.
    """

    folder: str
    time: float
    revision: int = 0
    manifest: Mapping[str, Any] | None = None
    planned: int | None = None
    is_plan_certain: bool = True
    done: int = 0
    errors: int = 0
    damaged: tuple[DamagedRecord, ...] = ()
    causes: Mapping[str, int] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)
    metrics: tuple[MetricResult, ...] = ()
    no_metrics: str | None = None
    failures: tuple[Failure, ...] = ()

    @property
    def left(self) -> int | None:
        """Attempts without a record, not even a damaged one; None while unknown."""
        if self.planned is None:
            return None
        spoiled = sum(Path(one.path).name == RESULT_NAME for one in self.damaged)
        return max(self.planned - self.done - spoiled, 0)

    @property
    def is_finished(self) -> bool:
        """Whether every planned attempt has its record."""
        return self.left == 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; what is unknown is None."""
        manifest = self.manifest or {}
        return {
            "folder": self.folder,
            "time": _iso(self.time),
            "finished": self.is_finished,
            **{key: manifest.get(key) for key in ("run_id", "task_type", "agent", "dataset")},
            "protocol": manifest.get("protocol"),
            "planned": self.planned,
            "planned_certain": self.is_plan_certain,
            "done": self.done,
            "left": self.left,
            "errors": self.errors,
            "damaged": [asdict(one) for one in self.damaged],
            "causes": dict(self.causes),
            "pace": asdict(self.pace),
            "metrics": [metric.to_dict() for metric in self.metrics],
            "no_metrics": self.no_metrics,
            "failures": [{**asdict(one), "time": _iso(one.time)} for one in self.failures],
            "note": None if self.is_finished else PEEK_NOTE,
        }


class RunWatch:
    """Looks at a run again and again; nothing is ever written.

    Args:
        folder: The run folder.
        metrics: Names of the metrics to show, or ``"all"``; those that reports show first, as far
            as they have a value, when empty.
        evaluator: Scores the records; the default one.

    Raises:
        UnknownMetricError: a name that is not registered.
        ConfigError: a metric that needs the trajectories, which are not read.

    Example:
        >>> from abotn.evaluation.run_state import RunWatch
        >>> state = RunWatch("runs/planner").look()  # doctest: +SKIP
        >>> state.done, state.left  # doctest: +SKIP
        (6, 0)
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        metrics: Sequence[str] | str = (),
        *,
        evaluator: Evaluator | None = None,
    ) -> None:
        self._files = RunFiles(folder)
        self._evaluator = evaluator if evaluator is not None else Evaluator()
        self._asked: list[str] | str = metrics if isinstance(metrics, str) else list(metrics)
        self._state = RunState(self._files.folder, 0.0)
        self._times: NDArray[np.float64] = np.zeros(0)
        if not isinstance(self._asked, str):
            self._check_asked(self._asked)

    def look(self, now: float | None = None) -> RunState:
        """Return how far the run is now.

        Args:
            now: The time, seconds since 1970; that of the computer's clock when None.

        Raises:
            ConfigError: there is no such run, or it was removed meanwhile.
            DataError: its manifest is damaged.
        """
        now = time.time() if now is None else now
        if self._files.refresh() or self._state.revision == 0:
            self._state = self._read_state(now)
            self._times = np.fromiter(self._files.times.values(), dtype=np.float64)
        state = self._state
        speed = pace(self._times, state.left, now)
        self._state = replace(state, time=now, pace=speed)
        return self._state

    def _check_asked(self, names: Sequence[str]) -> None:
        for name in names:
            spec = self._evaluator.registry.get(name)
            if "trajectory" in spec.inputs and not spec.variants:
                raise ConfigError(
                    f"metric {name!r} needs the trajectories, which are not read here",
                    hint="'abotn evaluate' computes it, also of a part of a run",
                )

    def _read_state(self, now: float) -> RunState:
        files = self._files
        planned, certain = _planned(files.manifest)
        common: dict[str, Any] = {
            "folder": files.folder,
            "time": now,
            "revision": self._state.revision + 1,
            "manifest": files.manifest,
            "planned": planned,
            "is_plan_certain": certain,
            "errors": sum(one["status"] == "error" for one in files.documents.values()),
            "damaged": tuple(files.damaged[path] for path in sorted(files.damaged)),
        }
        if not files.documents:
            return RunState(**common, no_metrics="no record yet")
        try:
            table = self._table()
        except AbotnError as error:
            keys = map(_key, files.documents.values())
            return RunState(**common, done=len(set(keys)), no_metrics=str(error))
        ends = causes(table, files.manifest or {})
        metrics, reason = self._metrics(table)
        return RunState(
            **common,
            done=len(table),
            causes=dict(sorted(Counter(ends).items())),
            metrics=metrics,
            no_metrics=reason,
            failures=self._failures(table, ends),
        )

    def _table(self) -> RecordTable:
        paths = np.fromiter(self._files.documents, dtype=object, count=len(self._files.documents))
        documents = list(self._files.documents.values())
        return RecordTable.from_dicts(documents, columns={"result_path": paths})

    def _metrics(self, table: RecordTable) -> tuple[tuple[MetricResult, ...], str | None]:
        source = RecordSource(table, (), self._files.manifest)
        try:
            found = self._evaluator.evaluate_dataset(
                source,
                metrics=self._asked or self._usual(),
                groupings=None,
                bootstrap_ci=RESAMPLES,
            )
        except AbotnError as error:
            return (), str(error)
        if isinstance(self._asked, list) and self._asked:
            return found.metrics, None
        valued = tuple(one for one in found.metrics if one.reason is None)
        return valued, None if valued else "no metric has a value yet"

    def _usual(self) -> list[str]:
        registry, kind = self._evaluator.registry, (self._files.manifest or {}).get("task_type")
        askable = (name for name in HEADLINE if name in registry and name not in registry.conflicts)
        kinds = {name: registry.get(name).task_types for name in askable}
        return [name for name, fit in kinds.items() if not fit or kind is None or kind in fit]

    def _failures(self, table: RecordTable, ends: Sequence[str]) -> tuple[Failure, ...]:
        paths: list[str] = table.column("result_path").tolist()
        failed = [row for row, end in enumerate(ends) if end not in (SOLVED, UNKNOWN)]
        latest = sorted(failed, key=lambda row: self._files.times[paths[row]], reverse=True)
        return tuple(
            _failure(table.label(row), ends[row], self._files.times[paths[row]], document)
            for row in latest[:MOST_FAILURES]
            for document in [self._files.documents[paths[row]]]
        )


def _planned(manifest: Mapping[str, Any] | None) -> tuple[int | None, bool]:
    """Return the number of attempts, and whether the manifest tells it."""
    if manifest is None:
        return None, True
    if "planned_attempts" in manifest:
        return int(manifest["planned_attempts"]), True
    return int(manifest["dataset"]["tasks"]) * int(manifest.get("attempts", 1)), False


def _key(document: Mapping[str, Any]) -> tuple[str, str, int]:
    return document["episode_id"], document["task_id"], document.get("attempt", 0)


def _failure(label: str, cause: str, when: float, document: Mapping[str, Any]) -> Failure:
    error = document.get("error")
    said = None
    if isinstance(error, Mapping):
        said = f"{error.get('stage')}: {error.get('type')}: {error.get('message')}"
    return Failure(label, cause, when, document.get("distance_to_goal"), said)


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")
