"""The short memory: each rule of the published table, against a model written as plain lists."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from abotn.errors import ConfigError
from abotn.rollout import ShortMemory


def view(value: int, width: int = 8, height: int = 4) -> Any:
    return np.full((height, width, 3), value, dtype=np.uint8)


def frame(number: int, **size: int) -> list[Any]:
    """Left, right and front views of a frame, told apart by their grey."""
    return [view(10 * number + part, **size) for part in (1, 2, 3)]


def greys(images: list[Image.Image]) -> list[int]:
    return [int(np.asarray(image)[0, 0, 0]) for image in images]


def pose(number: int) -> Any:
    return np.full((4, 4), float(number))


def test_defaults_are_the_published_ones() -> None:
    memory = ShortMemory()
    assert (memory.max_history_frames, memory.num_current_views) == (20, 3)
    assert (memory.input_img_size, memory.resize_ratio) == ((476, 420), 0.25)
    assert memory.reorder_views is True
    assert memory.resize_on_add is True


def test_views_are_reordered_to_left_front_right() -> None:
    memory = ShortMemory()
    memory.add_frame(frame(0), pose(0))
    assert greys(memory.get_current_images()) == [1, 3, 2]


def test_views_keep_their_order_when_told() -> None:
    memory = ShortMemory(reorder_views=False)
    memory.add_frame(frame(0), pose(0))
    assert greys(memory.get_current_images()) == [1, 2, 3]


def test_history_keeps_front_views_downscaled_and_the_current_frame_whole() -> None:
    memory = ShortMemory()
    for number in range(3):
        memory.add_frame(frame(number, width=40, height=20), pose(number))
    assert greys(memory.get_history_images()) == [3, 13]
    assert [image.size for image in memory.get_history_images()] == [(10, 5), (10, 5)]
    assert greys(memory.get_current_images()) == [21, 23, 22]
    assert [image.size for image in memory.get_current_images()] == [(40, 20)] * 3
    assert memory.get_image_indices() == [0, 1, 2, 2, 2]


def test_no_downscaling_when_told() -> None:
    memory = ShortMemory(resize_on_add=False)
    for number in range(2):
        memory.add_frame(frame(number), pose(number))
    assert memory.get_history_images()[0].size == (8, 4)


def test_tiny_images_do_not_vanish() -> None:
    memory = ShortMemory(resize_ratio=0.1)
    for number in range(2):
        memory.add_frame(frame(number, width=3, height=2), pose(number))
    assert memory.get_history_images()[0].size == (1, 1)


def test_poses_belong_to_images() -> None:
    memory = ShortMemory()
    for number in range(2):
        memory.add_frame(frame(number), pose(number))
    assert [p[0, 0] for p in memory.get_all_poses()] == [0, 1, 1, 1]
    assert [p[0, 0] for p in memory.get_history_poses()] == [0]
    last = memory.get_last_pose()
    assert last is not None
    assert last[0, 0] == 1


def test_empty_memory() -> None:
    memory = ShortMemory()
    assert (len(memory), memory.frame_count, memory.get_last_pose()) == (0, 0, None)
    assert memory.get_all_images() == memory.get_history_poses() == []


def test_reset_clears_the_count_and_reset_history_does_not() -> None:
    memory = ShortMemory()
    for number in range(3):
        memory.add_frame(frame(number), pose(number))
    memory.reset_history()
    assert (len(memory), memory.frame_count) == (3, 3)
    assert greys(memory.get_all_images()) == [21, 23, 22]
    assert memory.add_frame(frame(3), pose(3)) == 3
    memory.reset()
    assert (len(memory), memory.frame_count) == (0, 0)
    assert memory.add_frame(frame(0), pose(0)) == 0


def test_one_view_and_pil_images() -> None:
    memory = ShortMemory(num_current_views=1)
    for number in range(2):
        memory.add_frame([Image.fromarray(view(number))], pose(number))
    assert greys(memory.get_all_images()) == [0, 1]


def test_number_of_views_can_be_said_per_call() -> None:
    memory = ShortMemory()
    memory.add_frame([view(5)], pose(0), num_current_image=1)
    assert greys(memory.get_current_images()) == [5]
    with pytest.raises(ConfigError, match="expected 3 views, got 1"):
        memory.add_frame([view(5)], pose(0))


@pytest.mark.parametrize(
    "arguments",
    [{"max_history_frames": -1}, {"num_current_views": 0}, {"resize_ratio": 0.0}],
)
def test_numbers_out_of_range(arguments: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(arguments))):
        ShortMemory(**arguments)


def model(count: int, room: int, fifo: list[bool]) -> list[int]:
    """Indices of the history after adding frames, by plain list operations."""
    history: list[int] = []
    for current in range(1, count):
        history.append(current - 1)
        if len(history) > room:
            if fifo[current] or len(history) == 1:
                history.pop(0)
            else:
                gaps = [b - a for a, b in pairwise(history)]
                history.pop(gaps.index(min(gaps)) + 1)
    return history


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(0, 6), st.data())
def test_both_evictions_follow_their_rule(count: int, room: int, data: st.DataObject) -> None:
    fifo = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    memory = ShortMemory(max_history_frames=room, num_current_views=1)
    for number in range(count):
        memory.add_frame([view(number)], pose(number), have_memory=fifo[number])
    expected = model(count, room, fifo)
    assert memory.get_image_indices() == [*expected, count - 1]
    assert greys(memory.get_history_images()) == expected
    assert [p[0, 0] for p in memory.get_history_poses()] == expected
    assert len(memory) <= room + 1
    assert memory.frame_count == count


def test_first_frame_survives_the_adaptive_eviction_and_not_the_other() -> None:
    for fifo, first in ((False, 0), (True, 6)):
        memory = ShortMemory(max_history_frames=3, num_current_views=1)
        for number in range(10):
            memory.add_frame([view(number)], pose(number), have_memory=fifo)
        assert memory.get_image_indices()[0] == first


class Model:
    """The published rules on plain lists; an entry is (grey, width, height, frame)."""

    def __init__(self, room: int, *, reorder: bool, shrink: bool, ratio: float) -> None:
        self.room, self.reorder, self.shrink, self.ratio = room, reorder, shrink, ratio
        self.history: list[tuple[int, int, int, int]] = []
        self.current: list[tuple[int, int, int, int]] = []
        self.count = 0

    def add(self, greys: list[int], size: tuple[int, int], *, fifo: bool) -> int:
        if self.current:
            grey, width, height, number = self.current[len(self.current) // 2]
            if self.shrink:
                width, height = (max(1, int(side * self.ratio)) for side in (width, height))
            self.history.append((grey, width, height, number))
        shown = [greys[0], greys[2], greys[1]] if self.reorder and len(greys) == 3 else greys
        self.current = [(grey, *size, self.count) for grey in shown]
        self.count += 1
        if len(self.history) > self.room:
            frames = [entry[3] for entry in self.history]
            gaps = [after - before for before, after in pairwise(frames)]
            self.history.pop(0 if fifo or not gaps else gaps.index(min(gaps)) + 1)
        return self.count - 1


def entries(memory: ShortMemory, images: list[Image.Image]) -> list[tuple[int, int, int]]:
    return [(grey, *image.size) for grey, image in zip(greys(images), images, strict=True)]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 5),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.25, 0.5, 1.0]),
    st.lists(
        st.tuples(
            st.sampled_from(["add", "add", "add", "add", "reset", "reset_history"]),
            st.sampled_from([1, 3]),
            st.booleans(),
            st.booleans(),
            st.integers(1, 9),
        ),
        max_size=25,
    ),
)
def test_every_accessor_follows_the_rules_on_plain_lists(
    room: int, reorder: bool, shrink: bool, ratio: float, actions: list[Any]
) -> None:
    memory = ShortMemory(room, reorder_views=reorder, resize_on_add=shrink, resize_ratio=ratio)
    plain = Model(room, reorder=reorder, shrink=shrink, ratio=ratio)
    for number, (action, views, fifo, as_pil, width) in enumerate(actions):
        if action == "reset":
            memory.reset()
            plain = Model(room, reorder=reorder, shrink=shrink, ratio=ratio)
        elif action == "reset_history":
            memory.reset_history()
            plain.history = []
        else:
            seen = [3 * number + part for part in range(views)]
            given_views = [view(grey, width=width, height=4) for grey in seen]
            if as_pil:
                given_views = [Image.fromarray(one) for one in given_views]
            index = memory.add_frame(
                given_views, pose(plain.count), have_memory=fifo, num_current_image=views
            )
            assert index == plain.add(seen, (width, 4), fifo=fifo)
        kept = [*plain.history, *plain.current]
        assert entries(memory, memory.get_all_images()) == [entry[:3] for entry in kept]
        assert entries(memory, memory.get_history_images()) == [e[:3] for e in plain.history]
        assert entries(memory, memory.get_current_images()) == [e[:3] for e in plain.current]
        assert memory.get_image_indices() == [entry[3] for entry in kept]
        assert [p[0, 0] for p in memory.get_all_poses()] == [entry[3] for entry in kept]
        assert [p[0, 0] for p in memory.get_history_poses()] == [e[3] for e in plain.history]
        last = memory.get_last_pose()
        assert (None if last is None else last[0, 0]) == (kept[-1][3] if kept else None)
        assert (len(memory), memory.frame_count) == (len(kept), plain.count)
