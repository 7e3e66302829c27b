"""What the script of the page works on: records, tasks, scenes, paths and views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from abotn.report.notes import listed
from abotn.report.page_causes import CAUSES, MEANINGS
from abotn.report.page_examples import choose_examples
from abotn.report.page_maps import encoded_maps, find_maps
from abotn.report.page_paths import centimetres, encoded_path, encoded_reference, stride_for
from abotn.report.page_plots import run_style
from abotn.report.page_records import PageColumn, PageRecord, page_records, scene_names
from abotn.report.page_sources import RunSource
from abotn.report.page_views import MOST_STEPS, encoded_views
from abotn.report.texts import flat
from abotn.units import counted

_UNPLACED = {"picture": None, "matrix": [1, 0, 0, 0, -1, 0], "size": None}


@dataclass(frozen=True)
class PageData:
    """The data of a page.

    Attributes:
        records: All records, as the page numbers them.
        examples: Per cause, the numbers of the records shown as examples.
        index: Runs, scenes, tasks, columns and records, ready for JSON.
        paths: A path per record, None where there is none.
        views: Strips of views, by number of record.
        notes: What could not be shown, a line each.
    """

    records: tuple[PageRecord, ...] = ()
    examples: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    index: Mapping[str, Any] = field(default_factory=dict)
    paths: tuple[dict[str, Any] | None, ...] = ()
    views: Mapping[int, dict[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def page_data(runs: Sequence[RunSource]) -> PageData:
    """Return the data of a page from its runs; empty where no run has records."""
    if all(run.records is None for run in runs):
        return PageData()
    columns, records = page_records(runs)
    scenes = scene_names(records)
    maps, missing = find_maps(scenes, [run.scene_folders for run in runs])
    stride = stride_for(record.trajectory for record in records)
    examples = choose_examples(records)
    paths = tuple(_path(record, stride) for record in records)
    views = encoded_views(_with_folders(records, examples))
    pictures = encoded_maps(maps)
    notes = (
        *_missing_notes(runs, records, paths, missing),
        *_picture_notes(pictures),
        *_stride_notes(stride),
        *_view_notes(views),
    )
    index = _index(runs, columns, records, scenes, pictures, views)
    return PageData(tuple(records), examples, index, paths, views, notes)


def _path(record: PageRecord, stride: int) -> dict[str, Any] | None:
    return None if record.trajectory is None else encoded_path(record.trajectory, stride)


def _with_folders(
    records: Sequence[PageRecord], examples: Mapping[str, Sequence[int]]
) -> Iterator[tuple[int, Path]]:
    """Yield the examples whose files are known: one of each cause in turn."""
    longest = max(map(len, examples.values()), default=0)
    for place in range(longest):
        for numbers in examples.values():
            folder = records[numbers[place]].folder if place < len(numbers) else None
            if folder is not None:
                yield numbers[place], folder


def _index(
    runs: Sequence[RunSource],
    columns: Sequence[PageColumn],
    records: Sequence[PageRecord],
    scenes: Sequence[str],
    maps: Mapping[str, dict[str, Any]],
    views: Mapping[int, Any],
) -> dict[str, Any]:
    tasks = _Tasks(scenes)
    names = [run.name for run in runs]
    rows = [_row(record, tasks.number(record)) for record in records]
    return {
        "runs": [{"name": flat(name), "style": run_style(name, names)} for name in names],
        "scenes": [{"name": scene, **maps.get(scene, _UNPLACED)} for scene in scenes],
        "tasks": tasks.entries,
        "causes": [{"name": cause, "meaning": MEANINGS[cause]} for cause in CAUSES],
        "columns": [{"head": column.head, "digits": column.shown.digits} for column in columns],
        "records": rows,
        "views": sorted(views),
    }


def _row(record: PageRecord, task: int) -> list[Any]:
    cause = CAUSES.index(record.cause)
    return [record.run, task, record.attempt, cause, list(record.values), record.error]


class _Tasks:
    """The tasks of the records, each once; one name with two paths is two tasks."""

    def __init__(self, scenes: Sequence[str]) -> None:
        self.entries: list[dict[str, Any]] = []
        self._scenes = {scene: number for number, scene in enumerate(scenes)}
        self._numbers: dict[Any, int] = {}

    def number(self, record: PageRecord) -> int:
        """Return the number of a record's task, taking the task up when it is new."""
        entry = self._entry(record)
        key = (entry["scene"], entry["name"], str(entry["goal"]), str(entry["reference"]))
        if key not in self._numbers:
            self._numbers[key] = len(self.entries)
            self.entries.append(entry)
        return self._numbers[key]

    def _entry(self, record: PageRecord) -> dict[str, Any]:
        path = record.trajectory
        goal = None if path is None else centimetres(path.goal)
        return {
            "scene": self._scenes[record.scene],
            "name": record.task,
            "label": record.goal_label,
            "radius": record.radius,
            "goal": None if goal is None or None in goal else goal,
            "reference": [] if path is None else encoded_reference(path.reference),
        }


def _missing_notes(
    runs: Sequence[RunSource],
    records: Sequence[PageRecord],
    paths: Sequence[Any],
    missing: Mapping[str, str],
) -> Iterator[str]:
    bare = [run.name for run in runs if run.records is None]
    if bare:
        yield f"No records of {listed(bare)}: an evaluation file alone was given."
    pathless = sum(path is None for path in paths)
    if pathless:
        yield f"Without a trajectory to draw: {pathless} of {counted(len(records), 'records')}."
    reasons: dict[str, list[str]] = {}
    for scene, reason in missing.items():
        reasons.setdefault(reason, []).append(scene)
    for reason, scenes in reasons.items():
        yield f"No map of {listed(scenes)}: {reason}."


def _picture_notes(pictures: Mapping[str, dict[str, Any]]) -> Iterator[str]:
    left_out = [scene for scene, one in pictures.items() if one["picture"] is None]
    if left_out:
        yield f"Left out to keep the page small: the maps of {counted(len(left_out), 'scenes')}."


def _stride_notes(stride: int) -> Iterator[str]:
    if stride > 1:
        yield f"Of each path one pose in {stride} is drawn, to keep the page small."


def _view_notes(views: Mapping[int, dict[str, Any]]) -> Iterator[str]:
    if views:
        yield (
            f"The views of {counted(len(views), 'examples')} are on this page, "
            f"at most {MOST_STEPS} steps of each."
        )
