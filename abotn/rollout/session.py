"""One start of a run: attempts are made, counted and told of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from abotn.errors import AgentError
from abotn.foreign_code import no_way_out_for_children
from abotn.plugins.manager import plugin_manager
from abotn.records.files import read_manifest, record_folder
from abotn.records.types import ResultRecord
from abotn.rollout.crew import Crew
from abotn.rollout.executor import write_attempt
from abotn.rollout.live import Attempt
from abotn.rollout.progress import Progress, ProgressListener
from abotn.rollout.rules import RunRules, Unit
from abotn.rollout.scoring import unplanned_record


@dataclass(frozen=True)
class RunOutcome:
    """What a run did.

    Attributes:
        folder: The run's folder.
        total: Attempts the run consists of.
        made: Attempts made now.
        kept: Attempts that already had a good record.
        statuses: Number of attempts made now by status.
        solved: Number of attempts made now that succeeded.
        first_error: Scene, task, stage and message of the first error; None without one.
        scenes: Number of scenes the run is about.
        without_map: Those of them that have no map, in order.
        nameless: In POI-goal, number of attempts at a goal without a name, else 0.
    """

    folder: Path
    total: int
    made: int
    kept: int
    statuses: Mapping[str, int] = field(default_factory=dict)
    solved: int = 0
    first_error: str | None = None
    scenes: int = 0
    without_map: tuple[str, ...] = ()
    nameless: int = 0

    @property
    def errors(self) -> int:
        """Number of attempts made now that ended with an error."""
        return self.statuses.get("error", 0)


class Session:
    """Makes the attempts of a run in one go and tells everybody about it.

    Args:
        folder: The run's folder, with its manifest.
        rules: The rules of the run.
        total: Attempts the run consists of.
        fail_fast: Whether the first error stops it.
        progress: Told how far it is.
    """

    def __init__(
        self,
        folder: Path,
        rules: RunRules,
        total: int,
        *,
        fail_fast: bool,
        progress: ProgressListener | None,
    ) -> None:
        self._folder = folder
        self._rules = rules
        self._total = total
        self._fail_fast = fail_fast
        self._progress = progress
        self._statuses: Counter[str] = Counter()
        self._solved = 0
        self._first_error: str | None = None

    def make(self, crew: Crew, pending: list[Unit]) -> RunOutcome:
        """Make the attempts that are missing.

        Raises:
            AgentError: ``fail_fast`` met an error.
            DataError: the file system refused.
        """
        kept = self._total - len(pending)
        plugins = plugin_manager()
        with no_way_out_for_children():
            plugins.tell("abotn_run_started", manifest=read_manifest(self._folder))
        self._tell(kept, None)

        def finished(record: ResultRecord) -> None:
            self._count(record)
            with no_way_out_for_children():
                plugins.tell("abotn_episode_finished", record=record)
                self._tell(kept + self._statuses.total(), record)
            self._stop_at_error(record)

        crew.run(pending, self._folder, finished, self._record_death)
        with no_way_out_for_children():
            plugins.tell("abotn_run_finished", run=self._folder)
        return RunOutcome(
            self._folder,
            self._total,
            len(pending),
            kept,
            dict(self._statuses),
            self._solved,
            self._first_error,
        )

    def _count(self, record: ResultRecord) -> None:
        self._statuses[record.status] += 1
        self._solved += record.success
        if record.error is not None and self._first_error is None:
            place, entry = f"{record.episode_id}/{record.task_id}", record.error
            self._first_error = f"{place}: {entry['stage']}: {entry['type']}: {entry['message']}"

    def _tell(self, done: int, record: ResultRecord | None) -> None:
        if self._progress is not None:
            self._progress(Progress(done, self._total, record))

    def _stop_at_error(self, record: ResultRecord) -> None:
        if self._fail_fast and record.error is not None:
            entry = record.error
            raise AgentError(
                f"stopped at the first error: {entry['stage']}: {entry['message']}",
                where=f"{record.episode_id}/{record.task_id}",
                hint=f"go on with --resume-dir {self._folder}",
            )

    def _record_death(self, unit: Unit, reason: str) -> ResultRecord:
        error = {"stage": "agent", "type": "ProcessDied", "message": reason}
        record = unplanned_record(unit, self._rules, error)
        write_attempt(record_folder(self._folder, *unit), Attempt(record, None))
        return record
