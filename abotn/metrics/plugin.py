"""The metrics this package brings, offered through the hook that any plugin uses."""

from __future__ import annotations

from types import ModuleType

import pluggy

from abotn.metrics import (
    collision,
    comfort,
    navigation,
    path,
    physics,
    poi,
    prediction,
    roads,
    safety,
    time_to_collision,
    timing,
    tracking,
    trajectory,
)
from abotn.metrics.spec import MetricSpec

hookimpl = pluggy.HookimplMarker("abotn")

MODULES = (
    navigation,
    collision,
    poi,
    path,
    timing,
    trajectory,
    tracking,
    prediction,
    comfort,
    safety,
    time_to_collision,
    roads,
    physics,
)


@hookimpl
def abotn_metrics() -> list[MetricSpec]:
    """Every built-in metric; one that can be had from records or from arrays comes once."""
    specs: dict[str, MetricSpec] = {}
    for module in MODULES:
        for spec in declared_in(module):
            known = specs.get(spec.name)
            specs[spec.name] = known.with_variant(spec) if known else spec
    return list(specs.values())


def declared_in(module: ModuleType) -> list[MetricSpec]:
    """Return the metrics that a module declares, in its order, imported ones left out."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, MetricSpec) and value.function.__module__ == module.__name__
    ]
