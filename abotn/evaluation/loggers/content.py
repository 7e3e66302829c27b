"""What trackers are told of an evaluation: numbers by tag, and facts by name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from abotn.errors import ConfigError
from abotn.results.types import EvaluationResult, MetricResult

_UNSAFE = re.compile(r"[^\w\-. :]+")


def scalars(result: EvaluationResult) -> dict[str, float]:
    """Return the numbers of an evaluation by tag; undefined values are left out, see ``facts``.

    Tags are ``metrics/NAME``, ``ci_lower/NAME``, ``ci_upper/NAME``, ``counts/NAME`` and
    ``groups/GROUPING/LABEL/NAME``; letters that a tracker may refuse become ``_``.

    Example:
        >>> from abotn.results.types import EvaluationResult, MetricResult
        >>> scalars(EvaluationResult((MetricResult("success", 0.75),), counts={"scored": 4}))
        {'metrics/success': 0.75, 'counts/scored': 4.0}
    """
    found: dict[str, float] = {}
    for metric in result.metrics:
        found.update(_metric(metric))
    found.update({f"counts/{_safe(name)}": float(n) for name, n in result.counts.items()})
    for grouping, groups in result.groups.items():
        for group in groups:
            prefix = f"groups/{_safe(grouping)}/{_safe(group.label)}"
            found.update({f"{prefix}/{_tag(m.name)}": m.value for m in group.metrics if _known(m)})
    return found


def facts(result: EvaluationResult) -> dict[str, str | int | float | bool | None]:
    """Return where an evaluation comes from, flat: ``protocol.name``, ``versions.abotn``, ...

    ``undefined`` names the metrics without a value.
    """
    origin = {name: value for name, value in result.provenance.items() if name != "record_keys"}
    undefined = [metric.name for metric in result.metrics if not _known(metric)]
    flat = dict(_flat(origin, ""))
    return {"name": result.name, **flat, "undefined": ", ".join(undefined)}


def needed(package: str, extra: str) -> Any:
    """Return an optional package.

    Raises:
        ConfigError: it is not installed; says how to install it.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise ConfigError(
            f"needs the package {package.partition('.')[0]}: {error}",
            where=f"logger {extra}",
            hint=f"pip install 'abotn[{extra}]'",
        ) from error


def _metric(metric: MetricResult) -> Iterator[tuple[str, float]]:
    if not _known(metric):
        return
    yield f"metrics/{_tag(metric.name)}", metric.value
    if metric.ci is not None:
        yield f"ci_lower/{_tag(metric.name)}", metric.ci.lower
        yield f"ci_upper/{_tag(metric.name)}", metric.ci.upper


def _known(metric: MetricResult) -> bool:
    return math.isfinite(metric.value)


def _tag(name: str) -> str:
    """Return a metric's name; the slash of ``robometrics/ade`` stays."""
    return "/".join(_safe(part) for part in name.split("/"))


def _safe(text: str) -> str:
    return _UNSAFE.sub("_", text) or "_"


def _flat(value: Any, path: str) -> Iterator[tuple[str, str | int | float | bool | None]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flat(inner, f"{path}.{name}" if path else str(name))
    elif value is None or isinstance(value, str | int | float | bool):
        yield path, value
    else:
        yield path, ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
