"""Does a path stay where it may drive?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from abotn.metrics.arrays import as_path, plain_array
from abotn.metrics.polygons import inside_polygon
from abotn.metrics.spec import metric
from abotn.units import Unit


@metric(
    unit=Unit.NONE,
    better="lower",
    bounds=(0, 1),
    reference="containment in the lane's polygon",
    category="safety",
    sample=True,
    shapes={"prediction": "T D", "lane_boundary": "V D"},
)
def lane_departure_rate(prediction: ArrayLike, lane_boundary: ArrayLike) -> float:
    """Share of the points of a path that lie outside its lane.

    ``mean_t (p_t outside the polygon)`` in XY; the boundary is inside.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres.
        lane_boundary: (V, 2) or (V, 3) corners of the lane, in order, metres.

    Returns:
        Between 0 and 1.

    Raises:
        EvaluationInputError: fewer than three corners, no area, or a number is not finite.

    Example:
        >>> lane_departure_rate([[0.5, 0.5], [2.0, 0.5]], [[0, 0], [1, 0], [1, 1], [0, 1]])
        0.5

    Source: containment in a polygon by the even-odd rule.
    """
    path = as_path(prediction, "prediction")[:, :2]
    return float((~inside_polygon(path, lane_boundary, "lane_boundary")).mean())


@metric(
    unit=Unit.NONE,
    better="lower",
    bounds=(0, 1),
    reference="Caesar et al. 2020, CVPR, arXiv:1903.11027",
    category="safety",
    sample=True,
    shapes={"prediction": "T D"},
)
def offroad_rate(prediction: ArrayLike, drivable_polygons: Sequence[ArrayLike]) -> float:
    """Share of the points of a path that lie in no drivable area.

    ``mean_t (p_t outside every polygon)`` in XY; boundaries are inside.

    Args:
        prediction: (T, 2) or (T, 3) positions, metres.
        drivable_polygons: List of (V, 2) corners in order, metres.

    Returns:
        Between 0 and 1; 1 without polygons.

    Raises:
        EvaluationInputError: a polygon of fewer than three corners or no area, or a number that
            is not finite.

    Example:
        >>> offroad_rate([[0.5, 0.5], [2.0, 0.5]], [[[0, 0], [1, 0], [1, 1], [0, 1]]])
        0.5

    Source: off-road rate of the nuScenes prediction task, Caesar et al. 2020, arXiv:1903.11027.
    """
    path = as_path(prediction, "prediction")[:, :2]
    drivable = np.zeros(len(path), dtype=bool)
    for index, polygon in enumerate(plain_array(drivable_polygons)):
        drivable |= inside_polygon(path, polygon, f"drivable_polygons[{index}]")
    return float((~drivable).mean())
