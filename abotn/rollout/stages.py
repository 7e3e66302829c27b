"""Where in an attempt something failed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from abotn.errors import name_of, text_of
from abotn.foreign_code import no_way_out_for_children


class AttemptFailed(Exception):  # noqa: N818 - it says what happened to the attempt
    """An attempt cannot go on.

    Attributes:
        stage: ``"scene"``, ``"render"`` or ``"agent"``.
        cause: What was raised.
    """

    def __init__(self, stage: str, cause: BaseException) -> None:
        super().__init__(f"{stage}: {text_of(cause)}")
        self.stage = stage
        self.cause = cause

    def entry(self) -> dict[str, str]:
        """Return the ``error`` entry of the record: one line of at most a thousand characters."""
        name = name_of(self.cause)
        return {"stage": self.stage, "type": name, "message": text_of(self.cause) or name}


class AttemptStopped(BaseException):
    """The run is being stopped; the attempt leaves nothing behind."""


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Turn whatever is raised inside into :class:`AttemptFailed`.

    Also an agent's ``sys.exit()`` and every other exception that is no ``Exception``;
    ``KeyboardInterrupt`` alone passes, because it is the user's. A process forked inside ends.
    """
    try:
        with no_way_out_for_children():
            yield
    except (KeyboardInterrupt, AttemptStopped):
        raise
    except BaseException as error:
        raise AttemptFailed(name, error) from error
