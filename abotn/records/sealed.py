"""Arrays for code that is not ours, such as a plugin's metric: none can be written to."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray


def sealed(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy of an array that nothing makes writeable again, nor its ``base``.

    Its memory belongs to a ``bytes`` object. An array of objects cannot live there; it is a view
    of a read-only copy, see :func:`lent`.
    """
    if array.dtype.hasobject or not array.size:
        whole = array.copy()
        whole.flags.writeable = False
        return _view(whole)
    found: NDArray[Any] = np.frombuffer(array.tobytes(), dtype=array.dtype)
    return found.reshape(array.shape)


def shown(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of the same memory, through which no array is reached."""
    try:
        memory: Any = memoryview(array.data)
        return np.asarray(memory.toreadonly())
    except (ValueError, TypeError, BufferError):
        # A type that buffers do not know, such as a date.
        return _view(array)


def lent(column: NDArray[Any]) -> NDArray[Any]:
    """Return a sealed column for others to read: one of objects as a copy, lists in it as well."""
    if not column.dtype.hasobject:
        return column
    items = column.tolist()
    if any(issubclass(kind, list | dict) for kind in set(map(type, items))):
        items = [copy.deepcopy(one) if isinstance(one, list | dict) else one for one in items]
    own = np.fromiter(items, dtype=object, count=len(items))
    own.flags.writeable = False
    return own


def _view(array: NDArray[Any]) -> NDArray[Any]:
    view: NDArray[Any] = array.view()
    view.flags.writeable = False
    return view
