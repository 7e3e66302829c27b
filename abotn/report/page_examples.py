"""Which records stand as examples of how tasks ended."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from abotn.report.page_causes import CAUSES, SOLVED
from abotn.report.page_records import PageRecord

MOST = 6


def choose_examples(records: Sequence[PageRecord], most: int = MOST) -> dict[str, tuple[int, ...]]:
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
    by_run: dict[int, dict[str, list[int]]] = {}
    for number, record in enumerate(records):
        if record.cause == cause:
            by_run.setdefault(record.run, {}).setdefault(record.scene, []).append(number)
    turns = [_in_turn(list(scenes.values())) for scenes in by_run.values()]
    drawn_first = [sorted(turn, key=lambda n: records[n].trajectory is None) for turn in turns]
    return tuple(_in_turn(drawn_first)[:most])


def _in_turn(lists: Sequence[Sequence[int]]) -> list[int]:
    """Return the first of each list, then the second of each, and so on."""
    return [one for turn in zip_longest(*lists) for one in turn if one is not None]
