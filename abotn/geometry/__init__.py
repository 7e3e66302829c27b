"""Frames, map geometry and paths: where things are, in metres and in pixels."""

from abotn.geometry.frames import (
    WAYPOINT_FRAMES,
    heading,
    local_to_world,
    pose_from_xyz_rpy,
    waypoint_to_front_left,
    world_to_local,
    wrap_angle,
    yaw_of,
)
from abotn.geometry.map_geometry import MapGeometry
from abotn.geometry.paths import (
    cumulative_length,
    dtw_distance,
    path_length,
    resample,
    total_turn,
)

__all__ = [
    "WAYPOINT_FRAMES",
    "MapGeometry",
    "cumulative_length",
    "dtw_distance",
    "heading",
    "local_to_world",
    "path_length",
    "pose_from_xyz_rpy",
    "resample",
    "total_turn",
    "waypoint_to_front_left",
    "world_to_local",
    "wrap_angle",
    "yaw_of",
]
