"""The parts of a page: its frame, its sections, and tables with what is said below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abotn.report.html_tables import escape, html_table
from abotn.report.page_embed import policy
from abotn.report.table import Table
from abotn.report.texts import slug

Section = tuple[str, str, list[str]]


def whole_page(
    title: str,
    head: Sequence[str],
    sections: Sequence[Section],
    data: Sequence[str],
    style: str,
    code: str,
) -> str:
    """Return a page on which nothing but this style and this script is live.

    Args:
        title: Title of the window.
        head: What stands above the links to the sections.
        sections: Key, title and content of each.
        data: Elements that the script works on.
        style: Content of the ``<style>`` element.
        code: Content of the ``<script>`` element.
    """
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy(style, code)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        "<header>",
        *head,
        *_links(sections),
        "</header>",
        "<main>",
        *(line for section in sections for line in _section(*section)),
        "</main>",
        *data,
        f"<script>{code}</script>",
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def setting_lines(lines: Sequence[str]) -> list[str]:
    """Return lines that stand under the title."""
    return [f'<p class="setting">{escape(line)}</p>' for line in lines]


def titled_table(
    table: Table,
    notes: Sequence[str],
    *,
    closed: bool,
    bare: bool = False,
    title: str | None = None,
) -> Iterator[str]:
    """Yield a table with its notes, under its title or, when ``closed``, behind it.

    A ``bare`` one follows another under the same title.
    """
    key = f"t-{slug(table.key)}"
    head = escape(title or table.title)
    if closed:
        yield f'<details><summary id="{key}">{head}</summary>'
    else:
        yield f'<h3 id="{key}"{" hidden" if bare else ""}>{head}</h3>'
    # Outside of what scrolls, so that it is as wide as the page and not as the table.
    yield f'<p class="caption" id="{key}-caption">{escape(table.caption)}</p>'
    yield f'<div class="scroll" role="group" tabindex="0" aria-labelledby="{key}">'
    yield html_table(table, described_by=f"{key}-caption")
    yield "</div>"
    yield from bullets(notes)
    if closed:
        yield "</details>"


def bullets(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines as a list of notes; nothing where there is none."""
    if lines:
        yield '<ul class="notes">'
        yield from (f"<li>{escape(line)}</li>" for line in lines)
        yield "</ul>"


def _links(sections: Sequence[Section]) -> Iterator[str]:
    yield '<nav aria-label="Sections"><ul>'
    yield from (f'<li><a href="#{key}">{escape(title)}</a></li>' for key, title, _ in sections)
    yield "</ul></nav>"


def _section(key: str, title: str, content: Sequence[str]) -> Iterator[str]:
    yield f'<section id="{key}" aria-labelledby="h-{key}">'
    yield f'<h2 id="h-{key}">{escape(title)}</h2>'
    yield from content
    yield "</section>"
