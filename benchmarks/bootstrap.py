"""The bootstrap against `scipy.stats.bootstrap`, side by side in one process.

    python benchmarks/bootstrap.py

SciPy is called once per metric with the best of several batch sizes; its time for 20 metrics is 20
times that of one, because its calls share nothing.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from abotn.statistics import ratio_intervals

RESAMPLES = 10_000
BATCHES = (25, 100, 200)


def measure() -> list[dict[str, Any]]:
    """Rows with name, ours_s, theirs_s, ratio and target; each the best of six runs."""
    rows = []
    for n, methods in ((5_000, ("percentile",)), (10_000, ("percentile", "bca", "studentized"))):
        values = np.random.default_rng(0).lognormal(size=(n, 20))
        for method in methods:
            theirs = _scipy_seconds(values[:, 0], method)
            for metrics, target in ((20, 40.0), (1, 3.0))[: 2 if n == 5_000 else 1]:
                ours = _our_seconds(values[:, :metrics], method)
                name = f"{metrics} metrics, {method}, N = {n:,}"
                rows.append(_row(name, ours, theirs and metrics * theirs, target))
    rows.append(_large())
    return rows


def main() -> None:
    """Print the rows."""
    for row in measure():
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.1f}x"
        theirs = "" if row["theirs_s"] is None else f"scipy {row['theirs_s']:.2f} s"
        print(f"{row['name']:50s} {row['ours_s']:.3f} s {theirs:>16s} {ratio:>8s}  {row['target']}")


def _row(name: str, ours: float, theirs: float | None, target: float) -> dict[str, Any]:
    return {
        "name": name,
        "ours_s": ours,
        "theirs_s": theirs,
        "ratio": theirs and theirs / ours,
        "target": f"at least {target:g}x" if theirs else "no such method in scipy",
    }


def _our_seconds(values: np.ndarray[Any, np.dtype[np.float64]], method: str) -> float:
    ones = np.ones_like(values)
    return _best(
        lambda: ratio_intervals(values, ones, method=method, n_resamples=RESAMPLES), repeats=6
    )


def _scipy_seconds(values: np.ndarray[Any, np.dtype[np.float64]], method: str) -> float | None:
    name = {"percentile": "percentile", "bca": "BCa"}.get(method)
    if name is None:
        return None
    bootstrap: Any = stats.bootstrap

    def call(batch: int) -> None:
        bootstrap((values,), np.mean, method=name, n_resamples=RESAMPLES, batch=batch)

    return min(_best(partial(call, batch), repeats=2) for batch in BATCHES)


def _best(call: Callable[[], object], *, repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _large() -> dict[str, Any]:
    """100,000 records and 25 metrics in a process of its own, for its peak memory."""
    answer = subprocess.run(
        [sys.executable, __file__, "--large"], capture_output=True, text=True, check=True
    )
    seconds, megabytes = (float(part) for part in answer.stdout.split())
    return {
        "name": f"25 metrics, auto, N = 100,000: peak {megabytes:.0f} MB",
        "ours_s": seconds,
        "theirs_s": None,
        "ratio": None,
        "target": "peak below 1,000 MB",
    }


def _run_large() -> None:
    values = np.random.default_rng(0).lognormal(size=(100_000, 25))
    seconds = _best(lambda: ratio_intervals(values, np.ones_like(values)), repeats=1)
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    if "--large" in sys.argv:
        _run_large()
    else:
        main()
