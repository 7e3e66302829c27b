"""A metric and a grouping of one's own, in a package of one's own."""

import numpy as np

from abotn import hookimpl, metric
from abotn.units import Unit


@metric(
    unit=Unit.METRE,
    better="lower",
    category="navigation",
    bounds=(0.0, float("inf")),
    reference="The example plugin of abotn",
)
def detour(travel_length, shortest_path_length, *, tolerance=0.0):
    """Metres travelled beyond the reference path: max(0, p - l - tolerance).

    Args:
        travel_length: (N,) metres travelled.
        shortest_path_length: (N,) metres of the reference path.
        tolerance: Metres that do not count.

    Returns:
        (N,) metres.
    """
    return np.maximum(0.0, travel_length - shortest_path_length - tolerance)


def by_length(shortest_path_length):
    """Near and far tasks, split at 10 m of reference path."""
    return np.where(shortest_path_length < 10.0, "near", "far")


@hookimpl
def abotn_metrics():
    """Metrics this plugin brings."""
    return [detour]


@hookimpl
def abotn_groupings():
    """Groupings this plugin brings."""
    return [by_length]
