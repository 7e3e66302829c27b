"""Lengths, turns and distances of paths."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import DataError
from abotn.geometry.frames import wrap_angle

FloatArray = NDArray[np.float64]


def path_length(points: ArrayLike) -> float:
    """Length of a path in the XY plane.

    ``sum |p[i+1] - p[i]|``.

    Args:
        points: (N, 2) or (N, 3) world metres; a third coordinate is ignored.

    Returns:
        Metres; 0 for fewer than two points.

    Example:
        >>> path_length([[0, 0], [3, 4], [3, 5]])
        6.0
    """
    steps = np.diff(_path(points, "points"), axis=0)
    return float(np.hypot(steps[:, 0], steps[:, 1]).sum())


def cumulative_length(points: ArrayLike) -> FloatArray:
    """Length of a path up to each of its points, in the XY plane.

    Args:
        points: (N, 2) or (N, 3) world metres.

    Returns:
        (N,) float64 metres, beginning with 0.
    """
    path = _path(points, "points")
    steps = np.diff(path, axis=0)
    lengths = np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))
    return np.concatenate([np.zeros(min(len(path), 1)), lengths])


def resample(
    points: ArrayLike, *, spacing: float | None = None, count: int | None = None
) -> FloatArray:
    """Points at equal distances along a path, its two ends kept.

    Args:
        points: (N, 2) or (N, 3) world metres, N >= 1; distance is measured in XY, a third
            coordinate is interpolated.
        spacing: Largest distance between neighbours, metres. Give this or `count`.
        count: Number of points, at least 2.

    Returns:
        (M, 2) or (M, 3) float64. A path of no length gives its first and last point.

    Raises:
        DataError: The path is empty, not exactly one of the two is given, or it is out of range.

    Example:
        >>> resample([[0, 0], [2, 0]], count=3).tolist()
        [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]
    """
    path = _array(points, "points")
    if len(path) == 0:
        raise DataError("expected a path of at least one point, got none", where="points")
    along = cumulative_length(path)
    wanted = np.linspace(0.0, along[-1], _sample_count(float(along[-1]), spacing, count))
    columns = [np.interp(wanted, along, path[:, axis]) for axis in range(path.shape[1])]
    out = np.stack(columns, axis=-1)
    out[0], out[-1] = path[0], path[-1]
    return out


def dtw_distance(a: ArrayLike, b: ArrayLike) -> float:
    """Dynamic time warping distance of two paths.

    ``D[i, j] = |a[i] - b[j]| + min(D[i-1, j], D[i, j-1], D[i-1, j-1])``; the result is the last
    entry: exact, no window, no normalisation. O(N M) time, O(N + M) memory.

    Args:
        a: (N, 2) or (N, 3) world metres, N >= 1; a third coordinate is ignored.
        b: (M, 2) or (M, 3) world metres, M >= 1.

    Returns:
        Metres.

    Raises:
        DataError: A path is empty.

    Example:
        >>> dtw_distance([[0, 0], [1, 0]], [[0, 0], [0, 0], [1, 1]])
        1.0

    Source: Ilharco et al. 2019, arXiv:1907.05446.
    """
    short, long = _path(a, "a"), _path(b, "b")
    if len(short) == 0 or len(long) == 0:
        raise DataError("expected two paths of at least one point", where="a, b")
    if len(short) > len(long):
        short, long = long, short
    return _dtw_by_anti_diagonals(short, long)


def total_turn(yaws: ArrayLike) -> float:
    """Sum of the absolute changes of heading, each taken the short way round.

    Args:
        yaws: (N,) radians.

    Returns:
        Radians; 0 for fewer than two headings.

    Example:
        >>> round(total_turn([3.0, -3.0]), 6)
        0.283185
    """
    angles = np.asarray(yaws, dtype=np.float64)
    if angles.ndim != 1:
        raise DataError(f"expected headings of shape (N,), got {angles.shape}", where="yaws")
    return float(np.abs(wrap_angle(np.diff(angles))).sum())


def _dtw_by_anti_diagonals(short: FloatArray, long: FloatArray) -> float:
    """Entries with one i + j depend only on the two diagonals before, so each is one vector."""
    n, m = len(short), len(long)
    reverse = long[::-1]
    before = np.full(n + 1, np.inf)
    current = np.full(n + 1, np.inf)
    before[0] = 0.0
    for diagonal in range(n + m - 1):
        low, high = max(0, diagonal - m + 1), min(n - 1, diagonal)
        other = reverse[m - 1 - diagonal + low : m - diagonal + high]
        delta = short[low : high + 1] - other
        best = np.minimum(current[low : high + 1], current[low + 1 : high + 2])
        np.minimum(best, before[low : high + 1], out=best)
        following = np.full(n + 1, np.inf)
        following[low + 1 : high + 2] = np.hypot(delta[:, 0], delta[:, 1]) + best
        before, current = current, following
    return float(current[n])


def _sample_count(length: float, spacing: float | None, count: int | None) -> int:
    if (spacing is None) == (count is None):
        raise DataError("expected either a spacing or a count, not both", where="resample")
    if count is not None:
        if count < 2:
            raise DataError(f"expected at least 2 points, got {count}", where="count")
        return int(count)
    if spacing is None or not 0.0 < spacing < float("inf"):
        raise DataError(f"expected a spacing above 0 metres, got {spacing}", where="spacing")
    return max(2, int(np.ceil(length / spacing - 1e-9)) + 1)


def _path(points: ArrayLike, name: str) -> FloatArray:
    return _array(points, name)[:, :2]


def _array(points: ArrayLike, name: str) -> FloatArray:
    array = np.asarray(points, dtype=np.float64)
    if array.size == 0 and array.ndim == 1:
        return np.empty((0, 2))
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise DataError(f"expected points of shape (N, 2) or (N, 3), got {array.shape}", where=name)
    return array
