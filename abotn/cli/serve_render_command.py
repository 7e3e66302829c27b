"""``abotn serve-render``: a render server over the maps of a dataset."""

from __future__ import annotations

import click


@click.command("serve-render")
@click.option("--data-dir", required=True, type=click.Path(), metavar="DIR",
              help="Folder of the scenes.")  # fmt: skip
@click.option("--map-dir", type=click.Path(), metavar="DIR", help="Folder of the maps, if apart.")
@click.option("--port", default=7036, show_default=True, type=click.IntRange(0, 65535),
              help="TCP port; 0 takes a free one.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="Address to listen at; 0.0.0.0 lets other machines in.")  # fmt: skip
def serve_render(data_dir: str, map_dir: str | None, port: int, host: str) -> None:
    """Serve views of the scenes over HTTP: POST /render_gs and GET /ping.

    The first line printed is the URL for --render-url. Ctrl-C or SIGTERM stops the server.
    """
    from abotn.cli.serving import serve_until_stopped
    from abotn.rendering.server import RenderServer

    with RenderServer(data_dir, map_dir, host=host, port=port) as server:
        count = len(server.views.scene_ids())
        told = f"serving {count} scene{'' if count == 1 else 's'} of {data_dir}"
        serve_until_stopped(server, server.url, told)
