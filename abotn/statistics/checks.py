"""What the arguments of this room must be; each check names the argument it refuses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.statistics.fixed_point import Floats, Ints

MIN_RESAMPLES = 100


def columns_of(values: ArrayLike, name: str) -> Floats:
    """A finite (n, m) float64 array; a (n,) array becomes one column."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise ValueError(f"{name}: expected a 1-D or 2-D array, got {array.ndim} dimensions")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(
            f"{name}: expected finite numbers, got {array[row, column]} in row {row}, column "
            f"{column}; give an undefined value as numerator 0 and denominator 0"
        )
    return array


def ratio_columns(numerators: ArrayLike, denominators: ArrayLike) -> tuple[Floats, Floats]:
    """Numerators and denominators of one shape, denominators not negative."""
    top = columns_of(numerators, "numerators")
    bottom = columns_of(denominators, "denominators")
    if top.shape != bottom.shape:
        raise ValueError(
            f"denominators: expected the shape of numerators {top.shape}, got {bottom.shape}"
        )
    if (bottom < 0).any():
        raise ValueError("denominators: expected numbers >= 0, got a negative one")
    return top, bottom


def codes_of(codes: ArrayLike | None, length: int, name: str) -> Ints | None:
    """Codes 0..k-1 in the sorted order of the given labels, or None."""
    if codes is None:
        return None
    array = np.asarray(codes)
    if array.shape != (length,):
        raise ValueError(
            f"{name}: expected one entry per row, shape ({length},), got {array.shape}"
        )
    return np.unique(array, return_inverse=True)[1].astype(np.int64).reshape(length)


def group_rows(groups: Sequence[ArrayLike] | None, length: int) -> list[NDArray[np.intp] | None]:
    """Row numbers of every group, increasing; the first entry, None, means all rows."""
    rows: list[NDArray[np.intp] | None] = [None]
    for number, group in enumerate(groups or ()):
        rows.append(_one_group(np.asarray(group), number, length))
    return rows


def _one_group(group: NDArray[np.generic], number: int, length: int) -> NDArray[np.intp]:
    if group.dtype == np.bool_ and group.shape == (length,):
        return np.flatnonzero(group)
    if group.size == 0:
        return np.zeros(0, dtype=np.intp)
    if group.ndim != 1 or not np.issubdtype(group.dtype, np.integer):
        raise ValueError(f"groups: group {number} must be a 1-D array of row numbers or a mask")
    rows = np.unique(group).astype(np.intp)
    if len(rows) != len(group) or rows[0] < 0 or rows[-1] >= length:
        raise ValueError(f"groups: group {number} must hold distinct row numbers below {length}")
    return rows


def check_level(level: float, name: str = "level") -> float:
    """A confidence level strictly between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"{name}: expected a number between 0 and 1, both excluded, got {level}")
    return float(level)


def check_resamples(n_resamples: int) -> int:
    """A number of resamples of at least 100."""
    if n_resamples != int(n_resamples) or n_resamples < MIN_RESAMPLES:
        raise ValueError(
            f"n_resamples: expected a whole number of at least {MIN_RESAMPLES}, got {n_resamples}"
        )
    return int(n_resamples)


def check_seed(seed: int) -> int:
    """A seed that is a whole number and not negative."""
    if seed != int(seed) or seed < 0:
        raise ValueError(f"seed: expected a whole number >= 0, got {seed}")
    return int(seed)
