"""The client of a render server: views over HTTP, whole or not at all."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Collection
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import numpy as np
import requests
from numpy.typing import ArrayLike, NDArray
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError, TimeoutError

from abotn.errors import ConfigError, DataError, RenderFailureError
from abotn.json_files import write_bytes
from abotn.rendering.camera import VIEW_ORDER, VIEW_YAWS, CameraConfig, view_pose
from abotn.rendering.wire import RenderAnswer, RenderRequest, excerpt, make_request, read_answer

if TYPE_CHECKING:
    from PIL.Image import Image

_DEFAULT_CAMERA = CameraConfig()
_CONNECTIONS = 16
_CHUNK = 1 << 16
_SMALLEST_LIMIT = 1 << 20
_BYTES_PER_PIXEL = 48
_JPEG_START = b"\xff\xd8"

_log = logging.getLogger(__name__)


class GaussianRenderer:
    """Renders through a server that speaks the published protocol.

    A try fails when the connection does, when the answer is late, is cut short, has another
    status than 200, another content type or another size, or is not an image. It is repeated
    ``max_retries`` times; before repetition ``k = 0, 1, ...`` passes ``retry_backoff * 2**k``
    seconds. Connections are kept open and shared by the threads of a process; a renderer that was
    forked or pickled opens its own. A server on this machine is never asked through a proxy.

    Args:
        render_url: Full URL of the render endpoint, such as ``"http://host:7036/render_gs"``.
        camera_config: Intrinsics.
        num_views: 3 for left, right and front; 1 for front only.
        timeout: Seconds after which a try has failed; to connect, between bytes, and in all.
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
        self.render_url = _checked_url(render_url)
        self.camera_config = _DEFAULT_CAMERA if camera_config is None else camera_config
        self.num_views = _checked_views(num_views)
        self.timeout = _checked_seconds("timeout", timeout, above=0.0)
        self.max_retries = _checked_count("max_retries", max_retries)
        self.retry_backoff = _checked_seconds("retry_backoff", retry_backoff)
        self.views = VIEW_ORDER if num_views == 3 else ("front",)
        self._open: tuple[int, requests.Session] | None = None

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
            save_dir: Folder for ``{image_id}_{view}.jpg``; made when it does not exist. Nothing is
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
        answers = [self.request_view(pose, scene_id, view, image_id=image_id) for view in self.views]
        if save_dir is not None:
            wanted = range(len(answers)) if save_img_idx is None else save_img_idx
            _make_folder(Path(save_dir))
            for index, (view, answer) in enumerate(zip(self.views, answers, strict=True)):
                if index in wanted:
                    write_bytes(Path(save_dir) / f"{image_id}_{view}.jpg", _jpeg_of(answer))
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
        """
        return self._repeated(
            make_request(
                view_pose(pose, VIEW_YAWS[view]),
                scene_id,
                self.camera_config,
                image_id=image_id,
                name=f"{image_id}_{view}",
                depth_img=return_depth_img,
                depth_npz=return_depth_npz,
            )
        )

    def ping(self) -> int:
        """Ask whether the server is there: ``GET /ping`` beside the render endpoint.

        Returns:
            The status of its answer; 200 from a server that knows the request.

        Raises:
            RenderFailureError: Nothing answered in any try.
        """
        url = urljoin(self.render_url, "ping")

        def ask() -> int:
            try:
                return self._session().get(url, timeout=self.timeout).status_code
            except (requests.RequestException, HTTPError) as error:
                raise RenderFailureError(self._reason(error)) from error

        return self._tried(ask, "no render server answers", "start one with 'abotn serve-render'")

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        if self._open is not None and self._open[0] == os.getpid():
            self._open[1].close()
        self._open = None

    def __enter__(self) -> GaussianRenderer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": None}

    def _repeated(self, request: RenderRequest) -> RenderAnswer:
        return self._tried(
            lambda: self._answer(request),
            f"no whole image of scene {request.scene_id!r}",
            f"see 'abotn doctor render --render-url {self.render_url}'",
        )

    def _tried(self, ask: Any, complaint: str, hint: str) -> Any:
        tries = self.max_retries + 1
        for attempt in range(tries):
            try:
                return ask()
            except RenderFailureError as failure:
                reason = failure.message
                _log.info("try %d of %d at %s: %s", attempt + 1, tries, self.render_url, reason)
            if attempt < self.max_retries:
                time.sleep(self.retry_backoff * 2**attempt)
        times = "1 try" if tries == 1 else f"{tries} tries"
        raise RenderFailureError(
            f"{complaint} after {times}: {reason}", where=self.render_url, hint=hint
        )

    def _answer(self, request: RenderRequest) -> RenderAnswer:
        deadline = time.monotonic() + self.timeout
        try:
            with self._session().post(
                self.render_url, json=request.to_dict(), timeout=self.timeout, stream=True
            ) as response:
                content = self._body(response, deadline)
        except (requests.RequestException, HTTPError) as error:
            raise RenderFailureError(self._reason(error)) from error
        if response.status_code != 200:
            raise RenderFailureError(f"status {response.status_code}: {excerpt(content)}")
        return read_answer(request, response.headers.get("Content-Type", ""), content)

    def _body(self, response: requests.Response, deadline: float) -> bytes:
        # read1 gives what has arrived, so that an answer in drops cannot outlast the deadline;
        # urllib3 before 2.2 lacks it.
        read = getattr(response.raw, "read1", response.raw.read)
        camera = self.camera_config
        room = _SMALLEST_LIMIT + _BYTES_PER_PIXEL * camera.width * camera.height
        parts = []
        while part := read(_CHUNK, decode_content=True):
            parts.append(part)
            room -= len(part)
            if room < 0:
                raise RenderFailureError("the answer is larger than any image of that size")
            if time.monotonic() > deadline:
                raise RenderFailureError(f"no whole answer within {self.timeout} s")
        content = b"".join(parts)
        _check_length(response, content)
        return content

    def _session(self) -> requests.Session:
        # A pair that is replaced as a whole: threads that race at most open one session too many.
        held = self._open
        if held is None or held[0] != os.getpid():
            held = os.getpid(), _new_session(self.render_url)
            self._open = held
        return held[1]

    def _reason(self, error: Exception) -> str:
        innermost: BaseException = error
        while (inner := innermost.__cause__ or innermost.__context__) is not None:
            innermost = inner
        if isinstance(error, requests.Timeout | TimeoutError):
            return f"no answer within {self.timeout} s"
        if isinstance(innermost, OSError) and innermost.strerror:
            return innermost.strerror
        return str(innermost)[:200] or type(innermost).__name__


def _new_session(url: str) -> requests.Session:
    session = requests.Session()
    adapter = HTTPAdapter(pool_connections=2, pool_maxsize=_CONNECTIONS)
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    # Compressing an image again gains nothing.
    session.headers["Accept-Encoding"] = "identity"
    session.trust_env = not _on_this_machine(urlsplit(url).hostname or "")
    return session


def _on_this_machine(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def _check_length(response: requests.Response, content: bytes) -> None:
    declared = response.headers.get("Content-Length", "")
    encoded = response.headers.get("Content-Encoding", "identity") != "identity"
    if declared.isdigit() and not encoded and int(declared) != len(content):
        raise RenderFailureError(f"expected {declared} bytes, got {len(content)}")


def _jpeg_of(answer: RenderAnswer) -> bytes:
    if answer.encoded.startswith(_JPEG_START):
        return answer.encoded
    import io

    buffer = io.BytesIO()
    answer.image.save(buffer, "JPEG", quality=95, subsampling=0)
    return buffer.getvalue()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot write: {error.strerror or error}", where=folder) from error


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except (ValueError, AttributeError, TypeError):
        usable = False
    if not usable:
        raise ConfigError(
            f"expected a URL such as http://localhost:7036/render_gs, got {url!r}",
            where="render_url",
        )
    return url


def _checked_views(count: int) -> int:
    if isinstance(count, bool) or count not in (1, 3):
        raise ConfigError(f"expected 1 or 3, got {count!r}", where="num_views")
    return count


def _checked_count(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ConfigError(f"expected an integer of 0 or more, got {value!r}", where=name)
    return value


def _checked_seconds(name: str, value: float, *, above: float | None = None) -> float:
    least = 0.0 if above is None else above
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < least or value == above:
        span = "0 or more" if above is None else f"more than {above:g}"
        raise ConfigError(f"expected {span} seconds, got {value!r}", where=name)
    return value
