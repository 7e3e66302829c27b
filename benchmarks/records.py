"""Reading 20,000 ``result.json`` files against glob and ``json.load`` in a loop."""

from __future__ import annotations

import glob
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from abotn.records.files import record_folder, write_result
from abotn.records.readers import read_records
from abotn.records.types import ResultRecord

COUNT = 20_000
ROUNDS = 7


def measure() -> list[dict[str, Any]]:
    """Read the same files both ways, in turns, after one warm-up."""
    with tempfile.TemporaryDirectory() as folder:
        _fill(Path(folder))
        _plain(folder), read_records(folder)
        theirs, ours = [], []
        for _ in range(ROUNDS):
            theirs.append(_timed(_plain, folder))
            ours.append(_timed(read_records, folder))
    return [
        {
            "name": f"read and check {COUNT:,} result.json into columns",
            "ours_s": float(np.median(ours)),
            "theirs_s": float(np.median(theirs)),
            "ratio": float(np.median(theirs) / np.median(ours)),
            "target": "at least 3",
            "note": "theirs: recursive glob and json.load, no check, no columns; "
            f"processor time, medians of {ROUNDS} turns",
        }
    ]


def _timed(function: Any, folder: str) -> float:
    start = time.process_time()
    function(folder)
    return time.process_time() - start


def _plain(folder: str) -> list[Any]:
    loaded = []
    for path in glob.glob(f"{folder}/**/result.json", recursive=True):  # noqa: PTH207
        with open(path) as stream:  # noqa: PTH123
            loaded.append(json.load(stream))
    return loaded


def _fill(root: Path) -> None:
    for number in range(COUNT):
        record = ResultRecord(
            f"scene_{number % 31}", f"traj_{number}", 0, "point_goal", "stop", 42, 28.5, 25.3, 0.35,
            success=True,
            metrics={
                "success_new": True, "spl_new": 0.887, "tcr_new": 0.976, "dcr_new": 0.992,
                "path_collision_count": 1, "collision_path_length": 0.23, "total_distance": 28.5,
                "is_path_collided": True, "initial_distance_to_goal": 25.0,
                "min_distance_to_goal": 0.3, "pointgoal_arrive_threshold": 0.5,
            },
        )  # fmt: skip
        folder = record_folder(root, record.episode_id, record.task_id)
        folder.mkdir(parents=True)
        write_result(folder, record)


if __name__ == "__main__":
    for row in measure():
        print(row)
