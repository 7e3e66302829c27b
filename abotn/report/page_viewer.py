"""The frame of the task viewer, which the page's script fills."""

from __future__ import annotations

from collections.abc import Iterator

_LEGEND = (
    ("path", "path, from first to last step"),
    ("reference", "reference"),
    ("hit", "collision"),
    ("start", "start"),
    ("goal", "goal and arrival circle"),
)
_CHART = "Distance to the goal by step; dashed: arrival radius; red: collisions."


def viewer() -> Iterator[str]:
    """Yield the dialog in which a task is stepped through."""
    yield '<dialog id="viewer" aria-labelledby="viewer-title">'
    yield "<header>"
    yield '<h2 id="viewer-title" tabindex="-1"></h2>'
    yield '<div class="buttons">'
    yield from _buttons(("previous", "Previous task"), ("next", "Next task"), ("close", "Close"))
    yield "</div>"
    yield "</header>"
    yield '<div class="stage">'
    yield from _picture()
    yield from _facts()
    yield "</div>"
    yield (
        '<p class="keys">Keys: <kbd>←</kbd> <kbd>→</kbd> step, <kbd>Home</kbd> <kbd>End</kbd> '
        "first and last, <kbd>Page Up</kbd> <kbd>Page Down</kbd> other tasks, <kbd>Esc</kbd> "
        "close.</p>"
    )
    yield "</dialog>"


def _picture() -> Iterator[str]:
    yield '<div class="picture">'
    yield '<svg id="map" class="map" role="img" aria-labelledby="map-text"></svg>'
    yield '<p id="map-text" class="hidden"></p>'
    yield '<svg id="distances" aria-hidden="true"></svg>'
    yield '<input id="step" type="range" min="0" value="0" aria-label="Step">'
    yield f'<p class="caption">{_CHART}</p>'
    yield '<div class="buttons controls">'
    yield from _buttons(("first", "First"), ("back", "Back"), ("play", "Play"))
    yield from _buttons(("forward", "Forward"), ("last", "Last"), ("hit", "Next collision"))
    yield '<output id="step-text" for="step"></output>'
    yield "</div>"
    yield '<figure id="views" hidden><img id="strip" alt=""><figcaption></figcaption></figure>'
    yield "</div>"


def _facts() -> Iterator[str]:
    yield '<div class="facts">'
    yield '<p id="viewer-error" class="error" hidden></p>'
    yield '<dl id="step-facts"></dl>'
    yield '<dl id="record-facts"></dl>'
    yield '<fieldset id="layers"><legend>On the map</legend></fieldset>'
    yield '<ul class="legend">'
    yield from (f'<li><svg data-legend="{key}"></svg> {text}</li>' for key, text in _LEGEND)
    yield "</ul>"
    yield "</div>"


def _buttons(*buttons: tuple[str, str]) -> Iterator[str]:
    for key, text in buttons:
        yield f'<button type="button" id="{key}">{text}</button>'
