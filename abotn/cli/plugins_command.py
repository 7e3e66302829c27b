"""``abotn plugins``: which plugins are installed, and which could not be loaded."""

from __future__ import annotations

import json

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plugins(*, as_json: bool) -> None:
    """List the installed plugins; one that is wrong in some way is named with the reason."""
    from abotn.evaluation.grouping import known_groupings
    from abotn.plugins.manager import plugin_manager

    manager = plugin_manager()
    manager.examine()
    known_groupings(manager)
    loaded = [vars(origin) for origin in manager.origins]
    failed = [{**vars(origin), "reason": reason} for origin, reason in manager.failures.items()]
    if as_json:
        click.echo(json.dumps({"loaded": loaded, "failed": failed}, indent=2, ensure_ascii=False))
        return
    for one in loaded:
        click.echo(f"{one['plugin']}  {one['distribution']} {one['version']}")
    for one in failed:
        click.echo(
            f"{one['plugin']}  {one['distribution']} {one['version']}  failed: {one['reason']}"
        )
    if not loaded and not failed:
        click.echo("no plugins are installed; see docs/plugins.md for how to write one")
