"""Synthetic datasets in the published layout, the same bytes for the same seed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from abotn.collision import OccupancyGrid
from abotn.errors import UnknownNameError
from abotn.scenes.blueprint import Blueprint
from abotn.scenes.endpoints import EndpointSampler
from abotn.scenes.indoor import indoor_blueprint
from abotn.scenes.limits import check_whole
from abotn.scenes.outdoor import outdoor_blueprint
from abotn.scenes.street import street_blueprint
from abotn.scenes.task import Task
from abotn.scenes.tasks import Span, reference_task, sample_paths
from abotn.scenes.writer import new_dataset, write_scene

KINDS: dict[str, Callable[[np.random.Generator], Blueprint]] = {
    "indoor": indoor_blueprint,
    "outdoor": outdoor_blueprint,
    "poi": street_blueprint,
}

# Outdoors the three classes of reference length by which results are grouped, in turn.
_SPANS: dict[str, list[Span]] = {
    "indoor": [(3.0, 8.0), (6.0, 15.0), (10.0, 30.0)],
    "outdoor": [(6.0, 19.0), (21.0, 34.0), (36.0, 70.0)],
    "poi": [(8.0, 20.0), (15.0, 30.0), (25.0, 50.0)],
}
_TASKS_PER_POINT = 3
_KEYS = {kind: index for index, kind in enumerate(KINDS)}


def generate(
    kind: str,
    *,
    scenes: int,
    tasks: int,
    seed: int,
    out: str | os.PathLike[str],
    overwrite: bool = False,
    progress: Callable[[], None] | None = None,
) -> Path:
    """Write synthetic scenes ``{kind}_0`` to ``{kind}_{scenes - 1}``.

    Scene ``i`` depends on the kind, the seed, ``i`` and the number of its tasks, not on the
    number of scenes.

    Args:
        kind: ``"indoor"``, ``"outdoor"`` or ``"poi"``.
        scenes: Number of scenes.
        tasks: Number of tasks per scene.
        seed: Any whole number from 0.
        out: Folder of the dataset; made, or empty.
        overwrite: Whether a dataset in ``out`` may be replaced.
        progress: Called after each scene.

    Returns:
        ``out``.

    Raises:
        UnknownNameError: there is no such kind.
        ConfigError: a number is out of range, or ``out`` may not be written to.
    """
    check_kind(kind)
    for name, value, least in (("scenes", scenes, 1), ("tasks", tasks, 1), ("seed", seed, 0)):
        check_whole(value, name, least=least)
    with new_dataset(out, overwrite=overwrite) as folder:
        for index in range(scenes):
            blueprint, made = synthetic_scene(kind, index, tasks=tasks, seed=seed)
            write_scene(
                folder / f"{kind}_{index}",
                tasks=made,
                free=blueprint.free,
                geometry=blueprint.geometry,
                height_map=blueprint.height_map,
                notes=[f"Source: synthetic {kind}, seed {seed}, scene {index}"],
            )
            if progress is not None:
                progress()
    return Path(out)


def synthetic_scene(
    kind: str, index: int, *, tasks: int, seed: int
) -> tuple[Blueprint, list[Task]]:
    """Return one synthetic scene without writing it; see :func:`generate`."""
    check_kind(kind)
    rng = np.random.default_rng([_KEYS[kind], seed, index])
    blueprint = KINDS[kind](rng)
    grid = OccupancyGrid(blueprint.free, blueprint.geometry)
    if blueprint.points_of_interest:
        return blueprint, _tasks_to_points(blueprint, grid, kind, tasks, rng)
    paths = sample_paths(grid, tasks, seed=rng, spans=_SPANS[kind], clearance=blueprint.clearance)
    return blueprint, [
        reference_task(f"traj_{number}", path.points, grid, blueprint.height_map)
        for number, path in enumerate(paths)
    ]


def check_kind(kind: str) -> None:
    """Refuse a kind of scene that is not made here.

    Raises:
        UnknownNameError: names the nearest kinds.
    """
    if kind not in KINDS:
        raise UnknownNameError("kind of scene", kind, KINDS)


def _tasks_to_points(
    blueprint: Blueprint, grid: OccupancyGrid, kind: str, count: int, rng: np.random.Generator
) -> list[Task]:
    """Tasks that end at points of interest, several to each."""
    number = min(len(blueprint.points_of_interest), -(-count // _TASKS_PER_POINT))
    sampler = EndpointSampler(grid, blueprint.clearance, rng)
    spans = _SPANS[kind]
    made = []
    for index in range(count):
        point = blueprint.points_of_interest[index % number]
        path = sampler.path_to((point.x, point.y), spans[(index // number) % len(spans)])
        made.append(
            reference_task(
                f"traj_{index}",
                path.points,
                grid,
                blueprint.height_map,
                goal_label=point.name,
                goal_id=f"poi_{index % number}",
                instruction=f"Go to {point.name}.",
            )
        )
    return made
