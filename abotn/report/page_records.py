"""The records of all runs as one list, with the tasks and scenes they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from abotn.records.readers import RecordSource
from abotn.records.table import RecordTable, natural_key
from abotn.records.types import Trajectory
from abotn.report.numbers import NumberFormat, number_format, shown_unit
from abotn.report.page_causes import causes
from abotn.report.page_sources import RunSource
from abotn.report.texts import flat

# Column, head and unit of what the table of records shows where any record has it.
NUMBERS = (
    ("steps", "steps", "count"),
    ("travel_length", "travelled", "m"),
    ("shortest_path_length", "reference", "m"),
    ("distance_to_goal", "left to goal", "m"),
    ("path_collision_count", "collisions", "count"),
    ("collision_path_length", "in obstacles", "m"),
    ("collision_count", "poses on obstacles", "count"),
    ("min_clearance", "clearance", "m"),
    ("spl_new", "spl_new", ""),
)
_LONGEST_ERROR = 400


@dataclass(frozen=True)
class PageRecord:
    """One attempt.

    Attributes:
        run: Position of its run.
        scene: Name of its scene.
        task: Name of its task.
        attempt: 0 for the first rollout of the task.
        cause: Why it ended, one of :data:`abotn.report.page_causes.CAUSES`.
        goal_label: Name of the goal, empty for none.
        radius: Arrival radius in metres, None where not known.
        values: A number per column of :func:`columns`, None where it has none.
        error: What failed, empty for nothing.
        folder: Where its files are, None where not known.
        trajectory: Its path, None where there is none.
    """

    run: int
    scene: str
    task: str
    attempt: int
    cause: str
    goal_label: str
    radius: float | None
    values: tuple[float | None, ...]
    error: str
    folder: Path | None
    trajectory: Trajectory | None


@dataclass(frozen=True)
class PageColumn:
    """A column of numbers: its key in the records, its head, and how numbers are shown."""

    key: str
    head: str
    shown: NumberFormat


def page_records(runs: Sequence[RunSource]) -> tuple[list[PageColumn], list[PageRecord]]:
    """Return the columns that any record has a value in, and the records of all runs.

    Records of scenes that the evaluation left out are left out here too. They come run by run,
    in the natural order of scene, task and attempt.
    """
    tables = {index: _scored(run) for index, run in enumerate(runs) if run.records is not None}
    heads = _columns(list(tables.values()))
    records: list[PageRecord] = []
    for index, table in tables.items():
        records += _records(index, table, runs[index].manifest, heads)
    return heads, records


def scene_names(records: Sequence[PageRecord]) -> list[str]:
    """Return the scenes of the records in natural order."""
    return sorted({record.scene for record in records}, key=natural_key)


def _scored(run: RunSource) -> RecordTable:
    assert isinstance(run.records, RecordSource)
    table = run.records.table
    excluded = list(run.result.provenance.get("excluded_scenes") or {})
    return table.take(~np.isin(table.column("episode_id").astype(str), excluded))


def _columns(tables: Sequence[RecordTable]) -> list[PageColumn]:
    found = []
    for key, head, unit in NUMBERS:
        values = np.concatenate([_numbers(table, key) for table in tables] or [np.empty(0)])
        finite = values[np.isfinite(values)]
        if not len(finite):
            continue
        digits = 0 if unit == "count" else None
        shown = number_format(unit, finite.tolist(), digits=digits)
        label = head if unit in ("", "count") else f"{head} ({shown_unit(unit)})"
        found.append(PageColumn(key, label, shown))
    return found


def _records(
    run: int, table: RecordTable, manifest: Mapping[str, Any], heads: Sequence[PageColumn]
) -> list[PageRecord]:
    ends = causes(table, manifest)
    values = [_rounded(table, head) for head in heads]
    radius = _radii(table, manifest)
    trajectories = _objects(table, "trajectory")
    paths = _objects(table, "result_path")
    labels = _labels(table)
    errors = _objects(table, "error")
    return [
        PageRecord(
            run=run,
            scene=flat(str(table.column("episode_id")[row])),
            task=flat(str(table.column("task_id")[row])),
            attempt=int(table.column("attempt")[row]),
            cause=ends[row],
            goal_label=labels[row],
            radius=radius[row],
            values=tuple(column[row] for column in values),
            error=_error_text(errors[row]),
            folder=None if paths[row] is None else Path(paths[row]).parent,
            trajectory=trajectories[row],
        )
        for row in range(len(table))
    ]


def _rounded(table: RecordTable, head: PageColumn) -> list[float | None]:
    numbers = _numbers(table, head.key)
    return [
        float(head.shown.show(float(one))) if np.isfinite(one) else None for one in numbers.tolist()
    ]


def _radii(table: RecordTable, manifest: Mapping[str, Any]) -> list[float | None]:
    values = (manifest.get("protocol") or {}).get("values") or {}
    default = values.get("arrive_threshold")
    numbers = _numbers(table, "pointgoal_arrive_threshold").tolist()
    return [default if np.isnan(one) else one for one in numbers]


def _labels(table: RecordTable) -> list[str]:
    names = _objects(table, "goal_label"), _objects(table, "poi_name")
    return [flat(str(goal or poi or "")) for goal, poi in zip(*names, strict=True)]


def _error_text(error: Any) -> str:
    if not isinstance(error, Mapping):
        return "" if error is None else flat(str(error))[:_LONGEST_ERROR]
    parts = [str(error[key]) for key in ("stage", "type", "message") if error.get(key)]
    return flat(": ".join(parts))[:_LONGEST_ERROR]


def _numbers(table: RecordTable, name: str) -> Any:
    if name not in table or table.column(name).dtype == object:
        return np.full(len(table), np.nan)
    return np.asarray(table.column(name), dtype=np.float64)


def _objects(table: RecordTable, name: str) -> list[Any]:
    if name not in table or table.column(name).dtype != object:
        return [None] * len(table)
    return list(table.column(name))
