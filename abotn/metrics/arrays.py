"""Turning what a caller has into checked arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError

FloatArray = NDArray[np.float64]


def plain_array(value: Any) -> Any:
    """Return what numpy can read from a tensor or a trajectory; anything else as it is.

    A tensor-like is one with ``detach``, ``cpu`` and ``numpy``; a trajectory is an object with a
    ``position`` array, (T, 3) metres, or with an ``array`` method. Lists and tuples are searched.
    """
    if isinstance(value, np.ndarray | int | float | str | bytes):
        return value
    if all(callable(getattr(value, name, None)) for name in ("detach", "cpu", "numpy")):
        return value.detach().cpu().numpy()
    if isinstance(getattr(value, "position", None), np.ndarray):
        return value.position
    if callable(getattr(value, "array", None)):
        return value.array()
    if isinstance(value, list | tuple):
        return [plain_array(one) for one in value]
    return value


def shape_of(value: Any) -> tuple[int, ...] | None:
    """Return the shape of a numeric array-like, None for anything else."""
    try:
        return np.asarray(plain_array(value), dtype=np.float64).shape
    except (TypeError, ValueError):
        return None


def as_numbers(value: Any, name: str, *, axes: str) -> FloatArray:
    """Return a finite, non-empty float64 array with the given axes.

    Args:
        value: Array, nested list, tensor-like or trajectory.
        name: Argument it came from, for the error.
        axes: Names of the axes, such as ``"T D"``; an axis ``D`` has 2 or 3 entries.

    Raises:
        EvaluationInputError: other axes, empty, not numbers, or not finite.
    """
    wanted = axes.split()
    try:
        array = np.asarray(plain_array(value), dtype=np.float64)
    except (TypeError, ValueError):
        raise EvaluationInputError(
            f"expected numbers of shape ({', '.join(wanted)}), got {_kind(value)}", where=name
        ) from None
    short = "D" in wanted and array.ndim == len(wanted) and array.shape[-1] not in (2, 3)
    if array.ndim != len(wanted) or array.size == 0 or short:
        where = " with D = 2 or 3" if "D" in wanted else ""
        raise EvaluationInputError(
            f"expected shape ({', '.join(wanted)}){where}, got {array.shape}", where=name
        )
    if not np.isfinite(array).all():
        raise EvaluationInputError("expected finite numbers, got NaN or infinity", where=name)
    return array


def as_path(value: Any, name: str) -> FloatArray:
    """Return a path, (T, 2) or (T, 3) finite float64, T >= 1."""
    return as_numbers(value, name, axes="T D")


def as_modes(value: Any, name: str) -> FloatArray:
    """Return K paths of one length, (K, T, 2) or (K, T, 3) finite float64."""
    return as_numbers(value, name, axes="K T D")


def as_paths(value: Any, name: str) -> list[FloatArray]:
    """Return paths of any lengths from one path, a stack of them, or a list of them."""
    plain = plain_array(value)
    if isinstance(plain, np.ndarray) and plain.ndim == 2:
        return [as_path(plain, name)]
    if not isinstance(plain, np.ndarray | Iterable):
        raise EvaluationInputError(f"expected a list of paths, got {_kind(value)}", where=name)
    items = list(plain)
    if items and len(shape_of(items[0]) or ()) == 1:
        return [as_path(items, name)]
    return [as_path(one, f"{name}[{index}]") for index, one in enumerate(items)]


def as_path_pair(
    prediction: Any, ground_truth: Any, *, same_length: bool = True
) -> tuple[FloatArray, FloatArray]:
    """Return two paths that may be compared.

    Raises:
        EvaluationInputError: the shapes differ, or, with ``same_length=False``, the dimensions.
    """
    left, right = as_path(prediction, "prediction"), as_path(ground_truth, "ground_truth")
    if left.shape[1] != right.shape[1] or (same_length and len(left) != len(right)):
        _unlike(left.shape, right.shape)
    return left, right


def as_modes_pair(prediction: Any, ground_truth: Any) -> tuple[FloatArray, FloatArray]:
    """Return K predicted paths and the true one, of one length and dimension."""
    modes, truth = as_modes(prediction, "prediction"), as_path(ground_truth, "ground_truth")
    if modes.shape[1:] != truth.shape:
        _unlike(modes.shape, truth.shape)
    return modes, truth


def as_number(value: Any, name: str, *, least: float = 0.0, above: bool = False) -> float:
    """Return a finite number of at least ``least``, or above it.

    Raises:
        EvaluationInputError: not one.
    """
    relation = f"above {least:g}" if above else f"of at least {least:g}"
    try:
        number = float(np.asarray(plain_array(value), dtype=np.float64).reshape(()))
    except (TypeError, ValueError):
        raise EvaluationInputError(
            f"expected a number {relation}, got {_kind(value)}", where=name
        ) from None
    if not np.isfinite(number) or number < least or (above and number == least):
        raise EvaluationInputError(f"expected a number {relation}, got {number:g}", where=name)
    return number


def _unlike(prediction: tuple[int, ...], truth: tuple[int, ...]) -> None:
    raise EvaluationInputError(
        f"shape {truth} does not match the prediction's {prediction}", where="ground_truth"
    )


def _kind(value: Any) -> str:
    return "an irregular list" if isinstance(value, list | tuple) else type(value).__name__
