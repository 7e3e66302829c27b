"""The records below a folder as a summary needs them, whoever wrote them and however far it is."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.evaluation.scoring import error_rows
from abotn.records.files import MANIFEST_NAME, read_manifest, read_result_bytes
from abotn.records.readers import RecordSource, read_records
from abotn.records.table import RecordTable, as_column
from abotn.records.types import STATUSES, DamagedRecord
from abotn.units import counted

_THRESHOLD = "pointgoal_arrive_threshold"


@dataclass(frozen=True)
class SummaryRecords:
    """N records of one task type.

    Attributes:
        table: The records.
        damaged: Files that could not be read.
        excluded: Records left out per excluded scene.
        other_types: Records left out because they are of another task type.
        protocol: The values of the run's protocol; empty without a manifest.
    """

    table: RecordTable
    damaged: Sequence[DamagedRecord] = ()
    excluded: Mapping[str, int] = field(default_factory=dict)
    other_types: int = 0
    protocol: Mapping[str, Any] = field(default_factory=dict)

    @property
    def statuses(self) -> dict[str, int]:
        """Number of records by status, in the statuses' order."""
        if "status" not in self.table:
            return {}
        found = Counter(self.table.column("status").tolist())
        return {status: found[status] for status in STATUSES if found[status]}

    @property
    def error_stages(self) -> dict[str, int]:
        """Number of error records by the stage that failed."""
        rows = np.flatnonzero(error_rows(self.table))
        if not len(rows):
            return {}
        entries = self.table.column("error")[rows]
        stages = [entry["stage"] if isinstance(entry, Mapping) else "unknown" for entry in entries]
        return dict(sorted(Counter(stages).items()))

    def notes(self, used: Mapping[str, float]) -> list[str]:
        """Say where the numbers used differ from what the run itself says.

        Args:
            used: Value by parameter, as the caller gave it.
        """
        notes = []
        if self.other_types:
            notes.append(f"left out: {counted(self.other_types, 'records')} of another task type")
        threshold = used.get("collision_threshold")
        own = self.protocol.get("collision_threshold")
        if threshold is not None and own is not None and own != threshold:
            notes.append(
                f"the run's protocol has collision_threshold {own}, this summary uses {threshold}"
            )
        if "arrive_threshold" in used and (nameless := self._nameless()):
            notes.append(f"in no POI's row, for want of a POI name: {counted(nameless, 'records')}")
        radius = used.get("arrive_threshold")
        recorded = self._recorded_radii()
        if radius is not None and recorded - {radius}:
            shown = ", ".join(f"{value:g}" for value in sorted(recorded))
            notes.append(
                f"the records say arrive_threshold {shown}, which their SPL uses; "
                f"{radius:g} is used where a record says none"
            )
        return notes

    def _nameless(self) -> int:
        if "poi_name" not in self.table:
            return len(self.table)
        return sum(name is None for name in self.table.column("poi_name"))

    def _recorded_radii(self) -> set[float]:
        if _THRESHOLD not in self.table:
            return set()
        column = self.table.column(_THRESHOLD)
        return {float(value) for value in column[np.isfinite(column)]}


def read_summary_records(
    result_dir: str | os.PathLike[str],
    exclude_scenes: Sequence[str],
    *,
    task_type: str,
    arrive_threshold: float,
) -> SummaryRecords:
    """Read the records there are; a run that has none yet gives none.

    Args:
        result_dir: The folder.
        exclude_scenes: Scenes to leave out.
        task_type: Records of another type are left out; one that says no type is of this one.
        arrive_threshold: Arrival radius of records that say none and whose run says none, metres.

    Raises:
        ConfigError: no such folder.
        DataError: it holds neither a record nor a run, or only damaged records.
    """
    source = _read(Path(result_dir))
    table, others = _of_type(source.table, task_type)
    table, excluded = _without(table, exclude_scenes)
    protocol = dict((source.manifest or {}).get("protocol", {}).get("values", {}))
    radius = float(protocol.get("arrive_threshold", arrive_threshold))
    return SummaryRecords(
        table.with_default(_THRESHOLD, radius), source.damaged, excluded, others, protocol
    )


def _read(folder: Path) -> RecordSource:
    if next(read_result_bytes(folder), None) is None and (folder / MANIFEST_NAME).is_file():
        return RecordSource(RecordTable.from_dicts([]), manifest=read_manifest(folder))
    return read_records(folder)


def _of_type(table: RecordTable, task_type: str) -> tuple[RecordTable, int]:
    known = table.column("task_type") if "task_type" in table else [None] * len(table)
    types = [task_type if kind is None else kind for kind in known]
    keep = np.array([kind == task_type for kind in types], dtype=bool)
    typed = table.with_columns({"task_type": as_column("task_type", types)})
    return typed.take(keep), int((~keep).sum())


def _without(table: RecordTable, scenes: Sequence[str]) -> tuple[RecordTable, dict[str, int]]:
    names = table.column("episode_id")
    counts = {scene: int((names == scene).sum()) for scene in scenes}
    keep: NDArray[np.bool_] = ~np.isin(names.astype(str), list(scenes))
    return table.take(keep), {scene: count for scene, count in counts.items() if count}
