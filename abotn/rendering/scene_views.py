"""Single views of the scenes in a folder, for any camera: what a render server serves."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from pathlib import Path

from abotn.errors import UnknownNameError
from abotn.rendering.answer import write_answer
from abotn.rendering.camera import CameraConfig
from abotn.rendering.embedded import EmbeddedRenderer
from abotn.rendering.request import RenderRequest
from abotn.rendering.scene_source import SceneParts
from abotn.scenes.episode import Episode
from abotn.scenes.layout import list_scene_folders, require_folder

_CAMERAS_KEPT = 4


class SceneViews:
    """Answers render requests from the maps of a dataset.

    Args:
        data_dir: Folder of the scenes.
        map_dir: Folder of the maps, when they are kept apart.

    Raises:
        DataError: A folder is missing, or the data folder holds no scenes.
    """

    def __init__(
        self, data_dir: str | os.PathLike[str], map_dir: str | os.PathLike[str] | None = None
    ) -> None:
        self._data_dir = Path(data_dir)
        self._map_dir = None if map_dir is None else require_folder(map_dir, "map")
        self._renderers: OrderedDict[CameraConfig, EmbeddedRenderer] = OrderedDict()
        self._lock = threading.Lock()
        self.scene_ids()

    def scene_ids(self) -> list[str]:
        """The scenes that are in the folder now."""
        return [folder.name for folder in list_scene_folders(self._data_dir)]

    def answer(self, request: RenderRequest) -> tuple[str, bytes]:
        """Render what is asked for; safe from several threads.

        Args:
            request: One view.

        Returns:
            Content type and body.

        Raises:
            UnknownNameError: There is no such scene.
            ConfigError: A line of the request cannot be read.
            RenderFailureError: The camera is tilted too far.
            DataError: The scene has no map, or a damaged one.
        """
        camera, pose = request.camera(), request.pose()
        with self._lock:
            renderer = self._renderer(camera)
            image = renderer.render(pose, request.scene_id)["front"]
            depth = None
            if request.wants_depth:
                depth = renderer.render_depth(pose, request.scene_id)["front"]
        return write_answer(request, image, depth)

    def _renderer(self, camera: CameraConfig) -> EmbeddedRenderer:
        if camera not in self._renderers:
            renderer = EmbeddedRenderer(camera, num_views=1, scene_source=self._parts)
            self._renderers[camera] = renderer
        self._renderers.move_to_end(camera)
        while len(self._renderers) > _CAMERAS_KEPT:
            self._renderers.popitem(last=False)
        return self._renderers[camera]

    def _parts(self, scene_id: str) -> SceneParts:
        # An id is looked up among the folders and never becomes a path, so it cannot lead out.
        folders = {folder.name: folder for folder in list_scene_folders(self._data_dir)}
        if scene_id not in folders:
            raise UnknownNameError("scene", scene_id, folders)
        episode = Episode.from_scene_dir(folders[scene_id], self._map_dir)
        return episode.grid.free, episode.geometry, episode.height_map
