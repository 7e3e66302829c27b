"""Single values of records, in whatever type a caller has them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from abotn.json_files import NON_FINITE_TOKENS

NUMBERS = (int, float, np.integer, np.floating, np.bool_, Decimal, type(None))


def is_missing(value: object) -> bool:
    """Whether a value stands for none: None, NaN, and pandas' own."""
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def as_flag(value: Any) -> Any:
    """Return 0 and 1, of any numeric type, as False and True; anything else as it is.

    Example:
        >>> as_flag(1.0), as_flag(2), as_flag("yes")
        (True, 2, 'yes')
    """
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else value


def is_token(text: str) -> bool:
    """Whether a text stands for a number that is not finite."""
    return len(text) < 12 and text.strip().lower() in NON_FINITE_TOKENS


def text_of_id(value: Any) -> str:
    """Return an id as text; a whole number has no decimals, whatever type it came in."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def plain_value(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, np.generic | np.ndarray):
        return plain_value(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if isinstance(value, Decimal):
        return float(value)
    return None if is_missing(value) else value
