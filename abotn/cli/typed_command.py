"""The command line as it was typed."""

from __future__ import annotations

import click


def typed_command() -> tuple[str, ...]:
    """Return the words of the command that is running, ``abotn`` first; empty outside of one."""
    context = click.get_current_context(silent=True)
    words = None if context is None else context.find_root().obj
    return ("abotn", *words) if isinstance(words, tuple) else ()
