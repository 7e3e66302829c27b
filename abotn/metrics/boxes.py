"""Do two turned rectangles touch?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

TOUCH = 1e-12


def boxes_overlap(
    centres: FloatArray,
    sizes: FloatArray,
    yaws: FloatArray,
    other_centres: FloatArray,
    other_sizes: FloatArray,
    other_yaws: FloatArray,
) -> NDArray[np.bool_]:
    """Return whether N pairs of rectangles touch, by separating axes.

    Args:
        centres: (N, 2) metres.
        sizes: (N, 2) length and width, metres.
        yaws: (N,) direction of the length, radians.
        other_centres: (N, 2) metres.
        other_sizes: (N, 2) metres.
        other_yaws: (N,) radians.

    Returns:
        (N,) bool; True where they share a point, edges included.

    Source: Gottschalk et al. 1996, SIGGRAPH, section 5.
    """
    ours, theirs = _axes(yaws), _axes(other_yaws)
    apart = other_centres - centres
    overlap = np.ones(len(centres), dtype=bool)
    for axes in (ours, theirs):
        for index in (0, 1):
            axis = axes[:, index]
            reach = _reach(sizes, ours, axis) + _reach(other_sizes, theirs, axis)
            overlap &= np.abs((apart * axis).sum(axis=1)) <= reach + TOUCH
    return overlap


def _axes(yaws: FloatArray) -> FloatArray:
    """Return (N, 2, 2): the direction of the length, and of the width."""
    cos, sin = np.cos(yaws), np.sin(yaws)
    return np.stack([np.stack([cos, sin], axis=1), np.stack([-sin, cos], axis=1)], axis=1)


def _reach(sizes: FloatArray, axes: FloatArray, axis: FloatArray) -> FloatArray:
    """Return (N,) half the length of each rectangle's shadow on an axis."""
    shadows = np.abs((axes * axis[:, None, :]).sum(axis=2))
    return np.asarray((sizes / 2 * shadows).sum(axis=1))
