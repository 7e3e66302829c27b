"""How an evaluation is to be done, checked before anything is read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from abotn.errors import EvaluationInputError, UnknownNameError

CI_METHODS = ("auto", "percentile", "basic", "bca", "studentized", "wilson", "t")
ON_ERROR = ("failure", "exclude", "raise")


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
        if self.on_error not in ON_ERROR:
            raise UnknownNameError("on_error policy", self.on_error, ON_ERROR)

    def _check_resampling(self) -> None:
        count = self.bootstrap_ci
        if count is not None and (not _is_whole(count) or count < 100):
            raise EvaluationInputError(
                f"must be a whole number of at least 100, got {count!r}", where="bootstrap_ci"
            )
        if not _is_whole(self.bootstrap_seed) or self.bootstrap_seed < 0:
            raise EvaluationInputError(
                f"must be a whole number of at least 0, got {self.bootstrap_seed!r}",
                where="bootstrap_seed",
            )
        check_finite(self.ci_level, "ci_level")
        if not 0 < self.ci_level < 1:
            raise EvaluationInputError(
                f"must lie between 0 and 1, got {self.ci_level!r}", where="ci_level"
            )
        if self.ci_method not in CI_METHODS:
            raise UnknownNameError("ci_method", self.ci_method, CI_METHODS)


def check_finite(value: object, where: str) -> None:
    """Raise unless ``value`` is a finite number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value):  # type: ignore[arg-type]
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


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
