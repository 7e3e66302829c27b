"""Why each record ended as it did, in the words of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.records.table import RecordTable

ERROR = "error"
COLLISION = "collision"
WRONG_STOP = "wrong stop"
TIME_OUT = "time-out"
COLLIDED = "collided on the way"
UNKNOWN = "not known"
SOLVED = "solved"

MEANINGS = {
    ERROR: "the scene, the renderer or the agent failed",
    COLLISION: "a collision ended the task",
    WRONG_STOP: "it stopped outside the arrival circle",
    TIME_OUT: "the steps ran out",
    COLLIDED: "it arrived, with as many collisions as spoil a success",
    UNKNOWN: "the record does not say",
    SOLVED: "it arrived",
}
CAUSES = tuple(MEANINGS)


def causes(table: RecordTable, manifest: Mapping[str, Any]) -> list[str]:
    """Return one of :data:`CAUSES` per record.

    A record of the published tools that ran out of steps before the run's limit, or declared
    its arrival, is a wrong stop, whatever its status says.

    Args:
        table: N records.
        manifest: Manifest of their run; may be empty.
    """
    statuses = _texts(table, "status")
    success = _numbers(table, "success")
    limit = manifest.get("max_steps") or 0
    stopped = (_numbers(table, "declared_arrival") == 1) | (_numbers(table, "steps") < limit)
    spoiled = _spoiled(table, manifest)
    rows = zip(statuses, success, stopped, spoiled, strict=True)
    return [_cause(*row) for row in rows]


def _cause(status: str | None, success: float, stopped: bool, spoiled: bool) -> str:  # noqa: FBT001
    if status in (ERROR, COLLISION):
        return str(status)
    if success == 1:
        return COLLIDED if spoiled else SOLVED
    if success != 0 or status is None:
        return UNKNOWN
    return TIME_OUT if status == "max_steps" and not stopped else WRONG_STOP


def _spoiled(table: RecordTable, manifest: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return where collisions on the way spoil a success, which they do for point goals only."""
    kinds = _texts(table, "task_type")
    point_goal = np.array([kind != "poi_goal" for kind in kinds], dtype=bool)
    values = (manifest.get("protocol") or {}).get("values") or {}
    threshold = float(values.get("collision_threshold", np.inf))
    judged = "success_new" in table
    written = _numbers(table, "success_new") == 0
    counted = _numbers(table, "path_collision_count") >= threshold
    spoiled: NDArray[np.bool_] = point_goal & (written if judged else counted)
    return spoiled


def _numbers(table: RecordTable, name: str) -> NDArray[np.float64]:
    if name not in table or table.column(name).dtype == object:
        return np.full(len(table), np.nan)
    return np.asarray(table.column(name), dtype=np.float64)


def _texts(table: RecordTable, name: str) -> list[str | None]:
    return list(table.column(name)) if name in table else [None] * len(table)
