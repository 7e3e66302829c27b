"""JSON files that are whole or absent, without NaN, readable whoever wrote them."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import re
import secrets
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from abotn import schema_files
from abotn.errors import DataError, SchemaError

NON_FINITE_TOKENS = {
    "nan": math.nan,
    "inf": math.inf,
    "+inf": math.inf,
    "infinity": math.inf,
    "-inf": -math.inf,
    "-infinity": -math.inf,
}


def dump_json(document: Mapping[str, Any]) -> bytes:
    """Serialise to indented UTF-8 JSON.

    A float that is not finite becomes null and is named, by its dotted path, in the top-level
    key ``value_serialization``. Numpy scalars and arrays are written as numbers and lists. Half of
    a character, as in a file name that is no UTF-8, becomes a question mark.

    Raises:
        DataError: a value is none that JSON has.
    """
    replaced: dict[str, str] = {}
    plain = _plain(document, "", replaced)
    if replaced:
        plain["value_serialization"] = {**plain.get("value_serialization", {}), **replaced}
    try:
        return orjson.dumps(plain, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return _dump_leniently(plain)


def write_json(
    path: str | os.PathLike[str],
    document: Mapping[str, Any],
    *,
    schema: str | None = None,
    new: bool = False,
    through: bool = True,
) -> None:
    """Write ``document`` so that a reader sees the whole file or the one before it.

    Args:
        path: Target file; its folder must exist.
        document: What to write, see :func:`dump_json`.
        schema: Name of the schema the written document must fit, such as ``"result.v1"``.
        new: Whether there must be no such file yet; of several writers at once one succeeds.
        through: Whether links, devices and pipes are written through, see :func:`write_bytes`.

    Raises:
        FileExistsError: the file must be new and is not; it stays as it is.
        SchemaError: the document breaks the schema; nothing is written.
        DataError: the file system refused; nothing is left behind.
    """
    content = dump_json(document)
    if schema is not None:
        reason = schema_files.complaint(schema, parse_json(content, path))
        if reason is not None:
            raise SchemaError(f"refusing to write what breaks {schema}: {reason}", where=path)
    write_bytes(path, content, new=new, through=through)


def write_bytes(
    path: str | os.PathLike[str], content: bytes, *, new: bool = False, through: bool = True
) -> None:
    """Write a file through a temporary name in its own folder, flushed and renamed.

    What cannot be replaced by a file is written as it stands: a link by writing the file it leads
    to, a device, a pipe or a descriptor such as ``/dev/stdout`` by writing into it.

    Args:
        path: Target file; its folder must exist.
        content: All of it.
        new: Whether there must be no such file yet; of several writers at once one succeeds.
        through: False for a file of a run's own, which takes the place of whatever is there.

    Raises:
        FileExistsError: the file must be new and is not; it stays as it is.
        BrokenPipeError: whoever read the pipe went away.
        DataError: the file system refused; nothing is left behind.
    """
    try:
        if through and not new:
            handle = _opened_in_place(path)
            if handle is not None:
                _fill(handle, content)
                return
            _replace(Path(os.path.realpath(path)), content)
        else:
            _replace(Path(path), content, new=new)
    except (FileExistsError, BrokenPipeError):
        raise
    except OSError as error:
        raise DataError(f"cannot write: {error.strerror or error}", where=path) from error


def descriptor_of(path: str | os.PathLike[str]) -> int | None:
    """Return the number of the open file of this process that a path names; None for none.

    Example:
        >>> descriptor_of("/dev/fd/7")
        7
    """
    place = Path(path).absolute()
    for _ in range(_MOST_LINKS):
        found = _DESCRIPTOR.fullmatch(os.path.normpath(place))
        if found is not None and found[1] in (None, "self", "thread-self", str(os.getpid())):
            return int(found[2])
        if not place.is_symlink():
            return None
        place = place.parent / place.readlink()
    return None


def parse_json(content: bytes, where: str | os.PathLike[str]) -> dict[str, Any]:
    """Parse a JSON object, also with the NaN and Infinity tokens that Python writes.

    Raises:
        DataError: not JSON, cut short, or not an object.
    """
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        document = _parse_leniently(content, where, error)
    if not isinstance(document, dict):
        raise DataError(f"expected a JSON object, got {type(document).__name__}", where=where)
    return document


def read_json(path: str | os.PathLike[str], *, schema: str | None = None) -> dict[str, Any]:
    """Read a JSON object and check it.

    Raises:
        DataError: no such file, not a regular file, not JSON, or not an object.
        SchemaError: it breaks ``schema``.
    """
    try:
        content = read_regular(path)
    except OSError as error:
        raise DataError(f"cannot read: {error.strerror or error}", where=path) from error
    document = parse_json(content, path)
    if schema is not None:
        reason = schema_files.complaint(schema, document)
        if reason is not None:
            raise SchemaError(f"breaks {schema}: {reason}", where=path)
    return document


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file; a pipe, a device or a folder is refused, never waited for.

    Raises:
        OSError: it cannot be read, or is not a regular file nor a link to one.
    """
    handle = os.open(path, _OPEN_FLAGS)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
        content = os.read(handle, max(found.st_size, _READ_SIZE))
        while len(content) < found.st_size and (more := os.read(handle, found.st_size)):
            content += more
        return content
    finally:
        os.close(handle)


_READ_SIZE = 1 << 16
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


_DESCRIPTOR = re.compile(r"/(?:dev/fd|proc/([^/]+)/fd)/(\d{1,9})")
_MOST_LINKS = 40


def _opened_in_place(path: str | os.PathLike[str]) -> int | None:
    """Return a descriptor that writes into what a path names; None for a file to be replaced."""
    number = descriptor_of(path)
    if number is not None:
        return os.dup(_standard_output() if number == 1 else number)
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    return os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))


def _standard_output() -> int:
    """Return the descriptor behind ``sys.stdout``, which may have been moved from 1."""
    try:
        sys.stdout.flush()
        return sys.stdout.fileno()
    except (AttributeError, ValueError, OSError):
        return 1


def _fill(handle: int, content: bytes) -> None:
    with open(handle, "wb", buffering=0) as stream:
        left = memoryview(content)
        while left:
            left = left[stream.write(left) or 0 :]


def _replace(target: Path, content: bytes, *, new: bool = False) -> None:
    temporary = target.parent / f".tmp-{os.getpid()}-{secrets.token_hex(4)}~"
    try:
        _write_whole(temporary, content)
        if new:
            _name_anew(temporary, target, content)
        else:
            temporary.replace(target)
    finally:
        _discard(temporary)


def _write_whole(path: Path, content: bytes) -> None:
    with path.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _name_anew(temporary: Path, target: Path, content: bytes) -> None:
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links; what is there already is still refused.
        try:
            _write_whole(target, content)
        except FileExistsError:
            raise
        except BaseException:
            _discard(target)
            raise


def _discard(temporary: Path) -> None:
    with contextlib.suppress(OSError):
        temporary.unlink()


def _dump_leniently(plain: dict[str, Any]) -> bytes:
    import json

    try:
        text = json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"cannot be written as JSON: {error}") from error
    return f"{text}\n".encode("utf-8", "replace")


def _parse_leniently(content: bytes, where: str | os.PathLike[str], first: Exception) -> Any:
    import json

    try:
        return json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        reason = "the file is empty" if not content.strip() else str(first)
        raise DataError(f"not valid JSON: {reason}", where=where) from error


def _plain(value: Any, path: str, replaced: dict[str, str]) -> Any:
    kind = type(value)
    if kind in (str, int, bool) or value is None:
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        replaced[path] = "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
        return None
    if isinstance(value, Mapping):
        prefix = f"{path}." if path else ""
        return {str(key): _plain(item, f"{prefix}{key}", replaced) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, f"{path}.{index}", replaced) for index, item in enumerate(value)]
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), path, replaced)
    return str(value) if isinstance(value, str | os.PathLike) else value
