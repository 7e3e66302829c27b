"""`evaluate_dataset`: against `scipy.stats.bootstrap`, its memory, and many groups."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import stats

from abotn import Evaluator

COUNT = 100_000
RESAMPLES = 10_000
SMALL = 5_000
GROUPS = 10_000
ROUNDS = 5
BATCHES = (25, 100, 200)


def measure() -> list[dict[str, Any]]:
    """Rows of what an evaluation costs, from the records in memory to its result.

    Times are processor times, on a quiet machine those of the clock on the wall.
    """
    return [*_against_scipy(), _row_of_child("--large"), _row_of_child("--groups")]


def _against_scipy() -> list[dict[str, Any]]:
    """Whole evaluations against one call of SciPy per metric, in turns; medians of both."""
    records, evaluator = make_records(SMALL), Evaluator()

    def ours(metrics: str | Sequence[str]) -> object:
        return evaluator.evaluate_dataset(
            records,
            metrics=metrics,
            bootstrap_ci=RESAMPLES,
            ci_method="percentile",
            cluster_by=None,
        )

    lengths = np.array([record["travel_length"] for record in records])
    theirs = [_scipy_call(lengths, batch) for batch in BATCHES]
    calls = [lambda: ours("all"), lambda: ours(["travel_length"]), *theirs]
    whole, one, *scipy_each = _medians(calls)
    scipy_one = min(scipy_each)
    count = len(evaluator.evaluate_dataset(records).metrics)
    note = "evaluate_dataset, records in memory, against its best batch of "
    note += (
        f"{', '.join(map(str, BATCHES))} once per metric; processor time, medians of {ROUNDS} turns"
    )
    return [
        {
            "name": f"{SMALL:,} records, {metrics} metrics, percentile, B = {RESAMPLES:,}",
            "ours_s": seconds,
            "theirs_s": metrics * scipy_one,
            "ratio": metrics * scipy_one / seconds,
            "target": f"at least {target}x scipy",
            "note": note,
        }
        for metrics, seconds, target in ((count, whole, 40), (1, one, 3))
    ]


def _scipy_call(values: Any, batch: int) -> Callable[[], object]:
    bootstrap: Any = stats.bootstrap
    options = {"method": "percentile", "n_resamples": RESAMPLES, "batch": batch}
    return lambda: bootstrap((values,), np.mean, **options)


def _medians(calls: Sequence[Callable[[], object]]) -> list[float]:
    seconds: list[list[float]] = [[] for _ in calls]
    for turn in range(ROUNDS + 1):
        for spent, call in zip(seconds, calls, strict=True):
            start = time.process_time()
            call()
            if turn:
                spent.append(time.process_time() - start)
    return [float(np.median(spent)) for spent in seconds]


def _row_of_child(option: str) -> dict[str, Any]:
    """A measurement in a process of its own, for its peak memory."""
    command = [sys.executable, "-m", "benchmarks.evaluation", option]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, peak, metrics = answer.stdout.split()
    grouped = f"{GROUPS:,} groups" if option == "--groups" else "groups"
    return {
        "name": f"{COUNT:,} records, {metrics} metrics, B = {RESAMPLES:,}, {grouped}",
        "ours_s": float(seconds),
        "target": "peak below 1 GB" if option == "--large" else "",
        "note": f"processor time; peak resident memory {float(peak):.2f} GB, records included",
    }


def _measure_in_child(grouping: str) -> None:
    records = make_records(COUNT)
    for number, record in enumerate(records):
        record["building"] = f"building_{number * GROUPS // COUNT}"
    start = time.process_time()
    result = Evaluator().evaluate_dataset(records, bootstrap_ci=RESAMPLES, groupings=[grouping])
    print(time.process_time() - start, _peak_bytes() / 1e9, len(result.metrics))


def make_records(count: int) -> list[dict[str, Any]]:
    """Return point-goal records with plausible numbers, in 31 scenes."""
    rng = np.random.default_rng(0)
    lengths = rng.gamma(4, 5, count)
    detours = 1 + rng.exponential(0.2, count)
    successes = rng.random(count) < 0.7
    collisions = rng.poisson(1.0, count)
    return [
        {
            "episode_id": f"scene_{i % 31}",
            "task_id": f"traj_{i}",
            "task_type": "point_goal",
            "status": "stop",
            "steps": int(lengths[i] * 2) + 1,
            "success": bool(successes[i]),
            "travel_length": float(lengths[i] * detours[i]),
            "shortest_path_length": float(lengths[i]),
            "distance_to_goal": 0.3 if successes[i] else 4.0,
            "declared_arrival": True,
            "metrics": {
                "path_collision_count": int(collisions[i]),
                "collision_path_length": float(collisions[i] * 0.3),
                "total_distance": float(lengths[i] * detours[i]),
                "initial_distance_to_goal": float(lengths[i] * 0.9),
                "min_distance_to_goal": 0.3 if successes[i] else 3.0,
                "pointgoal_arrive_threshold": 0.5,
                "min_clearance": float(i % 7) * 0.1,
            },
        }
        for i in range(count)
    ]


def _peak_bytes() -> float:
    import resource

    scale = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale)


if __name__ == "__main__":
    if "--large" in sys.argv:
        _measure_in_child("difficulty_outdoor")
    elif "--groups" in sys.argv:
        _measure_in_child("building")
    else:
        for row in measure():
            print(row)
