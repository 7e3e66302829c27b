"""The path of an attempt while it is being walked."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from abotn.geometry.frames import pose_from_xyz_rpy
from abotn.records.types import Trajectory
from abotn.rollout.plan import Plan
from abotn.rollout.scene_maps import SceneMaps, StepCollisions
from abotn.rollout.step import Choice

FloatArray = NDArray[np.float64]


class Walk:
    """Poses and steps so far; a camera stands at its height above the ground.

    Args:
        plan: Where it starts and where it should end.
        maps: The scene.
        camera_height: Metres above the ground.
    """

    def __init__(self, plan: Plan, maps: SceneMaps, camera_height: float) -> None:
        self.plan = plan
        self._maps = maps
        self._camera_height = camera_height
        self._positions: list[tuple[float, float, float]] = []
        self._yaws: list[float] = []
        self._distances: list[float] = []
        self._waypoints: list[tuple[float, float]] = []
        self._executed: list[int] = []
        self._seconds: list[tuple[float, float]] = []
        self._stand(plan.start_xy, plan.start_yaw)

    @property
    def steps(self) -> int:
        """Number of executed steps."""
        return len(self._executed)

    @property
    def position(self) -> FloatArray:
        """(3,) world metres, a new array."""
        return np.array(self._positions[-1])

    @property
    def yaw(self) -> float:
        """Heading, radians."""
        return self._yaws[-1]

    @property
    def distance(self) -> float:
        """XY distance to the goal, metres."""
        return self._distances[-1]

    @property
    def distances(self) -> list[float]:
        """XY distance of every pose to the goal, metres."""
        return list(self._distances)

    @property
    def pose(self) -> FloatArray:
        """(4, 4) camera-to-world transform, a new array."""
        return pose_from_xyz_rpy(*self._positions[-1], yaw=self.yaw)

    @property
    def path(self) -> FloatArray:
        """(T + 1, 2) positions, world metres."""
        return np.array(self._positions)[:, :2]

    def advance(self, choice: Choice, *, agent_seconds: float, render_seconds: float) -> None:
        """Execute a step."""
        self._stand(choice.xy, choice.yaw)
        self._waypoints.append((float(choice.waypoint[0]), float(choice.waypoint[1])))
        self._executed.append(choice.index)
        self._seconds.append((agent_seconds, render_seconds))

    def trajectory(self, collisions: StepCollisions | None) -> Trajectory:
        """Return what is recorded of the path.

        Args:
            collisions: Of the steps, under the run's sampling; None where there is no map, which
                leaves the lengths undefined.
        """
        steps = self.steps
        seconds = np.array(self._seconds).reshape(-1, 2)
        return Trajectory(
            position=np.array(self._positions),
            yaw=np.array(self._yaws),
            waypoint=np.array(self._waypoints).reshape(-1, 2),
            executed_index=np.array(self._executed, dtype=np.int64),
            distance_to_goal=np.array(self._distances),
            collided=np.zeros(steps, dtype=bool) if collisions is None else collisions.hit,
            collision_length=np.full(steps, np.nan) if collisions is None else collisions.length,
            agent_seconds=seconds[:, 0],
            render_seconds=seconds[:, 1],
            reference=self.plan.reference,
            goal=self.plan.goal_xy,
            extra=MappingProxyType({}),
        )

    def _stand(self, xy: FloatArray, yaw: float) -> None:
        z = self._maps.ground(xy) + self._camera_height
        self._positions.append((float(xy[0]), float(xy[1]), z))
        self._yaws.append(yaw)
        goal = self.plan.goal_xy
        self._distances.append(float(np.hypot(xy[0] - goal[0], xy[1] - goal[1])))
