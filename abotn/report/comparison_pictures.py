"""A picture per task that one run alone solves, and the pages of a document that show them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from abotn.report import latex_text, markdown
from abotn.report.comparison_lists import MOST_TASKS, list_title
from abotn.report.comparison_sources import ComparisonSources
from abotn.report.comparison_tables import pair_tasks
from abotn.report.comparison_tasks import SplitTask, SplitTasks, TaskSide
from abotn.report.page_maps import find_maps
from abotn.report.page_sources import RunSource
from abotn.report.plots.looks import looks
from abotn.report.plots.map_drawing import TaskMap
from abotn.report.plots.pair_paths import PairSide, draw_pair
from abotn.report.plots.sheet import picture
from abotn.results.comparison import Comparison, PairComparison

if TYPE_CHECKING:
    from abotn.collision import OccupancyGrid

SUFFIXES = {"markdown": ".png", "latex": ".pdf"}
_ACROSS, _DOWN = 2, 2
_FIGURES_WAITING = 8
_SLUG = re.compile(r"[^A-Za-z0-9]+")
_LONGEST_SLUG = 60
_NEEDS = "% The pictures need \\usepackage{graphicx}; paths are those from this file's folder.\n"


@dataclass(frozen=True)
class TaskPicture:
    """The picture of one task.

    Attributes:
        name: Name of its file; starts with the pair's number, the list and the place in it.
        task: What it shows.
        pair: The pair of runs.
        first: Whether the pair's first run solves the task, else its second.
        tasks: Both lists of the pair, which know what the numbers of its records are.
    """

    name: str
    task: SplitTask
    pair: PairComparison
    first: bool
    tasks: SplitTasks

    @property
    def title(self) -> str:
        """Scene and task."""
        return self.task.name


def task_pictures(
    comparison: Comparison, sources: ComparisonSources, suffix: str
) -> list[TaskPicture]:
    """Return the pictures that go with the lists of a comparison's tables, none drawn yet.

    Only tasks that the tables list are among them, and only those with a path.

    Args:
        comparison: The comparison.
        sources: Records and maps of its runs.
        suffix: ``".png"``, ``".svg"`` or ``".pdf"``.
    """
    found = []
    for number, pair in enumerate(comparison.pairs, start=1):
        split = pair_tasks(comparison, pair, sources)
        for letter, tasks in (("a", split.only_a), ("b", split.only_b)):
            for place, task in enumerate(tasks[:MOST_TASKS], start=1):
                if task.has_path:
                    name = _name(number, letter, place, task, suffix)
                    found.append(TaskPicture(name, task, pair, letter == "a", split))
    return found


def drawn_pictures(
    pictures: Sequence[TaskPicture], sources: ComparisonSources, suffix: str
) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each picture; the same input gives the same bytes."""
    places = [run.scene_folders for run in sources.runs]
    look = looks(run.name for run in sources.runs)

    @lru_cache(maxsize=4)
    def grid(scene: str) -> OccupancyGrid | None:
        from abotn.collision import OccupancyGrid
        from abotn.scenes.map_images import FREE_GREY

        found = find_maps([scene], places)[0].get(scene)
        if found is None:
            return None
        return OccupancyGrid.from_image(found.grey, found.geometry, free_threshold=FREE_GREY)

    for one in pictures:
        sides = [
            PairSide(name, look[name], _outcome(side, one.tasks), _task_map(side, run, grid))
            for name, side, run in (
                (one.pair.run_a, one.task.a, sources.run(one.pair.run_a)),
                (one.pair.run_b, one.task.b, sources.run(one.pair.run_b)),
            )
        ]
        yield one.name, picture(partial(draw_pair, sides, one.title), suffix)


def markdown_pictures(pictures: Sequence[TaskPicture], folder: str) -> str:
    """Return the section of a markdown document that shows the pictures.

    Args:
        pictures: The pictures, pair by pair and list by list.
        folder: Their folder as seen from the document, with ``/``.
    """
    parts = ["## Paths"] if pictures else []
    for title, chosen in _by_list(pictures).items():
        parts.append(f"### {markdown.escape(title)}")
        for one in chosen:
            name = markdown.escape(one.title)
            parts.append(f"![{name}]({quote(f'{folder}/{one.name}')})")
    return "\n\n".join(parts) + "\n" if parts else ""


def latex_pictures(pictures: Sequence[TaskPicture], folder: str) -> str:
    """Return the figures of a LaTeX document that show the pictures, four in each.

    Args:
        pictures: The pictures, pair by pair and list by list.
        folder: Their folder as seen from the document, with ``/``.
    """
    parts = [_NEEDS] if pictures else []
    for title, chosen in _by_list(pictures).items():
        size = _ACROSS * _DOWN
        for start in range(0, len(chosen), size):
            parts.append(_figure(title, chosen[start : start + size], folder))
            # TeX gives up when too many floats wait for a place.
            if len(parts) % _FIGURES_WAITING == 0:
                parts.append("\\clearpage\n")
    return "\n".join(parts)


def _figure(title: str, chosen: Sequence[TaskPicture], folder: str) -> str:
    width = f"{0.98 / _ACROSS:.2f}\\textwidth"
    lines = ["\\begin{figure*}", "  \\centering"]
    for place, one in enumerate(chosen, start=1):
        end = "\\\\[1ex]" if place % _ACROSS == 0 and place < len(chosen) else "\\hfill"
        end = "" if place == len(chosen) else end
        lines.append(f"  \\includegraphics[width={width}]{{{folder}/{one.name}}}{end}")
    names = "; ".join(one.title for one in chosen)
    lines += [f"  \\caption{{{latex_text.escape(f'{title}: {names}')}.}}", "\\end{figure*}"]
    return "\n".join(lines) + "\n"


def _by_list(pictures: Sequence[TaskPicture]) -> dict[str, list[TaskPicture]]:
    found: dict[str, list[TaskPicture]] = {}
    for one in pictures:
        found.setdefault(list_title(one.pair, first=one.first), []).append(one)
    return found


def _name(number: int, letter: str, place: int, task: SplitTask, suffix: str) -> str:
    slug = _SLUG.sub("-", task.name).strip("-")[:_LONGEST_SLUG].strip("-")
    return f"{number}-{letter}-{place:02}{f'-{slug}' if slug else ''}{suffix}"


def _outcome(side: TaskSide | None, tasks: SplitTasks) -> str:
    if side is None:
        return "records not at hand"
    shown: Mapping[str, str] = {
        column.key: column.shown.show(value)
        for column, value in zip(tasks.columns, side.record.values, strict=True)
        if value is not None
    }
    parts = [side.outcome]
    if "distance_to_goal" in shown:
        parts.append(f"{shown['distance_to_goal']} m to goal")
    if "travel_length" in shown:
        parts.append(f"{shown['travel_length']} m long")
    return ", ".join(parts)


def _task_map(
    side: TaskSide | None, run: RunSource | None, grid: Callable[[str], OccupancyGrid | None]
) -> TaskMap | None:
    if side is None or run is None or side.record.trajectory is None:
        return None
    values = (run.manifest.get("protocol") or {}).get("values") or {}
    widened = float(values.get("occ_dilation_meters") or 0.0)
    record = side.record
    return TaskMap(side.record.trajectory, grid(record.scene), widened, record.radius)
