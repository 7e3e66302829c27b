"""Values on the wire: one line of JSON, then the bytes of the arrays that belong in it.

The line is ``{"values": ..., "parts": [...]}``. Each part says where in the values it belongs
(``at``, keys and indices), and there the values hold null. Nothing but numbers, texts, truth
values, null, lists, mappings and arrays of numbers travels; nothing is ever executed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from abotn.errors import DataError

MESSAGE_TYPE = "application/x-abotn-message"

Place = tuple[str | int, ...]
AnyArray = NDArray[Any]

_KINDS = "biuf"
_WIDEST = 8
_MOST_HELD = 8
_SMALL = 4096
_QUALITY = 95
_NUMBERS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


class SentArrays:
    """The read-only arrays that the other side already has; each is sent once until cleared."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[AnyArray, int]] = {}

    def clear(self) -> None:
        """Forget them, as the other side does."""
        self._known.clear()

    def key_of(self, array: AnyArray) -> tuple[int | None, bool]:
        """Return the key of an array, None when it is to be sent anew, and whether it is known."""
        if array.flags.writeable or array.nbytes < _SMALL:
            return None, False
        if id(array) in self._known:
            return self._known[id(array)][1], True
        if len(self._known) >= _MOST_HELD:
            return None, False
        # Holding the array keeps its id from being given to another one.
        self._known[id(array)] = array, len(self._known)
        return self._known[id(array)][1], False


def pack(
    values: Mapping[str, Any],
    *,
    sent: SentArrays | None = None,
    as_jpeg: Callable[[Place], bool] = lambda place: False,
) -> bytes:
    """Return a message.

    Args:
        values: What to send; objects that numpy can make an array of, such as tensors, are sent
            as that array.
        sent: What the other side has; None when it keeps nothing.
        as_jpeg: Whether the uint8 image (height, width, 3) at a place may lose what JPEG loses.

    Raises:
        DataError: something in it cannot travel; names the place.
    """
    packer = _Packer(sent, as_jpeg)
    try:
        line = orjson.dumps({"values": packer.plain(values, ()), "parts": packer.parts})
    except (TypeError, RecursionError) as error:
        raise DataError(f"the message cannot be written: {error}") from error
    return b"".join([line, b"\n", *packer.blobs])


def unpack(content: bytes, held: dict[int, AnyArray] | None = None) -> dict[str, Any]:
    """Return the values of a message; arrays are new, and writable unless they are held.

    Args:
        content: The message, all of it.
        held: Arrays by key that earlier messages left here; this one's are added.

    Raises:
        DataError: it is no message, or is cut short.
    """
    line, newline, rest = memoryview(content), b"", memoryview(b"")
    end = content.find(b"\n")
    if end >= 0:
        line, newline, rest = line[:end], b"\n", line[end + 1 :]
    try:
        head = orjson.loads(line)
        values, parts = head["values"], head["parts"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise DataError("expected a line of JSON with values and parts") from error
    if not newline or not isinstance(values, dict) or not isinstance(parts, list):
        raise DataError("expected a line of JSON with values and parts")
    _fill(values, parts, rest, {} if held is None else held)
    return values


class _Packer:
    def __init__(self, sent: SentArrays | None, as_jpeg: Callable[[Place], bool]) -> None:
        self._sent = sent
        self._as_jpeg = as_jpeg
        self.parts: list[dict[str, Any]] = []
        self.blobs: list[bytes | memoryview] = []

    def plain(self, value: Any, at: Place) -> Any:
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if np.isfinite(value) else self._number(value, at)
        if isinstance(value, Mapping):
            return {_key(key, at): self.plain(item, (*at, key)) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(item, (*at, index)) for index, item in enumerate(value)]
        if isinstance(value, str):
            return str(value)
        self._array(_array_of(value, at), at)
        return None

    def _number(self, value: float, at: Place) -> None:
        name = "nan" if np.isnan(value) else "inf" if value > 0 else "-inf"
        self.parts.append({"at": at, "number": name})

    def _array(self, array: AnyArray, at: Place) -> None:
        part: dict[str, Any] = {"at": at, "dtype": array.dtype.str, "shape": array.shape}
        key, known = (None, False) if self._sent is None else self._sent.key_of(array)
        if key is not None:
            part["held"] = key
        if not known:
            part["encoding"], blob = self._encoded(array, at)
            part["bytes"] = blob.nbytes
            self.blobs.append(blob)
        self.parts.append(part)

    def _encoded(self, array: AnyArray, at: Place) -> tuple[str, memoryview]:
        image = array.dtype == np.uint8 and array.ndim == 3 and array.shape[2] == 3 and array.size
        if image and self._as_jpeg(at):
            return "jpeg", memoryview(_jpeg(array))
        return "raw", np.ascontiguousarray(array).data


def _key(key: Any, at: Place) -> str:
    if not isinstance(key, str):
        raise DataError(f"expected texts as keys, got {key!r}", where=_shown(at))
    return str(key)


def _array_of(value: Any, at: Place) -> AnyArray:
    numeric = isinstance(value, np.ndarray | np.generic | float | int)
    if not numeric and not hasattr(value, "__array__"):
        raise _stranger(value, at)
    try:
        array = np.asarray(value)
    except Exception as error:
        raise _stranger(value, at) from error
    if array.dtype.kind not in _KINDS or array.dtype.itemsize > _WIDEST:
        raise _stranger(value, at, f" of {array.dtype}")
    little = array.dtype.newbyteorder("<")
    return array if array.dtype == little else array.astype(little)


def _stranger(value: Any, at: Place, kind: str = "") -> DataError:
    return DataError(
        f"a {type(value).__name__}{kind} cannot travel",
        where=_shown(at),
        hint="numbers, texts, lists, mappings and arrays of numbers can",
    )


def _shown(at: Place) -> str | None:
    return ".".join(map(str, at)) or None


def _fill(
    values: dict[str, Any], parts: list[Any], rest: memoryview, held: dict[int, AnyArray]
) -> None:
    offset = 0
    for number, part in enumerate(parts):
        try:
            value, used = _value_of(part, rest[offset:], held)
            _place(values, part["at"], value)
        except DataError:
            raise
        except (KeyError, IndexError, TypeError, ValueError, OverflowError, MemoryError) as error:
            raise DataError(f"part {number} cannot be read: {error!r}"[:200]) from error
        offset += used
    if offset != len(rest):
        raise DataError(f"expected {offset} bytes after the line, got {len(rest)}")


def _value_of(part: Any, rest: memoryview, held: dict[int, AnyArray]) -> tuple[Any, int]:
    if "number" in part:
        return _NUMBERS[part["number"]], 0
    if "encoding" not in part:
        return held[part["held"]], 0
    used = part["bytes"]
    if type(used) is not int or not 0 <= used <= len(rest):
        raise DataError(f"expected {used!r} bytes of an array, got {len(rest)}")
    array = _decoded(part, rest[:used])
    if "held" not in part:
        # A number that came as an array of no dimensions is a number again.
        return array[()] if array.ndim == 0 else array, used
    if type(part["held"]) is not int or not 0 <= part["held"] < _MOST_HELD:
        raise DataError(f"expected a key below {_MOST_HELD}, got {part['held']!r}")
    array.setflags(write=False)
    held[part["held"]] = array
    return array, used


def _decoded(part: Mapping[str, Any], blob: memoryview) -> AnyArray:
    dtype, shape = np.dtype(str(part["dtype"])), tuple(part["shape"])
    if dtype.kind not in _KINDS or not all(type(side) is int and side >= 0 for side in shape):
        raise DataError(f"no array of {dtype} and shape {shape} can travel")
    if part["encoding"] == "jpeg":
        return _image(blob, shape)
    if part["encoding"] != "raw":
        raise DataError(f"unknown encoding {part['encoding']!r}", hint="raw or jpeg")
    flat = np.frombuffer(blob, dtype=dtype).astype(dtype.newbyteorder("="))
    return flat.reshape(shape)


def _place(values: Any, at: Any, value: Any) -> None:
    *way, last = at
    for step in way:
        values = values[step]
    if values[last] is not None:
        raise DataError(f"expected null at {'.'.join(map(str, at))}")
    values[last] = value


def _jpeg(image: AnyArray) -> bytes:
    import cv2

    options = [
        cv2.IMWRITE_JPEG_QUALITY, _QUALITY,
        cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444,
    ]  # fmt: skip
    done, content = cv2.imencode(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), options)
    if not done:
        raise DataError(f"an image of shape {image.shape} cannot be encoded as JPEG")
    return bytes(content.tobytes())


def _image(blob: memoryview, shape: tuple[int, ...]) -> AnyArray:
    import cv2

    decoded = cv2.imdecode(np.frombuffer(blob, dtype=np.uint8), cv2.IMREAD_COLOR)
    if decoded is None or decoded.shape != shape:
        raise DataError(f"expected a JPEG image of shape {shape}, got something else")
    return np.asarray(cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB))
