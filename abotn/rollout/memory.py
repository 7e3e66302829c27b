"""A sliding window over what the agent saw, the past kept small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.errors import ConfigError

if TYPE_CHECKING:
    from PIL.Image import Image

# The renderers' order is left, right, front; a frame of three is kept as left, front, right.
_LEFT_FRONT_RIGHT = (0, 2, 1)


class ShortMemory:
    """The current frame's views at full size, and earlier frames' front views, downscaled.

    A frame of three views is expected as left, right, front and kept as left, front, right. Of a
    frame that becomes history the middle view stays, which is the front one.

    Args:
        max_history_frames: Largest number of earlier frames to keep.
        num_current_views: Views per frame.
        input_img_size: (width, height) that views are expected to have; a view of another size is
            scaled by the same ratio of its own.
        resize_ratio: Size of a history image as a share of its original size.
        reorder_views: Whether three views come as left, right, front and are reordered.
        resize_on_add: Whether a frame is downscaled when it becomes history.

    Raises:
        ConfigError: a number is out of range.

    Example:
        >>> memory = ShortMemory(max_history_frames=2)
        >>> views = [np.zeros((8, 8, 3), np.uint8)] * 3
        >>> [memory.add_frame(views, np.eye(4)) for _ in range(4)]
        [0, 1, 2, 3]
        >>> memory.frame_count, len(memory), len(memory.get_history_images())
        (4, 5, 2)
    """

    def __init__(
        self,
        max_history_frames: int = 20,
        num_current_views: int = 3,
        input_img_size: tuple[int, int] = (476, 420),
        resize_ratio: float = 0.25,
        reorder_views: bool = True,  # noqa: FBT001, FBT002 - the published signature
        resize_on_add: bool = True,  # noqa: FBT001, FBT002 - the published signature
    ) -> None:
        check_history(max_history_frames, resize_ratio)
        _at_least(num_current_views, 1, "num_current_views")
        self.max_history_frames = max_history_frames
        self.num_current_views = num_current_views
        self.input_img_size = input_img_size
        self.resize_ratio = resize_ratio
        self.reorder_views = reorder_views
        self.resize_on_add = resize_on_add
        self.reset()

    @property
    def frame_count(self) -> int:
        """Number of frames that were added, evicted ones included."""
        return self._frame_count

    def reset(self) -> None:
        """Forget everything, the count too."""
        self._history: list[_Entry] = []
        self._current: list[_Entry] = []
        self._frame_count = 0

    def reset_history(self) -> None:
        """Forget the history and keep the current frame."""
        self._history = []

    def add_frame(
        self,
        rgbs: Sequence[Any],
        pose: NDArray[Any],
        have_memory: bool = False,  # noqa: FBT001, FBT002 - the published signature
        num_current_image: int | None = None,
    ) -> int:
        """Add a frame; the frame before it becomes history.

        When there are then more than ``max_history_frames`` earlier frames, one is dropped: the
        oldest with ``have_memory``, else the one that followed its predecessor most closely, the
        earliest of several.

        Args:
            rgbs: The views, uint8 (h, w, 3) arrays or PIL images.
            pose: (4, 4) camera-to-world transform.
            have_memory: Which frame to drop.
            num_current_image: Number of views of this frame, when it is not the usual one.

        Returns:
            Index of the frame, from 0.

        Raises:
            ConfigError: there are not as many views as there should be.
        """
        expected = self.num_current_views if num_current_image is None else num_current_image
        if len(rgbs) != expected:
            raise ConfigError(f"expected {expected} views, got {len(rgbs)}", where="rgbs")
        index = self._frame_count
        views = [_as_image(rgb) for rgb in rgbs]
        if self.reorder_views and len(views) == len(_LEFT_FRONT_RIGHT):
            views = [views[position] for position in _LEFT_FRONT_RIGHT]
        self._collapse_current()
        self._current = [_Entry(view, pose, index) for view in views]
        self._frame_count += 1
        self._evict(oldest=have_memory)
        return index

    def get_all_images(self) -> list[Image]:
        """Return the history's front views, then the current views."""
        return [entry.image for entry in self._entries]

    def get_current_images(self) -> list[Image]:
        """Return the current frame's views."""
        return [entry.image for entry in self._current]

    def get_history_images(self) -> list[Image]:
        """Return the earlier frames' front views, oldest first."""
        return [entry.image for entry in self._history]

    def get_all_poses(self) -> list[NDArray[Any]]:
        """Return one pose per stored image."""
        return [entry.pose for entry in self._entries]

    def get_history_poses(self) -> list[NDArray[Any]]:
        """Return the poses of the earlier frames, oldest first."""
        return [entry.pose for entry in self._history]

    def get_last_pose(self) -> NDArray[Any] | None:
        """Return the pose added last, or None."""
        return self._entries[-1].pose if self._entries else None

    def get_image_indices(self) -> list[int]:
        """Return the frame index of every stored image."""
        return [entry.frame for entry in self._entries]

    def __len__(self) -> int:
        return len(self._history) + len(self._current)

    def __repr__(self) -> str:
        return f"ShortMemory({self._frame_count} frames added, {len(self)} images stored)"

    @property
    def _entries(self) -> list[_Entry]:
        return self._history + self._current

    def _collapse_current(self) -> None:
        if not self._current:
            return
        front = self._current[len(self._current) // 2]
        if self.resize_on_add:
            size = tuple(max(1, int(side * self.resize_ratio)) for side in front.image.size)
            front = front._replace(image=front.image.resize((size[0], size[1])))
        self._history.append(front)

    def _evict(self, *, oldest: bool) -> None:
        if len(self._history) <= self.max_history_frames:
            return
        if oldest or len(self._history) == 1:
            del self._history[0]
        else:
            gaps = np.diff([entry.frame for entry in self._history])
            del self._history[int(np.argmin(gaps)) + 1]


def check_history(max_history_frames: int, resize_ratio: float) -> None:
    """Check the two numbers of a history.

    Raises:
        ConfigError: one is out of range.
    """
    _at_least(max_history_frames, 0, "max_history_frames")
    if not 0 < resize_ratio <= 1:
        raise ConfigError(f"expected a ratio in (0, 1], got {resize_ratio}", where="resize_ratio")


class _Entry(NamedTuple):
    image: Image
    pose: NDArray[Any]
    frame: int


def _as_image(rgb: Any) -> Image:
    from PIL import Image

    return Image.fromarray(rgb) if isinstance(rgb, np.ndarray) else rgb


def _at_least(value: int, least: int, name: str) -> None:
    if value < least:
        raise ConfigError(f"expected at least {least}, got {value}", where=name)
