"""One navigation task: a start, a goal and a reference path."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError
from abotn.geometry.paths import path_length
from abotn.records.files import check_task_id
from abotn.scenes.trajectory_file import read_trajectory


@dataclass
class Task:
    """One navigation task.

    Attributes:
        task_id: Unique within its scene; the stem of its file, such as ``"traj_0"``.
        trajectory: Poses of the reference path from start to goal; each a dict with ``x``, ``y``,
            ``z`` (metres, world) and ``roll``, ``pitch``, ``yaw`` (radians).
        label: What the file says about the task; ``label["extend"]`` names the goal.
        instruction: What to tell the agent, empty when the file has none.
    """

    task_id: str
    trajectory: list[dict[str, float]]
    label: dict[str, Any] = field(default_factory=dict)
    instruction: str = ""

    @classmethod
    def from_json(cls, json_path: str | os.PathLike[str]) -> Task:
        """Read a ``traj_*.json`` file; the task's id is the stem of its name.

        Raises:
            DataError: see :func:`abotn.scenes.trajectory_file.read_trajectory`.
        """
        return cls(task_id=Path(json_path).name.removesuffix(".json"), **read_trajectory(json_path))

    @property
    def start_pose(self) -> dict[str, float] | None:
        """First pose of the reference path, or None when there is none."""
        return self.trajectory[0] if self.trajectory else None

    @property
    def end_pose(self) -> dict[str, float] | None:
        """Last pose of the reference path, or None when there is none."""
        return self.trajectory[-1] if self.trajectory else None

    @property
    def goal_label(self) -> str:
        """Name of the goal, such as a shop's; empty when the label has none."""
        extend = self.label.get("extend")
        value = extend.get("goal_label") if isinstance(extend, dict) else None
        return "" if value is None else str(value)

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions (N, 3) of the reference path: x, y, z in metres, world frame."""
        rows = [[pose["x"], pose["y"], pose.get("z", 0.0)] for pose in self.trajectory]
        return np.array(rows, dtype=np.float64).reshape(-1, 3)

    @property
    def reference_length(self) -> float:
        """XY length of the reference path in metres; NaN when there is no path."""
        return float(path_length(self.positions[:, :2])) if self.trajectory else float("nan")


def named_task(path: str | os.PathLike[str]) -> Task:
    """Read a task of a dataset, whose name must be fit for the folder of a run.

    Raises:
        DataError: the name is not, or see :meth:`Task.from_json`; names the file.
    """
    task = Task.from_json(path)
    try:
        check_task_id(task.task_id)
    except DataError as error:
        raise DataError(error.message, where=path, hint=error.hint) from error
    return task
