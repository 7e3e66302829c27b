"""Printing a report: laid out for a terminal, as markdown into a pipe or a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from abotn.report.document import Report


def print_report(report: Report, *, spare: Collection[str] = ()) -> None:
    """Print a report on standard output.

    A terminal gets tables as wide as it is, in colours unless ``NO_COLOR`` is set; anything else
    gets markdown, the same bytes each time.

    Args:
        report: The report.
        spare: Heads of columns that a narrow terminal may do without.
    """
    if not is_terminal():
        from abotn.report.markdown import write_markdown

        click.echo(write_markdown(report).encode(), nl=False)
        return
    from rich.console import Console

    from abotn.report.terminal import draw_report

    draw_report(report, Console(file=sys.stdout, highlight=False), spare=spare)


def is_terminal() -> bool:
    """Whether standard output is a terminal that can show letters beyond ASCII, and styles."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    capable = os.environ.get("TERM", "") not in ("dumb", "unknown")
    return sys.stdout.isatty() and capable and encoding.startswith("utf")
