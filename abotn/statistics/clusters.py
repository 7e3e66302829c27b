"""What is resampled: records, tasks, or scenes of tasks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.statistics.checks import codes_of, ratio_columns
from abotn.statistics.fixed_point import Floats, sums_of_runs

MIN_SHARED_SCENES = 5


class UnitSums(NamedTuple):
    """Numerators and denominators (u, m) of u units, in the sorted order of their labels."""

    numerators: Floats
    denominators: Floats


def choose_clusters(scene_ids: ArrayLike) -> bool:
    """Whether scenes should be resampled: at least five scenes hold more than one task each.

    Args:
        scene_ids: (n,) scene of each task (not of each attempt).

    Example:
        >>> choose_clusters(["a", "a", "b", "b", "c", "c", "d", "d", "e", "e"])
        True
        >>> choose_clusters(["a", "a", "a", "b", "c"])
        False
    """
    _, sizes = np.unique(np.asarray(scene_ids), return_counts=True)
    return int(np.count_nonzero(sizes > 1)) >= MIN_SHARED_SCENES


def aggregate_units(numerators: ArrayLike, denominators: ArrayLike, units: ArrayLike) -> UnitSums:
    """Sum records into units; the bits do not depend on the order of the records.

    Args:
        numerators: (n, m) per record and statistic; 0 where undefined.
        denominators: (n, m), >= 0; 0 where undefined.
        units: (n,) label of each record's unit (a task, a scene).

    Returns:
        Sums of shape (u, m), one row per distinct label in sorted order.

    Raises:
        ValueError: Shapes differ, a number is not finite, a denominator is negative.

    Example:
        >>> aggregate_units([1.0, 0.0, 1.0], [1.0, 1.0, 1.0], ["b", "a", "b"]).numerators.tolist()
        [[0.0], [2.0]]
    """
    top, bottom = ratio_columns(numerators, denominators)
    codes = codes_of(units, len(top), "units")
    if codes is None:
        raise ValueError("units: expected one label per record, got None")
    order = np.argsort(codes, kind="stable")
    starts = run_starts(codes[order])
    return UnitSums(sums_of_runs(top[order], starts), sums_of_runs(bottom[order], starts))


def task_means(values: ArrayLike, tasks: ArrayLike) -> UnitSums:
    """The value of a task is the mean over its defined attempts.

    So a task tried five times weighs as much as one tried once; a task without a defined attempt
    has numerator and denominator 0.

    Args:
        values: (n, m) or (n,), one row per attempt; NaN where undefined.
        tasks: (n,) label of each attempt's task.

    Returns:
        Numerators (the means) and denominators (0 or 1), shape (t, m), tasks in sorted order.

    Example:
        >>> task_means([1.0, 0.0, float("nan"), 1.0], ["t1", "t1", "t2", "t3"]).numerators.tolist()
        [[0.5], [0.0], [1.0]]
    """
    array = np.asarray(values, dtype=np.float64)
    defined = ~np.isnan(array)
    sums = aggregate_units(np.where(defined, array, 0.0), defined.astype(np.float64), tasks)
    counts = np.maximum(sums.denominators, 1.0)
    return UnitSums(sums.numerators / counts, (sums.denominators > 0).astype(np.float64))


def pass_at_k(n: ArrayLike, c: ArrayLike, k: int) -> Floats:
    """Chance that at least one of k attempts succeeds, estimated without bias.

    pass@k = 1 - C(n - c, k) / C(n, k) = 1 - prod_{i=n-c+1..n} (1 - k / i).

    Args:
        n: (t,) attempts made per task.
        c: (t,) successful attempts per task, 0 <= c <= n.
        k: Attempts allowed.

    Returns:
        (t,) estimates; NaN where fewer than k attempts were made.

    Raises:
        ValueError: k below 1, or c outside 0..n.

    Example:
        >>> pass_at_k([5, 5, 1], [1, 5, 1], 2).round(6).tolist()
        [0.4, 1.0, nan]

    Source: Chen et al. 2021, "Evaluating Large Language Models Trained on Code", equation 1.
    """
    tried, won = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(c, np.float64))
    if k < 1:
        raise ValueError(f"k: expected at least 1, got {k}")
    if ((won < 0) | (won > tried)).any():
        raise ValueError("c: expected successes between 0 and the number of attempts n")
    missed = tried - won
    miss_all = np.ones(tried.shape)
    for step in range(k):
        left = np.maximum(tried - step, 1.0)
        miss_all *= np.clip((missed - step) / left, 0.0, 1.0)
    return np.where(tried >= k, 1.0 - miss_all, np.nan)


def run_starts(sorted_codes: NDArray[np.int64]) -> NDArray[np.intp]:
    """First position of each run of equal codes."""
    if not len(sorted_codes):
        return np.zeros(0, dtype=np.intp)
    return np.concatenate(([0], np.flatnonzero(np.diff(sorted_codes)) + 1)).astype(np.intp)
