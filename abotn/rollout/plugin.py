"""The protocols this package brings."""

from __future__ import annotations

import pluggy

from abotn.rollout.protocol import (
    POIBENCH,
    POINTBENCH_INDOOR,
    POINTBENCH_OUTDOOR,
    STRICT,
    Protocol,
)

hookimpl = pluggy.HookimplMarker("abotn")


@hookimpl
def abotn_protocols() -> list[Protocol]:
    """The three of the published benchmark, and the strict one."""
    return [POINTBENCH_OUTDOOR, POINTBENCH_INDOOR, POIBENCH, STRICT]
