"""What the script of a comparison's page works on: the tasks that one run alone solves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from abotn.records.table import natural_key
from abotn.report.comparison_sources import ComparisonSources
from abotn.report.comparison_tasks import SplitTask, SplitTasks, TaskSide
from abotn.report.notes import listed
from abotn.report.page_maps import encoded_maps, find_maps
from abotn.report.page_paths import centimetres, encoded_path, encoded_reference, stride_for
from abotn.report.page_plots import run_style
from abotn.report.texts import flat
from abotn.results.comparison import Comparison, PairComparison

_UNPLACED = {"picture": None, "matrix": [1, 0, 0, 0, -1, 0], "size": None}
_KEPT = ("at", "xy", "hit")


@dataclass(frozen=True)
class ComparisonData:
    """The data of a comparison's page.

    Attributes:
        tasks: The tasks in the order the page numbers them, pair by pair.
        index: Runs, scenes and tasks with their paths, ready for JSON.
        notes: What could not be shown, a line each.
    """

    tasks: tuple[SplitTask, ...] = ()
    index: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def comparison_data(
    comparison: Comparison, split: Sequence[SplitTasks], sources: ComparisonSources
) -> ComparisonData:
    """Return the data of the page.

    Args:
        comparison: The comparison.
        split: The tasks that one run alone solves, per pair.
        sources: The runs.
    """
    tasks = [task for one in split for task in one.every]
    scenes = sorted({task.scene for task in tasks if task.has_path}, key=natural_key)
    maps, missing = find_maps(scenes, [run.scene_folders for run in sources.runs])
    pictures = encoded_maps(maps)
    stride = stride_for(side.record.trajectory for task in tasks for side in task.sides)
    names = [run.name for run in sources.runs]
    numbers = {scene: number for number, scene in enumerate(scenes)}
    index = {
        "runs": [{"name": flat(name), "style": run_style(name, names)} for name in names],
        "scenes": [{"name": scene, **pictures.get(scene, _UNPLACED)} for scene in scenes],
        "tasks": [
            _task(task, place, pair, one, names, numbers, stride)
            for place, (pair, one) in enumerate(zip(comparison.pairs, split, strict=True))
            for task in one.every
        ],
    }
    notes = (*_missing_notes(tasks, sources, missing), *_size_notes(pictures, stride))
    return ComparisonData(tuple(tasks), index, notes)


def reference_differs(task: SplitTask) -> bool:
    """Whether the two runs were given another reference or goal under one name."""
    found = [_target(side) for side in task.sides if side.record.trajectory is not None]
    return len(found) == 2 and found[0] != found[1]


def _task(
    task: SplitTask,
    place: int,
    pair: PairComparison,
    split: SplitTasks,
    names: Sequence[str],
    scenes: Mapping[str, int],
    stride: int,
) -> dict[str, Any]:
    sides = [
        _side(side, run, names, split, stride)
        for run, side in ((pair.run_a, task.a), (pair.run_b, task.b))
    ]
    return {
        "pair": place + 1,
        "scene": scenes.get(task.scene),
        "sceneName": flat(task.scene),
        "name": flat(task.task),
        "sides": sides,
    }


def _side(
    side: TaskSide | None, run: str, names: Sequence[str], split: SplitTasks, stride: int
) -> dict[str, Any] | None:
    if side is None:
        return None
    record = side.record
    facts = [["outcome", side.outcome], ["status", side.status]]
    facts += [
        [column.head, column.shown.show(value)]
        for column, value in zip(split.columns, record.values, strict=True)
    ]
    if side.attempts > 1:
        facts.insert(0, ["attempt shown", f"{record.attempt + 1} of {side.attempts}"])
    path = None if record.trajectory is None else encoded_path(record.trajectory, stride)
    return {
        "run": names.index(run),
        "facts": facts,
        "error": record.error,
        "radius": record.radius,
        "path": None if path is None else {key: path[key] for key in _KEPT},
        **_target(side),
    }


def _target(side: TaskSide) -> dict[str, Any]:
    path = side.record.trajectory
    goal = None if path is None else centimetres(path.goal)
    return {
        "goal": None if goal is None or None in goal else goal,
        "reference": [] if path is None else encoded_reference(path.reference),
    }


def _missing_notes(
    tasks: Sequence[SplitTask], sources: ComparisonSources, missing: Mapping[str, str]
) -> Iterator[str]:
    bare = [run.name for run in sources.runs if run.records is None]
    if bare or not sources.runs:
        whose = f" of {listed(bare)}" if bare else ""
        yield f"Paths are not available: the records{whose} are not at hand."
    pathless = sum(side.record.trajectory is None for task in tasks for side in task.sides)
    sides = sum(len(task.sides) for task in tasks)
    if pathless:
        yield f"No trajectory was recorded of {pathless} of the {sides} attempts shown."
    other = [task.name for task in tasks if reference_differs(task)]
    if other:
        yield (
            "The two runs had different references or goals under one name, and both are drawn: "
            f"{listed(other)}."
        )
    reasons: dict[str, list[str]] = {}
    for scene, reason in missing.items():
        reasons.setdefault(reason, []).append(scene)
    for reason, scenes in reasons.items():
        yield f"No map of {listed(scenes)}: {reason}."


def _size_notes(pictures: Mapping[str, dict[str, Any]], stride: int) -> Iterator[str]:
    left_out = [scene for scene, one in pictures.items() if one["picture"] is None]
    if left_out:
        yield f"Maps left out to keep the page small: {listed(left_out)}."
    if stride > 1:
        yield f"Of each path one pose in {stride} is drawn, to keep the page small."
