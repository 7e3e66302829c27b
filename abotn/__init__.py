"""How good is this navigation agent, and how sure are we?

Public names are imported on first use, so that ``import abotn`` costs next to nothing.
"""

from __future__ import annotations

from abotn._version import __version__

TYPE_CHECKING = False  # importing typing would cost a third of the start-up time
if TYPE_CHECKING:
    from typing import Any

    from abotn.errors import AbotnError as AbotnError
    from abotn.errors import AgentError as AgentError
    from abotn.errors import ConfigError as ConfigError
    from abotn.errors import DataError as DataError
    from abotn.errors import EvaluationInputError as EvaluationInputError
    from abotn.errors import PluginError as PluginError
    from abotn.errors import RenderFailureError as RenderFailureError
    from abotn.errors import SchemaError as SchemaError
    from abotn.errors import UnknownMetricError as UnknownMetricError
    from abotn.errors import UnknownNameError as UnknownNameError
    from abotn.evaluation.compare import compare as compare
    from abotn.evaluation.evaluator import Evaluator as Evaluator
    from abotn.metrics.registry import MetricRegistry
    from abotn.metrics.spec import metric as metric
    from abotn.plugins.hookspecs import hookimpl as hookimpl
    from abotn.results.types import EvaluationResult as EvaluationResult
    from abotn.results.types import MetricResult as MetricResult

    registry: MetricRegistry

_HOMES = {
    "AbotnError": "abotn.errors",
    "AgentError": "abotn.errors",
    "ConfigError": "abotn.errors",
    "DataError": "abotn.errors",
    "EvaluationInputError": "abotn.errors",
    "PluginError": "abotn.errors",
    "ProtocolMismatchError": "abotn.errors",
    "RenderFailureError": "abotn.errors",
    "SchemaError": "abotn.errors",
    "UnknownMetricError": "abotn.errors",
    "UnknownNameError": "abotn.errors",
    "Evaluator": "abotn.evaluation.evaluator",
    "EvaluationResult": "abotn.results.types",
    "compare": "abotn.evaluation.compare",
    "MetricResult": "abotn.results.types",
    "hookimpl": "abotn.plugins.hookspecs",
    "metric": "abotn.metrics.spec",
}

__all__ = ["__version__", "registry", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "registry":
        return import_module("abotn.plugins.manager").default_registry()
    if name not in _HOMES:
        raise AttributeError(f"module 'abotn' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
