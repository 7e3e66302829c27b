"""Values of metrics' parameters: which type and which range they may have."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from abotn.errors import EvaluationInputError, UnknownNameError
from abotn.metrics.bounds import is_finite_number

if TYPE_CHECKING:
    from abotn.metrics.spec import MetricSpec

Allowed = str | Collection[Any]

_NUMBER, _WHOLE, _FLAG, _TEXT = "a finite number", "a whole number", "true or false", "text"
_KINDS = {"int": _WHOLE, "float": _NUMBER, "bool": _FLAG, "str": _TEXT}
_INTERVAL = re.compile(r"([\[(])([^,\s]+), ([^,\s]+)([\])])")


def checked_parameters(spec: MetricSpec, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return values for a metric's parameters, if it has these and they can have these values.

    The annotation of a parameter decides its type where it is ``int``, ``float``, ``bool`` or
    ``str``, with or without ``| None``; without an annotation the default's type does, where every
    finite number goes for a number. What the declaration says in ``allowed`` decides the rest.

    Args:
        spec: The metric.
        given: Values by parameter.

    Returns:
        The same, whole numbers as int.

    Raises:
        UnknownNameError: the metric, or a choice, has no such name; gives the nearest ones.
        EvaluationInputError: a value of another type or outside the range.

    Example:
        >>> from abotn.metrics.navigation import success_new
        >>> checked_parameters(success_new, {"collision_threshold": 1})
        {'collision_threshold': 1}
    """
    forms = (spec, *spec.variants)
    known = sorted({name for form in forms for name in form.parameters})
    values = {}
    for name, value in given.items():
        if name not in known:
            raise UnknownNameError(f"parameter of metric {spec.name}", name, known)
        form = next(form for form in forms if name in form.parameters)
        values[name] = _checked(form, name, value)
    return values


def check_allowed(spec: MetricSpec) -> str | None:
    """Say what is wrong with what a declaration allows; None where nothing is."""
    for name, allowed in spec.allowed.items():
        if name not in spec.parameters:
            return f"takes no parameter {name}"
        if isinstance(allowed, str) and not _is_interval(allowed):
            return f"allows {name}={allowed!r}, expected an interval such as '[0, inf)'"
        if spec.parameters[name] is not None:
            try:
                _require_allowed(allowed, spec.parameters[name], name)
            except (EvaluationInputError, UnknownNameError) as error:
                return f"has a default that it does not allow: {error}"
    return None


def _checked(spec: MetricSpec, name: str, value: Any) -> Any:
    kind, takes_none = _kind(spec, name)
    if value is spec.parameters[name] or (value is None and takes_none):
        return value
    where = f"{spec.name}.{name}"
    if kind is not None:
        value = _as_kind(kind, value, where)
    if name in spec.allowed:
        _require_allowed(spec.allowed[name], value, where)
    return value


def _kind(spec: MetricSpec, name: str) -> tuple[str | None, bool]:
    """Return what a parameter must be, None for anything, and whether it may be None."""
    default = spec.parameters[name]
    declared = inspect.signature(spec.function).parameters.get(name)
    annotation = inspect.Parameter.empty if declared is None else declared.annotation
    if annotation is not inspect.Parameter.empty:
        text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
        parts = {part.strip() for part in text.split("|")}
        kinds = [_KINDS.get(part) for part in parts - {"None"}]
        return (kinds[0] if len(kinds) == 1 else None), "None" in parts or default is None
    if isinstance(default, bool):
        return _FLAG, False
    if isinstance(default, int | float):
        return _NUMBER, False
    return (_TEXT if isinstance(default, str) else None), default is None


def _as_kind(kind: str, value: Any, where: str) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    number = is_finite_number(plain)
    fits = {
        _NUMBER: number,
        _WHOLE: number and float(plain).is_integer(),
        _FLAG: isinstance(plain, bool),
        _TEXT: isinstance(plain, str),
    }
    if not fits[kind]:
        raise EvaluationInputError(f"expected {kind}, got {value!r}", where=where)
    return int(plain) if kind == _WHOLE else plain


def _is_interval(text: str) -> bool:
    found = _INTERVAL.fullmatch(text)
    try:
        return found is not None and float(found[2]) < float(found[3])
    except ValueError:
        return False


def _require_allowed(allowed: Allowed, value: Any, where: str) -> None:
    if not isinstance(allowed, str):
        if value not in allowed:
            raise UnknownNameError(f"value of {where}", value, map(str, allowed))
        return
    found = _INTERVAL.fullmatch(allowed)
    assert found is not None
    low, high = float(found[2]), float(found[3])
    fits = isinstance(value, Real) and low <= float(value) <= high
    if not fits or (value == low and found[1] == "(") or (value == high and found[4] == ")"):
        raise EvaluationInputError(f"expected a number in {allowed}, got {value!r}", where=where)
