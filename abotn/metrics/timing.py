"""How many steps and how many seconds it took."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from abotn.metrics.spec import metric
from abotn.records.types import Trajectory
from abotn.units import Unit

FloatArray = NDArray[np.float64]


@metric(
    unit=Unit.COUNT,
    better="lower",
    bounds=(0, np.inf),
    reference="PROTOCOL section 9",
    category="time",
)
def steps(steps: FloatArray) -> FloatArray:
    """Executed steps.

    ``n``.

    Args:
        steps: (N,) count.

    Returns:
        (N,) count.

    Example:
        >>> steps(np.array([40.0])).tolist()
        [40.0]

    Source: the records of a run.
    """
    return np.array(steps, dtype=np.float64)


@metric(
    unit=Unit.SECOND,
    better="lower",
    bounds=(0, np.inf),
    reference="PROTOCOL section 9",
    category="time",
    per_record=True,
)
def agent_seconds(trajectory: Trajectory) -> float:
    """Mean wall time of a prediction.

    Args:
        trajectory: One attempt; ``agent_seconds`` holds the wall time of each prediction.

    Returns:
        Seconds; NaN where nothing was predicted or a time is missing.

    Source: the records of a run.
    """
    seconds = trajectory.agent_seconds
    return float(np.mean(seconds)) if len(seconds) else math.nan
