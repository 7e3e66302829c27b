"""The difficulty groups of the published benchmarks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

OUTDOOR_ORDER = ("short", "medium", "long", "out_of_range")
INDOOR_ORDER = ("easy", "hard", "unknown")
EASY_SCENES = frozenset(
    (
        "0802_840243",
        "0803_840265",
        "0821_841631",
        "0822_841630",
        "0827_841619",
        "0841_841759",
        "0845_841765",
        "0854_841775",
    )
)
HARD_SCENES = frozenset(
    (
        "0813_841249",
        "0814_841252",
        "0832_840249",
        "0833_840508",
        "0837_841153",
        "0843_841761",
        "0847_841768",
        "0861_841783",
    )
)


def outdoor_labels(
    lengths: NDArray[np.float64], *, min_distance: float = 5.0, max_distance: float = 50.0
) -> NDArray[Any]:
    """Return ``short``, ``medium``, ``long`` or ``out_of_range`` by reference length.

    With ``step = (max_distance - min_distance) / 3`` the groups are ``[min, min + step)``,
    ``[min + step, min + 2 step)`` and ``[min + 2 step, 1.5 max]``.

    Args:
        lengths: (N,) reference lengths, metres.
        min_distance: Lower end of ``short``, metres.
        max_distance: Nominal greatest length, metres.
    """
    step = (max_distance - min_distance) / 3
    inner = [min_distance, min_distance + step, min_distance + 2 * step]
    position = np.searchsorted(inner, lengths, side="right")
    position = np.where(lengths <= 1.5 * max_distance, position, 0)
    names = np.array(["out_of_range", "short", "medium", "long"], dtype=object)
    labels: NDArray[Any] = names[position]
    return labels


def difficulty_outdoor(shortest_path_length: NDArray[np.float64]) -> NDArray[Any]:
    """Outdoor difficulty by reference length: short, medium, long."""
    return outdoor_labels(shortest_path_length)


def difficulty_indoor(episode_id: NDArray[Any]) -> list[str]:
    """Indoor difficulty by scene: easy, hard."""
    return [
        "easy" if scene in EASY_SCENES else "hard" if scene in HARD_SCENES else "unknown"
        for scene in episode_id
    ]


def scene(episode_id: NDArray[Any]) -> NDArray[Any]:
    """Scene of the task."""
    return episode_id


def poi(poi_name: NDArray[Any]) -> NDArray[Any]:
    """Name of the point of interest."""
    return poi_name


def status(status: NDArray[Any]) -> NDArray[Any]:
    """Why the task ended."""
    return status
