"""The client of a render server: views over HTTP, whole or not at all."""

from __future__ import annotations

import io
import logging
import math
import os
import time
from collections.abc import Callable, Collection
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import ConfigError, DataError, RenderFailureError, UnknownNameError
from abotn.json_files import write_bytes
from abotn.rendering.answer import RenderAnswer, excerpt, read_answer
from abotn.rendering.camera import VIEW_ORDER, VIEW_YAWS, CameraConfig, view_pose
from abotn.rendering.connection import Connection
from abotn.rendering.request import RenderRequest, make_request

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")

_DEFAULT_CAMERA = CameraConfig()
_LEAST_LIMIT = 1 << 20
_MOST_BYTES_PER_PIXEL = 48
_JPEG_START = b"\xff\xd8"

_log = logging.getLogger(__name__)


class GaussianRenderer:
    """Renders through a server that speaks the published protocol.

    A try fails when the connection does, when the answer is late, is cut short, has another
    status than 200, another content type or another size, or is not an image. It is repeated
    ``max_retries`` times; before repetition ``k = 0, 1, ...`` pass ``retry_backoff * 2**k``
    seconds. Connections are kept open and shared by the threads of a process.

    Args:
        render_url: Full URL of the render endpoint, such as ``"http://host:7036/render_gs"``.
        camera_config: Intrinsics; the pose is the camera's own, ``extrinsic_height`` included.
        num_views: 3 for left, right and front; 1 for front only.
        timeout: Seconds to connect, between bytes, and for a whole answer.
        max_retries: Repetitions of a try that failed.
        retry_backoff: Seconds before the first repetition; doubled for each further one.

    Raises:
        ConfigError: An argument is out of range.
    """

    def __init__(
        self,
        render_url: str,
        camera_config: CameraConfig | None = _DEFAULT_CAMERA,
        num_views: int = 3,
        timeout: float = 30,
        max_retries: int = 3,
        retry_backoff: float = 1.0,
    ) -> None:
        if isinstance(num_views, bool) or num_views not in (1, 3):
            raise ConfigError(f"expected 1 or 3, got {num_views!r}", where="num_views")
        if isinstance(max_retries, bool) or not isinstance(max_retries, int) or max_retries < 0:
            raise ConfigError(
                f"expected an integer of 0 or more, got {max_retries!r}", where="max_retries"
            )
        self.render_url = render_url
        self.camera_config = _DEFAULT_CAMERA if camera_config is None else camera_config
        self.num_views = num_views
        self.timeout = _seconds("timeout", timeout, zero_allowed=False)
        self.max_retries = max_retries
        self.retry_backoff = _seconds("retry_backoff", retry_backoff, zero_allowed=True)
        self.views = VIEW_ORDER if num_views == 3 else ("front",)
        self._connection = Connection(render_url, timeout)

    def render_at_pose(
        self,
        pose: ArrayLike,
        scene_id: str,
        save_dir: str | os.PathLike[str] | None = None,
        image_id: int = 0,
        save_img_idx: Collection[int] | None = None,
    ) -> list[Image]:
        """Render the views of a pose.

        Args:
            pose: (4, 4) camera-to-world transform; x forward, y left, z up; metres.
            scene_id: The scene.
            save_dir: Folder for ``{image_id}_{view}.jpg``, made when it does not exist; nothing is
                written before all views are there.
            image_id: Number in the names of the files.
            save_img_idx: Indices of the views to write; None writes all.

        Returns:
            RGB images in the order left, right, front; only front when ``num_views`` is 1.

        Raises:
            RenderFailureError: A view did not come whole in any try, or the pose is not a finite
                rigid transform.
            DataError: A file cannot be written.
        """
        answers = [
            self.request_view(pose, scene_id, view, image_id=image_id) for view in self.views
        ]
        if save_dir is not None:
            names = [f"{image_id}_{view}.jpg" for view in self.views]
            wanted = range(len(names)) if save_img_idx is None else save_img_idx
            _save(Path(save_dir), {names[i]: answers[i] for i in range(len(names)) if i in wanted})
        return [answer.image for answer in answers]

    def render(self, pose: ArrayLike, scene_id: str) -> dict[str, NDArray[np.uint8]]:
        """What the cameras see, as a run asks for it.

        Args:
            pose: As for ``render_at_pose``.
            scene_id: The scene.

        Returns:
            RGB images, (height, width, 3) uint8, C-contiguous, by view name.

        Raises:
            RenderFailureError: As for ``render_at_pose``.
        """
        images = self.render_at_pose(pose, scene_id)
        return {view: np.array(image) for view, image in zip(self.views, images, strict=True)}

    def render_depth(self, pose: ArrayLike, scene_id: str) -> dict[str, NDArray[np.float32]]:
        """How far what the cameras see is, from a server that knows.

        Args:
            pose: As for ``render_at_pose``.
            scene_id: The scene.

        Returns:
            (height, width) float32 metres along each view's optical axis, by view name.

        Raises:
            RenderFailureError: As for ``render_at_pose``.
        """
        depths = {}
        for view in self.views:
            depth = self.request_view(pose, scene_id, view, return_depth_npz=True).depth
            assert depth is not None
            depths[view] = depth
        return depths

    def request_view(
        self,
        pose: ArrayLike,
        scene_id: str,
        view: str = "front",
        *,
        image_id: int = 0,
        return_depth_img: bool = False,
        return_depth_npz: bool = False,
    ) -> RenderAnswer:
        """Render one view, with its depth when asked for.

        Args:
            pose: As for ``render_at_pose``; the agent's, not the view's.
            scene_id: The scene.
            view: ``"left"``, ``"right"`` or ``"front"``.
            image_id: Number in the request.
            return_depth_img: Whether to ask for a picture of the depth.
            return_depth_npz: Whether to ask for the depth in metres.

        Returns:
            The whole answer.

        Raises:
            RenderFailureError: As for ``render_at_pose``.
            UnknownNameError: There is no such view.
        """
        if view not in VIEW_YAWS:
            raise UnknownNameError("view", view, VIEW_YAWS)
        request = make_request(
            view_pose(pose, VIEW_YAWS[view]),
            scene_id,
            self.camera_config,
            image_id=image_id,
            name=f"{image_id}_{view}",
            depth_img=return_depth_img,
            depth_npz=return_depth_npz,
        )
        failed = f"no whole image of scene {scene_id!r}"
        hint = f"see 'abotn doctor render --render-url {self.render_url}'"
        return self._repeated(lambda: self._answer(request), failed, hint)

    def ping(self) -> int:
        """Ask whether the server is there: ``GET /ping`` beside the render endpoint.

        Returns:
            The status of its answer; 200 from a server that knows the request.

        Raises:
            RenderFailureError: Nothing answered in any try.
        """
        hint = "start one with 'abotn serve-render'"
        return self._repeated(self._connection.ping, "no render server answers", hint)

    def check_path(self) -> None:
        """Ask once, with an empty request, whether the URL's path is the one that renders.

        A server that is there refuses the request as unreadable; only an answer that says that
        nothing is at the path, or nothing to post to, tells.

        Raises:
            ConfigError: The server has nothing there.
        """
        try:
            status, _, content = self._connection.post({}, most_bytes=_LEAST_LIMIT)
        except RenderFailureError as failure:
            _log.info("empty request at %s: %s", self.render_url, failure)
            return
        if status == 405 or (status == 404 and b"scene" not in content.lower()):
            raise ConfigError(
                f"the server renders nothing at this path: status {status}: {excerpt(content)}",
                where=self.render_url,
                hint="give the whole URL, such as http://host:7036/render_gs",
            )

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        self._connection.close()

    def __enter__(self) -> GaussianRenderer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _answer(self, request: RenderRequest) -> RenderAnswer:
        pixels = self.camera_config.width * self.camera_config.height
        status, content_type, content = self._connection.post(
            request.to_dict(), most_bytes=_LEAST_LIMIT + _MOST_BYTES_PER_PIXEL * pixels
        )
        if status != 200:
            raise RenderFailureError(f"status {status}: {excerpt(content)}")
        return read_answer(request, content_type, content)

    def _repeated(self, ask: Callable[[], T], failed: str, hint: str) -> T:
        tries = self.max_retries + 1
        reason = ""
        for attempt in range(tries):
            try:
                return ask()
            except RenderFailureError as failure:
                reason = str(failure)
                _log.info("try %d of %d at %s: %s", attempt + 1, tries, self.render_url, reason)
            if attempt < self.max_retries:
                time.sleep(self.retry_backoff * 2**attempt)
        times = "1 try" if tries == 1 else f"{tries} tries"
        raise RenderFailureError(
            f"{failed} after {times}: {reason}", where=self.render_url, hint=hint
        )


def _save(folder: Path, answers: dict[str, RenderAnswer]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot write: {error.strerror or error}", where=folder) from error
    for name, answer in answers.items():
        write_bytes(folder / name, _jpeg_of(answer), through=False)


def _jpeg_of(answer: RenderAnswer) -> bytes:
    # What came as JPEG is kept as it came; encoding it again would lose more.
    if answer.encoded.startswith(_JPEG_START):
        return answer.encoded
    buffer = io.BytesIO()
    answer.image.save(buffer, "JPEG", quality=95, subsampling=0)
    return buffer.getvalue()


def _seconds(name: str, value: float, *, zero_allowed: bool) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0 or (value == 0 and not zero_allowed):
        span = "0 or more" if zero_allowed else "more than 0"
        raise ConfigError(f"expected {span} seconds, got {value!r}", where=name)
    return value
