"""Saying on standard error which files could not be used, a few of them by name."""

from __future__ import annotations

from collections.abc import Iterable

import click

_SHOWN = 10


def warn_of_damage(
    found: Iterable[tuple[str, str]], *, rest: str, consequence: str = "skipped"
) -> None:
    """Print a warning for each of the first ten files, and one for all others.

    Args:
        found: Path and reason of each file.
        rest: Where the whole list is.
        consequence: What became of such a file.
    """
    files = list(found)
    for path, reason in files[:_SHOWN]:
        click.echo(f"warning: {path}: {reason}; {consequence}", err=True)
    if len(files) > _SHOWN:
        click.echo(f"warning: and {len(files) - _SHOWN} more {consequence}; {rest}", err=True)
