"""Batch operations on one occupancy grid."""

from abotn.collision.clearance import clearance, clearance_field
from abotn.collision.dilation import dilate_free, dilate_free_pixels
from abotn.collision.footprint import disc_collisions, obstacle_mask, square_collisions
from abotn.collision.geodesic import GeodesicPath, distance_field, shortest_path
from abotn.collision.grid import OccupancyGrid
from abotn.collision.lines import SAMPLINGS, Sampling, line_collisions
from abotn.geometry.map_geometry import MapGeometry

__all__ = [
    "SAMPLINGS",
    "GeodesicPath",
    "MapGeometry",
    "OccupancyGrid",
    "Sampling",
    "clearance",
    "clearance_field",
    "dilate_free",
    "dilate_free_pixels",
    "disc_collisions",
    "distance_field",
    "line_collisions",
    "obstacle_mask",
    "shortest_path",
    "square_collisions",
]
