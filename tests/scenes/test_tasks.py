"""Sampled tasks, against the distances and clearances they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import distance_transform_edt

from abotn.collision import OccupancyGrid, line_collisions
from abotn.errors import ConfigError, DataError
from abotn.geometry.map_geometry import MapGeometry
from abotn.scenes import reference_task, sample_tasks
from abotn.scenes.tasks import subdivided


def two_rooms(*, door: bool = True) -> OccupancyGrid:
    """Two rooms of 5 m by 6 m at 0.1 m per pixel, joined by a door of 1.4 m."""
    free = np.ones((60, 104), dtype=bool)
    free[:, 50:54] = False
    if door:
        free[20:34, 50:54] = True
    return OccupancyGrid(free, MapGeometry.from_corners((0, 6), (10.4, 6), (0, 0), 104, 60))


def clearance_at(grid: OccupancyGrid, points: np.ndarray) -> np.ndarray:
    """Distance of each point's cell centre to the nearest obstacle cell's centre, outside too."""
    metres = distance_transform_edt(np.pad(grid.free, 1))[1:-1, 1:-1] * 0.1
    columns, rows = grid.geometry.cell_of(points).T
    return metres[rows, columns]


def test_tasks_are_reachable_clear_and_of_the_asked_length() -> None:
    grid = two_rooms()
    tasks = sample_tasks(grid, 12, seed=3, min_length=2.0, max_length=9.0, clearance=0.3)
    assert [task.task_id for task in tasks] == [f"traj_{index}" for index in range(12)]
    for task in tasks:
        xy = task.positions[:, :2]
        hit, length = line_collisions(grid, xy[:-1], xy[1:], "exact")
        assert not hit.any()
        assert length.sum() == 0
        assert 2.0 <= task.reference_length <= 9.0
        # Centres of cells differ from points by at most half a diagonal each.
        assert clearance_at(grid, xy).min() >= 0.3 - 0.1 * math.sqrt(2)
        assert np.hypot(*np.diff(xy, axis=0).T).max() <= 0.25 + 1e-9


def test_lengths_are_spread_over_the_range() -> None:
    tasks = sample_tasks(two_rooms(), 30, seed=0, min_length=1.0, max_length=8.0, clearance=0.2)
    lengths = sorted(task.reference_length for task in tasks)
    assert lengths[0] < 3.0
    assert lengths[-1] > 6.0


def test_some_paths_go_around_the_wall() -> None:
    grid = two_rooms()
    tasks = sample_tasks(grid, 20, seed=1, min_length=3.0, max_length=9.0, clearance=0.3)
    ends = np.array([[task.positions[0, :2], task.positions[-1, :2]] for task in tasks])
    assert line_collisions(grid, ends[:, 0], ends[:, 1], "exact")[0].any()
    crossing = (ends[:, 0, 0] - 5.2) * (ends[:, 1, 0] - 5.2) < 0
    assert crossing.any()


def test_a_seed_gives_the_same_tasks_and_another_gives_others() -> None:
    grid = two_rooms()
    first = sample_tasks(grid, 3, seed=5, max_length=9.0)
    assert first == sample_tasks(grid, 3, seed=5, max_length=9.0)
    assert first == sample_tasks(grid, 3, seed=np.random.default_rng(5), max_length=9.0)
    assert first != sample_tasks(grid, 3, seed=6, max_length=9.0)


def test_a_closed_door_keeps_tasks_in_one_room() -> None:
    for task in sample_tasks(two_rooms(door=False), 6, seed=0, min_length=1.0, max_length=6.0):
        x = task.positions[:, 0]
        assert (x < 5.0).all() or (x > 5.4).all()


def test_progress_is_told_once_per_task() -> None:
    told: list[int] = []
    sample_tasks(two_rooms(), 3, max_length=8.0, progress=lambda: told.append(1))
    assert len(told) == 3


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"min_length": 30.0, "max_length": 40.0}, "found no path of 30 to 40 m.*--min-length"),
        ({"clearance": 4.0}, "no free cell of the map is 4 m away.*lower the clearance"),
    ],
)
def test_what_the_map_cannot_give_says_what_to_change(
    changes: dict[str, float], reason: str
) -> None:
    with pytest.raises(DataError, match=reason):
        sample_tasks(two_rooms(), 1, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"min_length": 0.0}, "0 < least length < greatest"),
        ({"min_length": 5.0, "max_length": 5.0}, "0 < least length < greatest"),
        ({"max_length": math.inf}, "0 < least length < greatest"),
        ({"min_length": math.nan}, "0 < least length < greatest"),
        ({"clearance": -0.1}, "clearance must be a distance"),
        ({"clearance": math.nan}, "clearance must be a distance"),
    ],
)
def test_arguments_out_of_range_are_refused(changes: dict[str, float], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        sample_tasks(two_rooms(), 1, **changes)  # type: ignore[arg-type]


def test_no_tasks_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least 1, got 0"):
        sample_tasks(two_rooms(), 0)


def test_a_reference_task_faces_along_its_path_at_ground_height() -> None:
    grid = two_rooms()
    height = np.tile(np.arange(104, dtype=np.float32) / 100, (60, 1))
    task = reference_task(
        "traj_4", [[0.55, 1.05], [0.55, 2.05], [1.55, 2.05]], grid, height,
        goal_label="Desk", goal_id="poi_1", instruction="Go to the desk.",
    )  # fmt: skip
    assert task.reference_length == pytest.approx(2.0)
    yaws = [pose["yaw"] for pose in task.trajectory]
    assert yaws == pytest.approx([math.pi / 2] * 4 + [0.0] * 5)
    assert task.positions[0, 2] == pytest.approx(0.05)
    assert task.positions[-1, 2] == pytest.approx(0.15)
    assert task.label["extend"] == {
        "goal_label": "Desk",
        "el_unique_id": "poi_1",
        "start_point": [0.55, 1.05, 0.05],
        "end_point": [1.55, 2.05, 0.15],
    }
    assert (task.goal_label, task.instruction) == ("Desk", "Go to the desk.")


def test_without_a_height_map_the_ground_is_flat_and_goals_have_no_name() -> None:
    task = reference_task("traj_0", [[1.0, 1.0]], two_rooms())
    assert task.positions.tolist() == [[1.0, 1.0, 0.0]]
    assert task.trajectory[0]["yaw"] == 0.0
    assert task.goal_label == ""


points = st.tuples(st.floats(-50, 50), st.floats(-50, 50))


@settings(max_examples=60)
@given(st.lists(points, min_size=1, max_size=6), st.floats(0.1, 5))
def test_subdividing_keeps_corners_and_length(
    corners: list[tuple[float, float]], spacing: float
) -> None:
    path = np.array(corners)
    fine = subdivided(path, spacing)
    steps = np.hypot(*np.diff(fine, axis=0).T)
    assert (steps <= spacing * (1 + 1e-9)).all()
    assert steps.sum() == pytest.approx(np.hypot(*np.diff(path, axis=0).T).sum())
    for corner in path:
        assert (np.abs(fine - corner).max(axis=1) < 1e-9).any()
