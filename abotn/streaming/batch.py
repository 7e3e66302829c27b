"""Take a caller's batch apart: tensor-likes become arrays, ids are checked."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import ConfigError, EvaluationInputError
from abotn.streaming.dataset import Scenario, parse_scenario

NAN_POLICIES = ("raise", "omit")


def as_array(values: Any, name: str) -> NDArray[Any]:
    """Return numbers as a numpy array, without copying where that is possible.

    Anything with ``detach``, ``cpu`` or ``numpy`` is treated as a tensor: it is detached, brought
    to the host once, and narrowed to float32 where numpy lacks its type (bfloat16).

    Args:
        values: An array, a tensor-like, or nested sequences of numbers.
        name: The argument's name, for the error.

    Raises:
        EvaluationInputError: they are not real numbers, or some are masked.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise EvaluationInputError(
            "expected plain numbers, got a masked array, whose mask would be lost",
            where=name,
            hint='fill it with NaN, which nan_policy="omit" leaves out and counts',
        )
    try:
        array = np.asarray(_to_host(values))
    except (TypeError, ValueError) as error:
        raise EvaluationInputError(f"expected numbers: {error}", where=name) from error
    if array.dtype.kind not in "fiub":
        raise EvaluationInputError(f"expected real numbers, got {array.dtype}", where=name)
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def as_scores(values: Any, name: str) -> NDArray[np.float64]:
    """Return a batch of scalar scores, shape (B,), as float64.

    Raises:
        EvaluationInputError: they are not a flat batch of real numbers.
    """
    if isinstance(values, (list, tuple)):
        values = [_one_number(value, name) for value in values]
    scores = as_array(values, name)
    if scores.ndim != 1:
        raise EvaluationInputError(
            f"expected one score per item, shape (B,), got shape {scores.shape}",
            where=name,
            hint="reduce the scores of each item to one number first",
        )
    return np.array(scores, dtype=np.float64)


def as_scenarios(scenario_ids: Any, count: int) -> list[Scenario]:
    """Return the parsed paths of a batch.

    Raises:
        EvaluationInputError: there are not ``count`` of them, or one is of neither kind.
    """
    if isinstance(scenario_ids, (str, os.PathLike)):
        raise EvaluationInputError(
            "expected a sequence of paths, got one path", where="scenario_ids"
        )
    try:
        ids = list(scenario_ids)
    except TypeError as error:
        raise EvaluationInputError(
            f"expected a sequence of paths, got {type(scenario_ids).__name__}",
            where="scenario_ids",
        ) from error
    _check_count(ids, count, "scenario_ids")
    return [parse_scenario(scenario_id) for scenario_id in ids]


def as_timesteps(timestep_ids: Any, count: int) -> list[int]:
    """Return the timestep numbers of a batch.

    Raises:
        EvaluationInputError: there are not ``count`` of them, or one is no whole number >= 0.
    """
    ids = [_timestep(value) for value in _items(_to_host(timestep_ids))]
    _check_count(ids, count, "timestep_ids")
    return ids


def check_nan_policy(nan_policy: str) -> str:
    """Return ``nan_policy`` when it is known.

    Raises:
        ConfigError: it is not.
    """
    if nan_policy not in NAN_POLICIES:
        raise ConfigError(
            f"expected one of {', '.join(NAN_POLICIES)}, got {nan_policy!r}", where="nan_policy"
        )
    return nan_policy


def nan_error(
    count: int, scenario_id: str, timestep_id: int | None, *, elsewhere: int = 0
) -> EvaluationInputError:
    """Return the error that names where NaN scores were met, how many, and how many elsewhere."""
    moment = "" if timestep_id is None else f" timestep {timestep_id}"
    scores = "score" if count == 1 else "scores"
    others = f", and {elsewhere} more elsewhere in the batch" if elsewhere else ""
    return EvaluationInputError(
        f"{count} NaN {scores}{others}",
        where=f"{scenario_id}{moment}",
        hint='nan_policy="omit" leaves them out and counts them',
    )


def _one_number(value: Any, name: str) -> Any:
    if not hasattr(value, "detach"):
        return value
    array = as_array(value, name)
    return array.reshape(()) if array.size == 1 else array


def _to_host(values: Any) -> Any:
    for step in ("detach", "cpu"):
        values = getattr(values, step)() if hasattr(values, step) else values
    if isinstance(values, np.ndarray) or not hasattr(values, "numpy"):
        return values
    try:
        return values.numpy()
    except TypeError:
        return values.float().numpy()


def _items(values: Any) -> Iterable[Any]:
    if np.ndim(values) == 0:
        raise EvaluationInputError(
            "expected a sequence of timestep numbers, got one", where="timestep_ids"
        )
    return values  # type: ignore[no-any-return]


def _timestep(value: Any) -> int:
    try:
        timestep = operator.index(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError) as error:
        raise EvaluationInputError(
            f"expected whole numbers, got {value}", where="timestep_ids"
        ) from error
    if timestep < 0:
        raise EvaluationInputError(f"expected numbers from 0, got {timestep}", where="timestep_ids")
    return timestep


def _check_count(ids: Sequence[object], count: int, name: str) -> None:
    if len(ids) != count:
        raise EvaluationInputError(f"expected {count}, one per score, got {len(ids)}", where=name)
