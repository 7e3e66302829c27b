"""What an agent is given and what it answers: the two base classes and their data.

Agent frame: x forward, y left, z up; ``[front, left]`` in metres. World: metres, z up, yaw
counter-clockwise from +x.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

TASK_TYPES = ("point_goal", "poi_goal")
OPTIONAL_FIELDS = ("history_images", "history_poses", "occ_map", "height_map", "meta_data")


@dataclass
class Observation:
    """What the agent sees before it chooses its next waypoint.

    Attributes:
        images: uint8 RGB (640, 720, 3) by view: ``"left"`` looks +90 degrees from the heading
            (counter-clockwise), ``"front"`` 0, ``"right"`` -90. Empty in a run without renderer.
        target_position: (2,) goal in the agent frame, ``[front, left]``, metres.
        distance_to_goal: XY distance to the goal, metres.
        position: (3,) camera position in the world, metres.
        rotation: (4, 4) camera-to-world transform.
        heading: Yaw in the world, radians.
        step_count: Steps taken in this task so far.
        goal_world: (2,) goal in the world, metres; None in POI-goal.
        history_images: Earlier front views, oldest first, each ``{"front": uint8 (h, w, 3)}``;
            None unless asked for.
        history_poses: (4, 4) pose of each of them; None unless asked for.
        occ_map: uint8 grey (rows, columns), read-only, ``>= 128`` is free; None unless asked for.
        height_map: float32 (rows, columns) ground height, metres, read-only; None unless asked for.
        meta_data: Corners and size of the maps; None unless a map or this was asked for.
        extra: Anything else.
    """

    images: dict[str, Image]
    target_position: FloatArray
    distance_to_goal: float
    position: FloatArray
    rotation: FloatArray
    heading: float
    step_count: int
    goal_world: FloatArray | None = None
    history_images: list[dict[str, Image]] | None = None
    history_poses: list[FloatArray] | None = None
    occ_map: Image | None = None
    height_map: NDArray[np.float32] | None = None
    meta_data: dict[str, Any] | None = None
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class PoiGoalObservation(Observation):
    """What the agent sees in POI-goal; ``goal_world`` is always None.

    Attributes:
        poi_name: Name of the point of interest to go to, such as ``"Starbucks"``.
    """

    poi_name: str = ""


@dataclass
class WaypointPrediction:
    """Where the agent wants to go next.

    Attributes:
        waypoint: (2,), (1, 2) or (N, 2) metres in the run's ``waypoint_frame``, by default
            ``[front, left]``. Of N waypoints the protocol chooses which is executed.
        arrive: Whether the agent declares that it has arrived once the waypoint is executed: true
            or false, also as 1 or 0, numpy's or the one element of an array.
        directions: (N, 2) headings at the waypoints as vectors ``[front, left]``; None lets each
            waypoint look towards the next one, and the last one along the way to it.
        confidence: 0..1, recorded only.
        extra: Data for drawing and debugging.
    """

    waypoint: ArrayLike
    arrive: bool = False
    directions: ArrayLike | None = None
    confidence: float | None = None
    extra: dict[str, Any] = field(default_factory=dict)


class BasePointGoalAgent(ABC):
    """An agent that walks to a point.

    A subclass may set ``needs`` to the names of optional observation fields it cannot work
    without, ``waypoint_frame`` to the frame of its waypoints, and define ``seed(seed: int)``,
    which a run calls before each ``reset`` with a number that depends on the run's seed and the
    task alone; an agent that draws random numbers from it gives the same records in any order.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    waypoint_frame: ClassVar[str | None] = None

    @abstractmethod
    def reset(self) -> None:
        """Forget everything about the task before."""

    @abstractmethod
    def predict(self, observation: Observation) -> WaypointPrediction:
        """Return the next waypoint."""


class BasePoiGoalAgent(ABC):
    """An agent that walks to a named point of interest; see :class:`BasePointGoalAgent`."""

    needs: ClassVar[tuple[str, ...]] = ()
    waypoint_frame: ClassVar[str | None] = None

    @abstractmethod
    def reset(self) -> None:
        """Forget everything about the task before."""

    @abstractmethod
    def predict(self, observation: PoiGoalObservation) -> WaypointPrediction:
        """Return the next waypoint."""
