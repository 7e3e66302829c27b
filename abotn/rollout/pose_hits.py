"""Counting poses that stand on an obstacle, with the arrival circle exempt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from abotn.rollout.protocol import Protocol


@dataclass
class PoseHits:
    """The tally of an attempt.

    Attributes:
        protocol: Decides what a hit does.
        count: Hits outside the arrival circle.
        skipped: Hits inside it, which are exempt.
        longest: Most hits in a row.
        ended: Whether a hit ended the attempt.
    """

    protocol: Protocol
    count: int = 0
    skipped: int = 0
    longest: int = 0
    ended: bool = False
    _in_a_row: int = 0

    def add(self, collides: Callable[[], bool], distance: float) -> None:
        """Judge the pose after a step.

        Args:
            collides: Whether it stands on an obstacle; asked only when the mode wants to know.
            distance: Its XY distance to the goal, metres.
        """
        if self.protocol.collision_mode not in ("soft", "hard"):
            return
        hit = collides()
        exempt = hit and distance <= self.protocol.arrive_threshold
        self.skipped += exempt
        counted = hit and not exempt
        self.count += counted
        self._in_a_row = self._in_a_row + 1 if counted else 0
        self.longest = max(self.longest, self._in_a_row)
        self.ended = self.ended or (counted and self.protocol.collision_mode == "hard")

    def to_metrics(self, steps: int) -> dict[str, Any]:
        """Return the recorded numbers; None where the mode looks at no pose."""
        if self.protocol.collision_mode not in ("soft", "hard"):
            return dict.fromkeys(_KEYS)
        rate = self.count / steps if steps else 0.0
        return dict(
            zip(_KEYS, (self.count, rate, self.longest, self.ended, self.skipped), strict=True)
        )


_KEYS = (
    "collision_count",
    "collision_rate",
    "max_consecutive_collision",
    "collision_terminated",
    "collision_skipped_near_goal",
)
