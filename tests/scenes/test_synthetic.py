"""Synthetic datasets: what they promise, and the same bytes for the same seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abotn.cli.scenes_command import KINDS as CLI_KINDS
from abotn.collision import line_collisions
from abotn.errors import ConfigError, UnknownNameError
from abotn.scenes import KINDS, GaussianScene, check_dataset, generate, synthetic_scene
from abotn.scenes.ground import HIGHEST_GROUND
from abotn.scenes.synthetic import _SPANS


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("synthetic")
    counts = {"indoor": (2, 6), "outdoor": (1, 6), "poi": (1, 6)}
    return {
        kind: generate(kind, scenes=scenes, tasks=tasks, seed=1, out=root / kind)
        for kind, (scenes, tasks) in counts.items()
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_dataset_is_without_fault(datasets: dict[str, Path], kind: str) -> None:
    assert check_dataset(datasets[kind]) == []
    scene = GaussianScene(datasets[kind])
    assert [episode.num_tasks for episode in scene] == [6] * len(scene)
    assert scene.get_episode(0).episode_id == f"{kind}_0"
    assert all(episode.has_map_data() for episode in scene)


@pytest.mark.parametrize("kind", KINDS)
def test_references_keep_clear_of_obstacles(datasets: dict[str, Path], kind: str) -> None:
    for episode, task in GaussianScene(datasets[kind]).iter_tasks():
        xy = task.positions[:, :2]
        for angle in np.linspace(0, 2 * np.pi, 8, endpoint=False):
            aside = xy + 0.2 * np.array([np.cos(angle), np.sin(angle)])
            assert episode.grid.is_free(aside).all()


@pytest.mark.parametrize("kind", KINDS)
def test_poses_stand_on_the_ground_and_face_ahead(datasets: dict[str, Path], kind: str) -> None:
    for episode, task in GaussianScene(datasets[kind]).iter_tasks():
        positions = task.positions
        ground = episode.ground_height(positions[:, :2])
        # Written to a tenth of a millimetre, which may move a pose into the next cell.
        np.testing.assert_allclose(positions[:, 2], ground, atol=0.03)
        yaw = np.array([pose["yaw"] for pose in task.trajectory])
        step = np.diff(positions[:, :2], axis=0)
        length = np.hypot(step[:, 0], step[:, 1])
        along = np.cos(yaw[:-1]) * step[:, 0] + np.sin(yaw[:-1]) * step[:, 1]
        assert (along[length > 0.05] > 0.999 * length[length > 0.05]).all()
        assert yaw[-1] == yaw[-2]
        assert episode.height_map is not None
        assert 0 <= episode.height_map.min() <= episode.height_map.max() < HIGHEST_GROUND


def test_outdoor_lengths_fall_into_all_three_groups(datasets: dict[str, Path]) -> None:
    lengths = [task.reference_length for _, task in GaussianScene(datasets["outdoor"]).iter_tasks()]
    groups = [("short", 5, 20), ("medium", 20, 35), ("long", 35, 75)]
    for index, length in enumerate(lengths):
        _, least, greatest = groups[index % 3]
        assert least <= length < greatest
    height = GaussianScene(datasets["outdoor"]).get_episode(0).height_map
    assert height is not None
    assert height.max() > 0.2


def test_indoor_lengths_are_in_their_range(datasets: dict[str, Path]) -> None:
    for index, (_, task) in enumerate(GaussianScene(datasets["indoor"]).iter_tasks()):
        least, greatest = _SPANS["indoor"][index % 6 % 3]
        assert least - 0.01 <= task.reference_length <= greatest + 0.01


def test_points_of_interest_have_names_and_several_tasks(datasets: dict[str, Path]) -> None:
    tasks = GaussianScene(datasets["poi"]).get_episode(0).tasks
    goals: dict[str, set[tuple[float, float]]] = {}
    starts = set()
    for task in tasks:
        goals.setdefault(task.goal_label, set()).add(tuple(task.positions[-1, :2]))
        starts.add(tuple(task.positions[0, :2]))
        assert task.instruction == f"Go to {task.goal_label}."
        assert set(task.label["extend"]) == {
            "goal_label", "el_unique_id", "start_point", "end_point",
        }  # fmt: skip
    assert len(goals) == 2
    assert all(len(places) == 1 for places in goals.values())
    assert len(starts) == 6


def test_a_straight_line_often_collides(datasets: dict[str, Path]) -> None:
    hits = []
    for kind in KINDS:
        for episode, task in GaussianScene(datasets[kind]).iter_tasks():
            ends = task.positions[[0, -1], :2]
            hits.append(bool(line_collisions(episode.grid, ends[:1], ends[1:], "exact")[0][0]))
    assert 0.2 < np.mean(hits) < 1.0


def test_the_same_seed_gives_the_same_bytes(datasets: dict[str, Path], tmp_path: Path) -> None:
    generate("indoor", scenes=1, tasks=6, seed=1, out=tmp_path / "again")
    for name in ("traj_0.json", "traj_5.json", "map/occ_map.png", "map/occ_map_meta.txt"):
        first = (datasets["indoor"] / "indoor_0" / name).read_bytes()
        assert (tmp_path / "again" / "indoor_0" / name).read_bytes() == first
    height = "indoor_0/map/occ_map_height.tiff"
    assert (tmp_path / "again" / height).read_bytes() == (datasets["indoor"] / height).read_bytes()


def test_seeds_indices_and_kinds_give_different_scenes() -> None:
    shapes = []
    for kind, index, seed in (("indoor", 0, 0), ("indoor", 1, 0), ("indoor", 0, 1), ("poi", 0, 0)):
        blueprint, tasks = synthetic_scene(kind, index, tasks=1, seed=seed)
        shapes.append((blueprint.geometry, tasks[0].trajectory[0]["x"]))
    assert len(set(shapes)) == 4


def test_the_global_generator_is_not_touched() -> None:
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    synthetic_scene("indoor", 0, tasks=1, seed=0)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_the_command_line_offers_every_kind() -> None:
    assert (*KINDS, "anomaly") == CLI_KINDS


def test_an_unknown_kind_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean: indoor"):
        generate("indor", scenes=1, tasks=1, seed=0, out=tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("name", ["scenes", "tasks", "seed"])
def test_numbers_out_of_range_are_refused(tmp_path: Path, name: str) -> None:
    arguments = {"scenes": 1, "tasks": 1, "seed": 0, name: -1}
    with pytest.raises(ConfigError, match=f"--{name}"):
        generate("indoor", out=tmp_path / "x", **arguments)  # type: ignore[arg-type]
