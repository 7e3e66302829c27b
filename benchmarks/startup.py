"""Start of the command line against a bare interpreter."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def measure() -> list[dict[str, Any]]:
    """Time ``abotn --version`` and ``--help`` against ``python -c pass``, taken in turns."""
    script = Path(sys.executable).with_name("abotn")
    commands = {
        "bare": [sys.executable, "-c", "pass"],
        "--version": [str(script), "--version"],
        "--help": [str(script), "--help"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(25):
        for name, command in commands.items():
            times[name].append(_time(command))
    medians = {name: statistics.median(values) for name, values in times.items()}
    return [
        {
            "name": f"`abotn {name}` over `python -c pass`",
            "ours_s": medians[name],
            "theirs_s": medians["bare"],
            "ratio": medians[name] / medians["bare"],
            "target": "at most 3",
        }
        for name in ("--version", "--help")
    ]


def _time(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    for row in measure():
        print(row)
