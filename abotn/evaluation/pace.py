"""How fast the records of a run come, and how long the rest will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RECENT_RECORDS = 50
LEAST_RECORDS = 4
_SHORTEST_REST = 60.0
_REST_IN_GAPS = 20.0


@dataclass(frozen=True)
class Pace:
    """How fast records come.

    Attributes:
        seconds_per_record: Mean time between two of the latest records; None while unknown.
        seconds_left: Time until the last planned one; None while unknown.
        seconds_since_last: Time since the latest record; None without one.
        unknown: Why the time left is not known; None where it is.
    """

    seconds_per_record: float | None = None
    seconds_left: float | None = None
    seconds_since_last: float | None = None
    unknown: str | None = None


def pace(times: Sequence[float] | NDArray[np.float64], left: int | None, now: float) -> Pace:
    """Return how fast records come, judged by the latest of them.

    The mean gap between the last 50 records, times the number left, less the time since the last
    record (one gap at most). A rest, as between two starts of a run, is a gap of more than a
    minute and of 20 median gaps; records before one do not count.

    Args:
        times: (N,) when each record was written, seconds, in any order.
        left: Records still to come; None when that is not known.
        now: The time, on the same clock.

    Example:
        >>> pace([0.0, 10.0, 20.0, 30.0], left=5, now=34.0).seconds_left
        46.0
        >>> pace([0.0, 10.0], left=5, now=34.0).unknown
        'fewer than 4 records'
    """
    if not len(times):
        return Pace(seconds_left=0.0 if left == 0 else None, unknown=_no_time(left, "no record"))
    recent = np.sort(np.asarray(times, dtype=np.float64))[-RECENT_RECORDS:]
    gaps = np.diff(recent)
    rest = max(_SHORTEST_REST, _REST_IN_GAPS * float(np.median(gaps))) if len(gaps) else 0.0
    gaps = _since_the_last_rest(gaps, rest)
    since = max(now - float(recent[-1]), 0.0)
    mean = float(gaps.mean()) if len(gaps) + 1 >= LEAST_RECORDS else None
    if left == 0:
        return Pace(mean, 0.0, since)
    reason = _why_unknown(mean, since, rest)
    if reason is not None or mean is None or left is None:
        return Pace(mean, None, since, _no_time(left, reason))
    return Pace(mean, max(left * mean - min(since, mean), 0.0), since)


def _since_the_last_rest(gaps: NDArray[np.float64], rest: float) -> NDArray[np.float64]:
    rests = np.flatnonzero(gaps > rest)
    return gaps[rests[-1] + 1 :] if len(rests) else gaps


def _why_unknown(mean: float | None, since: float, rest: float) -> str | None:
    if mean is None:
        return f"fewer than {LEAST_RECORDS} records"
    if mean == 0.0:
        return "all files have the same time"
    return "no new record for long" if since > rest else None


def _no_time(left: int | None, reason: str | None) -> str | None:
    if left == 0:
        return None
    return "the number of tasks is not known" if left is None else reason
