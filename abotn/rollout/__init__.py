"""The loop: an agent over a dataset under a protocol, and the records it leaves."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abotn.rollout.memory import ShortMemory as ShortMemory
    from abotn.rollout.progress import Progress as Progress
    from abotn.rollout.progress import progress_bar as progress_bar
    from abotn.rollout.protocol import Protocol as Protocol
    from abotn.rollout.runner import run as run
    from abotn.rollout.session import RunOutcome as RunOutcome

_HOMES = {
    "Progress": "abotn.rollout.progress",
    "Protocol": "abotn.rollout.protocol",
    "RunOutcome": "abotn.rollout.session",
    "ShortMemory": "abotn.rollout.memory",
    "progress_bar": "abotn.rollout.progress",
    "run": "abotn.rollout.runner",
}

__all__ = ["Progress", "Protocol", "RunOutcome", "ShortMemory", "progress_bar", "run"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'abotn.rollout' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
