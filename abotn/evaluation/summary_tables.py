"""The published summaries as tables to read."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from abotn.evaluation.summaries import Summary
from abotn.units import counted

_POINT_ROWS = (
    "success_rate", "oracle_success_rate", "sr_new", "spl_new", "tcr_new", "dcr_new", "avg_steps",
    "avg_travel_length", "avg_shortest_path_length", "avg_final_distance",
    "avg_path_collisions_per_task", "avg_collision_meters_per_task",
    "global_collision_path_ratio", "path_collision_task_rate", "count", "error_count",
)  # fmt: skip
_POI_ROWS = (
    "success_rate", "spl", "oracle_success_rate", "avg_steps", "avg_travel_length",
    "avg_shortest_path_length", "avg_initial_distance", "avg_min_distance", "avg_final_distance",
    "count", "error_count",
)  # fmt: skip
_SCENE_COLUMNS = {
    "point_goal": (
        "count", "success_rate", "sr_new", "spl_new", "tcr_new", "dcr_new",
        "avg_shortest_path_length", "error_count",
    ),
    "poi_goal": ("count", "success_rate", "spl", "avg_shortest_path_length", "error_count"),
}  # fmt: skip
_POI_COLUMNS = (
    "total", "success", "success_rate", "avg_spl", "collision_count",
    "collision_terminated_count", "error_count",
)  # fmt: skip


def summary_text(summary: Summary, *, per_scene: bool = False, per_poi: bool = False) -> str:
    """Return a summary as text: what was read, the groups, and tables by scene and by POI.

    Args:
        summary: The summary.
        per_scene: Whether to add the table by scene.
        per_poi: Whether to add the table by POI.
    """
    document = summary.document
    parts = [_head(document), _group_table(document)]
    if per_scene:
        parts.append(_table("scene", summary.per_scene, _SCENE_COLUMNS[document["task_type"]]))
    if per_poi and document["overall"].get("poi_stats"):
        parts.append(_table("POI", document["overall"]["poi_stats"], _POI_COLUMNS))
    if "collision" in document["overall"]:
        parts.append(_pairs("collisions of poses", document["overall"]["collision"]))
    return "\n".join([*parts, _tail(document)])


def _head(document: Mapping[str, Any]) -> str:
    statuses = _listed(document["status_distribution"]) or "none"
    lines = [
        f"{document['result_dir']}: {counted(document['total_count'], 'records')} ({statuses})",
        f"{document['task_type']}, {document['mode']}, "
        f"collision_threshold {document['collision_threshold']}",
    ]
    if document["excluded"]:
        lines.append(f"left out by scene: {_listed(document['excluded'])}")
    return "\n".join(lines) + "\n"


def _group_table(document: Mapping[str, Any]) -> str:
    columns = {**document["groups"], "overall": document["overall"]}
    names = _POI_ROWS if document["task_type"] == "poi_goal" else _POINT_ROWS
    rows = [[name, *(_cell(numbers[name]) for numbers in columns.values())] for name in names]
    return _aligned(["", *columns], rows)


def _table(kind: str, parts: Mapping[str, Mapping[str, Any]], columns: Sequence[str]) -> str:
    rows = [[name, *(_cell(numbers[key]) for key in columns)] for name, numbers in parts.items()]
    return _aligned([kind, *columns], rows)


def _pairs(title: str, numbers: Mapping[str, Any]) -> str:
    return _aligned([title, ""], [[name, _cell(value)] for name, value in numbers.items()])


def _tail(document: Mapping[str, Any]) -> str:
    lines = []
    errors = document["errors"]
    if errors["count"]:
        lines.append(
            f"{errors['count']} of {counted(document['total_count'], 'records')} ended in an error "
            f"({_listed(errors['by_stage'])}): {errors['counted_as']}"
        )
    for name, entry in document["undefined"].items():
        count = counted(entry["count"], "records")
        lines.append(f"{name} is undefined for {count}: {entry['reason']}")
    damaged = document["damaged"]
    lines += [f"skipped {one['path']}: {one['reason']}" for one in damaged[:_MOST_DAMAGED]]
    if len(damaged) > _MOST_DAMAGED:
        more = len(damaged) - _MOST_DAMAGED
        lines.append(f"skipped {more} more; the summary's list 'damaged' names all")
    lines += [f"note: {note}" for note in document["notes"]]
    return "\n".join(lines) + ("\n" if lines else "")


_MOST_DAMAGED = 10


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Names to the left, numbers to the right."""
    lines = [[" ".join(cell.split()) for cell in line] for line in (header, *rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    shown = [_line(line, widths) for line in lines]
    return "\n".join([shown[0], rule, *shown[1:], ""])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    blanks = [" " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True)]
    numbers = [blank + cell for cell, blank in zip(cells[1:], blanks[1:], strict=True)]
    return "  ".join([cells[0] + blanks[0], *numbers]).rstrip()


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
