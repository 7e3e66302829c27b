"""The state of exact sums as plain values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def plain_state(value: Any) -> Any:
    """Return a copy of a number, array, mapping or object as plain values and numpy arrays.

    An object becomes the mapping of its attributes; whole numbers of any length stay exact.
    """
    if isinstance(value, int | float | str | None):
        return value
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, Mapping):
        return {key: plain_state(inner) for key, inner in value.items()}
    return {name: plain_state(inner) for name, inner in vars(value).items()}


def restore(value: Any, state: Any) -> None:
    """Set an object's attributes to a state that ``plain_state`` returned of an equal one.

    Args:
        value: The object, made with the configuration of the one that was saved.
        state: Its state; it is copied.

    Raises:
        ValueError: the state has other attributes, or values of other kinds.
    """
    own = vars(value)
    if not isinstance(state, Mapping) or own.keys() != state.keys():
        raise ValueError(f"expected a state of {', '.join(own)}")
    own.update({name: _restored(inner, state[name], name) for name, inner in own.items()})


def _restored(value: Any, state: Any, name: str) -> Any:
    if isinstance(value, bool | int | float | str | None):
        if type(value) is not type(state):
            raise ValueError(f"{name}: expected {type(value).__name__}, got {state!r}")
        return state
    if isinstance(value, Mapping):
        return _restored_sums(state, name)
    restore(value, state)
    return value


def _restored_sums(state: Any, name: str) -> dict[int, Any]:
    """Return weighted sums: an int64 array per grid step."""
    if not isinstance(state, Mapping):
        raise ValueError(f"{name}: expected a mapping, got {type(state).__name__}")
    sums = {int(step): np.array(array) for step, array in state.items()}
    if any(array.dtype != np.int64 or array.ndim != 1 for array in sums.values()):
        raise ValueError(f"{name}: expected 1-D arrays of int64")
    if len({array.shape for array in sums.values()}) > 1:
        raise ValueError(f"{name}: expected arrays of one length")
    return sums
