"""The short form of an evaluation: counts, and aggregates per unit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from abotn.results.types import EvaluationResult, MetricResult

_MIXED = "values mix units, so they have no common mean; see per_unit"


def summarise(result: EvaluationResult) -> dict[str, Any]:
    """Return counts of metrics, verdicts and errors, and aggregates per unit."""
    units = sorted({metric.unit for metric in result.metrics})
    per_unit = {
        unit or "none": _aggregate([m for m in result.metrics if m.unit == unit]) for unit in units
    }
    mixed = len(units) > 1
    overall = _aggregate([] if mixed else result.metrics)
    verdicts = [metric.passed for metric in result.metrics]
    return {
        "metric_count": len(result.metrics),
        "passed_count": verdicts.count(True),
        "failed_count": verdicts.count(False),
        "error_count": sum(metric.is_error for metric in result.metrics),
        "passed": result.passed,
        "strict_passed": result.strict_passed,
        **{key: overall[key] for key in ("mean", "min", "max")},
        "per_unit": per_unit,
        "warnings": [_MIXED] if mixed else [],
    }


def _aggregate(metrics: Sequence[MetricResult]) -> dict[str, Any]:
    values = [metric.value for metric in metrics if math.isfinite(metric.value)]
    if not values:
        return {"count": 0, "mean": None, "min": None, "max": None}
    try:
        mean = math.fsum(values) / len(values)
    except OverflowError:
        mean = math.fsum(value / len(values) for value in values)
    return {"count": len(values), "mean": mean, "min": min(values), "max": max(values)}
