"""Where in an attempt something failed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_LONGEST_MESSAGE = 1000


class AttemptFailed(Exception):  # noqa: N818 - it says what happened to the attempt
    """An attempt cannot go on.

    Attributes:
        stage: ``"scene"``, ``"render"`` or ``"agent"``.
        cause: What was raised.
    """

    def __init__(self, stage: str, cause: BaseException) -> None:
        super().__init__(f"{stage}: {cause}")
        self.stage = stage
        self.cause = cause

    def entry(self) -> dict[str, str]:
        """Return the ``error`` entry of the record."""
        message = " ".join(str(self.cause).split())[:_LONGEST_MESSAGE]
        name = type(self.cause).__name__
        return {"stage": self.stage, "type": name, "message": message or name}


class AttemptStopped(BaseException):
    """The run is being stopped; the attempt leaves nothing behind."""


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Turn what is raised inside, also an agent's ``sys.exit()``, into :class:`AttemptFailed`."""
    try:
        yield
    except (Exception, SystemExit) as error:
        raise AttemptFailed(name, error) from error
