"""Metrics: one decorated function each, declared with unit and direction, kept in registries.

The built-in ones stand in one file per subject and arrive through the plugin hook in
:mod:`abotn.metrics.plugin`, as a third party's do.
"""

from abotn.metrics.registry import MetricRegistry
from abotn.metrics.spec import MetricSpec, metric

__all__ = ["MetricRegistry", "MetricSpec", "metric"]
