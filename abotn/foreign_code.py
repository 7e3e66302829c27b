"""What is put around code that is not ours: agents, metrics, groupings, plugins."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def no_way_out_for_children() -> Iterator[None]:
    """End a process that was forked inside, at the moment when it would leave the block.

    The child may do in there what it likes; what comes after the block, above all writing files,
    is this process's alone.
    """
    process = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != process:
            # Not sys.exit: the child holds copies of our buffers, pipes and clean-up handlers.
            os._exit(0)


@contextmanager
def staying_here() -> Iterator[None]:
    """Come back to the working folder, so that paths given in words keep their meaning."""
    folder = _working_folder()
    try:
        yield
    finally:
        if folder is not None and _working_folder() != folder:
            with suppress(OSError):
                os.chdir(folder)


@contextmanager
def foreign_code() -> Iterator[None]:
    """Both: no child leaves the block, and the working folder is the one from before."""
    with no_way_out_for_children(), staying_here():
        yield


def _working_folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        # Somebody has removed it.
        return None
