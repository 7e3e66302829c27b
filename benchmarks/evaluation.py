"""Memory and time of evaluating 100,000 records held in memory."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from abotn import Evaluator

COUNT = 100_000
RESAMPLES = 10_000


def measure() -> list[dict[str, Any]]:
    """Evaluate and report the peak resident memory of the whole process."""
    records = make_records(COUNT)
    start = time.perf_counter()
    result = Evaluator().evaluate_dataset(
        records, bootstrap_ci=RESAMPLES, groupings=["difficulty_outdoor"]
    )
    seconds = time.perf_counter() - start
    peak = _peak_bytes() / 1e9
    return [
        {
            "name": f"{COUNT:,} records, {len(result.metrics)} metrics, B = {RESAMPLES:,}, groups",
            "ours_s": seconds,
            "target": "peak below 1 GB",
            "note": f"peak resident memory {peak:.2f} GB, the records included",
        }
    ]


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
    for row in measure():
        print(row)
