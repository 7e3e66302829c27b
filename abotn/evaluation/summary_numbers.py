"""The numbers of the published summaries, by their published names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.evaluation.evaluator import Evaluator
from abotn.evaluation.grouping import Grouping
from abotn.evaluation.scoring import error_rows
from abotn.evaluation.summary_records import SummaryRecords
from abotn.metrics import collision, navigation, path, poi, timing
from abotn.metrics.spec import MetricSpec, metric
from abotn.records.table import RecordTable
from abotn.results.types import MetricResult
from abotn.units import Unit

FloatArray = NDArray[np.float64]


@metric(unit=Unit.METRE, better="lower")
def reference_length(shortest_path_length: FloatArray) -> FloatArray:
    """Length of the reference path.

    Args:
        shortest_path_length: (N,) metres.

    Returns:
        (N,) metres.
    """
    return np.array(shortest_path_length, dtype=np.float64)


@metric(unit=Unit.METRE, better="lower")
def first_distance(initial_distance_to_goal: FloatArray) -> FloatArray:
    """Distance from the start to the goal.

    Args:
        initial_distance_to_goal: (N,) metres.

    Returns:
        (N,) metres.
    """
    return np.array(initial_distance_to_goal, dtype=np.float64)


_LENGTHS = {
    "avg_steps": timing.steps,
    "avg_travel_length": path.travel_length,
    "avg_shortest_path_length": reference_length,
    "avg_initial_distance": first_distance,
    "avg_min_distance": navigation.min_distance_to_goal,
    "avg_final_distance": navigation.distance_to_goal,
}
POINT_METRICS: Mapping[str, MetricSpec] = MappingProxyType(
    {
        "success_rate": navigation.success,
        "oracle_success_rate": navigation.oracle_success,
        "sr_new": navigation.success_new,
        "spl_new": navigation.spl_new,
        "tcr_new": collision.tcr_new,
        "dcr_new": collision.dcr_new,
        **_LENGTHS,
        "avg_path_collisions_per_task": collision.path_collision_count,
        "avg_collision_meters_per_task": collision.collision_length,
        "global_collision_path_ratio": collision.collision_path_ratio,
        "path_collision_task_rate": collision.path_collision_task_rate,
    }
)
POI_METRICS: Mapping[str, MetricSpec] = MappingProxyType(
    {
        "success_rate": navigation.success,
        "spl": poi.poi_spl,
        "oracle_success_rate": navigation.oracle_success,
        "sr_new": navigation.success_new,
        **_LENGTHS,
    }
)


@dataclass(frozen=True)
class Measured:
    """Numbers by published name, None where undefined.

    Attributes:
        overall: Over all records.
        groups: By grouping and label; a label of the grouping's order is there even when empty,
            unless it stands for what fits nowhere.
        rows: Rows of each group of the first grouping.
        undefined: Records that have no value, by published name: how many, and which.
    """

    overall: dict[str, Any]
    groups: dict[str, dict[str, dict[str, Any]]]
    rows: dict[str, NDArray[np.int64]]
    undefined: dict[str, dict[str, Any]]

    def part(self, label: str, table: RecordTable) -> RecordTable:
        """Return the records of a group of the first grouping."""
        return table.take(self.rows.get(label, np.zeros(0, dtype=np.int64)))


_NOWHERE = ("out_of_range", "unknown")
_SHOWN_RECORDS = 100


def measure(
    records: SummaryRecords,
    metrics: Mapping[str, MetricSpec],
    groupings: Sequence[Grouping],
    collision_threshold: int,
) -> Measured:
    """Return the numbers of a summary, error records counted as PROTOCOL section 9 says.

    Args:
        records: The records; there may be none.
        metrics: Metric by published name.
        groupings: The groupings; one whose column is missing has no group.
        collision_threshold: First count of path collisions that spoils a success.
    """
    table = records.table
    usable = [grouping for grouping in groupings if not grouping.missing(table)]
    if len(table) == 0:
        empty = {g.name: _with_empty({}, g, metrics) for g in groupings}
        return Measured(_numbers({}, metrics, 0), empty, {}, {})
    result = Evaluator().evaluate_dataset(
        table,
        metrics=[*metrics.values()],
        groupings=usable,
        metric_kwargs={
            spec.name: {"collision_threshold": collision_threshold}
            for spec in metrics.values()
            if "collision_threshold" in spec.parameters
        },
        exclude_scenes=(),
        keep_values=True,
    )
    groups = {
        grouping.name: _with_empty(
            {
                group.label: _numbers(_by_name(group.metrics), metrics, group.count)
                for group in result.groups[grouping.name]
            },
            grouping,
            metrics,
        )
        for grouping in usable
    }
    overall = _by_name(result.metrics)
    return Measured(
        _numbers(overall, metrics, len(table)),
        groups,
        usable[0].split(table) if usable else {},
        _undefined(overall, metrics, table),
    )


def collision_block(table: RecordTable) -> dict[str, Any]:
    """Return the published ``collision`` block: poses on obstacles over the tasks that looked.

    Error records, and records made without looking, are left out.
    """
    counts = _column(table, "collision_count")
    looked = np.isfinite(counts) & ~error_rows(table)
    evaluated = int(looked.sum())
    found = counts[looked]
    rates = _column(table, "collision_rate")[looked]
    ended = _column(table, "collision_terminated")[looked]
    known = rates[np.isfinite(rates)]
    return {
        "tasks_evaluated": evaluated,
        "tasks_with_collision": int((found > 0).sum()),
        "collision_task_rate": float((found > 0).mean()) if evaluated else None,
        "total_collision_steps": int(found.sum()),
        "avg_collision_per_task": float(found.mean()) if evaluated else None,
        "avg_collision_rate": float(known.mean()) if known.size else None,
        "collision_terminated_count": int((ended == 1).sum()),
    }


def poi_block(
    table: RecordTable, per_poi: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return the published ``poi_stats``.

    Args:
        table: The records.
        per_poi: Numbers by POI, see :func:`measure`.
    """
    if not per_poi:
        return {}
    names = table.column("poi_name")
    solved = (_column(table, "success") == 1) & ~error_rows(table)
    stats = {}
    for poi_name, numbers in per_poi.items():
        rows = names == poi_name
        block = collision_block(table.take(rows))
        stats[poi_name] = {
            "total": int(rows.sum()),
            "success": int(solved[rows].sum()),
            "success_rate": numbers["success_rate"],
            "avg_spl": numbers["spl"],
            "collision_count": block["tasks_with_collision"],
            "collision_terminated_count": block["collision_terminated_count"],
            "error_count": numbers["error_count"],
        }
    return stats


def _by_name(results: Sequence[MetricResult]) -> dict[str, MetricResult]:
    return {result.name: result for result in results}


def _numbers(
    results: Mapping[str, MetricResult], metrics: Mapping[str, MetricSpec], count: int
) -> dict[str, Any]:
    values = {
        name: results[spec.name].value if spec.name in results else math.nan
        for name, spec in metrics.items()
    }
    success = results.get(navigation.success.name)
    return {
        "count": count,
        **{name: value if math.isfinite(value) else None for name, value in values.items()},
        "error_count": 0 if success is None else success.error_count,
    }


def _with_empty(
    found: dict[str, dict[str, Any]], grouping: Grouping, metrics: Mapping[str, MetricSpec]
) -> dict[str, dict[str, Any]]:
    labels = [label for label in grouping.order if label in found or label not in _NOWHERE]
    others = [label for label in found if label not in labels]
    return {label: found.get(label) or _numbers({}, metrics, 0) for label in [*labels, *others]}


def _undefined(
    results: Mapping[str, MetricResult], metrics: Mapping[str, MetricSpec], table: RecordTable
) -> dict[str, dict[str, Any]]:
    errors = error_rows(table)
    undefined = {}
    for name, spec in metrics.items():
        result = results[spec.name]
        count = result.undefined_count - int(result.metadata.get("errors_left_out", 0))
        if not count:
            continue
        values = result.metadata["raw_values"]
        rows = [row for row, value in enumerate(values) if value is None and not errors[row]]
        shown = [table.label(row) for row in rows[:_SHOWN_RECORDS]]
        undefined[name] = {"count": count, "reason": _reason(result), "records": shown}
    return undefined


def _reason(result: MetricResult) -> str:
    return str(result.metadata.get("error") or "a number it needs is missing or not finite")


def _column(table: RecordTable, name: str) -> FloatArray:
    if name not in table:
        return np.full(len(table), np.nan)
    column = table.column(name)
    return column if column.dtype == np.float64 else np.full(len(table), np.nan)
