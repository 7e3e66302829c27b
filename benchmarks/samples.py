"""A data set of predictions against RoboMetrics, on the same arrays in one run.

python -m benchmarks samples
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from abotn import Evaluator

COUNT = 2_000
STEPS = 30
RESAMPLES = 1_000
METRICS = ["ade", "fde"]
REPEATS = 5


def measure() -> list[dict[str, Any]]:
    """Rows for arrays of one length, and of many; each side's best of several runs."""
    rows = []
    for name, lengths in (("one length", [STEPS]), ("30 lengths", list(range(15, 45)))):
        predictions, truths = make_samples(lengths)
        ours, mine = _best(lambda p=predictions, t=truths: _ours(p, t))
        theirs, yours = _best(lambda p=predictions, t=truths: _theirs(p, t))
        assert all(abs(mine[metric] - yours[metric]) < 1e-9 for metric in METRICS)
        rows.append(
            {
                "name": f"ade and fde, N = {COUNT:,}, B = {RESAMPLES:,}, paths of {name}",
                "ours_s": ours,
                "theirs_s": theirs,
                "ratio": theirs / ours,
                "target": "at least 5x RoboMetrics",
                "note": "the same arrays; the values agree within 1e-9",
            }
        )
    return rows


def make_samples(lengths: list[int]) -> tuple[list[Any], list[Any]]:
    """Return random paths and predictions near them, of the given lengths in turn."""
    rng = np.random.default_rng(0)
    truths = [
        np.cumsum(rng.normal(0.3, 0.2, (lengths[i % len(lengths)], 2)), axis=0)
        for i in range(COUNT)
    ]
    return [truth + rng.normal(0, 0.3, truth.shape) for truth in truths], truths


def _ours(predictions: list[Any], truths: list[Any]) -> dict[str, float]:
    result = Evaluator().evaluate_dataset(
        predictions=predictions, ground_truths=truths, metrics=METRICS, bootstrap_ci=RESAMPLES
    )
    return {metric.name: metric.value for metric in result.metrics}


def _theirs(predictions: list[Any], truths: list[Any]) -> dict[str, float]:
    from robometrics import Evaluator as Theirs

    result = Theirs().evaluate_dataset(
        predictions=predictions, ground_truths=truths, metrics=METRICS, bootstrap_ci=RESAMPLES
    )
    return {metric.name: metric.value for metric in result.results}


def _best(call: Callable[[], dict[str, float]]) -> tuple[float, dict[str, float]]:
    seconds, values = [], call()
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds), values


if __name__ == "__main__":
    for row in measure():
        print(row)
