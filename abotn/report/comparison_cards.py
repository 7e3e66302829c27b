"""The tasks that one run alone solves as cards, and the dialog that shows one of them large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abotn.report.cells import count, label
from abotn.report.comparison_data import reference_differs
from abotn.report.comparison_lists import list_title
from abotn.report.comparison_tasks import SplitTask, SplitTasks, TaskSide
from abotn.report.html_tables import escape
from abotn.report.page_parts import titled_table
from abotn.report.page_plots import run_style
from abotn.report.page_sources import RunSource
from abotn.report.runs import isolated
from abotn.report.table import Column, Row, Table
from abotn.results.comparison import PairComparison

SIDES = ("A", "B")
_LEGEND = (
    ("reference", "reference"),
    ("start", "start"),
    ("goal", "goal and arrival circle"),
)
_FACTS = (("distance_to_goal", "m to goal"), ("travel_length", "m travelled"))
_NO_SCRIPT = "The maps need scripts, which are switched off here."


def task_cards(
    pair: PairComparison, number: int, tasks: SplitTasks, start: int, runs: Sequence[RunSource]
) -> Iterator[str]:
    """Yield how many tasks each run solves, then both lists of tasks that one alone solves.

    Args:
        pair: The pair.
        number: Its place in the comparison, from 1.
        tasks: Its tasks.
        start: Number of its first task in the data of the page.
        runs: All runs of the page, whose order gives their colours.
    """
    if pair.solved_by_both is None and not tasks.every:
        return
    names = [run.name for run in runs]
    if pair.solved_by_both is not None:
        yield from titled_table(_counts(pair, number), (), closed=False)
    if any(task.has_path for task in tasks.every):
        yield f"<noscript><p>{_NO_SCRIPT}</p></noscript>"
        yield from _legend(pair, names)
    for first, chosen in ((True, tasks.only_a), (False, tasks.only_b)):
        key = f"only-{'a' if first else 'b'}-{number}"
        yield from _list(key, list_title(pair, first=first), chosen, start, pair, (tasks, names))
        start += len(chosen)


def pair_viewer() -> Iterator[str]:
    """Yield the dialog in which a task is looked at."""
    yield '<dialog id="viewer" aria-labelledby="viewer-title">'
    yield '<header><h2 id="viewer-title" tabindex="-1"></h2><div class="buttons">'
    yield from _buttons(("previous", "Previous task"), ("next", "Next task"), ("close", "Close"))
    yield "</div></header>"
    yield '<div class="stage"><div class="picture">'
    yield '<svg id="map" class="map" role="img" aria-labelledby="map-text"></svg>'
    yield '<p id="map-text" class="hidden"></p>'
    yield '<input id="step" type="range" min="0" value="0" aria-label="Step">'
    yield '<div class="buttons controls">'
    yield from _buttons(("first", "First"), ("back", "Back"), ("forward", "Forward"))
    yield from _buttons(
        ("last", "Last"),
    )
    yield '<output id="step-text" for="step"></output></div></div>'
    yield '<div class="facts"><ul id="viewer-errors" class="error"></ul>'
    yield '<table id="pair-facts"><caption class="hidden">What each run did</caption>'
    yield "<thead></thead><tbody></tbody></table>"
    yield '<fieldset id="layers"><legend>On the map</legend></fieldset>'
    yield '<ul id="viewer-legend" class="legend"></ul></div></div>'
    yield (
        '<p class="keys">Keys: <kbd>←</kbd> <kbd>→</kbd> step, <kbd>Home</kbd> <kbd>End</kbd> '
        "first and last, <kbd>Page Up</kbd> <kbd>Page Down</kbd> other tasks, <kbd>Esc</kbd> "
        "close.</p>"
    )
    yield "</dialog>"


def _counts(pair: PairComparison, number: int) -> Table:
    a, b = isolated(pair.run_a), isolated(pair.run_b)
    found = [
        (f"only {a}", len(pair.solved_only_by_a)),
        (f"only {b}", len(pair.solved_only_by_b)),
        ("both", pair.solved_by_both),
        ("neither", pair.solved_by_neither),
    ]
    if pair.solved_unknown:
        found.append(("not known", len(pair.solved_unknown)))
    rows = tuple(Row((label(who), count(tasks))) for who, tasks in found)
    heads = (Column("solved by"), Column("tasks"))
    caption = f"Of {pair.n_pairs} tasks that both have, by {pair.solved_by}."
    return Table(f"who-{number}", "How many tasks each solves", caption, heads, rows)


def _legend(pair: PairComparison, names: Sequence[str]) -> Iterator[str]:
    """Yield what the lines and marks on the maps mean."""
    yield '<ul class="legend paths">'
    for place, run in enumerate((pair.run_a, pair.run_b)):
        style, name = run_style(run, names), f"<bdi>{escape(run)}</bdi>"
        for key, what in (("path", "path, ends at"), ("hit", "collision of")):
            text = f"{name}: {what} {SIDES[place]}" if key == "path" else f"{what} {name}"
            yield f'<li class="{style}"><svg data-legend="{key}-{place}"></svg> {text}</li>'
    yield from (f'<li><svg data-legend="{key}"></svg> {text}</li>' for key, text in _LEGEND)
    yield "</ul>"


def _list(
    key: str,
    title: str,
    chosen: Sequence[SplitTask],
    start: int,
    pair: PairComparison,
    page: tuple[SplitTasks, Sequence[str]],
) -> Iterator[str]:
    yield f'<details class="cause" open><summary><h3 id="{key}">{escape(title)}</h3> '
    yield f"<span>{len(chosen)}</span></summary>"
    if chosen:
        yield f'<ul class="examples" aria-labelledby="{key}">'
        yield from (
            _card(number, task, pair, page) for number, task in enumerate(chosen, start=start)
        )
        yield "</ul>"
    else:
        yield "<p>None.</p>"
    yield "</details>"


def _card(
    number: int, task: SplitTask, pair: PairComparison, page: tuple[SplitTasks, Sequence[str]]
) -> str:
    tasks, names = page
    text = f"<b><bdi>{escape(task.scene)}</bdi> / <bdi>{escape(task.task)}</bdi></b>"
    for letter, run, side in zip(SIDES, (pair.run_a, pair.run_b), (task.a, task.b), strict=True):
        style = run_style(run, names)
        said = _said(side, tasks) if side else ""
        badge = f'<i class="badge {style}">{letter}</i>'
        text += f'<span class="side">{badge} <bdi>{escape(run)}</bdi>{said}</span>'
    if reference_differs(task):
        text += "<span>The two runs had different references or goals.</span>"
    if not task.has_path:
        return f'<li><div class="example">{text}<span>No path was recorded.</span></div></li>'
    picture = f'<svg class="map" aria-hidden="true" data-thumb="{number}"></svg>'
    button = f'<button type="button" class="example" data-pair="{number}">'
    return f"<li>{button}{picture}{text}</button></li>"


def _said(side: TaskSide, tasks: SplitTasks) -> str:
    """Return how a run's attempt ended: outcome, distance left, length."""
    parts = [side.outcome]
    for key, what in _FACTS:
        for column, value in zip(tasks.columns, side.record.values, strict=True):
            if column.key == key and value is not None:
                parts.append(f"{column.shown.show(value)} {what}")
    return f": {escape(', '.join(parts))}"


def _buttons(*buttons: tuple[str, str]) -> Iterator[str]:
    for key, text in buttons:
        yield f'<button type="button" id="{key}">{text}</button>'
