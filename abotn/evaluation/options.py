"""How an evaluation is to be done, checked before anything is read."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from abotn.errors import EvaluationInputError, UnknownNameError
from abotn.metrics.bounds import is_finite_number

CI_METHODS = ("auto", "percentile", "basic", "bca", "studentized", "wilson", "t")
ON_ERROR = ("failure", "exclude", "raise")

_TOO_LARGE = 2**63


@dataclass(frozen=True)
class EvaluationOptions:
    """Options of one evaluation; the arguments of ``Evaluator.evaluate_dataset``.

    Raises:
        EvaluationInputError: an option has a value it cannot have; the message names it.
        UnknownNameError: a method or policy that does not exist.
    """

    thresholds: Mapping[str, float] = field(default_factory=dict)
    metric_kwargs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    bootstrap_ci: int | None = None
    bootstrap_seed: int = 0
    ci_level: float = 0.95
    ci_method: str = "auto"
    cluster_by: str | None = "auto"
    on_error: str = "failure"
    exclude_scenes: tuple[str, ...] | None = None
    keep_values: bool = False

    def __post_init__(self) -> None:
        self._check_resampling()
        for name, value in self.thresholds.items():
            check_finite(value, f"thresholds[{name!r}]")
        for name, parameters in self.metric_kwargs.items():
            if not isinstance(parameters, Mapping):
                raise EvaluationInputError(
                    f"expected a mapping of parameters, got {type(parameters).__name__}",
                    where=f"metric_kwargs[{name!r}]",
                )
        if self.cluster_by is not None and not isinstance(self.cluster_by, str):
            raise EvaluationInputError(
                f"expected the name of a column or None, got {self.cluster_by!r}",
                where="cluster_by",
            )
        if self.on_error not in ON_ERROR:
            raise UnknownNameError("on_error policy", self.on_error, ON_ERROR)

    def _check_resampling(self) -> None:
        if self.bootstrap_ci is not None:
            count = _whole(self.bootstrap_ci, 100, "bootstrap_ci")
            object.__setattr__(self, "bootstrap_ci", count)
        object.__setattr__(self, "bootstrap_seed", _whole(self.bootstrap_seed, 0, "bootstrap_seed"))
        check_finite(self.ci_level, "ci_level")
        if not 0 < self.ci_level < 1:
            raise EvaluationInputError(
                f"must lie between 0 and 1, got {self.ci_level!r}", where="ci_level"
            )
        if self.ci_method not in CI_METHODS:
            raise UnknownNameError("ci_method", self.ci_method, CI_METHODS)


def check_finite(value: object, where: str) -> None:
    """Raise unless ``value`` is a finite number."""
    if not is_finite_number(value):
        raise EvaluationInputError(f"must be a finite number, got {value!r}", where=where)


def unknown_cluster_column(name: str, known: Iterable[str]) -> EvaluationInputError:
    """Return the error for a ``cluster_by`` that is no column, with the nearest names."""
    nearest = UnknownNameError("cluster column", name, known)
    return EvaluationInputError(nearest.message, where="cluster_by", hint=nearest.hint)


def scene_tuple(scenes: Iterable[str] | str | None) -> tuple[str, ...] | None:
    """Return scene ids as a tuple; None stays None."""
    if scenes is None:
        return None
    return (scenes,) if isinstance(scenes, str) else tuple(scenes)


def _whole(value: object, least: int, where: str) -> int:
    """Return a whole number of any integer type as an int that fits 64 bits."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number < _TOO_LARGE:
        raise EvaluationInputError(
            f"must be a whole number of at least {least} and below 2**63, got {value!r}",
            where=where,
        )
    return number
