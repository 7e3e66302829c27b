"""The renderers this package brings."""

from __future__ import annotations

import pluggy

from abotn.rendering.factory import (
    RendererFactory,
    create_embedded,
    create_http,
    create_none,
    is_embedded,
    is_none,
    is_url,
)

hookimpl = pluggy.HookimplMarker("abotn")


@hookimpl
def abotn_renderers() -> list[RendererFactory]:
    """The embedded renderer, none at all, and a render server by its URL."""
    return [
        RendererFactory("embedded", is_embedded, create_embedded, "walls and ground from the maps"),
        RendererFactory("none", is_none, create_none, "no images"),
        RendererFactory("http", is_url, create_http, "a render server, by its URL"),
    ]
