"""Labels of generated scenarios: where, when and for which sensors there is an anomaly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from abotn.streaming.dataset import CAMERAS, Scenario

#: Height and width of the images, in pixels.
IMAGE_SHAPE = (24, 32)


@dataclass(frozen=True)
class Labels:
    """The labels of one generated scenario.

    Args:
        scenario: The scenario.
        masks: Per camera, bool, shape (timesteps, rows, columns).
        points: bool, shape (timesteps, points).
        observations: bool, shape (timesteps,).
    """

    scenario: Scenario
    masks: dict[str, NDArray[np.bool_]]
    points: NDArray[np.bool_]
    observations: NDArray[np.bool_]

    def readings(self, sensor: str) -> NDArray[np.bool_]:
        """Return at which timesteps a sensor sees the anomaly, shape (timesteps,)."""
        if sensor == "lidar":
            return np.asarray(self.points.any(axis=1))
        return np.asarray(self.masks[sensor].any(axis=(1, 2)))


def draw_labels(
    scenario: Scenario, rng: np.random.Generator, timesteps: int, points: int
) -> Labels:
    """Draw where a scenario is anomalous; a normal one is so nowhere.

    Args:
        scenario: The scenario.
        rng: Generator of the labels.
        timesteps: Timesteps, at least 2.
        points: Points per cloud, at most.
    """
    masks = {camera: np.zeros((timesteps, *IMAGE_SHAPE), np.bool_) for camera in CAMERAS}
    clouds = np.zeros((timesteps, int(rng.integers(points // 2 + 1, points + 1))), np.bool_)
    observed = np.zeros(timesteps, np.bool_)
    if scenario.is_anomalous:
        # The anomaly lasts from some timestep to the end, and never for the whole scenario.
        observed[int(rng.integers(1, timesteps)) :] = True
    if scenario.is_anomalous and scenario.anomaly_type != "change-weather":
        for timestep in np.flatnonzero(observed):
            clouds[timestep, : int(rng.integers(1, clouds.shape[1] // 3 + 1))] = True
            for camera in CAMERAS:
                if camera == "front" or rng.random() < 0.4:
                    masks[camera][timestep] = _rectangle(rng)
    return Labels(scenario, masks, clouds, observed)


def _rectangle(rng: np.random.Generator) -> NDArray[np.bool_]:
    mask = np.zeros(IMAGE_SHAPE, np.bool_)
    rows, columns = IMAGE_SHAPE
    top, left = int(rng.integers(rows - 4)), int(rng.integers(columns - 4))
    height, width = rng.integers(2, 9, size=2)
    mask[top : top + height, left : left + width] = True
    return mask
