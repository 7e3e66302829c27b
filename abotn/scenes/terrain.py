"""Gently varying ground."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_WAVES = 4
_WAVELENGTHS = (35.0, 90.0)
_AMPLITUDES = (0.08, 0.3)
_DECIMALS = 3


def rolling_ground(
    shape: tuple[int, int], resolution: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Return hills of a few plane waves: lowest point 0 m, slopes of a few percent.

    Args:
        shape: (rows, columns).
        resolution: Side of a cell, metres.
        rng: Where wavelengths, directions and phases come from.

    Returns:
        float32 (rows, columns) in metres, in whole millimetres.
    """
    rows, columns = shape
    x = np.arange(columns)[None] * resolution
    y = np.arange(rows)[:, None] * resolution
    height = np.zeros(shape)
    for _ in range(_WAVES):
        number = 2 * math.pi / rng.uniform(*_WAVELENGTHS)
        direction, phase = rng.uniform(0, 2 * math.pi, size=2)
        along = math.cos(direction) * x + math.sin(direction) * y
        height += rng.uniform(*_AMPLITUDES) * np.sin(number * along + phase)
    ground: NDArray[np.float32] = np.round(height - height.min(), _DECIMALS).astype(np.float32)
    return ground
