"""Scenes that were to be left out and that nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abotn.errors import UnknownNameError

if TYPE_CHECKING:
    from abotn.evaluation.evaluator import ScoredRecords
    from abotn.evaluation.options import EvaluationOptions


def require_scenes(options: EvaluationOptions, *found: ScoredRecords) -> None:
    """Check that every scene to leave out is one of the records, or of the protocol's own list.

    Args:
        options: Name the scenes; those of a protocol, where none were asked for, need not be there.
        found: The records; a scene of one of several runs will do.

    Raises:
        UnknownNameError: a scene is in none of them; the nearest names are given.
    """
    if not options.exclude_scenes:
        return
    known = {str(scene) for one in found for scene in one.source.table.column("episode_id")}
    usual = {scene for one in found for scene in one.protocol.get("exclude_scenes", ())}
    for scene in options.exclude_scenes:
        if scene not in known and scene not in usual:
            raise UnknownNameError("scene to leave out", scene, known)
