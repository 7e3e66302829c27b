"""The standard streams: nothing that is printed fails, and standard output is the command's own."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import IO, Any

from abotn.foreign_code import staying_here

# What a shell shows for a program that wrote into a pipe nobody reads any more.
EXIT_CLOSED_PIPE = 141

_ESCAPE = "abotn-escape"
_ASCII = "abotn-ascii"


def tolerant_streams() -> None:
    """Let both streams take any text: what their encoding lacks is written as ``\\u2191``.

    That is an escape of JSON too. Bytes of a file name that were no text come out as they were.
    A stream that was closed swallows what is printed.
    """
    codecs.register_error(_ESCAPE, _escaped)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, _opened(os.open(os.devnull, os.O_WRONLY), "utf-8"))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=_encoding(stream), errors=_ESCAPE)


def own_standard_output() -> None:
    """Keep standard output for what this process itself prints through ``sys.stdout``.

    What libraries in other languages and child processes print goes to standard error.
    """
    stream = sys.stdout
    try:
        out, err = stream.fileno(), sys.stderr.fileno()
        stream.flush()
        kept = os.dup(out)
    except (OSError, ValueError):
        return
    os.dup2(err, out)
    sys.stdout = _opened(kept, stream.encoding)


@contextmanager
def prints_on_stderr() -> Iterator[None]:
    """Send what the code inside prints to standard error, such as an agent's or a metric's.

    The working folder afterwards is the one from before, so that files are written where the user
    says.
    """
    with staying_here(), redirect_stdout(sys.stderr):
        yield


def with_output(work: Callable[[], int]) -> int:
    """Do something that prints, and return its exit code, another one where printing failed."""
    code = 0
    try:
        code = work()
        sys.stdout.flush()
    except OSError as error:
        silence(sys.stdout)
        if isinstance(error, BrokenPipeError):
            return code or EXIT_CLOSED_PIPE
        say(f"error: standard output: {error.strerror or error}")
        return code or 2
    return code


def is_broken(stream: IO[Any]) -> bool:
    """Whether a stream takes nothing any more."""
    try:
        stream.flush()
    except (OSError, ValueError):
        return True
    return False


def silence(stream: IO[Any]) -> None:
    """Let a stream swallow what is left in it, which Python would complain about at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def say(line: str) -> None:
    """Print a line on standard error, if anybody is there."""
    try:
        print(line, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        silence(sys.stderr)


def _opened(handle: int, encoding: str) -> IO[str]:
    # Open until the process ends, like the streams that Python itself makes.
    return open(handle, "w", encoding=encoding, errors=_ESCAPE, closefd=False)


def _encoding(stream: io.TextIOWrapper) -> str:
    if codecs.lookup(stream.encoding).name != "ascii":
        return stream.encoding
    # Under its own name click would take ASCII for a mistake and write UTF-8.
    codecs.register(_find_ascii)
    return _ASCII


def _find_ascii(name: str) -> codecs.CodecInfo | None:
    if name.replace("_", "-") != _ASCII:
        return None
    plain = codecs.lookup("ascii")
    return codecs.CodecInfo(
        plain.encode, plain.decode, plain.streamreader, plain.streamwriter,
        plain.incrementalencoder, plain.incrementaldecoder, name=_ASCII,
    )  # fmt: skip


def _escaped(error: UnicodeError) -> tuple[bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return b"".join(map(_escape, error.object[error.start : error.end])), error.end


def _escape(character: str) -> bytes:
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:
        return bytes([number - 0xDC00])
    units = character.encode("utf-16-be", "surrogatepass")
    pairs = (units[at : at + 2] for at in range(0, len(units), 2))
    return b"".join(b"\\u%02x%02x" % tuple(pair) for pair in pairs)
