"""What an interval carries, and what stands in its place where none can be given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

METHODS = ("auto", "percentile", "basic", "bca", "studentized", "wilson", "t")


@dataclass(frozen=True)
class Interval:
    """A confidence interval and how it was made.

    Attributes:
        lower: Lower end, in the unit of the values.
        upper: Upper end.
        level: Nominal coverage, such as 0.95.
        method: The method that was used, which may be a fallback of the one asked for.
        n_resamples: Resamples drawn; 0 where the method needs none.
        seed: Seed of the resamples.
        n_units: Units (records, tasks or clusters) that hold a defined value.
        degenerate: True where the data show no spread, so the width says little.
        note: A fallback, correction or omission worth telling, or None.
    """

    lower: float
    upper: float
    level: float
    method: str
    n_resamples: int
    seed: int
    n_units: int
    degenerate: bool = False
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values, `note` only where there is one."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        if self.note is None:
            del fields["note"]
        return fields


@dataclass(frozen=True)
class NoInterval:
    """No interval can be given; `reason` says why in one phrase."""

    reason: str


def join_notes(*notes: str | None) -> str | None:
    """One note from several, or None."""
    return "; ".join(note for note in notes if note) or None
