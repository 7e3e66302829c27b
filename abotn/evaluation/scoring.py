"""Values of every selected metric over every record, under the error policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import AbotnError, EvaluationInputError
from abotn.evaluation.options import EvaluationOptions
from abotn.evaluation.selection import Selection
from abotn.metrics.compute import MetricColumn, compute_column, missing_inputs
from abotn.metrics.spec import MetricSpec
from abotn.records.table import RecordTable


@dataclass(frozen=True)
class Scored:
    """One metric over N records.

    Attributes:
        spec: The metric.
        column: Its values, failures counted in.
        failed: (N,) error records that count with the metric's failure value.
        parameters: Parameters as used.
        error: Why the metric could not run; its values are then all undefined.
    """

    spec: MetricSpec
    column: MetricColumn
    failed: NDArray[np.bool_]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None


def score(
    selection: Selection,
    table: RecordTable,
    options: EvaluationOptions,
    protocol: Mapping[str, Any],
) -> tuple[list[Scored], dict[str, str]]:
    """Run every selected metric.

    Returns:
        The scored metrics in order, and the skipped ones with the reason.

    Raises:
        EvaluationInputError: no metric could run; every missing input is named per metric.
    """
    errors = error_rows(table)
    scored: list[Scored] = []
    skipped: dict[str, str] = {**selection.conflicts, **selection.skipped}
    for spec in selection.specs:
        if selection.automatic and _other_task(spec, table):
            continue
        missing = missing_inputs(spec, table)
        if missing and selection.automatic:
            if not spec.sample:
                skipped[spec.name] = f"needs {', '.join(missing)}"
            continue
        scored.append(_score_one(spec, table, errors, _parameters(spec, options, protocol)))
    if not any(one.error is None for one in scored):
        raise EvaluationInputError(_nothing_ran(scored, skipped), where="metrics")
    return scored, skipped


def error_rows(table: RecordTable) -> NDArray[np.bool_]:
    """Return (N,) whether each record ended as an error."""
    if "status" not in table:
        return np.zeros(len(table), dtype=bool)
    return np.asarray(table.column("status") == "error", dtype=bool)


def _other_task(spec: MetricSpec, table: RecordTable) -> bool:
    """Whether a metric is for tasks of a kind that no record is of."""
    if not spec.task_types or "task_type" not in table:
        return False
    return not np.isin(table.column("task_type").astype(str), spec.task_types).any()


def _parameters(
    spec: MetricSpec, options: EvaluationOptions, protocol: Mapping[str, Any]
) -> dict[str, Any]:
    from_protocol = {name: protocol[name] for name in spec.parameters if name in protocol}
    given = options.metric_kwargs.get(spec.name, {})
    return {**spec.parameters, **from_protocol, **given}


def _score_one(
    spec: MetricSpec,
    table: RecordTable,
    errors: NDArray[np.bool_],
    parameters: dict[str, Any],
) -> Scored:
    try:
        column = compute_column(spec, table, parameters, skip=errors)
    except (Exception, SystemExit) as error:
        reason = str(error) if isinstance(error, AbotnError) else f"{type(error).__name__}: {error}"
        nothing = np.zeros(len(table))
        empty = MetricColumn(nothing, nothing, nothing.astype(bool), {})
        return Scored(spec, empty, nothing.astype(bool), parameters, reason)
    if spec.failure_value is None or not errors.any():
        return Scored(spec, column, np.zeros(len(table), dtype=bool), parameters)
    failed = errors & _concerned(spec, table)
    counted = replace(
        column,
        numerators=np.where(failed, spec.failure_value, column.numerators),
        denominators=np.where(failed, 1.0, column.denominators),
        defined=column.defined | failed,
    )
    return Scored(spec, counted, failed, parameters)


def _concerned(spec: MetricSpec, table: RecordTable) -> NDArray[np.bool_]:
    if not spec.task_types:
        return np.ones(len(table), dtype=bool)
    if "task_type" not in table:
        return np.zeros(len(table), dtype=bool)
    return np.isin(table.column("task_type").astype(str), spec.task_types)


def _nothing_ran(scored: list[Scored], skipped: Mapping[str, str]) -> str:
    own = {one.spec.name: str(one.error).removeprefix(f"{one.spec.name}: ") for one in scored}
    shown = "; ".join(f"{name} {reason}" for name, reason in {**own, **skipped}.items())
    return f"no metric can run on these inputs: {shown}"
