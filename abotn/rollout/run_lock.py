"""One process at a time in a run folder; the system lets go of a lock when its process ends."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abotn.errors import ConfigError, DataError
from abotn.records.files import MANIFEST_NAME

# Windows keeps others from reading what is locked, so a byte is taken that no manifest has.
_LOCKED_BYTE = 1 << 30
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_held: set[int] = set()


@contextmanager
def locked_run(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Hold the run in ``folder`` against other processes, and other calls in this one.

    The lock lies on ``run.json`` and leaves no trace: it ends with the process, however that ends.
    Where the file system knows no locks, nothing is held.

    Args:
        folder: A run folder with its manifest.

    Raises:
        ConfigError: another process is at work in it.
        DataError: there is no manifest, or it cannot be opened.
    """
    handle = _opened(Path(folder) / MANIFEST_NAME)
    _held.add(handle)
    try:
        if not _lock(handle):
            raise ConfigError(
                "another process is at work in this run",
                where=folder,
                hint="wait for it, or stop it first",
            )
        yield
    finally:
        _held.discard(handle)
        os.close(handle)


def _opened(path: Path) -> int:
    # Some network file systems lock only what could be written.
    for flags in (os.O_RDWR, os.O_RDONLY):
        try:
            return os.open(path, flags | getattr(os, "O_BINARY", 0))
        except PermissionError as error:
            refused = error
        except OSError as error:
            raise DataError(f"cannot open: {error.strerror or error}", where=path) from error
    raise DataError(f"cannot open: {refused.strerror or refused}", where=path) from refused


def _lock(handle: int) -> bool:
    """Lock an open file; return False when it is another's."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _TAKEN
    return True


def _let_go_in_child() -> None:
    """A process that an agent forks must not keep the lock when this one is gone."""
    for handle in _held:
        os.close(handle)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_child)
