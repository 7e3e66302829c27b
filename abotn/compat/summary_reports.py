"""``analyze_and_report`` of both tasks: summarise, print, write, return."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from abotn.evaluation.summaries import Summary, summarise_poi_goal, summarise_point_goal
from abotn.evaluation.summary_tables import summary_text
from abotn.json_files import write_json

PathLike = str | os.PathLike[str]

POINT_SUMMARY_NAME = "eval_summary.json"
POI_SUMMARY_NAME = "poi_goal_analysis.json"


def analyze_point_goal(
    result_dir: PathLike,
    mode: str = "outdoor",
    collision_threshold: int = 3,
    min_distance: float = 5.0,
    max_distance: float = 50.0,
    exclude_scenes: Iterable[str] | None = None,
    output_path: PathLike | None = None,
    per_scene: bool = False,  # noqa: FBT001, FBT002 - the published signature
) -> dict[str, Any]:
    """Summarise the point-goal records below a folder, print tables, write and return it all.

    Args:
        result_dir: The folder of a run, finished or not.
        mode: ``"outdoor"`` or ``"indoor"``.
        collision_threshold: First count of path collisions that spoils ``sr_new``.
        min_distance: Lower end of the outdoor groups, metres.
        max_distance: Nominal upper end of the outdoor groups, metres.
        exclude_scenes: Scenes to leave out; None leaves out ``park3`` outdoors.
        output_path: The file; ``{result_dir}/eval_summary.json`` by default.
        per_scene: Whether to print a table by scene.

    Raises:
        AbotnError: the folder cannot be read, or the file not be written.
    """
    summary = summarise_point_goal(
        result_dir,
        mode,
        collision_threshold=collision_threshold,
        min_distance=min_distance,
        max_distance=max_distance,
        exclude_scenes=exclude_scenes,
    )
    target = Path(result_dir) / POINT_SUMMARY_NAME if output_path is None else Path(output_path)
    return _reported(summary, target, per_scene=per_scene, per_poi=False)


def analyze_poi_goal(
    result_dir: PathLike,
    mode: str = "indoor",
    collision_threshold: int = 3,
    arrive_threshold: float = 2.0,
    min_distance: float = 5.0,
    max_distance: float = 50.0,
    exclude_scenes: Iterable[str] | None = None,
    output_path: PathLike | None = None,
    per_scene: bool = False,  # noqa: FBT001, FBT002 - the published signature
    per_poi: bool = True,  # noqa: FBT001, FBT002
) -> dict[str, Any]:
    """Summarise the POI-goal records below a folder, print tables, write and return it all.

    Args:
        result_dir: The folder of a run, finished or not.
        mode: ``"outdoor"`` or ``"indoor"``.
        collision_threshold: First count of path collisions that spoils ``sr_new``.
        arrive_threshold: Arrival radius of records that do not say theirs, metres.
        min_distance: Lower end of the outdoor groups, metres.
        max_distance: Nominal upper end of the outdoor groups, metres.
        exclude_scenes: Scenes to leave out; None leaves out none.
        output_path: The file; ``{result_dir}/poi_goal_analysis.json`` by default.
        per_scene: Whether to print a table by scene.
        per_poi: Whether to print a table by POI.

    Raises:
        AbotnError: the folder cannot be read, or the file not be written.
    """
    summary = summarise_poi_goal(
        result_dir,
        mode,
        collision_threshold=collision_threshold,
        arrive_threshold=arrive_threshold,
        min_distance=min_distance,
        max_distance=max_distance,
        exclude_scenes=exclude_scenes,
    )
    target = Path(result_dir) / POI_SUMMARY_NAME if output_path is None else Path(output_path)
    return _reported(summary, target, per_scene=per_scene, per_poi=per_poi)


def _reported(summary: Summary, target: Path, *, per_scene: bool, per_poi: bool) -> dict[str, Any]:
    write_json(target, summary.document)
    print(summary_text(summary, per_scene=per_scene, per_poi=per_poi))
    print(f"saved {target}")
    return summary.document
