"""Pass or fail: conditions on an evaluation, for continuous integration."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from abotn.errors import EvaluationInputError, UnknownMetricError
from abotn.evaluation.options import check_finite
from abotn.metrics.bounds import Bounds, require_threshold
from abotn.plugins.manager import default_registry
from abotn.results.types import EvaluationResult, MetricResult
from abotn.units import Direction, counted

AT_LEAST, AT_MOST = ">=", "<="
_CONDITION = re.compile(r"\s*(?P<name>[^<>=]+?)\s*(?P<relation>>=|<=|=)\s*(?P<limit>[^<>=]+?)\s*")


@dataclass(frozen=True)
class Condition:
    """What a metric must reach.

    Attributes:
        metric: Name of the metric.
        relation: ``">="``, ``"<="``, or ``"="`` for the metric's own direction.
        limit: The least or greatest value that passes, in the metric's unit.
    """

    metric: str
    relation: str
    limit: float


@dataclass(frozen=True)
class Verdict:
    """One condition, checked.

    Attributes:
        condition: What was asked, such as ``"success_new >= 0.8"``.
        passed: Whether it holds.
        metric: The metric it is about.
        value: Its value; None where undefined.
        limit: What the value was held against; None for an error.
        reason: Why it fails without a value, or more about a comparison with the baseline.
    """

    condition: str
    passed: bool
    metric: str
    value: float | None
    limit: float | None
    reason: str = ""


@dataclass(frozen=True)
class GateResult:
    """All verdicts of a gate.

    Attributes:
        verdicts: One per condition, then one per metric that failed to run.
    """

    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> bool:
        """Whether every condition holds."""
        return all(verdict.passed for verdict in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"passed": self.passed, "verdicts": [asdict(one) for one in self.verdicts]}


def parse_condition(text: str) -> Condition:
    """Read ``NAME>=VALUE``, ``NAME<=VALUE``, or ``NAME=VALUE`` for the metric's direction.

    Raises:
        EvaluationInputError: another form, or a value that is not a finite number.

    Example:
        >>> parse_condition("success_new>=0.8")
        Condition(metric='success_new', relation='>=', limit=0.8)
    """
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise EvaluationInputError(
            f"expected NAME>=VALUE, NAME<=VALUE or NAME=VALUE, got {text!r}", where="thresholds"
        )
    try:
        limit = float(found["limit"])
    except ValueError:
        raise EvaluationInputError(
            f"expected a number after {found['relation']}, got {found['limit']!r}",
            where="thresholds",
        ) from None
    check_finite(limit, f"thresholds[{found['name']!r}]")
    return Condition(found["name"], found["relation"], limit)


def gate(
    result: EvaluationResult,
    thresholds: Iterable[Condition | str] = (),
    *,
    baseline: EvaluationResult | None = None,
    max_regression: float | Mapping[str, float] = 0.0,
    metrics: Sequence[str] | None = None,
    allow_errors: bool = False,
) -> GateResult:
    """Check an evaluation against conditions.

    With neither thresholds nor a baseline, the evaluation's own pass marks are the conditions. A
    metric may be worse than the baseline's by at most ``max_regression``: ``value >= baseline -
    max_regression`` where higher is better, ``value <= baseline + max_regression`` where lower
    is. An undefined value fails.

    Args:
        result: The evaluation.
        thresholds: Conditions, or their text.
        baseline: The evaluation it must not fall behind.
        max_regression: Greatest allowed change for the worse, in each metric's unit, or a number
            per metric.
        metrics: Metrics to hold against the baseline; those of ``thresholds`` and of
            ``max_regression`` by default, and every metric of the evaluation that the baseline
            has a value of where these name none.
        allow_errors: Do not fail because a metric raised.

    Returns:
        A verdict per condition, and one per metric that raised unless these are allowed.

    Raises:
        EvaluationInputError: nothing to check, a limit that is no finite number or outside the
            metric's bounds, or a baseline that measures a metric in another unit or direction.
        UnknownMetricError: the evaluation has no such metric.

    Example:
        >>> from abotn.results.types import EvaluationResult, MetricResult
        >>> done = EvaluationResult((MetricResult("success", 0.85), MetricResult("spl", 0.7)))
        >>> [(v.condition, v.passed) for v in gate(done, ["success>=0.8", "spl>=0.75"]).verdicts]
        [('success >= 0.8', True), ('spl >= 0.75', False)]
    """
    conditions = [parse_condition(t) if isinstance(t, str) else t for t in thresholds]
    verdicts = [_checked_verdict(_metric(result, one.metric), one) for one in conditions]
    if baseline is not None:
        named = [one.metric for one in conditions]
        allowed = _allowances(result, baseline, max_regression, metrics, named)
        verdicts += [_regression_verdict(result, baseline, *item) for item in allowed.items()]
    elif not conditions:
        verdicts += [_own_verdict(one) for one in result.metrics if one.threshold is not None]
    if not verdicts:
        raise EvaluationInputError(
            "nothing to check: no threshold, no baseline, and no pass mark in the evaluation",
            where="thresholds",
        )
    errors = [] if allow_errors else [_error_verdict(m) for m in result.metrics if _raised(m)]
    return GateResult((*verdicts, *errors))


def _metric(result: EvaluationResult, name: str) -> MetricResult:
    if name not in result:
        raise UnknownMetricError(name, [metric.name for metric in result.metrics])
    return result[name]


def _threshold_verdict(metric: MetricResult, condition: Condition) -> Verdict:
    relation = condition.relation
    if relation == "=":
        relation = AT_LEAST if metric.direction == Direction.HIGHER.value else AT_MOST
    return _verdict(metric, relation, condition.limit)


def _checked_verdict(metric: MetricResult, condition: Condition) -> Verdict:
    where = f"thresholds[{metric.name!r}]"
    require_threshold(metric.name, condition.limit, _bounds(metric), where)
    return _threshold_verdict(metric, condition)


def _own_verdict(metric: MetricResult) -> Verdict:
    assert metric.threshold is not None
    return _checked_verdict(metric, Condition(metric.name, "=", metric.threshold))


def _bounds(metric: MetricResult) -> Bounds:
    """Return the bounds of a result's metric where it is known here: same name, unit and origin."""
    spec = next((one for one in default_registry() if one.name == metric.name), None)
    if spec is None or spec.unit.value != metric.unit:
        return None
    origin = metric.source.get("distribution") or spec.distribution
    return spec.bounds if origin == spec.distribution else None


def _verdict(metric: MetricResult, relation: str, limit: float, *, note: str = "") -> Verdict:
    unit = f" {metric.unit}" if metric.unit else ""
    asked = f"{metric.name} {relation} {limit:.10g}{unit}"
    if math.isnan(metric.value):
        return _fails(asked, metric.name, _why_undefined(metric), limit=limit)
    passed = metric.value >= limit if relation == AT_LEAST else metric.value <= limit
    return Verdict(asked, passed, metric.name, metric.value, limit, note)


def _fails(
    condition: str,
    metric: str,
    reason: str,
    *,
    value: float | None = None,
    limit: float | None = None,
) -> Verdict:
    return Verdict(condition, passed=False, metric=metric, value=value, limit=limit, reason=reason)


def _why_undefined(metric: MetricResult) -> str:
    return str(metric.metadata.get("error") or metric.reason or "the value is undefined")


def _allowances(
    result: EvaluationResult,
    baseline: EvaluationResult,
    max_regression: float | Mapping[str, float],
    metrics: Sequence[str] | None,
    named: Sequence[str],
) -> dict[str, float]:
    """Return the greatest allowed regression per metric."""
    own = dict(max_regression) if isinstance(max_regression, Mapping) else {}
    general = 0.0 if isinstance(max_regression, Mapping) else max_regression
    for name, value in {"": general, **own}.items():
        _check_regression(value, f"max_regression[{name!r}]" if name else "max_regression")
    chosen = list(metrics) if metrics is not None else [*named, *own]
    if not chosen:
        known = {one.name for one in baseline.metrics if not math.isnan(one.value)}
        chosen = [metric.name for metric in result.metrics if metric.name in known]
    if not chosen:
        raise EvaluationInputError("has no value of a metric of the evaluation", where="baseline")
    return {name: own.get(name, general) for name in dict.fromkeys([*chosen, *own])}


def _check_regression(value: object, where: str) -> None:
    check_finite(value, where)
    if value < 0:  # type: ignore[operator]
        raise EvaluationInputError(f"must not be negative, got {value!r}", where=where)


def _regression_verdict(
    result: EvaluationResult, baseline: EvaluationResult, name: str, allowed: float
) -> Verdict:
    metric = _metric(result, name)
    before = next((one for one in baseline.metrics if one.name == name), None)
    if before is None or math.isnan(before.value):
        why = "baseline has no such metric" if before is None else "baseline's value is undefined"
        known = None if math.isnan(metric.value) else metric.value
        return _fails(f"{name} against the baseline", name, why, value=known)
    if (before.unit, before.direction) != (metric.unit, metric.direction):
        raise EvaluationInputError(
            f"measures {name} in {before.unit!r} with {before.direction} better, the evaluation "
            f"in {metric.unit!r} with {metric.direction} better",
            where="baseline",
            hint="evaluate both with one version of the metric",
        )
    higher = metric.direction == Direction.HIGHER.value
    limit = _moved(before.value, -allowed if higher else allowed)
    note = f"baseline {before.value:.6g}, may be worse by {allowed:g}"
    return _verdict(metric, AT_LEAST if higher else AT_MOST, limit, note=note)


def _moved(value: float, change: float) -> float:
    """Return the sum in decimal digits: 0.3 - 0.1 is 0.2, as the reader of both expects."""
    if not math.isfinite(value):
        return value
    return float(Decimal(repr(float(value))) + Decimal(repr(float(change))))


def _raised(metric: MetricResult) -> bool:
    return metric.is_error or bool(metric.metadata.get("sample_error_count"))


def _error_verdict(metric: MetricResult) -> Verdict:
    reason = metric.metadata.get("error")
    if reason is None:
        count = metric.metadata["sample_error_count"]
        first = next(iter(metric.metadata.get("sample_errors", {}).items()), ("", ""))
        reason = f"raised on {counted(count, 'records')}, the first {first[0]}: {first[1]}"
    return _fails(f"{metric.name} runs without error", metric.name, str(reason))
