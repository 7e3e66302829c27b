"""Which metrics an evaluation runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from abotn.errors import EvaluationInputError, UnknownNameError
from abotn.metrics.registry import MetricRegistry
from abotn.metrics.spec import MetricSpec

Value = TypeVar("Value")
MetricChoice = str | Iterable[str | MetricSpec] | None


@dataclass(frozen=True)
class Selection:
    """The metrics of an evaluation.

    Attributes:
        specs: The metrics, in order, each once.
        automatic: Whether they were chosen by ``"all"`` or by category, so that one that cannot
            run is skipped rather than reported as an error.
        conflicts: Metrics an automatic selection met whose name another distribution claims too,
            with the reason.
        skipped: Metrics already left out, with the reason.
    """

    specs: tuple[MetricSpec, ...]
    automatic: bool
    conflicts: dict[str, str]
    skipped: dict[str, str] = field(default_factory=dict)


def select(
    registry: MetricRegistry, metrics: MetricChoice, categories: Sequence[str] | str | None
) -> Selection:
    """Return the metrics chosen by name, by category, or all.

    Raises:
        UnknownMetricError: a name that is not registered; nothing has run yet.
        UnknownNameError: an unknown category.
        EvaluationInputError: an empty choice.
    """
    wanted = _categories(registry, categories)
    if metrics is None or (isinstance(metrics, str) and metrics == "all"):
        specs = [spec for spec in registry.usable if wanted is None or spec.categories & wanted]
        return Selection(tuple(specs), automatic=True, conflicts=registry.left_out)
    chosen = [metrics] if isinstance(metrics, str) else list(metrics)
    specs = [item if isinstance(item, MetricSpec) else registry.get(item) for item in chosen]
    if wanted is not None:
        specs += [spec for spec in registry.usable if spec.categories & wanted]
    if not specs:
        raise EvaluationInputError("no metric was asked for", where="metrics")
    return Selection(
        tuple({spec.name: spec for spec in specs}.values()), automatic=False, conflicts={}
    )


def canonical_names(
    by_metric: Mapping[str, Value] | None, registry: MetricRegistry, selection: Selection
) -> dict[str, Value]:
    """Return values by metric under the metrics' own names, aliases resolved.

    A metric that was handed over itself is known by its name and aliases too.

    Raises:
        UnknownMetricError: a name that is neither selected nor registered.
    """
    chosen = {alias: spec.name for spec in selection.specs for alias in spec.aliases}
    chosen.update((spec.name, spec.name) for spec in selection.specs)
    return {
        chosen[name] if name in chosen else registry.get(name).name: value
        for name, value in (by_metric or {}).items()
    }


def _categories(
    registry: MetricRegistry, categories: Sequence[str] | str | None
) -> set[str] | None:
    if categories is None:
        return None
    wanted = {categories} if isinstance(categories, str) else set(categories)
    for name in sorted(wanted - set(registry.categories)):
        raise UnknownNameError("category", name, registry.categories)
    return wanted
