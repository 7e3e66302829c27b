"""Scores counted in histograms: memory depends on bins and scenarios, never on scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import ConfigError
from abotn.streaming.binning import Binning, check_bin_count
from abotn.streaming.dataset import Scenario, parse_scenario
from abotn.streaming.resolution import Resolution, resolution
from abotn.streaming.score_store import Place, Selection, Weigher
from abotn.streaming.tally import Tally

#: Bins of each scenario, unless another number is asked for.
SCENARIO_BINS = 4096

_EXACT_IN_FLOAT32 = 1 << 22

# Row 0 counts negatives, row 1 positives.
_Counts = NDArray[np.int64]


class ScoreHistograms:
    """Counts per bin, for each pair of anomaly type and town, and coarser ones per scenario.

    Args:
        binning: The bins of the histograms.
        scenario_bins: Bins per scenario; neighbours are joined, so it divides ``binning.n_bins``;
            where the default, 4,096, does not, the largest divisor below it is taken.

    Raises:
        ConfigError: ``scenario_bins`` does not divide the number of bins.
    """

    def __init__(self, binning: Binning, scenario_bins: int) -> None:
        self.binning = binning
        wanted = check_bin_count(scenario_bins, "scenario_bins")
        self.scenario_bins = default_scenario_bins(binning.n_bins, wanted)
        if binning.n_bins % self.scenario_bins:
            raise ConfigError(
                f"expected a divisor of n_bins {binning.n_bins}, got {scenario_bins}",
                where="scenario_bins",
            )
        self.clear()

    def clear(self) -> None:
        """Forget all scores."""
        self._places: dict[Place, _Counts] = {}
        # By the scenario's key; paths as they were first given.
        self._scenarios: dict[str, _Counts] = {}
        self._paths: dict[str, str] = {}
        self.n_clamped = 0

    def count(self, scores: NDArray[Any], labels: NDArray[np.bool_] | None) -> tuple[_Counts, int]:
        """Return the counts of one timestep, shape (2, n_bins), and how many were clamped.

        Changes nothing, so threads may call it at once; ``add`` takes what it returns.

        Args:
            scores: Shape (N,), without NaN.
            labels: Shape (N,); None when all are negative.
        """
        bins, clamped = self.binning.bins(scores)
        counts = np.zeros((2, self.binning.n_bins), np.int64)
        counts[0] = count_bins(bins, self.binning.n_bins)
        if labels is not None and labels.any():
            counts[1] = count_bins(bins[labels], self.binning.n_bins)
            counts[0] -= counts[1]
        return counts, clamped

    def add(self, scenario: Scenario, counted: tuple[_Counts, int]) -> None:
        """Add the counts of one timestep; one thread at a time."""
        counts, clamped = counted
        _add(self._places, (scenario.anomaly_type, scenario.town), counts)
        coarse = self._coarse(counts)
        self._paths.setdefault(scenario.key, scenario.scenario_id)
        _add(self._scenarios, scenario.key, coarse)
        self.n_clamped += clamped

    def scenarios(self) -> list[Scenario]:
        """Return the scenarios that were seen, sorted by key."""
        return [parse_scenario(self._paths[key]) for key in sorted(self._scenarios)]

    def tally(self, positives: Selection, negatives: Selection) -> Tally:
        """Return the positives of some places and the negatives of some places."""
        return Tally(self._sum(1, positives), self._sum(0, negatives))

    def scenario_tallies(self) -> Iterator[Tally]:
        """Yield the coarse counts of each scenario, in the order of ``scenarios``."""
        for _, counts in sorted(self._scenarios.items()):
            yield Tally(counts[1], counts[0])

    def weigher(
        self, positives: NDArray[np.bool_], negatives: NDArray[np.bool_]
    ) -> tuple[Weigher, int]:
        """Return what gives coarse counts with every scenario taken some number of times.

        Args and returns: as ``ScoreStore.weigher``.
        """
        counts = np.array([counts for _, counts in sorted(self._scenarios.items())], np.float64)
        pos, neg = counts[positives, 1], counts[negatives, 0]
        # Empty bins change no figure, and mostly there are many.
        used = pos.any(axis=0) | neg.any(axis=0)
        pos, neg = pos[:, used], neg[:, used]
        return lambda drawn: Tally(drawn[:, positives] @ pos, drawn[:, negatives] @ neg), len(pos.T)

    def merge(self, other: ScoreHistograms) -> None:
        """Add all counts of an equally configured one."""
        for place, counts in other._places.items():
            _add(self._places, place, counts)
        for key, counts in other._scenarios.items():
            self._paths.setdefault(key, other._paths[key])
            _add(self._scenarios, key, counts)
        self.n_clamped += other.n_clamped

    def state(self) -> dict[str, Any]:
        """Return a copy of all counts as plain values and arrays."""
        return {
            "places": [
                {"anomaly_type": kind, "town": town, "counts": counts.copy()}
                for (kind, town), counts in self._places.items()
            ],
            "scenarios": [
                {"scenario_id": self._paths[key], "counts": counts.copy()}
                for key, counts in self._scenarios.items()
            ],
            "n_clamped": self.n_clamped,
        }

    def prepared(self, state: Mapping[str, Any]) -> Callable[[], None]:
        """Return what replaces all counts by those of ``state``.

        Raises:
            ValueError: counts have another shape, are negative, or differ between the places and
                their scenarios; or a path is none of a scenario.
        """
        found = {
            (entry["anomaly_type"], entry["town"]): _as_counts(entry, self.binning.n_bins)
            for entry in state["places"]
        }
        arrived = [parse_scenario(entry["scenario_id"]) for entry in state["scenarios"]]
        counts = [_as_counts(entry, self.scenario_bins) for entry in state["scenarios"]]
        paths = {scenario.key: scenario.scenario_id for scenario in arrived}
        n_clamped = whole_count(state["n_clamped"], "n_clamped")
        self._check_sums(found, arrived, counts)

        def replace() -> None:
            self._places, self._paths, self.n_clamped = found, paths, n_clamped
            self._scenarios = dict(zip(paths, counts, strict=True))

        return replace

    def resolution(self) -> Resolution:
        """Return how finely the bins tell all scores apart."""
        tally = self.tally(lambda _: True, lambda _: True)
        return resolution(tally, self.scenario_bins, self.n_clamped)

    def _check_sums(
        self, places: dict[Place, _Counts], scenarios: list[Scenario], counts: list[_Counts]
    ) -> None:
        if len({scenario.key for scenario in scenarios}) < len(scenarios):
            raise ValueError("a scenario comes twice")
        sums: dict[Place, _Counts] = {}
        for scenario, own in zip(scenarios, counts, strict=True):
            _add(sums, (scenario.anomaly_type, scenario.town), own)
        for place in places.keys() | sums.keys():
            if place not in places or place not in sums:
                raise ValueError(f"scores of {place} in one of places and scenarios only")
            if (self._coarse(places[place]) != sums[place]).any():
                raise ValueError(f"places and scenarios differ in their scores of {place}")

    def _coarse(self, counts: _Counts) -> _Counts:
        coarse: _Counts = counts.reshape(2, self.scenario_bins, -1).sum(axis=2)
        return coarse

    def _sum(self, row: int, selection: Selection) -> _Counts:
        total = np.zeros(self.binning.n_bins, np.int64)
        for place, counts in self._places.items():
            if selection(place):
                total += counts[row]
        return total


def default_scenario_bins(n_bins: int, wanted: int) -> int:
    """Return ``wanted``, or where that is the default and no divisor, the largest one below it.

    Example:
        >>> default_scenario_bins(1 << 16, 4096), default_scenario_bins(10_000, 4096)
        (4096, 2500)
    """
    if wanted != SCENARIO_BINS or n_bins % wanted == 0:
        return wanted
    fitting = (bins for bins in range(min(n_bins, wanted), 1, -1) if n_bins % bins == 0)
    found = next(fitting, None)
    if found is None:
        raise ConfigError(
            f"expected a multiple of some number from 2 to {SCENARIO_BINS}, got {n_bins}",
            where="n_bins",
        )
    return found


def whole_count(value: Any, name: str) -> int:
    """Return a count out of a state.

    Raises:
        ValueError: it is no whole number of at least 0.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise ValueError(f"{name}: expected a whole number from 0, got {value}")
    return int(value)


def count_bins(bins: NDArray[Any], n_bins: int) -> NDArray[Any]:
    """Return how often each bin occurs, shape (n_bins,).

    16-bit bins are counted by OpenCV, which is faster than ``numpy.bincount`` and lets other
    threads run meanwhile. It counts in float32, hence the parts.
    """
    if bins.dtype != np.uint16:
        return np.bincount(bins, minlength=n_bins)
    import cv2

    total = np.zeros(n_bins, np.float64)
    for start in range(0, bins.size, _EXACT_IN_FLOAT32):
        part = bins[start : start + _EXACT_IN_FLOAT32].reshape(1, -1)
        total += cv2.calcHist([part], [0], None, [n_bins], [0, n_bins]).reshape(-1)
    return total


def _as_counts(entry: Mapping[str, Any], n_bins: int) -> _Counts:
    counts = np.array(entry["counts"])
    if counts.shape != (2, n_bins):
        raise ValueError(f"counts of shape {counts.shape}, expected {(2, n_bins)}")
    if counts.dtype.kind not in "iu" or (counts < 0).any():
        raise ValueError("counts that are no whole numbers from 0")
    return counts.astype(np.int64)


def _add(totals: dict[Any, _Counts], key: Any, counts: _Counts) -> None:
    if key in totals:
        totals[key] += counts
    else:
        totals[key] = counts.copy()
