"""What metrics return, as numbers: one rule for all of them."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.metrics.arrays import plain_array

FloatArray = NDArray[np.float64]

_NAMES = {
    "c": "complex numbers",
    "U": "text",
    "S": "bytes",
    "T": "text",
    "M": "dates",
    "m": "time spans",
    "V": "structures",
}


def real_numbers(returned: Any) -> FloatArray:
    """Return what a metric returned as float64.

    Taken are real numbers and truth values (1 and 0), alone or in arrays, lists, tuples, pandas
    columns and tensors, and arrays of objects that are such numbers. A masked entry is undefined,
    like NaN. Text, None, complex numbers, dates and anything else is refused.

    Args:
        returned: Whatever a metric returned.

    Returns:
        A float64 array of the same shape.

    Raises:
        TypeError: not numbers; says what was found.
        ValueError: a number that is too large for float64, or lists of different lengths.

    Example:
        >>> real_numbers([True, 0.5]).tolist()
        [1.0, 0.5]
        >>> real_numbers(np.ma.array([1.0, 9.0], mask=[False, True])).tolist()
        [1.0, nan]
    """
    if isinstance(returned, np.ma.MaskedArray):
        if returned.dtype.kind not in "biuf":
            raise TypeError(_expected(_NAMES.get(returned.dtype.kind, "objects")))
        return np.asarray(np.ma.filled(returned.astype(np.float64), np.nan))
    array = _as_array(returned)
    if array.dtype.kind in "biuf":
        with np.errstate(over="ignore"):
            return array.astype(np.float64, copy=False)
    if array.dtype.kind != "O":
        raise TypeError(_expected(_NAMES.get(array.dtype.kind, str(array.dtype))))
    strange = [
        one for one in array.ravel().tolist() if not isinstance(one, Real | Decimal | np.bool_)
    ]
    if strange:
        found = "None (undefined is NaN)" if strange[0] is None else type(strange[0]).__name__
        raise TypeError(_expected(found))
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise ValueError("returned a number that is too large for float64") from None


def pair_of(returned: Any) -> tuple[Any, Any]:
    """Return the numerators and denominators that a ratio metric returned.

    Raises:
        TypeError: not a pair.
    """
    listed = isinstance(returned, list | tuple) or (
        np.ndim(returned) and hasattr(returned, "shape")
    )
    if not listed or len(returned) != 2:
        found = f"{len(returned)} values" if listed else type(returned).__name__
        raise TypeError(f"returned {found}, expected a pair (numerators, denominators)")
    return returned[0], returned[1]


def _as_array(returned: Any) -> NDArray[Any]:
    plain = plain_array(returned)
    try:
        return np.asarray(plain)
    except ValueError:
        raise ValueError("returned lists of different lengths, expected real numbers") from None


def _expected(found: str) -> str:
    return f"returned {found}, expected real numbers"
