"""Whether a render server shows what an agent expects to see, in words."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import ConfigError, RenderFailureError
from abotn.rendering.camera import VIEW_ORDER, VIEW_YAWS, CameraConfig, view_pose
from abotn.rendering.http import GaussianRenderer

TURNS = (0.0, 90.0, 180.0, 270.0)

# Mean absolute differences of grey values in 0..255. JPEG of quality 75 and more stays below 3 on
# pictures of scenes; neighbours in a panorama differ by interpolation too.
_SAME_LOOK = 3.0
_SAME_SEAM = 12.0
_TELLS_APART = 2.0

Looks = dict[tuple[float, str], NDArray[np.float32]]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        subject: What was looked at.
        verdict: ``"ok"``, ``"note"`` or ``"problem"``.
        message: What was found, in one line.
    """

    subject: str
    verdict: str
    message: str

    def __str__(self) -> str:
        return f"{self.verdict:<8} {self.subject}: {self.message}"


@dataclass
class _Session:
    looks: Looks = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def check_renderer(renderer: GaussianRenderer, scene_id: str, pose: ArrayLike) -> Iterator[Finding]:
    """Look at a render server from four headings at one place.

    Args:
        renderer: Its client, of three views.
        scene_id: The scene.
        pose: (4, 4) camera-to-world transform; x forward, y left, z up; metres.

    Yields:
        Findings, as they are made.

    Raises:
        RenderFailureError: The pose is not a finite rigid transform.
    """
    try:
        yield _ping_finding(renderer.ping())
    except RenderFailureError as error:
        yield Finding("ping", "problem", error.message)
        return
    session = _rendered(renderer, scene_id, pose)
    yield _image_finding(session, renderer.camera_config)
    if session.failures:
        return
    yield _turning_finding(session.looks)
    yield _repeat_finding(session.looks)
    yield _seam_finding(session.looks, renderer.camera_config)
    yield _latency_finding(session.seconds)


def check_presence(renderer: GaussianRenderer) -> Iterator[Finding]:
    """Look at a render server without knowing any of its scenes.

    Args:
        renderer: Its client.

    Yields:
        Findings, as they are made.
    """
    try:
        yield _ping_finding(renderer.ping())
        renderer.check_path()
    except RenderFailureError as error:
        yield Finding("ping", "problem", error.message)
    except ConfigError as error:
        yield Finding("path", "problem", f"{error.message} ({error.hint})")
    else:
        yield Finding("views", "note", "not looked at; give the --scene-id of one of its scenes")


def _ping_finding(status: int) -> Finding:
    if status == 200:
        return Finding("ping", "ok", "the server answers")
    return Finding("ping", "problem", f"expected status 200 from GET /ping, got {status}")


def _rendered(renderer: GaussianRenderer, scene_id: str, pose: ArrayLike) -> _Session:
    session = _Session()
    for turn in TURNS:
        turned = view_pose(pose, turn)
        for view in VIEW_ORDER:
            started = time.perf_counter()
            try:
                image = renderer.request_view(turned, scene_id, view).image
            except RenderFailureError as error:
                session.failures.append(error.message)
                continue
            session.seconds.append(time.perf_counter() - started)
            session.looks[turn, view] = np.asarray(image.convert("L"), dtype=np.float32)
    return session


def _image_finding(session: _Session, camera: CameraConfig) -> Finding:
    asked = len(TURNS) * len(VIEW_ORDER)
    if session.failures:
        failed = f"{len(session.failures)} of {asked} failed"
        return Finding("images", "problem", f"{failed}; the first: {session.failures[0]}")
    size = f"{camera.width} x {camera.height}"
    return Finding("images", "ok", f"{asked} of {asked} came whole, {size} pixels")


def _turning_finding(looks: Looks) -> Finding:
    fronts = [looks[turn, "front"] for turn in TURNS]
    pairs = [(i, j) for i in range(len(fronts)) for j in range(i)]
    least = min(_difference(fronts[i], fronts[j]) for i, j in pairs)
    if least > _TELLS_APART:
        return Finding("turning", "ok", "the four headings look different")
    if max(float(front.std()) for front in fronts) <= _TELLS_APART:
        message = "every image is of one colour; is the pose inside the scene?"
    else:
        message = "two of four headings look the same; is cam_extrinsics read?"
    return Finding("turning", "problem", f"{message} (mean difference {least:.1f} of 255)")


def _repeat_finding(looks: Looks) -> Finding:
    worst, name = max(
        (_difference(looks[turn, view], looks[(turn + VIEW_YAWS[view]) % 360.0, "front"]), view)
        for turn in TURNS
        for view in ("left", "right")
    )
    if worst <= _SAME_LOOK:
        message = "left and right views equal the front views of an agent turned by 90 degrees"
        return Finding("views", "ok", f"{message} (mean difference up to {worst:.1f} of 255)")
    message = f"the {name} view differs from the front view of an agent turned there"
    return Finding("views", "problem", f"{message} (mean difference {worst:.1f} of 255)")


def _seam_finding(looks: Looks, camera: CameraConfig) -> Finding:
    """Whether the side views continue the front view on the right sides."""
    expected, swapped = _seam_differences(looks, camera)
    if np.isnan(expected) or max(expected, swapped) <= _TELLS_APART:
        return Finding("order", "note", "too little to see where views meet to tell left and right")
    shown = f"(mean difference {expected:.1f} of 255, with left and right swapped {swapped:.1f})"
    if expected <= _SAME_SEAM and expected < 0.75 * swapped:
        return Finding("order", "ok", f"left is left and right is right {shown}")
    if swapped <= _SAME_SEAM and swapped < 0.75 * expected:
        return Finding("order", "problem", f"left and right are swapped {shown}")
    if expected <= _SAME_SEAM:
        return Finding("order", "note", f"too little to see to tell left and right {shown}")
    message = "the side views do not continue the front view; are focal lengths and yaw honoured?"
    return Finding("order", "problem", f"{message} {shown}")


def _seam_differences(looks: Looks, camera: CameraConfig) -> tuple[float, float]:
    import cv2

    expected, swapped = [], []
    for side, other in (("left", "right"), ("right", "left")):
        columns, rows, shared = _seen_from(camera, VIEW_YAWS[side])
        if not shared.any():
            return float("nan"), float("nan")
        for turn in TURNS:
            front = cv2.remap(looks[turn, "front"], columns, rows, cv2.INTER_LINEAR)
            expected.append(_difference(front, looks[turn, side], shared))
            swapped.append(_difference(front, looks[turn, other], shared))
    return float(np.mean(expected)), float(np.mean(swapped))


def _seen_from(
    camera: CameraConfig, yaw: float
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Where the pixels of a camera turned by ``yaw`` degrees lie in the image of the unturned one.

    Returns:
        (height, width) column, row, and whether it is inside the image.
    """
    left = (camera.cx - (np.arange(camera.width) + 0.5)) / camera.fx
    up = ((camera.cy - (np.arange(camera.height) + 0.5)) / camera.fy)[:, np.newaxis]
    cosine, sine = np.cos(np.radians(yaw)), np.sin(np.radians(yaw))
    ahead = cosine - sine * left
    beside = sine + cosine * left
    with np.errstate(divide="ignore", invalid="ignore"):
        columns = (camera.cx - camera.fx * beside / ahead - 0.5) * np.ones_like(up)
        rows = camera.cy - camera.fy * up / ahead - 0.5
    inside = (ahead > 1e-3) & (columns >= 0) & (columns <= camera.width - 1)
    shared = inside & (rows >= 0) & (rows <= camera.height - 1)
    clean = (np.where(shared, values, -1.0).astype(np.float32) for values in (columns, rows))
    return *clean, shared


def _difference(first: Any, second: Any, where: NDArray[np.bool_] | None = None) -> float:
    import cv2

    # A light blur takes the noise of JPEG and of interpolation away, not what there is to see.
    apart = np.abs(cv2.GaussianBlur(first, (5, 5), 0) - cv2.GaussianBlur(second, (5, 5), 0))
    return float((apart if where is None else apart[where]).mean())


def _latency_finding(seconds: list[float]) -> Finding:
    median, longest = 1000.0 * float(np.median(seconds)), 1000.0 * max(seconds)
    return Finding("latency", "ok", f"median {median:.0f} ms a view, longest {longest:.0f} ms")
