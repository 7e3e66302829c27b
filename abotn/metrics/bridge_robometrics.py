"""The metrics of the RoboMetrics package as ``robometrics/NAME``, where it is installed.

A plugin like any other: the extra ``robometrics`` installs that package, and this module offers
its whole registry with the units and directions it declares. Values are computed by RoboMetrics.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import pluggy

from abotn.metrics.arrays import plain_array
from abotn.metrics.spec import MetricSpec, metric
from abotn.units import Direction, Unit

hookimpl = pluggy.HookimplMarker("abotn")

PACKAGE = "robometrics"
UNITS = {
    "": Unit.NONE,
    "ratio": Unit.NONE,
    "score": Unit.NONE,
    "index": Unit.NONE,
    "cells": Unit.COUNT,
    "meters": Unit.METRE,
    "seconds": Unit.SECOND,
    "nats": Unit.NAT,
}
SHAPES = {
    "pred": "T D",
    "gt": "T D",
    "ref": "T D",
    "traj": "T D",
    "ego_traj": "T D",
    "predictions": "K T D",
}
LIMITS = ("max_accel", "max_jerk", "max_curvature")


@hookimpl
def abotn_metrics() -> list[MetricSpec]:
    """Every metric of RoboMetrics; none where it is not installed."""
    if find_spec(PACKAGE) is None:
        return []
    from robometrics import registry

    return [bridged(definition) for definition in registry.list_metrics()]


def bridged(definition: Any) -> MetricSpec:
    """Return one of RoboMetrics' metrics as a metric of this package.

    Args:
        definition: A ``robometrics.registry.MetricDefinition``.

    Returns:
        Its spec, called ``robometrics/NAME``. A unit this package does not know is arbitrary and
        named in the description.
    """
    inputs = [name for name in definition.required_inputs if name not in definition.default_kwargs]
    unit = unit_of(definition.unit)
    declare = metric(
        name=f"{PACKAGE}/{definition.name}",
        unit=unit,
        better=Direction.HIGHER if definition.higher_is_better else Direction.LOWER,
        reference=f"RoboMetrics {version(PACKAGE)}: {definition.reference}",
        aliases=tuple(f"{PACKAGE}/{alias}" for alias in definition.aliases),
        category=PACKAGE,
        sample=True,
        shapes={name: SHAPES[name] for name in inputs if name in SHAPES},
        threshold_from=next((name for name in inputs if name in LIMITS), None),
    )
    return declare(_function(definition, inputs, unit))


def unit_of(text: str) -> Unit:
    """Return the unit of RoboMetrics' spelling; arbitrary for one that is not known."""
    if text in UNITS:
        return UNITS[text]
    try:
        return Unit(text)
    except ValueError:
        return Unit.ARBITRARY


def _function(definition: Any, inputs: list[str], unit: Unit) -> Callable[..., Any]:
    # One entry of RoboMetrics 0.3.1 declares ``gt`` for an argument called ``ground_truth``.
    arguments = list(inspect.signature(definition.fn).parameters)
    accepted = [name if name in arguments else arguments[i] for i, name in enumerate(inputs)]

    def call(*values: Any, **parameters: Any) -> Any:
        named = dict(zip(accepted, map(plain_array, values), strict=True))
        returned = definition.fn(**named, **{**definition.default_kwargs, **parameters})
        return getattr(returned, "value", returned)

    kinds = inspect.Parameter
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            *(kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in inputs),
            *(
                kinds(name, kinds.KEYWORD_ONLY, default=value)
                for name, value in definition.default_kwargs.items()
            ),
        ]
    )
    call.__name__ = definition.name
    in_units = f" In {definition.unit}." if unit is Unit.ARBITRARY else ""
    call.__doc__ = f"{definition.description}{in_units}"
    return call
