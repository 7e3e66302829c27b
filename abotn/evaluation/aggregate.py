"""From values per record to one result per metric and group, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.evaluation.grouping import Grouping
from abotn.evaluation.options import EvaluationOptions, unknown_cluster_column
from abotn.evaluation.scoring import Scored, error_rows
from abotn.records.table import RecordTable
from abotn.results.types import ConfidenceInterval, GroupResult, MetricResult
from abotn.statistics.clusters import choose_clusters
from abotn.statistics.fixed_point import exact_sums
from abotn.statistics.interval import Interval, NoInterval, join_notes
from abotn.statistics.intervals import ratio_intervals

Rows = NDArray[np.int64]
SHOWN_SAMPLE_ERRORS = 100


@dataclass(frozen=True)
class Values:
    """All metrics over all records: what aggregation works on.

    Attributes:
        numerators: (N, M) values, or numerators of ratio metrics; 0 where undefined.
        denominators: (N, M) 1 where defined, or denominators; 0 where undefined.
        defined: (N, M) whether the record has a value.
        tasks: (N,) code of each record's task when tasks have several attempts, else None.
        clusters: (N,) code of each record's cluster, or None.
        resampled: What intervals resample: ``"records"``, ``"tasks"`` or the cluster column.
    """

    numerators: NDArray[np.float64]
    denominators: NDArray[np.float64]
    defined: NDArray[np.bool_]
    tasks: Rows | None
    clusters: Rows | None
    resampled: str


def aggregate(
    scored: Sequence[Scored],
    table: RecordTable,
    groupings: Sequence[Grouping],
    options: EvaluationOptions,
) -> tuple[tuple[MetricResult, ...], dict[str, tuple[GroupResult, ...]], str]:
    """Return the results over all records, those per grouping, and what was resampled."""
    values = _values(scored, table, options)
    splits = {grouping.name: grouping.split(table) for grouping in groupings}
    everything = np.arange(len(table), dtype=np.int64)
    parts = [everything, *(rows for split in splits.values() for rows in split.values())]
    tables = iter(_results_of(parts, values, scored, table, options))
    overall = next(tables)
    groups = {
        name: tuple(GroupResult(label, len(rows), next(tables)) for label, rows in split.items())
        for name, split in splits.items()
    }
    return overall, groups, values.resampled


def _values(scored: Sequence[Scored], table: RecordTable, options: EvaluationOptions) -> Values:
    clusters, resampled = _clusters(table, options)
    attempts = table.column("attempt")
    tasks = _codes(table, ("episode_id", "task_id")) if attempts.any() else None
    if tasks is not None and clusters is None:
        resampled = "tasks"
    return Values(
        np.column_stack([one.column.numerators for one in scored]),
        np.column_stack([one.column.denominators for one in scored]),
        np.column_stack([one.column.defined for one in scored]),
        tasks,
        clusters,
        resampled,
    )


def _clusters(table: RecordTable, options: EvaluationOptions) -> tuple[Rows | None, str]:
    name = options.cluster_by
    if name is None:
        return None, "records"
    if name == "auto":
        tasks = _codes(table, ("episode_id", "task_id"))
        first = np.unique(tasks, return_index=True)[1]
        scenes = _codes(table, ("episode_id",))
        if not choose_clusters(scenes[first]):
            return None, "records"
        return scenes, "episode_id"
    if name not in table:
        raise unknown_cluster_column(name, table.names)
    column = table.column(name)
    if any(value is None or value != value for value in column):
        raise EvaluationInputError(
            f"column {name!r} has no value in some records", where="cluster_by"
        )
    return _codes(table, (name,)), name


def _codes(table: RecordTable, names: Sequence[str]) -> Rows:
    codes = np.zeros(len(table), dtype=np.int64)
    for name in names:
        _, inner = np.unique(table.column(name).astype(str), return_inverse=True)
        _, codes = np.unique(codes * (inner.max(initial=0) + 1) + inner, return_inverse=True)
    return codes


def _results_of(
    parts: Sequence[Rows],
    values: Values,
    scored: Sequence[Scored],
    table: RecordTable,
    options: EvaluationOptions,
) -> list[tuple[MetricResult, ...]]:
    errors = error_rows(table)
    weighted = [_weighted(values, rows) for rows in parts]
    intervals = _intervals(parts, weighted, values, scored, options)
    return [
        tuple(
            _result(one, rows, top[:, m], bottom[:, m], intervals[part][m], errors, table, options)
            for m, one in enumerate(scored)
        )
        for part, (rows, (top, bottom)) in enumerate(zip(parts, weighted, strict=True))
    ]


def _weighted(values: Values, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values of some records, so weighted that each task counts once."""
    top, bottom = values.numerators[rows], values.denominators[rows]
    if values.tasks is None:
        return top, bottom
    _, tasks = np.unique(values.tasks[rows], return_inverse=True)
    defined = values.defined[rows].astype(np.float64)
    counts = np.zeros((tasks.max(initial=0) + 1, defined.shape[1]))
    np.add.at(counts, tasks, defined)
    weights = 1.0 / np.maximum(counts[tasks], 1.0)
    return top * weights, bottom * weights


def _intervals(
    parts: Sequence[Rows],
    weighted: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
    values: Values,
    scored: Sequence[Scored],
    options: EvaluationOptions,
) -> list[list[ConfidenceInterval | NoInterval]]:
    if options.bootstrap_ci is None:
        none = NoInterval("no intervals were asked for")
        return [[none] * len(scored) for _ in parts]
    common: dict[str, Any] = {
        "n_resamples": options.bootstrap_ci,
        "level": options.ci_level,
        "seed": options.bootstrap_seed,
        "method": options.ci_method,
        "bounds": [one.spec.bounds for one in scored],
        "binary": [None if one.spec.bounds == (0, 1) else False for one in scored],
    }
    # Only a group can be alone in a cluster: over all records a single cluster is an answer to
    # what the caller asked for, and is flagged as one.
    alone = [False, *(_is_one_cluster(values, rows) for rows in parts[1:])]
    shared = [rows for rows, inside in zip(parts, alone, strict=True) if not inside]
    by_cluster = iter(_clustered_intervals(shared, values, common) if shared else [])
    made = []
    for rows, sums, inside in zip(parts, weighted, alone, strict=True):
        if inside:
            found, resampled = _intervals_within(rows, sums, values, common)
            note = f"all in one cluster by {values.resampled}, so its own {resampled} are resampled"
            made.append([_confidence(one, resampled, note) for one in found])
        else:
            made.append([_confidence(one, values.resampled) for one in next(by_cluster)])
    return made


def _is_one_cluster(values: Values, rows: Rows) -> bool:
    if values.clusters is None or not len(rows):
        return False
    inside = values.clusters[rows]
    return bool((inside == inside[0]).all())


def _clustered_intervals(
    parts: Sequence[Rows], values: Values, common: Mapping[str, Any]
) -> list[list[Interval | NoInterval]]:
    """Return the intervals of parts that share one set of resamples."""
    units = values.clusters if values.clusters is not None else values.tasks
    top, bottom = values.numerators, values.denominators
    if values.tasks is None:
        everything = len(parts[0]) == len(top)
        groups = parts[1:] if everything else parts
        found = ratio_intervals(top, bottom, units=units, groups=groups, **common)
        return found if everything else found[1:]
    # A task's weight depends on the group, so each group has columns of its own; the resamples
    # are the same, as they depend only on the seed and the units.
    made = []
    for rows in parts:
        full_top, full_bottom = np.zeros_like(top), np.zeros_like(top)
        full_top[rows], full_bottom[rows] = _weighted(values, rows)
        made.append(ratio_intervals(full_top, full_bottom, units=units, groups=[rows], **common)[1])
    return made


def _intervals_within(
    rows: Rows,
    sums: tuple[NDArray[np.float64], NDArray[np.float64]],
    values: Values,
    common: Mapping[str, Any],
) -> tuple[list[Interval | NoInterval], str]:
    """Return the intervals of a part that is one cluster: its own records are resampled."""
    tasks = None if values.tasks is None else values.tasks[rows]
    found = ratio_intervals(*sums, units=tasks, **common)[0]
    return found, "records" if tasks is None else "tasks"


def _result(
    one: Scored,
    rows: Rows,
    top: NDArray[np.float64],
    bottom: NDArray[np.float64],
    interval: ConfidenceInterval | NoInterval,
    errors: NDArray[np.bool_],
    table: RecordTable,
    options: EvaluationOptions,
) -> MetricResult:
    spec = one.spec
    single = one.column.values[rows]
    finite = single[np.isfinite(single)]
    value = _ratio(top, bottom)
    threshold = options.thresholds.get(spec.name, spec.threshold)
    known = math.isfinite(value) and threshold is not None
    return MetricResult(
        name=spec.name,
        value=value,
        unit=spec.unit.value,
        direction=spec.direction.value,
        passed=spec.direction.meets(value, threshold) if known else None,  # type: ignore[arg-type]
        threshold=threshold,
        ci=_around(value, interval),
        ci_reason=interval.reason if isinstance(interval, NoInterval) else None,
        reason=None if math.isfinite(value) else _reason(one, rows),
        sample_count=len(rows),
        finite_count=int(one.column.defined[rows].sum()),
        error_count=int(one.failed[rows].sum()),
        undefined_count=len(rows) - int(one.column.defined[rows].sum()),
        minimum=float(finite.min()) if finite.size else None,
        maximum=float(finite.max()) if finite.size else None,
        std=float(np.std(finite, ddof=1)) if finite.size > 1 else None,
        parameters=one.parameters,
        source=_source(spec),
        category=spec.category,
        metadata=_metadata(one, rows, single, errors, table, options),
    )


def _ratio(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> float:
    if not len(top):
        return math.nan
    numerator, denominator = exact_sums(np.column_stack([top, bottom]))
    return float(numerator / denominator) if denominator else math.nan


def _around(value: float, interval: ConfidenceInterval | NoInterval) -> ConfidenceInterval | None:
    if isinstance(interval, NoInterval):
        return None
    if interval.lower == interval.upper:
        # Resampled sums are rounded to n * 2**-54; an interval of one point is the value itself.
        return replace(interval, lower=value, upper=value)
    return interval


def _confidence(
    interval: Interval | NoInterval, resampled: str, note: str | None = None
) -> ConfidenceInterval | NoInterval:
    if isinstance(interval, NoInterval):
        return interval
    drawn = interval.n_resamples > 0
    return ConfidenceInterval(
        lower=interval.lower,
        upper=interval.upper,
        level=interval.level,
        method=interval.method,
        n_resamples=interval.n_resamples if drawn else None,
        seed=interval.seed if drawn else None,
        resampled=resampled,
        n_units=interval.n_units,
        degenerate=interval.degenerate,
        note=join_notes(note, interval.note),
    )


def _reason(one: Scored, rows: Rows) -> str:
    if one.error is not None:
        return one.error
    raised = [one.column.errors[row] for row in rows.tolist() if row in one.column.errors]
    if raised and not one.column.defined[rows].any():
        return raised[0]
    if not len(rows):
        return "no records"
    if not one.column.defined[rows].any():
        return "undefined for every record"
    return "the denominators add up to 0"


def _source(spec: Any) -> dict[str, Any]:
    source = {"distribution": spec.distribution, "version": spec.version}
    return {**source, "overrides": spec.overrides} if spec.overrides else source


def _metadata(
    one: Scored,
    rows: Rows,
    single: NDArray[np.float64],
    errors: NDArray[np.bool_],
    table: RecordTable,
    options: EvaluationOptions,
) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if one.error is not None:
        metadata["error"] = one.error
    left_out = int((errors[rows] & ~one.failed[rows]).sum())
    if left_out:
        metadata["errors_left_out"] = left_out
    if one.column.reduction is not None:
        metadata["reduction"] = one.column.reduction
    if one.column.original is not None:
        metadata["original"] = one.column.original
    raised = [row for row in rows.tolist() if row in one.column.errors]
    if raised:
        metadata["sample_error_count"] = len(raised)
        metadata["sample_errors"] = _shown(one.column.errors, raised, table)
        if not one.column.defined[rows].any():
            metadata["error"] = _first_error(one.column.errors, raised, table)
    if options.keep_values:
        metadata.update(_kept(one, rows, single))
    return metadata


def _first_error(errors: Mapping[int, str], raised: list[int], table: RecordTable) -> str:
    """Return why a metric has no value at all because it raised."""
    first = errors[raised[0]]
    if len(table) == 1:
        return first
    return f"raised on {len(raised)} records, the first is {table.label(raised[0])}: {first}"


def _kept(one: Scored, rows: Rows, single: NDArray[np.float64]) -> dict[str, Any]:
    """Return each record's value, None where undefined; for a ratio of sums both parts too."""
    kept = {"raw_values": _with_gaps(single)}
    if one.spec.ratio:
        defined = one.column.defined[rows]
        kept["raw_numerators"] = _with_gaps(one.column.numerators[rows], defined)
        kept["raw_denominators"] = _with_gaps(one.column.denominators[rows], defined)
    return kept


def _with_gaps(
    values: NDArray[np.float64], defined: NDArray[np.bool_] | None = None
) -> list[float | None]:
    if defined is not None:
        values = np.where(defined, values, np.nan)
    return [None if value != value else value for value in values.tolist()]


def _shown(errors: Mapping[int, str], rows: list[int], table: RecordTable) -> dict[str, str]:
    return {table.label(row): errors[row] for row in rows[:SHOWN_SAMPLE_ERRORS]}
