"""Which records stand as examples of how tasks ended."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from abotn.report.page_causes import CAUSES, SOLVED
from abotn.report.page_records import PageRecord

MOST = 6


def choose_examples(
    records: Sequence[PageRecord], most: int = MOST
) -> dict[str, tuple[int, ...]]:
    """Return positions of up to ``most`` records per cause that occurs, failures first.

    Runs take turns, and within a run its scenes do, so that the examples are not all of one
    place. Records with a path come before those without.

    Args:
        records: Records in the order of the page.
        most: Examples per cause.
    """
    found = {cause: _examples(records, cause, most) for cause in CAUSES}
    return {cause: numbers for cause, numbers in found.items() if numbers}


def failed(cause: str) -> bool:
    """Whether a cause is listed among the failures."""
    return cause != SOLVED


def _examples(records: Sequence[PageRecord], cause: str, most: int) -> tuple[int, ...]:
    by_run: dict[int, dict[tuple[bool, str], list[int]]] = {}
    for number, record in enumerate(records):
        if record.cause == cause:
            place = (record.trajectory is None, record.scene)
            by_run.setdefault(record.run, {}).setdefault(place, []).append(number)
    turns = [_in_turn(_drawable_first(places)) for places in by_run.values()]
    return tuple(_in_turn(turns)[:most])


def _drawable_first(places: dict[tuple[bool, str], list[int]]) -> list[list[int]]:
    """Return the numbers per scene, those of records without a path in one list at the end."""
    drawn = [numbers for (pathless, _), numbers in places.items() if not pathless]
    others = [number for (pathless, _), some in places.items() if pathless for number in some]
    return drawn or [others] if not others else [[n for n in _in_turn(drawn)] + others]


def _in_turn(lists: Sequence[Sequence[int]]) -> list[int]:
    """Return the first of each list, then the second of each, and so on."""
    return [one for turn in zip_longest(*lists) for one in turn if one is not None]
