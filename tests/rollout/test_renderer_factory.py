"""Choosing a renderer by name or URL, and what the built-in choices make."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abotn.errors import ConfigError, UnknownNameError
from abotn.geometry import MapGeometry
from abotn.plugins.manager import PluginManager
from abotn.rendering.camera import CameraConfig
from abotn.rendering.factory import RendererFactory, choose_factory, described

GEOMETRY = MapGeometry.from_corners((0, 5), (5, 5), (0, 0), 50, 50)


@pytest.fixture(scope="module")
def factories() -> list[RendererFactory]:
    return [offer.value for offer in PluginManager(discover=False).offers("abotn_renderers")]


def scenes(scene_id: str) -> Any:
    free = np.ones((50, 50), dtype=bool)
    free[:, 40:] = scene_id != "walled"
    return free, GEOMETRY, None


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("embedded", "embedded"),
        ("none", "none"),
        ("http://localhost:7036/render_gs", "http"),
        ("https://example.org/render", "http"),
    ],
)
def test_value_chooses_the_kind(spec: str, name: str, factories: list[RendererFactory]) -> None:
    assert choose_factory(spec, factories).name == name


def test_unknown_value_names_the_nearest(factories: list[RendererFactory]) -> None:
    with pytest.raises(UnknownNameError, match="embedded"):
        choose_factory("embeded", factories)


def test_first_that_recognises_wins(factories: list[RendererFactory]) -> None:
    mine = RendererFactory("mine", lambda spec: True, factories[0].create)
    assert choose_factory("none", [mine, *factories]).name == "mine"


def test_none_makes_no_images(factories: list[RendererFactory]) -> None:
    renderer = choose_factory("none", factories).create("none", scenes, CameraConfig())
    assert renderer.render(np.eye(4), "any") == {}
    renderer.close()


def test_embedded_looks_into_the_scenes_it_is_given(factories: list[RendererFactory]) -> None:
    camera = CameraConfig(width=72, height=64, fx=25.2, fy=25.2, cx=36.0, cy=32.0)
    renderer = choose_factory("embedded", factories).create("embedded", scenes, camera)
    pose = np.eye(4)
    pose[:3, 3] = 2.5, 2.5, 0.55
    images = {scene: renderer.render(pose, scene) for scene in ("walled", "open")}
    for views in images.values():
        assert sorted(views) == ["front", "left", "right"]
        assert all(view.shape == (64, 72, 3) for view in views.values())
    assert not np.array_equal(images["walled"]["front"], images["open"]["front"])
    renderer.close()


def test_url_must_name_a_server(factories: list[RendererFactory]) -> None:
    factory = choose_factory("http://", factories)
    with pytest.raises(ConfigError, match="expected a URL"):
        factory.create("http://", scenes, CameraConfig())


def test_manifest_entry(factories: list[RendererFactory]) -> None:
    assert described(choose_factory("none", factories), "none") == {"kind": "none"}
    url = "http://a/b"
    assert described(choose_factory(url, factories), url) == {"kind": "http", "url": url}
