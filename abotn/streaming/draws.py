"""The figures of resamples, kept in a result so that results can be compared in pairs."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError
from abotn.streaming.dataset import Scenario

Floats = NDArray[np.float64]

KEY = "resampled_base64"


def encoded(draws: Floats) -> dict[str, str]:
    """Return one figure of each resample as metadata: float32, little-endian, in base64.

    Example:
        >>> decoded(encoded(np.array([0.5, 0.25])))
        array([0.5 , 0.25])
    """
    return {KEY: base64.b64encode(draws.astype("<f4").tobytes()).decode()}


def decoded(metadata: Mapping[str, Any]) -> Floats | None:
    """Return what ``encoded`` kept, shape (B,); None where nothing is kept.

    Raises:
        DataError: it is damaged.
    """
    if KEY not in metadata:
        return None
    try:
        content = base64.b64decode(metadata[KEY], validate=True)
        return np.frombuffer(content, "<f4").astype(np.float64)
    except (TypeError, ValueError, binascii.Error) as error:
        raise DataError(f"damaged: {error}", where=KEY) from error


def scenarios_digest(scenarios: Iterable[Scenario]) -> str:
    """Return what two results have in common when they resample the same scenarios.

    The paths count from ``test/`` on, so that a dataset may lie elsewhere on another machine.
    """
    below = sorted(scenario.key for scenario in scenarios)
    return sha256("\n".join(below).encode()).hexdigest()
