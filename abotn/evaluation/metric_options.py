"""Pass marks and parameters per metric, checked against the metrics before anything is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from abotn.errors import EvaluationInputError
from abotn.evaluation.selection import Selection, canonical_names
from abotn.metrics.bounds import require_threshold
from abotn.metrics.parameters import checked_parameters
from abotn.metrics.registry import MetricRegistry
from abotn.metrics.spec import MetricSpec

if TYPE_CHECKING:
    from abotn.evaluation.evaluator import ScoredRecords


def metric_thresholds(
    thresholds: Mapping[str, float] | None, registry: MetricRegistry, selection: Selection
) -> dict[str, float]:
    """Return pass marks under the metrics' own names.

    Raises:
        UnknownMetricError: a name that is neither selected nor registered.
        EvaluationInputError: no mapping, no finite number, or a value the metric cannot have.
    """
    _require_mapping(thresholds, "thresholds", "pass marks by metric")
    named = canonical_names(thresholds, registry, selection)
    for name, value in named.items():
        spec = _spec(name, registry, selection)
        require_threshold(name, value, spec.bounds, f"thresholds[{name!r}]")
    return named


def metric_parameters(
    metric_kwargs: Mapping[str, Mapping[str, Any]] | None,
    registry: MetricRegistry,
    selection: Selection,
) -> dict[str, dict[str, Any]]:
    """Return parameters under the metrics' own names, each one that the metric has and can have.

    Raises:
        UnknownMetricError: a name that is neither selected nor registered.
        UnknownNameError: a parameter that the metric does not have; gives the nearest names.
        EvaluationInputError: a value of another type or out of range, or a metric that is not
            among those asked for.
    """
    _require_mapping(metric_kwargs, "metric_kwargs", "parameters by metric")
    named = canonical_names(metric_kwargs, registry, selection)
    chosen = {spec.name for spec in selection.specs}
    found = {}
    for name, parameters in named.items():
        _require_mapping(parameters, f"metric_kwargs[{name!r}]", "a mapping of parameters")
        spec = _spec(name, registry, selection)
        found[name] = checked_parameters(spec, parameters or {})
        if name not in chosen:
            raise _not_evaluated(name, "it is not among the metrics asked for")
    return found


def require_evaluated(metric_kwargs: Iterable[str], found: ScoredRecords) -> None:
    """Refuse parameters of a metric that ``"all"`` left out, which would have no effect.

    Raises:
        EvaluationInputError: names the metric and why it was left out.
    """
    evaluated = {one.spec.name for one in found.scored}
    for name in metric_kwargs:
        if name not in evaluated:
            reason = found.skipped.get(name, "it does not apply to these records")
            raise _not_evaluated(name, reason)


def _require_mapping(value: object, where: str, wanted: str) -> None:
    if value is not None and not isinstance(value, Mapping):
        raise EvaluationInputError(f"expected {wanted}, got {type(value).__name__}", where=where)


def _spec(name: str, registry: MetricRegistry, selection: Selection) -> MetricSpec:
    return next((s for s in selection.specs if s.name == name), None) or registry.get(name)


def _not_evaluated(name: str, why: str) -> EvaluationInputError:
    return EvaluationInputError(
        f"{name} is not evaluated, so its parameters have no effect: {why}",
        where=f"metric_kwargs[{name!r}]",
        hint="leave them out, or ask for the metric by name",
    )
