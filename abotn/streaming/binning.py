"""Which bin of a score histogram a score falls into."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import ConfigError, EvaluationInputError
from abotn.streaming.lookup import BinLookup, asinh_lookup

ScoreTransform = Callable[[Any], Any]

#: The default range is asinh of plus and minus this score.
LARGEST_SCORE = 1e6

_CHUNK = 1 << 16
_LEAST_WIDTH = 1e-300
_PROBES = np.array([-(10.0**k) for k in range(6, -7, -1)] + [0.0] + [10.0**k for k in range(-6, 7)])


class Binning:
    """Equal bins over the transformed scores.

    ``bin = floor((t(s) - lo) * n_bins / (hi - lo))``, clamped to the first and last bin, computed
    in float64. Scores with ``t(s) < lo`` or ``t(s) > hi`` are clamped ones; ``hi`` itself belongs
    to the last bin. Infinities lie in the end bins.

    Args:
        n_bins: How many bins.
        score_transform: A strictly monotonic map of float64 arrays. Default asinh when no range
            is given either, else the identity. Scores are ranked by what it returns, so a
            decreasing map turns "higher is normal" into "higher is anomalous".
        score_range: ``(lo, hi)`` after the transform. Default plus and minus ``asinh(1e6)`` for
            the default transform, ``(0, 1)`` for one that is given.

    Raises:
        ConfigError: no bins, an empty or infinite range, or a map that is not monotonic.
    """

    def __init__(
        self,
        n_bins: int,
        score_transform: ScoreTransform | None = None,
        score_range: tuple[float, float] | None = None,
    ) -> None:
        self.n_bins = check_bin_count(n_bins, "n_bins")
        self.name = _transform_name(score_transform, score_range)
        self.transform = score_transform
        self.low, self.high = _resolve_range(score_transform, score_range)
        self.scale = self.n_bins / (self.high - self.low)
        self.increasing = True
        self._probe_digest = self.name
        if score_transform is not None:
            self._probe(score_transform)

    def describe(self) -> dict[str, Any]:
        """Return what two histograms must share to be added."""
        return {
            "n_bins": self.n_bins,
            "score_transform": self._probe_digest,
            "score_range": (self.low, self.high),
        }

    def bins(self, scores: NDArray[Any]) -> tuple[NDArray[Any], int]:
        """Return the bin of each score and how many scores were clamped.

        Args:
            scores: Shape (N,), any float type, without NaN.

        Raises:
            EvaluationInputError: the transform gave NaN for some score.
        """
        lookup = self._lookup(scores)
        found = np.empty(scores.size, np.uint16 if self.n_bins <= 1 << 16 else np.intp)
        if lookup is not None:
            lookup.fill(scores, found)
            return found, lookup.count_clamped(scores)
        clamped = 0
        for start in range(0, scores.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            clamped += self._fill(scores[part], found[part])
        return found, clamped

    def transformed(self, scores: NDArray[Any]) -> NDArray[np.float64]:
        """Return ``t(s)`` as float64; ``scores`` stays as it is."""
        # A copy, since a transform may work in place.
        values = np.array(scores, dtype=np.float64)
        if self.name == "identity":
            return values
        if self.transform is None:
            return np.arcsinh(values, out=values)
        with np.errstate(all="ignore"):
            return _call(self.transform, values)

    def _fill(self, scores: NDArray[Any], found: NDArray[Any]) -> int:
        values = self.transformed(scores)
        least, most = values.min(), values.max()
        if math.isnan(least):
            raise EvaluationInputError(
                f"score_transform gave NaN for {np.isnan(values).sum()} scores that are not NaN",
                where="score_transform",
            )
        clamped = 0
        if least < self.low or most > self.high:
            clamped = int(np.count_nonzero((values < self.low) | (values > self.high)))
        # A new array: a transform may have returned one of its own.
        places = values - self.low
        places *= self.scale
        found[:] = np.clip(places, 0, self.n_bins - 1, out=places)
        return clamped

    def _lookup(self, scores: NDArray[Any]) -> BinLookup | None:
        if self.name != "asinh" or scores.dtype != np.float32 or self.n_bins > 1 << 16:
            return None
        return asinh_lookup(self.n_bins, self.low, self.high)

    def _probe(self, transform: ScoreTransform) -> None:
        try:
            with np.errstate(all="ignore"):
                values = _call(transform, _PROBES.copy())
        except ConfigError:
            raise
        except Exception as error:
            raise ConfigError(
                f"cannot be applied to a numpy array: {type(error).__name__}: {error}",
                where="score_transform",
                hint="it is given float64 arrays and returns arrays of the same shape",
            ) from error
        steps = np.diff(values[~np.isnan(values)])
        if not (steps.size and steps.any() and ((steps >= 0).all() or (steps <= 0).all())):
            raise ConfigError(
                "expected a strictly monotonic map, its values at "
                f"{_PROBES[0]:g} ... {_PROBES[-1]:g} rise and fall or stay the same",
                where="score_transform",
            )
        self.increasing = bool((steps >= 0).all())
        # Rounded, since another machine's exp or log may differ in the last bit.
        rounded = np.char.mod("%.9g", values)
        self._probe_digest = hashlib.sha256(" ".join(rounded).encode()).hexdigest()[:16]


def check_bin_count(value: int, name: str) -> int:
    """Return ``value`` when it is a usable number of bins."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 2:
        raise ConfigError(f"expected a whole number of at least 2, got {value!r}", where=name)
    return int(value)


def _transform_name(
    transform: ScoreTransform | None, score_range: tuple[float, float] | None
) -> str:
    if transform is not None:
        return "custom"
    return "asinh" if score_range is None else "identity"


def _resolve_range(
    transform: ScoreTransform | None, score_range: tuple[float, float] | None
) -> tuple[float, float]:
    if score_range is None:
        edge = math.asinh(LARGEST_SCORE)
        return (-edge, edge) if transform is None else (0.0, 1.0)
    try:
        low, high = (float(edge) for edge in score_range)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"expected (lo, hi), got {score_range!r}", where="score_range") from error
    # The width must be a normal number too, for bins are counted in units of it.
    if not (math.isfinite(high - low) and high - low >= _LEAST_WIDTH):
        raise ConfigError(
            f"expected finite lo < hi that are far enough apart, got ({low:g}, {high:g})",
            where="score_range",
            hint="scores beyond it, infinities too, lie in the end bins",
        )
    return low, high


def _call(transform: ScoreTransform, values: NDArray[np.float64]) -> NDArray[np.float64]:
    result = np.asarray(transform(values), dtype=np.float64)
    if result.shape != values.shape:
        raise ConfigError(
            f"expected an array of shape {values.shape}, got {result.shape}",
            where="score_transform",
        )
    return result
