"""Pixel scores streamed as camera frames, against sorting what fits in memory, side by side.

Run as ``python -m benchmarks.streaming SCORES`` it streams that many scores and prints the peak
resident memory in megabytes.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from abotn.streaming import PixelEvaluator

SHAPE = (1080, 1920)
PIXELS = SHAPE[0] * SHAPE[1]
STREAMED = 100_000_000
FRAMES = 4
TARGET = 25.0
THRESHOLDS = (100, 1000)

Row = dict[str, Any]
Scores = NDArray[Any]


def measure(seed: int = 0) -> list[Row]:
    """Seconds per score, ours and others', and peak memory for 10^7 and 10^9 scores.

    Args:
        seed: Seed of the scores.

    Returns:
        One row per comparison: `name`, `ours_s`, `theirs_s` (seconds per score), `ratio`, `target`
        and `note`. The frames that others get are the same arrays; one in four frames has a mask
        file, whose decoding is in our time.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        frames, masks = make_frames(root, seed)
        sort_s = _best(lambda: _sort_all(frames, masks), 1) / frames.size
        histogram_s = _best(lambda: np.histogram(frames, bins=65536, range=(-20, 20)), 1)
        ours = {
            "float32": _stream_seconds(root, frames),
            "float64": _stream_seconds(root, frames.astype(np.float64)),
        }
        bare = _stream_seconds(root / "no masks", frames)
        rows = [
            _row(f"{STREAMED:,} scores, {name}, vs roc_auc_score", seconds, sort_s, TARGET)
            for name, seconds in ours.items()
        ]
        rows += [
            _row("the same without masks", bare, sort_s, TARGET),
            _row("vs numpy.histogram alone", ours["float32"], histogram_s / frames.size, None),
            *_torchmetrics_rows(frames, masks, ours["float32"]),
        ]
    return [*rows, _memory_row()]


def make_frames(root: Path, seed: int) -> tuple[Scores, Scores]:
    """Return score frames and their masks, and write the mask that is not empty.

    Returns:
        Shapes (frames, rows, columns), float32 and bool.
    """
    rng = np.random.default_rng(seed)
    frames = rng.standard_normal((FRAMES, *SHAPE), dtype=np.float32)
    masks = np.zeros(frames.shape, np.bool_)
    masks[0, 400:700, 900:1300] = True
    frames[masks] += 1.5
    path = Path(scenario(root)) / "anomaly-front" / "000000.png"
    path.parent.mkdir(parents=True)
    Image.fromarray(masks[0].astype(np.uint8) * 255).save(path)
    return frames, masks


def scenario(root: Path) -> str:
    """Return the path of the one scenario below ``root``."""
    return str(root / "test" / "anomaly" / "Town01" / "spawn-props" / "scenario-0")


def stream(evaluator: PixelEvaluator, root: Path, frames: Scores, n_scores: int) -> None:
    """Feed a fresh evaluator at least ``n_scores`` scores by going round the frames."""
    evaluator.reset()
    scenario_ids = [scenario(root)] * len(frames)
    for turn in range(-(-n_scores // frames.size)):
        first = turn * len(frames)
        _repeat_mask(Path(scenario_ids[0]), first)
        evaluator.update(frames, scenario_ids, range(first, first + len(frames)))
    evaluator.compute()


def _repeat_mask(folder: Path, timestep: int) -> None:
    """Give a timestep the mask of timestep 0, if that has one."""
    written = folder / "anomaly-front" / "000000.png"
    repeated = written.with_name(f"{timestep:06d}.png")
    if written.exists() and not repeated.exists():
        shutil.copyfile(written, repeated)


def peak_megabytes(n_scores: int) -> float:
    """Return the peak resident memory of this process after streaming ``n_scores`` scores."""
    import resource

    with tempfile.TemporaryDirectory() as folder:
        frames, _ = make_frames(Path(folder), 0)
        stream(PixelEvaluator("front"), Path(folder), frames, n_scores)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def _stream_seconds(root: Path, frames: Scores) -> float:
    evaluator = PixelEvaluator("front")
    stream(evaluator, root, frames, frames.size)
    seconds = _best(lambda: stream(evaluator, root, frames, STREAMED), 2)
    return seconds / (-(-STREAMED // frames.size) * frames.size)


def _sort_all(frames: Scores, masks: Scores) -> float:
    metrics = import_module("sklearn.metrics")
    return float(metrics.roc_auc_score(masks.reshape(-1), frames.reshape(-1)))


def _torchmetrics_rows(frames: Scores, masks: Scores, ours: float) -> list[Row]:
    if importlib.util.find_spec("torchmetrics") is None:
        return []
    torch, classification = import_module("torch"), import_module("torchmetrics.classification")
    probabilities = torch.sigmoid(torch.from_numpy(frames[0].reshape(-1)))
    labels = torch.from_numpy(masks[0].reshape(-1)).long()
    rows = []
    for thresholds in THRESHOLDS:
        metric = classification.BinaryAUROC(thresholds=thresholds)
        seconds = _best(partial(metric.update, probabilities, labels), 1) / PIXELS
        name = f"vs torchmetrics, {thresholds:,} thresholds"
        rows.append(_row(name, ours, seconds, 1.0))
    return rows


def _memory_row() -> Row:
    few, many = (_peak_in_new_process(n) for n in (10**7, 10**9))
    return {
        "name": "peak memory, 10^9 scores to 10^7",
        "ours_s": None,
        "theirs_s": None,
        "ratio": many / few,
        "target": "constant",
        "note": f"{many:.0f} MB and {few:.0f} MB, of which {FRAMES} frames are the benchmark's",
    }


def _peak_in_new_process(n_scores: int) -> float:
    command = [sys.executable, "-m", "benchmarks.streaming", str(n_scores)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def _row(name: str, ours_s: float, theirs_s: float, target: float | None) -> Row:
    ratio = theirs_s / ours_s
    return {
        "name": name,
        "ours_s": ours_s,
        "theirs_s": theirs_s,
        "ratio": ratio,
        "target": target,
        "note": "per score",
    }


def _best(run: Callable[[], Any], repetitions: int) -> float:
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    print(peak_megabytes(int(sys.argv[1])))
