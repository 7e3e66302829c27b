"""Write a small dataset in the CarlAnomaly layout, with scores and their known answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import ConfigError
from abotn.json_files import write_json
from abotn.scenes.writer import new_folder
from abotn.streaming.dataset import (
    CAMERAS,
    SENSORS,
    Scenario,
    mask_path,
    parse_scenario,
    point_label_path,
    sensor_label_path,
    timestep_label_path,
)
from abotn.streaming.example_labels import Labels, draw_labels
from abotn.streaming.example_scores import write_scores

TOWNS = ("Town01", "Town02")
ANOMALY_TYPES = ("change-weather", "spawn-props", "vanish-actor")

#: What a generated dataset's folder holds, and nothing else.
_ENTRIES = {"answers.json", "scores", "test"}


def generate_anomaly_dataset(
    folder: str | os.PathLike[str],
    *,
    seed: int = 0,
    towns: Sequence[str] = TOWNS,
    anomaly_types: Sequence[str] = ANOMALY_TYPES,
    scenarios: int = 1,
    timesteps: int = 6,
    points: int = 80,
    overwrite: bool = False,
    progress: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Write a dataset, example scores beside it in ``scores/``, and ``answers.json``.

    Every town gets ``scenarios`` normal ones and as many of each anomaly type. The anomaly of
    ``change-weather`` is seen by no sensor; others are seen by the front camera and the LiDAR, now
    and then by the other cameras. Scores are multiples of 1/16, so they tie often and the figures
    of histograms are exact as well. The same arguments give the same bytes.

    Args:
        folder: Where to write; must not exist or be empty.
        seed: Whole number of at least 0.
        towns: Names of towns.
        anomaly_types: Names of anomaly types.
        scenarios: Scenarios per town, normal and of each type.
        timesteps: Timesteps per scenario.
        points: Points per cloud, at most; clouds differ in length.
        overwrite: Whether a generated dataset in ``folder`` may be replaced.
        progress: Called after each scenario.

    Returns:
        The answers, as in ``answers.json``: per level, the figures over all scores and ``by_type``
        under the CarlAnomaly convention.

    Raises:
        ConfigError: the folder holds something already that may not be replaced, or a number is
            too small.
        DataError: the file system refused; the folder is then as it was.
    """
    for name, value in (("scenarios", scenarios), ("timesteps", timesteps), ("points", points)):
        if value < 2 - (name == "scenarios"):
            raise ConfigError(f"too small to hold both classes: {value}", where=name)
    check = partial(_check_folder, shown=folder, overwrite=overwrite)
    with new_folder(folder, check) as root:
        written = []
        for path, rng in _plan(towns, anomaly_types, scenarios, seed):
            scenario = parse_scenario((root / path).as_posix())
            written.append(_write_scenario(scenario, rng, timesteps, points))
            if progress is not None:
                progress()
        answers = write_scores(root, written, np.random.default_rng([seed, 1]))
        write_json(root / "answers.json", answers)
    return answers


def _plan(
    towns: Sequence[str], anomaly_types: Sequence[str], scenarios: int, seed: int
) -> Iterator[tuple[str, np.random.Generator]]:
    for i, town in enumerate(towns):
        for j, kind in enumerate([None, *anomaly_types]):
            parent = f"test/normal/{town}" if kind is None else f"test/anomaly/{town}/{kind}"
            for k in range(scenarios):
                yield f"{parent}/scenario-{k}", np.random.default_rng([seed, 0, i, j, k])


def _write_scenario(
    scenario: Scenario, rng: np.random.Generator, timesteps: int, points: int
) -> Labels:
    labels = draw_labels(scenario, rng, timesteps, points)
    root = Path(scenario.scenario_id)
    for timestep in range(timesteps):
        image = _image(labels.masks["front"][timestep], rng)
        _write_image(root / "rgb-front" / f"{timestep:06d}.jpg", image)
        cloud = _cloud(labels.points[timestep], rng)
        _write_table(root / "pointclouds" / f"{timestep:06d}.feather", cloud)
        _write_sample_labels(labels, timestep)
    for sensor in SENSORS:
        path = sensor_label_path(scenario.scenario_id, sensor)
        _write_table(path, {"anomaly": labels.readings(sensor)})
    _write_table(timestep_label_path(scenario.scenario_id), {"anomaly": labels.observations})
    return labels


def _write_sample_labels(labels: Labels, timestep: int) -> None:
    # As in the published data, a timestep without anomalous pixels or points has no label file.
    scenario_id = labels.scenario.scenario_id
    for camera in CAMERAS:
        mask = labels.masks[camera][timestep]
        if mask.any():
            _write_image(mask_path(scenario_id, camera, timestep), mask.astype(np.uint8) * 255)
    if labels.points[timestep].any():
        path = point_label_path(scenario_id, timestep)
        _write_table(path, {"anomaly": labels.points[timestep]})


def _image(mask: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.uint8]:
    image = rng.integers(40, 120, size=(*mask.shape, 3), dtype=np.uint8)
    image[mask] = (220, 60, 30)
    return image


def _cloud(labels: NDArray[np.bool_], rng: np.random.Generator) -> dict[str, NDArray[Any]]:
    place = rng.uniform(-40, 40, size=(3, labels.size)).astype(np.float32)
    intensity = np.where(labels, np.float32(0.9), np.float32(0.2))
    return {"x": place[0], "y": place[1], "z": place[2], "intensity": intensity}


def _write_image(path: Path, pixels: NDArray[np.uint8]) -> None:
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def _write_table(path: Path, columns: dict[str, NDArray[Any]]) -> None:
    import pyarrow
    from pyarrow import feather

    path.parent.mkdir(parents=True, exist_ok=True)
    feather.write_feather(pyarrow.table(columns), path, compression="uncompressed")


def _check_folder(folder: Path, shown: str | os.PathLike[str], *, overwrite: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise ConfigError("is not an empty folder, but a file", where=shown)
    inside = {path.name for path in folder.iterdir()} if folder.exists() else set()
    # Only the answers tell a generated dataset from a real one.
    if inside and not (overwrite and inside == _ENTRIES):
        hint = "name another" if inside != _ENTRIES else "name another, or overwrite this dataset"
        raise ConfigError("is not an empty folder", where=shown, hint=hint)
