"""A bootstrap for records that arrive in pieces: the Poisson bootstrap.

Resample b gives record i a Poisson(1) weight that depends only on the seed, b and the record's
key, so shards can be built apart and merged in any order, to the same bits. Records with the same
key get the same weights: with scene ids as keys, scenes are resampled.

Weighted sums are kept as whole numbers on a fixed grid of powers of 2**24, so they are exact.
"""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.statistics.checks import check_level, check_resamples, check_seed, ratio_columns
from abotn.statistics.fixed_point import Floats
from abotn.statistics.interval import Interval, NoInterval
from abotn.statistics.limits import percentile_limits

Words = NDArray[np.uint64]

_GRID = 24
_CHUNK_WEIGHTS = 1 << 18


class StreamBootstrap:
    """Resampled ratios of sums over a stream of records, in bounded memory.

    Args:
        n_resamples: B, at least 100.
        seed: Whole number >= 0.

    Example:
        >>> left, right = StreamBootstrap(200, seed=1), StreamBootstrap(200, seed=1)
        >>> left.update(["t1", "t2"], [0.5, 1.0])
        >>> right.update(["t3", "t4"], [0.25, 0.75])
        >>> left.merge(right)
        >>> left.value
        0.625

    Source: Chamandy et al. 2012, "Estimating Uncertainty for Massive Data Streams".
    """

    def __init__(self, n_resamples: int, *, seed: int = 0) -> None:
        self.n_resamples = check_resamples(n_resamples)
        self.seed = check_seed(seed)
        self.count = 0
        self._tops = _GridSums(n_resamples + 1)
        self._bottoms = _GridSums(n_resamples + 1)

    def update(
        self, keys: ArrayLike, numerators: ArrayLike, denominators: ArrayLike | None = None
    ) -> None:
        """Take in records.

        Args:
            keys: (n,) text or whole numbers: the record's key, or its cluster's.
            numerators: (n,) finite values; NaN is allowed without denominators, as undefined.
            denominators: (n,) >= 0; None means a mean, 1 where the value is defined.
        """
        top = np.asarray(numerators, dtype=np.float64)
        if denominators is None:
            defined = ~np.isnan(top)
            top, denominators = np.where(defined, top, 0.0), defined.astype(np.float64)
        a, b = ratio_columns(top, denominators)
        hashes = _hash_keys(keys, self.seed)
        if a.shape != (len(hashes), 1):
            raise ValueError(f"keys: expected one per record, {len(a)}, got {len(hashes)}")
        self.count += int(np.count_nonzero(b))
        step = max(1, _CHUNK_WEIGHTS // self.n_resamples)
        for first in range(0, len(hashes), step):
            part = slice(first, first + step)
            weights = np.ones((len(hashes[part]), self.n_resamples + 1))
            weights[:, 1:] = _poisson_weights(hashes[part], self.n_resamples)
            self._tops.add(weights, a[part, 0])
            self._bottoms.add(weights, b[part, 0])

    def merge(self, other: StreamBootstrap) -> None:
        """Take in everything another stream has seen; the other is not changed.

        Raises:
            ValueError: The other has another seed or number of resamples.
        """
        if (self.n_resamples, self.seed) != (other.n_resamples, other.seed):
            raise ValueError("other: expected the same n_resamples and seed")
        self.count += other.count
        self._tops.merge(other._tops)
        self._bottoms.merge(other._bottoms)

    @property
    def value(self) -> float:
        """The ratio of the sums of all records; NaN where the denominators sum to 0."""
        return self._ratios()[0]

    def interval(self, level: float = 0.95) -> Interval | NoInterval:
        """The percentile interval of the weighted ratios."""
        check_level(level)
        ratios = self._ratios()
        if math.isnan(ratios[0]):
            return NoInterval("no defined value")
        drawn = np.array([ratio for ratio in ratios[1:] if not math.isnan(ratio)])
        left_out = self.n_resamples - len(drawn)
        if not len(drawn):
            return NoInterval("no resample holds a defined value")
        limits = percentile_limits(np.sort(drawn), (1.0 - level) / 2.0)
        note = "Poisson weights"
        if left_out:
            note += f"; {left_out} of {self.n_resamples} resamples held no value and were left out"
        flat = limits[0] == limits[1]
        return Interval(
            *limits, level, "percentile", self.n_resamples, self.seed, self.count, flat, note
        )

    def _ratios(self) -> list[float]:
        pairs = zip(self._tops.values(), self._bottoms.values(), strict=True)
        return [float(top / bottom) if bottom else math.nan for top, bottom in pairs]


class _GridSums:
    """Exact weighted sums: at each grid step w, how many multiples of 2**(24 w)."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._sums: dict[int, NDArray[np.int64]] = {}

    def add(self, weights: Floats, values: Floats) -> None:
        """Add weights (n, width) times values (n,)."""
        rest = np.abs(values)
        while rest.any():
            step = (int(np.frexp(rest.max())[1]) - 1) // _GRID
            wholes = np.floor(np.ldexp(rest, -_GRID * step))
            rest = rest - np.ldexp(wholes, _GRID * step)
            # A chunk's sums stay below 2**53: wholes and weights take 24 + 4 bits, rows 12.
            sums = (np.copysign(wholes, values) @ weights).astype(np.int64)
            self._sums[step] = self._sums.get(step, 0) + sums

    def merge(self, other: _GridSums) -> None:
        for step, sums in other._sums.items():
            self._sums[step] = self._sums.get(step, 0) + sums

    def values(self) -> list[Fraction]:
        totals = [Fraction(0)] * self._width
        for step, sums in sorted(self._sums.items()):
            scale = Fraction(2) ** (_GRID * step)
            totals = [total + int(s) * scale for total, s in zip(totals, sums, strict=True)]
        return totals


def _hash_keys(keys: ArrayLike, seed: int) -> Words:
    array = np.asarray(keys)
    if array.ndim != 1:
        raise ValueError("keys: expected a 1-D array")
    salt = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
    digests = [
        hashlib.blake2b(str(key).encode(), digest_size=8, key=salt).digest()
        for key in array.tolist()
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _poisson_weights(hashes: Words, n_resamples: int) -> NDArray[np.uint8]:
    """Weights (n, B): each hashed word of (key, counter) gives four of 16 bits."""
    counters = np.arange(1, -(-n_resamples // 4) + 1, dtype=np.uint64)
    words = _mix(hashes[:, np.newaxis] + counters * np.uint64(0x9E3779B97F4A7C15))
    uniform = words.astype("<u8", copy=False).view("<u2")[:, :n_resamples]
    weights = np.zeros(uniform.shape, dtype=np.uint8)
    for threshold in _poisson_thresholds():
        weights += uniform >= threshold
    return weights


def _mix(words: Words) -> Words:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014)."""
    mixed = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _poisson_thresholds() -> list[int]:
    """Of 65536 equal parts, where the Poisson(1) count steps up; above 8 lies less than a part."""
    chance, total, thresholds = math.exp(-1.0), 0.0, []
    for count in range(9):
        total += chance
        chance /= count + 1
        edge = round(65536 * total)
        if edge < 65536:
            thresholds.append(edge)
    return thresholds
