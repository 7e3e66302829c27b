"""A dataclass field that holds an image and may read it from disk on first use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Pending:
    """An array that is read when it is first asked for; picklable when ``load`` is."""

    load: Callable[[], NDArray[Any]]


class MapArray:
    """Descriptor of an array field: None, an array, or a :class:`Pending` one.

    What is stored is read-only and belongs to the owner: a writable array is copied, so that
    later changes by the caller cannot reach it. To change a map, assign a new array.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._slot = f"_{name}_value"

    @overload
    def __get__(self, instance: None, owner: type) -> None: ...
    @overload
    def __get__(self, instance: object, owner: type) -> NDArray[Any] | None: ...
    def __get__(self, instance: object | None, owner: type) -> NDArray[Any] | None:
        if instance is None:
            # The default value that the dataclass machinery asks for.
            return None
        value = instance.__dict__.get(self._slot)
        if isinstance(value, Pending):
            value = _owned(value.load())
            instance.__dict__[self._slot] = value
        if value is not None:
            # Unpickled arrays are writable again.
            value.setflags(write=False)
        return value

    def __set__(self, instance: object, value: NDArray[Any] | Pending | None) -> None:
        plain = value is None or isinstance(value, Pending)
        instance.__dict__[self._slot] = value if plain else _owned(value)

    def is_set(self, instance: object) -> bool:
        """Whether there is an array, read or pending."""
        return instance.__dict__.get(self._slot) is not None


def _owned(value: Any) -> NDArray[Any]:
    array = np.asarray(value)
    if array.flags.writeable or array.base is not None:
        array = np.array(array)
        array.setflags(write=False)
    return array
