"""Declaring a metric: one decorator on one function."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from abotn.errors import PluginError, text_of
from abotn.metrics.arrays import shape_of
from abotn.metrics.bounds import interval, outside
from abotn.metrics.parameters import Allowed, check_allowed
from abotn.units import Direction, Unit

# Names stand in files, tables, options with commas, and folders of experiment trackers.
_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)*")


@dataclass(frozen=True, eq=False)
class MetricSpec:
    """A metric: its function and everything a result says about it.

    Attributes:
        name: Unique name.
        function: The decorated function; calling the spec calls it.
        unit: Unit of the value.
        direction: Which way is better.
        inputs: Names of the columns the function takes, in order.
        parameters: Keyword-only parameters with their defaults.
        failure_value: Value of a record that ended as an error; None leaves such records out.
        bounds: Least and greatest possible value per record.
        reference: Where the definition comes from.
        threshold: Pass mark used where the caller gives none.
        aliases: Further names.
        category: Family of metrics it belongs to.
        per_record: The function takes one record's values and returns one number.
        ratio: The function returns numerator and denominator; the value is a ratio of sums.
        task_types: Task types it is defined for; empty for all.
        sample: It scores the arrays of one sample, such as a prediction, not columns of records.
        shapes: Shape of each array it takes, as axis names: ``{"prediction": "T D"}``.
        batch: The same for N stacked samples of one shape at once: arrays with a leading axis N
            in, (N,) out.
        threshold_from: Input that is the pass mark where the caller gives none.
        variants: The same quantity from other inputs; see :meth:`resolve`.
        override: It means to replace a built-in metric of this name.
        allowed: Values its parameters may have: an interval, such as ``"[0, inf)"``, or a list.
        description: First line of the function's docstring.
        distribution: Name of the distribution it came from.
        version: Version of that distribution.
        overrides: The distribution whose metric it replaced.
    """

    name: str
    function: Callable[..., Any] = field(repr=False)
    unit: Unit
    direction: Direction
    inputs: tuple[str, ...]
    parameters: Mapping[str, Any]
    failure_value: float | None = None
    bounds: tuple[float, float] | None = None
    reference: str = ""
    threshold: float | None = None
    aliases: tuple[str, ...] = ()
    category: str = "plugin"
    per_record: bool = False
    ratio: bool = False
    task_types: tuple[str, ...] = ()
    sample: bool = False
    shapes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    batch: Callable[..., Any] | None = field(default=None, repr=False)
    threshold_from: str | None = None
    variants: tuple[MetricSpec, ...] = ()
    override: bool = False
    allowed: Mapping[str, Allowed] = field(default_factory=lambda: MappingProxyType({}))
    description: str = ""
    distribution: str = ""
    version: str = ""
    overrides: str | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the metric's own function."""
        return self.function(*args, **kwargs)

    @property
    def signature(self) -> str:
        """``name(column, ..., *, parameter=default)``."""
        given = [f"{name}={value!r}" for name, value in self.parameters.items()]
        return f"{self.name}({', '.join([*self.inputs, *(['*'] if given else []), *given])})"

    def from_distribution(self, distribution: str, version: str) -> MetricSpec:
        """Return the spec, marked with where it came from."""
        variants = tuple(one.from_distribution(distribution, version) for one in self.variants)
        return replace(self, distribution=distribution, version=version, variants=variants)

    @property
    def categories(self) -> frozenset[str]:
        """Its category and those of its variants."""
        return frozenset({self.category, *(one.category for one in self.variants)})

    def with_variant(self, other: MetricSpec) -> MetricSpec:
        """Return the spec, able to use another metric's inputs where its own are missing.

        Raises:
            PluginError: the two differ in name, unit, direction or bounds.
        """
        ours = (self.name, self.unit, self.direction, self.bounds)
        theirs = (other.name, other.unit, other.direction, other.bounds)
        if ours != theirs:
            raise PluginError(f"metric {other.name!r} is no variant of {self.name!r}: {theirs}")
        return replace(self, variants=(*self.variants, other))

    def resolve(self, available: Container[str]) -> MetricSpec:
        """Return the spec or the first variant all of whose inputs are available; else itself."""
        for one in (self, *self.variants):
            if all(name in available for name in one.inputs):
                return one
        return self

    def misfit(self, given: Mapping[str, Any]) -> str | None:
        """Say why the metric cannot take these inputs: one is missing, or has other axes.

        Args:
            given: Inputs by name.

        Returns:
            The reason; None where it can take them.

        Example:
            >>> from abotn.metrics.trajectory import ade
            >>> ade.misfit({"prediction": [[0.0, 0.0]]})
            'needs ground_truth'
            >>> ade.misfit({"prediction": [0.0, 0.0], "ground_truth": [[0.0, 0.0]]})
            'needs prediction of shape (T, D), got (2,)'
        """
        missing = [name for name in self.inputs if name not in given]
        if missing:
            return f"needs {', '.join(missing)}"
        for name, axes in self.shapes.items():
            found = shape_of(given[name])
            if found is None or len(found) != len(axes.split()):
                wanted = ", ".join(axes.split()) + ("," if len(axes.split()) == 1 else "")
                return f"needs {name} of shape ({wanted}), got {found or 'no numeric array'}"
        return None


def metric(
    *,
    unit: Unit | str,
    better: Direction | str,
    name: str | None = None,
    failure_value: float | None = None,
    bounds: tuple[float, float] | None = None,
    reference: str = "",
    threshold: float | None = None,
    aliases: Sequence[str] = (),
    category: str | None = None,
    per_record: bool = False,
    ratio: bool = False,
    task_types: Sequence[str] = (),
    sample: bool = False,
    shapes: Mapping[str, str] | None = None,
    batch: Callable[..., Any] | None = None,
    threshold_from: str | None = None,
    override: bool = False,
    allowed: Mapping[str, Allowed] | None = None,
) -> Callable[[Callable[..., Any]], MetricSpec]:
    """Declare the decorated function a metric.

    Its positional arguments are the record columns it needs, as read-only float64 arrays of
    shape (N,) (object arrays for columns that are not numbers); its keyword-only arguments are
    its parameters and need defaults. It returns one value per record, shape (N,), NaN where the
    metric is undefined. With ``per_record=True`` it takes and returns one record's values; with
    ``ratio=True`` it returns a pair (numerators, denominators). A record with a missing or
    non-finite number among the inputs is undefined without the function seeing to it.

    Args:
        unit: Unit of the value, such as ``Unit.METRE``.
        better: ``"higher"`` or ``"lower"``.
        name: Name of the metric; the function's name by default.
        failure_value: Value of a record that ended as an error; None leaves it out.
        bounds: Least and greatest possible value of a record.
        reference: Source of the definition.
        threshold: Default pass mark.
        aliases: Further names.
        category: Family; the last part of the module's name by default.
        per_record: Call the function once per record.
        ratio: The function returns numerators and denominators.
        task_types: Task types it is defined for; all by default.
        sample: The metric scores the arrays of one sample, such as ``prediction`` and
            ``ground_truth``, and returns a number, or an array that is reduced to one.
        shapes: Axes of each array input, such as ``{"prediction": "T D"}``.
        batch: The same for stacked samples, for speed: arrays (N, ...) in, (N,) out.
        threshold_from: Input that is the pass mark where the caller gives none.
        override: Replace a built-in metric of the same name.
        allowed: Values a parameter may have: an interval, such as ``"[0, inf)"`` or ``"(0, 1]"``,
            or a collection of them. Its annotation or default says the type.

    Returns:
        A decorator that returns a :class:`MetricSpec`, which can still be called.

    Raises:
        PluginError: the declaration is incomplete or contradicts itself; the message names the
            metric and what is wrong.

    Example:
        >>> from abotn.units import Unit
        >>> @metric(unit=Unit.METRE, better="lower")
        ... def detour(travel_length, shortest_path_length):
        ...     '''Metres travelled beyond the shortest path.'''
        ...     return travel_length - shortest_path_length
        >>> detour.inputs
        ('travel_length', 'shortest_path_length')
    """

    def declare(function: Callable[..., Any]) -> MetricSpec:
        inputs, parameters = _arguments(function, name or function.__name__)
        spec = MetricSpec(
            name=name or function.__name__,
            function=function,
            unit=_member(Unit, unit, "unit", function),
            direction=_member(Direction, better, "better", function),
            inputs=inputs,
            parameters=MappingProxyType(parameters),
            failure_value=failure_value,
            bounds=bounds,
            reference=reference,
            threshold=threshold,
            aliases=tuple(aliases),
            category=category or (function.__module__ or "plugin").rpartition(".")[2],
            per_record=per_record or sample,
            ratio=ratio,
            task_types=tuple(task_types),
            sample=sample,
            shapes=MappingProxyType(dict(shapes or {})),
            batch=batch,
            threshold_from=threshold_from,
            override=override,
            allowed=MappingProxyType(dict(allowed or {})),
            description=(inspect.getdoc(function) or "").partition("\n")[0],
        )
        _check(spec)
        return spec

    return declare


def _arguments(function: Callable[..., Any], name: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    inputs: list[str] = []
    parameters: dict[str, Any] = {}
    for argument in inspect.signature(function).parameters.values():
        if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
            raise PluginError(f"metric {name!r} takes *args or **kwargs", hint="name each column")
        if argument.kind is argument.KEYWORD_ONLY:
            if argument.default is argument.empty:
                raise PluginError(f"parameter {argument.name!r} of metric {name!r} has no default")
            parameters[argument.name] = argument.default
        else:
            inputs.append(argument.name)
    if not inputs:
        raise PluginError(f"metric {name!r} takes no column", hint="name one as an argument")
    return tuple(inputs), parameters


def _member(kind: Any, value: Any, argument: str, function: Callable[..., Any]) -> Any:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(repr(member.value) for member in kind)
        raise PluginError(
            f"metric {function.__name__!r} has {argument}={value!r}", hint=f"one of {known}"
        ) from None


def _check(spec: MetricSpec) -> None:
    values = (spec.failure_value, spec.threshold, *(spec.bounds or ()))
    if any(value is not None and math.isnan(value) for value in values):
        raise PluginError(f"metric {spec.name!r} declares a number that is NaN")
    if spec.bounds is not None and not spec.bounds[0] < spec.bounds[1]:
        raise PluginError(f"metric {spec.name!r} has empty bounds {spec.bounds}")
    for name in ("failure_value", "threshold"):
        value = getattr(spec, name)
        if value is not None and outside(np.array([value]), spec.bounds).any():
            bounds = interval(spec.bounds)
            raise PluginError(
                f"metric {spec.name!r} declares {name}={value:g} outside its bounds {bounds}"
            )
    unknown = {*spec.shapes, *filter(None, [spec.threshold_from])} - set(spec.inputs)
    if unknown:
        raise PluginError(f"metric {spec.name!r} takes no input {', '.join(sorted(unknown))}")
    if spec.ratio and spec.failure_value is not None:
        raise PluginError(f"ratio metric {spec.name!r} cannot have a failure value")
    wrong = check_allowed(spec)
    if wrong is not None:
        raise PluginError(f"metric {spec.name!r} {wrong}")
    for name in (spec.name, *spec.aliases):
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise PluginError(
                f"{text_of(name, 80)!r} is not a usable metric name",
                hint="letters, digits, '_', '-' and '.', parts divided by '/'",
            )
