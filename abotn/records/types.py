"""What one attempt leaves behind: its result and its trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from abotn.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STATUSES = ("stop", "max_steps", "collision", "error")
ERROR_STAGES = ("scene", "render", "agent")


@dataclass(frozen=True)
class ResultRecord:
    """The result of one attempt; the fields are the keys of ``result.json``.

    Attributes:
        episode_id: Scene id (the published name of the key).
        task_id: Task id within the scene, such as ``"traj_3"``.
        attempt: 0 for the first rollout of the task, 1 for the second, ...
        task_type: ``"point_goal"`` or ``"poi_goal"``.
        status: Why the task ended: one of ``STATUSES``.
        steps: Number of executed steps.
        travel_length: XY length of the executed path, metres.
        shortest_path_length: XY length of the reference path, metres; None when unknown.
        distance_to_goal: XY distance from the last position to the goal, metres; None when unknown.
        success: Whether the task was solved under the run's protocol.
        metrics: Further numbers, such as ``path_collision_count`` (count) and
            ``collision_path_length`` (metres); each becomes a column.
        error: ``{"stage", "type", "message"}`` when the status is ``"error"``.
        extra: Any further top-level keys of the file, kept on a round trip.
    """

    episode_id: str
    task_id: str
    attempt: int = 0
    task_type: str = "point_goal"
    status: str = "stop"
    steps: int = 0
    travel_length: float | None = None
    shortest_path_length: float | None = None
    distance_to_goal: float | None = None
    success: bool = False
    metrics: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, str] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, int]:
        """The record's identity within a run: scene, task, attempt."""
        return self.episode_id, self.task_id, self.attempt

    def to_dict(self) -> dict[str, Any]:
        """Return the published layout, ready for ``result.json``."""
        named = {name: getattr(self, name) for name in RESULT_KEYS if name != "metrics"}
        if self.error is None:
            del named["error"]
        return {**named, **self.extra, "metrics": dict(self.metrics)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> ResultRecord:
        """Build a record from a ``result.json`` document in this project's layout."""
        named = {name: document[name] for name in RESULT_KEYS if name in document}
        extra = {key: value for key, value in document.items() if key not in RESULT_KEYS}
        return cls(**named, extra=extra)


RESULT_KEYS = (
    "episode_id", "task_id", "attempt", "task_type", "status", "steps", "travel_length",
    "shortest_path_length", "distance_to_goal", "success", "error", "metrics",
)  # fmt: skip


@dataclass(frozen=True)
class Trajectory:
    """The path of one attempt, step by step. T is the number of executed steps.

    Attributes:
        position: (T + 1, 3) world positions, metres; row 0 is the start.
        yaw: (T + 1,) headings, radians, counter-clockwise from world +x.
        waypoint: (T, 2) executed waypoint in the agent frame ``[front, left]``, metres.
        executed_index: (T,) index of the executed pose among the predicted ones.
        distance_to_goal: (T + 1,) XY distance to the goal, metres.
        collided: (T,) whether the step hit an obstacle under the run's sampling.
        collision_length: (T,) metres of the step inside obstacles, under the run's sampling.
        agent_seconds: (T,) wall time of each prediction.
        render_seconds: (T,) wall time of each rendering.
        reference: (R, 2) reference path in world XY, metres.
        goal: (2,) goal in world XY, metres.
        extra: Further per-step arrays by name.
    """

    position: NDArray[np.float64]
    yaw: NDArray[np.float64]
    waypoint: NDArray[np.float64]
    executed_index: NDArray[np.int64]
    distance_to_goal: NDArray[np.float64]
    collided: NDArray[np.bool_]
    collision_length: NDArray[np.float64]
    agent_seconds: NDArray[np.float64]
    render_seconds: NDArray[np.float64]
    reference: NDArray[np.float64]
    goal: NDArray[np.float64]
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class DamagedRecord:
    """A record that could not be used, and why; counted and named, never dropped in silence.

    Attributes:
        path: Its file, or its place among the records given.
        reason: Why it cannot be used.
        is_stray: It is sound, but lies in the folder of another task.
    """

    path: str
    reason: str
    is_stray: bool = False


def nothing_usable(damaged: Sequence[DamagedRecord]) -> DataError:
    """Return the error of records that are all damaged; it names the first."""
    return DataError(
        f"no usable record; {damaged[0].reason}",
        where=damaged[0].path,
        hint="make the records again, or take them from a copy",
    )
