"""The published summaries of a run: the content of eval_summary.json and poi_goal_analysis.json."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abotn.errors import ConfigError, UnknownNameError
from abotn.evaluation import difficulty
from abotn.evaluation.grouping import Grouping, as_grouping
from abotn.evaluation.summary_numbers import (
    POI_METRICS,
    POINT_METRICS,
    Measured,
    collision_block,
    measure,
    poi_block,
)
from abotn.evaluation.summary_records import SummaryRecords, read_summary_records

MODES = ("outdoor", "indoor")
OUTDOOR_EXCLUDED = ("park3",)
POINT_ARRIVE_THRESHOLD = 0.5

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Summary:
    """A summary of the records there are.

    Attributes:
        document: The published structure, plain values, None where a number is undefined.
        per_scene: The overall numbers of each scene.
    """

    document: dict[str, Any]
    per_scene: dict[str, dict[str, Any]]


def summarise_point_goal(
    result_dir: PathLike,
    mode: str = "outdoor",
    *,
    collision_threshold: int = 3,
    min_distance: float = 5.0,
    max_distance: float = 50.0,
    exclude_scenes: Iterable[str] | None = None,
) -> Summary:
    """Return the point-goal summary of the records below a folder, also while it is written.

    Args:
        result_dir: The folder of a run, of this package or of the published tools.
        mode: ``"outdoor"`` groups by reference length, ``"indoor"`` by scene.
        collision_threshold: First count of path collisions that spoils ``sr_new``.
        min_distance: Lower end of the outdoor groups, metres.
        max_distance: Nominal upper end of the outdoor groups, metres.
        exclude_scenes: Scenes to leave out; None leaves out ``park3`` outdoors.

    Raises:
        UnknownNameError: no such mode.
        ConfigError: no such folder, or distances that are none.
        DataError: no record and no run is there.
    """
    _check(mode, min_distance, max_distance)
    excluded = _excluded(mode, exclude_scenes)
    records = read_summary_records(
        result_dir, excluded, task_type="point_goal", arrive_threshold=POINT_ARRIVE_THRESHOLD
    )
    measured = measure(
        records,
        POINT_METRICS,
        [_difficulty(mode, min_distance, max_distance), as_grouping(difficulty.scene)],
        collision_threshold,
    )
    document = {
        "task_type": "point_goal",
        "result_dir": str(Path(result_dir).resolve()),
        "mode": mode,
        "collision_threshold": collision_threshold,
        **_counted(records),
        **_distances(mode, min_distance, max_distance),
        "overall": measured.overall,
        "groups": measured.groups[_GROUPING],
        **_remarks(records, measured, collision_threshold=collision_threshold),
    }
    return Summary(document, measured.groups["scene"])


def summarise_poi_goal(
    result_dir: PathLike,
    mode: str = "indoor",
    *,
    collision_threshold: int = 3,
    arrive_threshold: float = 2.0,
    min_distance: float = 5.0,
    max_distance: float = 50.0,
    exclude_scenes: Iterable[str] | None = None,
) -> Summary:
    """Return the POI-goal summary of the records below a folder, also while it is written.

    Args:
        result_dir: The folder of a run, of this package or of the published tools.
        mode: ``"outdoor"`` groups by reference length, ``"indoor"`` by scene.
        collision_threshold: First count of path collisions that spoils ``sr_new``.
        arrive_threshold: Arrival radius of records that do not say theirs, metres.
        min_distance: Lower end of the outdoor groups, metres.
        max_distance: Nominal upper end of the outdoor groups, metres.
        exclude_scenes: Scenes to leave out; None leaves out none.

    Raises:
        UnknownNameError: no such mode.
        ConfigError: no such folder, or distances that are none.
        DataError: no record and no run is there.
    """
    _check(mode, min_distance, max_distance)
    records = read_summary_records(
        result_dir,
        tuple(exclude_scenes or ()),
        task_type="poi_goal",
        arrive_threshold=arrive_threshold,
    )
    groupings = [
        _difficulty(mode, min_distance, max_distance),
        as_grouping(difficulty.scene),
        as_grouping(difficulty.poi),
    ]
    measured = measure(records, POI_METRICS, groupings, collision_threshold)
    document = {
        "task_type": "poi_goal",
        "result_dir": str(Path(result_dir).resolve()),
        "mode": mode,
        "arrive_threshold": arrive_threshold,
        "collision_threshold": collision_threshold,
        **_counted(records),
        **_distances(mode, min_distance, max_distance),
        "overall": {
            **measured.overall,
            "collision": collision_block(records.table),
            "poi_stats": poi_block(records.table, measured.groups.get("poi", {})),
        },
        "groups": {
            label: {**numbers, "collision": collision_block(measured.part(label, records.table))}
            for label, numbers in measured.groups[_GROUPING].items()
        },
        **_remarks(records, measured, arrive_threshold=arrive_threshold),
    }
    return Summary(document, measured.groups["scene"])


_GROUPING = "difficulty"


def _check(mode: str, least: float, greatest: float) -> None:
    if mode not in MODES:
        raise UnknownNameError("mode", mode, MODES)
    if not 0 <= least < greatest < math.inf:
        raise ConfigError(
            f"expected 0 <= min_distance < max_distance, got {least} and {greatest}",
            where="distances",
        )


def _excluded(mode: str, scenes: Iterable[str] | None) -> tuple[str, ...]:
    if scenes is None:
        return OUTDOOR_EXCLUDED if mode == "outdoor" else ()
    return tuple(scenes)


def _difficulty(mode: str, min_distance: float, max_distance: float) -> Grouping:
    def outdoor(shortest_path_length: Any) -> Any:
        return difficulty.outdoor_labels(
            shortest_path_length, min_distance=min_distance, max_distance=max_distance
        )

    outdoors = mode == "outdoor"
    made = as_grouping(
        outdoor if outdoors else difficulty.difficulty_indoor,
        order=difficulty.OUTDOOR_ORDER if outdoors else difficulty.INDOOR_ORDER,
    )
    return Grouping(_GROUPING, made.function, made.inputs, made.order)


def _distances(mode: str, least: float, greatest: float) -> dict[str, Any]:
    if mode != "outdoor":
        return {}
    step = (greatest - least) / 3
    return {"distance_config": {"min_distance": least, "max_distance": greatest, "step": step}}


def _counted(records: SummaryRecords) -> dict[str, Any]:
    return {
        "total_count": len(records.table),
        "status_distribution": records.statuses,
    }


def _remarks(
    records: SummaryRecords, measured: Measured, **used: float
) -> dict[str, Mapping[str, Any] | list[Any]]:
    """What the numbers leave out, or count as failures, and what else a reader must know."""
    return {
        "errors": {
            "count": sum(records.error_stages.values()),
            "by_stage": records.error_stages,
            "counted_as": "failures in rates and SPL kinds, left out of lengths and counts",
        },
        "undefined": measured.undefined,
        "excluded": records.excluded,
        "damaged": [{"path": one.path, "reason": one.reason} for one in records.damaged],
        "notes": records.notes(used),
    }
