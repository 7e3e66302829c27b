"""A baseline agent that plans on the occupancy map it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from abotn.agents.baselines import positive
from abotn.agents.interface import BasePointGoalAgent, Observation, WaypointPrediction
from abotn.agents.map_route import Route, RoutePlanner
from abotn.collision import OccupancyGrid
from abotn.errors import AgentError
from abotn.geometry.frames import local_to_world, world_to_local
from abotn.geometry.map_geometry import MapGeometry


class PlannerAgent(BasePointGoalAgent):
    """Plans the shortest path that keeps a distance from obstacles, and follows it; either task.

    Each step goes to the farthest point of the path within ``look_ahead`` that can be reached
    straight. Where the distance cannot be kept, half of it is tried, then none; where the goal
    cannot be reached, it goes to the reachable place nearest to it.

    Args:
        clearance: Distance to keep from obstacles, metres.
        look_ahead: Longest step, metres along the path.
        stop_distance: Distance to the end of the path at which it declares arrival, metres.
    """

    needs: ClassVar[tuple[str, ...]] = ("occ_map", "meta_data")

    def __init__(
        self, clearance: float = 0.3, look_ahead: float = 1.0, stop_distance: float = 0.1
    ) -> None:
        self.clearance = positive(clearance, "clearance")
        self.look_ahead = positive(look_ahead, "look_ahead")
        self.stop_distance = positive(stop_distance, "stop_distance")
        self._map: NDArray[np.uint8] | None = None
        self._planner: RoutePlanner | None = None
        self.reset()

    def reset(self) -> None:
        """Forget the path; the map is kept, for the case that the next task has the same one."""
        self._route: Route | None = None

    def predict(self, observation: Observation) -> WaypointPrediction:
        """Return the next point of the path.

        Raises:
            AgentError: the observation has no map.
        """
        here = np.asarray(observation.position, dtype=np.float64)[:2]
        if self._route is None or self._route.is_lost(here, 2.0 * self.look_ahead):
            goal = local_to_world(observation.target_position, here, observation.heading)
            self._route = self._planner_for(observation).route(here, goal)
        target = self._route.next_point(here, self.look_ahead)
        left_over = float(np.hypot(*(self._route.end - target)))
        waypoint = world_to_local(target, here, observation.heading)
        return WaypointPrediction(waypoint, arrive=left_over <= self.stop_distance)

    def _planner_for(self, observation: Observation) -> RoutePlanner:
        if observation.occ_map is None or observation.meta_data is None:
            raise AgentError("the observation has no occupancy map to plan on")
        if self._planner is None or self._map is not observation.occ_map:
            geometry = _geometry(observation.meta_data)
            grid = OccupancyGrid.from_image(observation.occ_map, geometry)
            self._planner = RoutePlanner(grid, self.clearance)
            self._map = observation.occ_map
        return self._planner


def _geometry(meta: Mapping[str, Any]) -> MapGeometry:
    names = ("TOP_LEFT", "TOP_RIGHT", "BOTTOM_LEFT")
    left, right, below = [(meta[f"{name}_X"], meta[f"{name}_Y"]) for name in names]
    return MapGeometry.from_corners(left, right, below, meta["IMAGE_WIDTH"], meta["IMAGE_HEIGHT"])
